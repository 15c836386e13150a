"""Bytes of a file in the place of the arrays that it holds."""

from __future__ import annotations

from typing import Any


def of_bytes(value: Any) -> tuple[str, str]:
    """What bytes are in the place of a tree of arrays, which are never shown, and what makes one
    of them. Two empty texts: they are none."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        return "", ""
    start = bytes(value[:4])
    if start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
        return "bytes (a pickle)", "pickle.loads(...)"
    if start == b"PK\x03\x04":
        return "bytes (a zip file, as .npz is)", "dict(np.load(io.BytesIO(...)))"
    if start == b"\x93NUM":
        return "bytes (a .npy file)", "np.load(io.BytesIO(...))"
    return "bytes", "np.frombuffer(...).reshape(...) makes one of raw numbers"
