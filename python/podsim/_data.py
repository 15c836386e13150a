"""Data sets for the programs: a file of NumPy's for each array, in memory that
all host processes map."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Callable

import numpy as np

from . import _lowering, _trees


def folder_in_memory() -> str | None:
    """Where files are memory, if this machine has such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _file(folder: pathlib.Path, name: str) -> pathlib.Path:
    path = folder / f"{name}.npy"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _count(leaves: list[Any], names: list[str]) -> int:
    counts = {name: np.shape(leaf)[0] if np.shape(leaf) else 0
              for name, leaf in zip(names, leaves)}
    if len(set(counts.values())) != 1 or 0 in counts.values():
        raise ValueError("the arrays of a data set must have the same number of "
                         f"examples along their first axis; here {counts}")
    return int(next(iter(counts.values())))


def _write_arrays(tree: Any, folder: pathlib.Path) -> None:
    names, leaves, _ = _trees.named_leaves(tree, "batch")
    _count(leaves, names)
    for name, leaf in zip(names, leaves):
        array = np.asarray(leaf)
        np.save(_file(folder, name),
                np.ascontiguousarray(array, _lowering.narrow(array.dtype)))


def _write_examples(example: Callable[[int], Any], count: int,
                    folder: pathlib.Path) -> None:
    names, first, structure = _trees.named_leaves(example(0), "batch")
    files = [np.lib.format.open_memmap(
        _file(folder, name), mode="w+", shape=(count, *np.shape(leaf)),
        dtype=_lowering.narrow(np.asarray(leaf).dtype))
        for name, leaf in zip(names, first)]
    for index in range(count):
        others, leaves, this = _trees.named_leaves(example(index), "batch")
        if this != structure:
            raise ValueError(f"example {index} has the arrays {others}, the first "
                             f"one has {names}")
        for file, leaf in zip(files, leaves):
            file[index] = leaf
    for file in files:
        file.flush()


def write_split(dataset: Any, count: int | None, folder: pathlib.Path) -> None:
    """`dataset`: a tree of arrays, or a function index -> example with `count`."""
    if callable(dataset):
        if not count:
            raise TypeError("a data set that is a function of the index needs "
                            "examples=N, how many there are")
        _write_examples(dataset, count, folder)
    else:
        _write_arrays(dataset, folder)


def example_batch(dataset: Any) -> Any:
    """A batch of one example, of which shapes and types are read."""
    import jax

    if callable(dataset):
        return jax.tree_util.tree_map(lambda x: np.asarray(x)[None], dataset(0))
    return jax.tree_util.tree_map(lambda x: x[:1], dataset)
