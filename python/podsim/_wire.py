"""Protobuf's wire format, as much of it as proto/import.proto takes.

The package needs no protobuf library for two kinds of field."""

from __future__ import annotations

from typing import Any, BinaryIO


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


class Message:
    """Fields one after another. What they hold is not copied: it may be large.

    notes: for messages about it; not written."""

    def __init__(self) -> None:
        self.notes: dict[str, Any] = {}
        self._parts: list[bytes | memoryview] = []
        self._size = 0

    def _add(self, part: bytes | memoryview) -> None:
        self._parts.append(part)
        self._size += len(part)

    def number(self, field: int, value: int) -> "Message":
        """A field of a whole number of at least 0; none if it is 0."""
        if value:
            self._add(_varint(field << 3) + _varint(value))
        return self

    def sized(self, field: int, value: "str | bytes | memoryview | Message") -> "Message":
        """A field of text, of bytes, or of a message."""
        data = value.encode() if isinstance(value, str) else value
        size = data._size if isinstance(data, Message) else len(data)
        self._add(_varint(field << 3 | 2) + _varint(size))
        for part in data._parts if isinstance(data, Message) else [data]:
            self._add(part)
        return self

    def write(self, file: BinaryIO) -> None:
        for part in self._parts:
            file.write(part)

    def __bytes__(self) -> bytes:
        return b"".join(self._parts)
