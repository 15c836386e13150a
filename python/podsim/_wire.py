"""Protobuf's wire format, as much of it as proto/import.proto takes.

The package needs no protobuf library for two kinds of field."""

from __future__ import annotations


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    """A field of a whole number of at least 0; none if it is 0."""
    return _varint(field << 3) + _varint(value) if value else b""


def sized(field: int, value: bytes | str) -> bytes:
    """A field of text, of bytes, or of a message's bytes."""
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data
