"""Letters for pictures that are made without a library: five pixels wide, nine high, enough for phase names."""

from __future__ import annotations

WIDTH, HEIGHT = 5, 9
_DIGITS = "0123456789abcdefghijklmnopqrstuv"
# fmt: off
_ROWS = {
    "a": "00e1fhf00",
    "b": "gguhhhu00",
    "c": "00ehghe00",
    "d": "11fhhhf00",
    "e": "00ehvge00",
    "f": "698s88800",
    "g": "00fhhhf1e",
    "h": "ggmphhh00",
    "i": "40c444e00",
    "j": "2062222ic",
    "k": "ggikoki00",
    "l": "c44444e00",
    "m": "00qlllh00",
    "n": "00mphhh00",
    "o": "00ehhhe00",
    "p": "00uhhhugg",
    "q": "00fhhhf11",
    "r": "00mpggg00",
    "s": "00fge1u00",
    "t": "88u889600",
    "u": "00hhhjd00",
    "v": "00hhha400",
    "w": "00hhlla00",
    "x": "00ha4ah00",
    "y": "00hhhhf1e",
    "z": "00v248v00",
    "A": "ehhvhhh00",
    "L": "ggggggv00",
    "X": "hha4ahh00",
    "0": "ehjlphe00",
    "1": "4c4444e00",
    "2": "eh1248v00",
    "3": "eh161he00",
    "4": "26aiv2200",
    "5": "vgu11he00",
    "6": "egguhhe00",
    "7": "v12488800",
    "8": "ehhehhe00",
    "9": "ehhf11e00",
    ".": "00000cc00",
    ",": "00000cc48",
    "-": "000e00000",
    "%": "pp248jj00",
    "µ": "00hhhjtgg",
    " ": "000000000",
}
# fmt: on
"""Each row of a letter as a digit in base 32, from the top; its five bits are the pixels, from the left."""


def rows(text: str, scale: int = 1) -> list[list[bool]]:
    """The text as rows of pixels, each `scale` times as wide and as high. Unknown letters become dashes."""
    found: list[list[bool]] = []
    for level in range(HEIGHT):
        line: list[bool] = []
        for letter in text:
            bits = _DIGITS.index(_ROWS.get(letter, _ROWS["-"])[level])
            for shift in range(WIDTH, -1, -1):  # one column more, between the letters
                line += [bool(bits << 1 >> shift & 1)] * scale
        found += [line] * scale
    return found


def width(text: str, scale: int = 1) -> int:
    return len(text) * (WIDTH + 1) * scale
