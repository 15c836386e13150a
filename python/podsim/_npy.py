"""NumPy's files, written piece by piece."""

from __future__ import annotations

import pathlib
import shutil
from typing import Any

import numpy as np

from . import _lowering

_HEADER = 256  # bytes, of which NumPy wants a multiple of 64
_ROOM = 1 << 30  # bytes that are left to others, or an eighth of what there is


def stored_bytes(leaf: Any) -> int:
    """How many an array takes in its file."""
    kind = leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype
    return int(np.size(leaf)) * _lowering.stored(np.dtype(kind)).itemsize


def mib(count: int) -> str:
    return f"{-(-count >> 20):,} MiB"


def room_in(folder: pathlib.Path) -> int:
    """Bytes that a call may take there."""
    usage = shutil.disk_usage(folder)
    return usage.free - min(_ROOM, usage.total // 8)


def check_room(folder: pathlib.Path, wanted: int, what: str) -> None:
    """Raises OSError if `wanted` bytes in all do not fit, before any is written."""
    room = room_in(folder if folder.is_dir() else folder.parent)
    if wanted > room:
        raise OSError(f"{what} needs {mib(wanted)}, but {folder.parent} has room for "
                      f"{mib(max(room, 0))}: write it as DIR/train/NAME.npy and say \"arrays\" "
                      "with data_dir=DIR, or give fewer examples")


class Writer:
    """An array that grows along its first axis."""

    def __init__(self, path: pathlib.Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._file = path.open("wb")
        self._file.write(bytes(_HEADER))
        self._kind: tuple[np.dtype, tuple[int, ...]] | None = None
        self._count = 0

    def append(self, leaf: Any) -> None:
        array = self._narrowed(np.asarray(leaf))
        kind = array.dtype, array.shape[1:]
        if self._kind is None:
            self._kind = kind
        if kind != self._kind:
            raise ValueError(f"{self._path.stem!r} is {_text(kind)} after {self._count} "
                             f"examples, before it is {_text(self._kind)}")
        self._check_room(array.nbytes)
        self._file.write(array.data if array.size else b"")
        self._count += len(array)

    def _narrowed(self, array: np.ndarray) -> np.ndarray:
        """As the programs read it. A value that the type cannot hold is refused as
        they refuse it in a file of the user's own."""
        kind = _lowering.stored(array.dtype)
        with np.errstate(over="ignore"):
            narrow = np.ascontiguousarray(array, kind)
        if kind == array.dtype or not array.size:
            return narrow
        lost = (np.isinf(narrow) & np.isfinite(array) if kind.kind == "f"
                else narrow != array)
        if lost.any():
            first, *rest = np.unravel_index(np.argmax(lost), array.shape)
            value = array[(first, *rest)]
            index = [self._count + int(first), *map(int, rest)]
            limits = np.finfo(kind) if kind.kind == "f" else np.iinfo(kind)
            also = "" if kind.kind == "f" else ", or .astype(np.float32)"
            raise ValueError(
                f"{self._path.stem!r} {index} is {value}, which {kind} cannot hold; podsim "
                f"reads {array.dtype} as {kind}: give numbers from {limits.min} to "
                f"{limits.max}{also}")
        return narrow

    def _check_room(self, wanted: int) -> None:
        folder = self._path.parent
        usage = shutil.disk_usage(folder)
        free = usage.free
        if wanted + min(_ROOM, usage.total // 8) > free:
            raise OSError(
                f"the data set does not fit into {folder}: {self._count} examples are "
                f"written, {free >> 20} MiB are free; write it as DIR/train/NAME.npy and "
                'say "arrays" with data_dir=DIR, or, if it never ends, say train_steps=N')

    def close(self) -> None:
        dtype, shape = self._kind or (np.dtype("float32"), ())
        text = (f"{{'descr': {np.lib.format.dtype_to_descr(dtype)!r}, 'fortran_order': "
                f"False, 'shape': {(self._count, *shape)}, }}").encode()
        size = _HEADER - 10
        self._file.seek(0)
        self._file.write(np.lib.format.magic(1, 0) + size.to_bytes(2, "little")
                         + text.ljust(size - 1) + b"\n")
        self._file.close()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _text(kind: tuple[np.dtype, tuple[int, ...]]) -> str:
    return f"{kind[0]} of {kind[1]}"
