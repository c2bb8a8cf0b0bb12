"""The report as a TensorBoard event file: scalars, the ledger as text and as a picture.

The format is small enough to be written by hand (TFRecord framing, four protobuf messages); importing TensorFlow
or TensorBoard to write it would cost more than the report itself.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from ..analyse.report import Phase, Report
from . import lettering, terminal, units
from .words import phase_label

PALETTE = {
    "interpreter": 0x9DB7E8,
    "imports": 0x4F7FDC,
    "native-libraries": 0x2C54A3,
    "device-init": 0xB9A6E6,
    "model-build": 0x9277D8,
    "variable-init": 0x7453C4,
    "weight-loading": 0x5B3BA3,
    "optimizer-setup": 0xC78BD6,
    "tracing": 0xE8743B,
    "graph-optimization": 0xC9463D,
    "xla-compile": 0x94264A,
    "data-warmup": 0x4CB5B0,
    "data-wait": 0x1F8A86,
    "first-step": 0x6FBF73,
    "steady-steps": 0x3F9A4C,
    "evaluation": 0x9CCC65,
    "eager-ops": 0xB8B04A,
    "external-wait": 0xE28BB0,
    "user-code": 0xD9B23C,
    "shutdown": 0xA8A29A,
}


def render(report: Report, *, unix_seconds: float, step: int = 0) -> bytes:
    """A whole event file."""
    events = [_field(3, b"brain.Event:2")]
    events += [
        _summary(tag, _field(2, struct.pack("<f", value), wire=5), step) for tag, value in _scalars(report)
    ]
    events.append(_summary("headstart/ledger", _text(_markdown(report)), step))
    events.append(_summary("headstart/report", _text(_fenced(terminal.render(report))), step))
    events.append(_summary("headstart/ledger", _picture(report), step))
    clock = _field(1, struct.pack("<d", unix_seconds), wire=1)
    return b"".join(_record(clock + event) for event in events)


def _scalars(report: Report) -> Iterator[tuple[str, float]]:
    yield "headstart/wall_seconds", report.wall_seconds
    steps = report.steps
    single = {
        "time_to_first_step": report.time_to_first_step,
        "first_step_seconds": steps.first_seconds,
        "steady_step_seconds": steps.steady_median_seconds,
    }
    for name, value in single.items():
        if value is not None:
            yield f"headstart/{name}", value
    for phase in report.phases:
        yield f"headstart_phases/{phase.id}", phase.seconds
    yield "headstart/overhead_seconds", report.overhead.seconds


def _markdown(report: Report) -> str:
    lines = ["| phase | time | share | to step 1 |", "|---|--:|--:|--:|"]
    for phase in report.phases:
        if phase.seconds > 0:
            before = units.seconds(phase.before_first_step_seconds) if phase.before_first_step_seconds else ""
            cells = [phase_label(phase.id), units.seconds(phase.seconds), units.share(phase.share), before]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _fenced(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))


# --- messages -----------------------------------------------------------------------------------------------------


def _varint(value: int) -> bytes:
    out = bytearray()
    while True:
        low, value = value & 0x7F, value >> 7
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def _field(number: int, content: bytes, wire: int = 2) -> bytes:
    """A protobuf field: 2 for bytes and messages, 1 and 5 for fixed 64 and 32 bits, 0 for an encoded varint."""
    head = _varint(number << 3 | wire)
    return head + (_varint(len(content)) if wire == 2 else b"") + content


def _summary(tag: str, value: bytes, step: int) -> bytes:
    """Event.step and Event.summary with one Summary.Value."""
    entry = _field(1, tag.encode()) + value
    return _field(2, _varint(step), wire=0) + _field(5, _field(1, entry))


def _text(text: str) -> bytes:
    """A string tensor for the text plugin."""
    clean = text.encode("utf-8", "backslashreplace")
    dims = _field(2, _field(1, _varint(1), wire=0))
    tensor = _field(1, _varint(7), wire=0) + _field(2, dims) + _field(8, clean)
    return _field(9, _field(1, _field(1, b"text"))) + _field(8, tensor)


_SCALE, _ROW, _LABELS, _BARS, _VALUES = 2, 26, 240, 440, 130
_INK = b"\x1b\x1d\x21"


def _picture(report: Report) -> bytes:
    """Summary.Image with a labelled bar for each phase, in the order of the table."""
    phases = [phase for phase in report.phases if phase.seconds > 0]
    largest = max((phase.seconds for phase in phases), default=1.0)
    lines = [line for phase in phases for line in _bar(phase, largest)]
    width = _LABELS + _BARS + _VALUES
    lines = lines or [b"\xff" * 3 * width]
    height = len(lines)
    png = _png(width, height, lines)
    content = b"".join(_field(n, _varint(v), wire=0) for n, v in ((1, height), (2, width), (3, 3)))
    return _field(4, content + _field(4, png))


def _bar(phase: Phase, largest: float) -> list[bytes]:
    """Name, bar and time of one phase: rows of pixels."""
    colour = PALETTE.get(phase.id, 0xC9C9C4).to_bytes(3, "big")
    length = max(1, round(phase.seconds / largest * _BARS))
    bar = colour * length + b"\xff" * 3 * (_BARS - length)
    name, time = (
        lettering.rows(text, _SCALE) for text in (phase_label(phase.id), units.seconds(phase.seconds))
    )
    top = (_ROW - len(name)) // 2
    lines = []
    for row in range(_ROW):
        inside = 0 <= row - top < len(name)
        label = _ink(name[row - top] if inside else [], _LABELS)
        value = _ink([False] * 16 + time[row - top] if inside else [], _VALUES)
        lines.append(label + (bar if 3 <= row < _ROW - 3 else b"\xff" * 3 * _BARS) + value)
    return lines


def _ink(pixels: list[bool], width: int) -> bytes:
    shown = [False] * 4 + pixels[: width - 4]
    return b"".join(_INK if pixel else b"\xff" * 3 for pixel in shown) + b"\xff" * 3 * (width - len(shown))


def _png(width: int, height: int, lines: list[bytes]) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(b"\x00" + line for line in lines), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


# --- TFRecord -----------------------------------------------------------------------------------------------------


def _record(data: bytes) -> bytes:
    length = struct.pack("<Q", len(data))
    return length + _masked(length) + data + _masked(data)


def _masked(data: bytes) -> bytes:
    crc = _crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def _crc_table() -> list[int]:
    table = []
    for number in range(256):
        for _ in range(8):
            number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
        table.append(number)
    return table


_TABLE = _crc_table()


def _crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF
