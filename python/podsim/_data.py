"""Data sets for the programs: a file of NumPy's for each array, in memory that
all host processes map."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import os
import pathlib
from typing import Any, Callable, Iterable, Protocol

import numpy as np

from . import _checks, _npy, _trees

_STACKED = 64  # examples that are written at a time


class Source(Protocol):
    """A data set before it is written."""

    ordered: bool
    """Whether its order is its own, not podsim's to shuffle."""

    def example(self) -> Any:
        """A batch of one example, of which shapes and types are read."""

    def write(self, folder: pathlib.Path) -> None:
        """Writes NAME.npy for each array."""


def folder_in_memory() -> str | None:
    """Where files are memory, if this machine has such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _named_files(tree: Any) -> tuple[list[str], list[Any], Any]:
    """As _trees has it, of arrays that become files of their names."""
    names, leaves, structure = _trees.named_leaves(tree, "batch")
    _checks.check_file_names(names)
    return names, leaves, structure


class _Arrays:
    """A tree of arrays."""

    ordered = False

    def __init__(self, tree: Any) -> None:
        self._tree = tree

    def example(self) -> Any:
        names, leaves = self._named()
        _checks.check_numbers(names, [leaf[:1] for leaf in leaves])
        import jax

        return jax.tree_util.tree_map(lambda x: np.asarray(x[:1]), self._tree)

    def _named(self) -> tuple[list[str], list[Any]]:
        names, leaves, _ = _named_files(self._tree)
        _checks.count_of(names, leaves, "the data set")
        return names, leaves

    def write(self, folder: pathlib.Path) -> None:
        names, leaves = self._named()
        for name, leaf in zip(names, leaves):
            with _npy.Writer(folder / f"{name}.npy") as file:
                file.append(leaf)


class _Batches:
    """An iterable of trees of arrays, written one after another. most: how many
    examples are read of one that goes on."""

    ordered = True

    def __init__(self, batches: Iterable[Any], most: int | None) -> None:
        batches = iter(batches)
        self._first = next(batches, None)
        if self._first is None:
            raise ValueError("the iterable of batches has none; an iterator that was read "
                             "before is at its end: make it anew")
        self._all = itertools.chain([self._first], batches)
        self._most = most

    def example(self) -> Any:
        return _Arrays(self._first).example()

    def write(self, folder: pathlib.Path) -> None:
        names, _, structure = _named_files(self._first)
        read = 0
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(_npy.Writer(folder / f"{name}.npy"))
                     for name in names]
            for index, batch in enumerate(self._all):
                others, leaves, this = _trees.named_leaves(batch, "batch")
                if this != structure:
                    raise ValueError(f"batch {index} has the arrays {others}, the first "
                                     f"one has {names}")
                read += _checks.count_of(names, leaves, f"batch {index}")
                for file, leaf in zip(files, leaves):
                    file.append(leaf)
                if self._most is not None and read >= self._most:
                    break


class _Examples:
    """A function of the index."""

    ordered = False

    def __init__(self, function: Callable[[int], Any], count: int) -> None:
        self._function = function
        self._count = count

    def _stacked(self, begin: int, end: int) -> Any:
        import jax

        examples = [self._function(index) for index in range(begin, end)]
        try:
            return jax.tree_util.tree_map(lambda *leaves: np.stack(leaves), *examples)
        except ValueError as error:
            why = str(error).splitlines()[0]
            raise ValueError(f"examples {begin} to {end - 1} do not all have the same "
                             f"arrays: {why}") from None

    def example(self) -> Any:
        return _Arrays(self._stacked(0, 1)).example()

    def write(self, folder: pathlib.Path) -> None:
        batches = (self._stacked(begin, min(begin + _STACKED, self._count))
                   for begin in range(0, self._count, _STACKED))
        _Batches(batches, None).write(folder)


def _is_batches(dataset: Any) -> bool:
    """An object that JAX takes for no tree and that can be walked through, or a
    list of trees of one structure."""
    import jax

    if isinstance(dataset, list):
        structures = {str(jax.tree_util.tree_structure(item)) for item in dataset}
        return (len(structures) == 1
                and not jax.tree_util.all_leaves(dataset))
    return (jax.tree_util.all_leaves([dataset]) and hasattr(dataset, "__iter__")
            and not hasattr(dataset, "shape"))


def source_of(dataset: Any, examples: int | None,
              most: Callable[[], int | None]) -> Source:
    """examples: of a function of the index. most: how many the job consumes, which
    is asked of an iterable; None: it does not say."""
    if callable(dataset):
        if inspect.isgeneratorfunction(dataset):
            raise TypeError("the data set is a generator function: call it")
        if not examples:
            raise TypeError("a data set that is a function of the index needs "
                            "examples=N, how many there are")
        return _Examples(dataset, examples)
    if _is_batches(dataset):
        return _Batches(dataset, most())
    return _Arrays(dataset)
