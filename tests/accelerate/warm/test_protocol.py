"""The messages: what goes in comes out, and nothing that comes in from elsewhere is taken for a message."""

from __future__ import annotations

import os
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headstart.accelerate.warm import protocol, request
from headstart.accelerate.warm.protocol import BadMessage

ITEM = st.binary(max_size=20).filter(lambda data: b"\0" not in data)


@given(st.lists(ITEM, max_size=8))
def test_lists_survive(items: list[bytes]) -> None:
    assert protocol.unpack(protocol.pack(items)) == items


@given(st.lists(st.binary(max_size=30), min_size=protocol.FIELDS, max_size=protocol.FIELDS))
def test_fields_survive(fields: list[bytes]) -> None:
    whole = protocol.encode_request(fields)
    assert whole.startswith(protocol.MAGIC)
    assert protocol.decode_body(whole[len(protocol.MAGIC) + 4 :]) == fields


@given(st.binary(min_size=1, max_size=1), st.integers(-(2**31), 2**31 - 1), st.text(max_size=50))
def test_frames_survive_in_any_pieces(kind: bytes, number: int, text: str) -> None:
    data = protocol.encode_frame(kind, number, text) * 2
    ours, theirs = socket.socketpair()
    with ours, theirs:
        frames = protocol.Frames(ours)
        for at in range(len(data)):
            theirs.send(data[at : at + 1])
            frames.receive()
        assert frames.next() == frames.next() == (kind, number, text)
        assert frames.next() is None


def test_too_large_a_request_is_not_sent() -> None:
    with pytest.raises(BadMessage):
        protocol.encode_request([b"x" * (protocol.MOST_BYTES + 1), *[b""] * (protocol.FIELDS - 1)])


@given(st.binary(max_size=200))
def test_any_bytes_are_a_body_or_bad(data: bytes) -> None:
    try:
        protocol.decode_body(data)
    except BadMessage:
        pass


@given(st.lists(st.binary(max_size=40), min_size=protocol.FIELDS, max_size=protocol.FIELDS))
@settings(max_examples=2000)
def test_any_fields_are_a_request_or_bad(fields: list[bytes]) -> None:
    try:
        request.parse(fields, [])
    except (BadMessage, ValueError):
        pass


@given(st.binary(max_size=300), st.booleans())
@settings(max_examples=500)
def test_any_stream_is_a_request_or_bad_and_leaves_no_descriptor(data: bytes, magic: bool) -> None:
    """Whatever a client sends, with descriptors attached: it is refused and the descriptors are closed."""
    before = set(os.listdir("/proc/self/fd"))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        stream = (protocol.MAGIC if magic else b"") + data
        reader, writer = os.pipe()
        socket.send_fds(theirs, [stream or b"x"], [reader, writer])
        os.close(reader)
        os.close(writer)
        theirs.close()
        with pytest.raises(BadMessage):
            request.receive(ours)
    assert set(os.listdir("/proc/self/fd")) == before


def test_numbers_must_match_descriptors() -> None:
    fields = [b"run", b"", protocol.pack([b"code", b"pass", b"-c", b"pass"]), b"", b"/", b"", b"", b"", b""]
    assert request.parse(fields, []).program.what == "pass"
    fields[5] = protocol.pack([b"0"])
    with pytest.raises(BadMessage):
        request.parse(fields, [])
    for number in (b"-1", b"99999999"):
        fields[5] = protocol.pack([number])
        with pytest.raises(BadMessage):
            request.parse(fields, [7])


@pytest.mark.parametrize("size", [protocol.MOST_BYTES + 1, 2**32 - 1])
def test_no_memory_is_taken_for_a_large_announcement(size: int) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(protocol.MAGIC + size.to_bytes(4, "big"))
        with pytest.raises(BadMessage, match="too large"):
            request.receive(ours)
