"""Data sets as files, before they are written: arrays, and iterables of batches."""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import shutil
from typing import Any, Iterable, Protocol, Sized

import numpy as np

from . import _alike, _checks, _npy, _objects, _trees
from ._said import shown

_MOST_BATCHES = 1 << 18  # of an iterable that says nowhere when it ends


class Source(Protocol):
    """A data set before it is written."""

    ordered: bool
    """Whether its order is its own, not podsim's to shuffle."""

    def example(self) -> Any:
        """A batch of one example, of which shapes and types are read."""

    def count(self) -> int:
        """How many examples it has, as far as that is known before it is read."""

    def stored_bytes(self) -> int:
        """What it takes in files, as far as that is known before it is read."""

    def write(self, folder: pathlib.Path) -> None:
        """Writes NAME.npy for each array."""


def is_leaf(dataset: Any) -> bool:
    """Whether it is no tree of others."""
    if dataset is None or isinstance(dataset, (list, tuple, dict)):
        return False
    if hasattr(dataset, "__next__"):  # JAX warns of an iterator in a tree
        return True
    import jax

    return jax.tree_util.all_leaves([dataset])


def named_files(tree: Any) -> tuple[list[str], list[Any], Any]:
    """As _trees has it, of arrays that become files of their names."""
    names, leaves, structure = _trees.named_leaves(tree, "batch")
    _checks.check_file_names(names)
    return names, leaves, structure


class Arrays:
    """A tree of arrays. whole: the argument's name, if it is one array."""

    ordered = False

    def __init__(self, tree: Any, whole: str = "") -> None:
        self._tree, self._whole = tree, whole

    def example(self) -> Any:
        self._named()
        import jax

        return jax.tree_util.tree_map(lambda x: np.asarray(x[:1]), self._tree)

    def _named(self) -> tuple[list[str], list[Any]]:
        names, leaves, _ = named_files(self._tree)
        _objects.check_arrays(names, leaves, self._whole)
        _checks.count_of(names, leaves, "the data set")
        return names, leaves

    def count(self) -> int:
        names, leaves = self._named()
        return _checks.count_of(names, leaves, "the data set")

    def stored_bytes(self) -> int:
        return sum(map(_npy.stored_bytes, self._named()[1]))

    def write(self, folder: pathlib.Path) -> None:
        names, leaves = self._named()
        _npy.check_room(folder, self.stored_bytes(), "the data set")
        for name, leaf in zip(names, leaves):
            with _npy.Writer(folder / f"{name}.npy") as file:
                file.append(leaf)


_NOTHING = object()  # of an iterable at its end


class Batches:
    """An iterable of trees of arrays, written one after another. most: how many
    examples are read of one that goes on. no_end: what is said of one that does not
    say its length, and goes on; none: it has an end. argument: the caller's."""

    ordered = True

    def __init__(self, batches: Iterable[Any], most: int | None, no_end: str = "",
                 argument: str = "dataset") -> None:
        if most is None and no_end and isinstance(batches, (itertools.cycle, itertools.count)):
            raise ValueError(f"{argument} has no end; {no_end}")
        if isinstance(batches, enumerate):
            raise TypeError(f"{argument} is an enumerate, whose items are numbers beside batches: "
                            "give the batches themselves")
        self._no_end = "" if most is not None or hasattr(batches, "__len__") else no_end
        self._by_index = _objects.is_indexed(batches)
        self._length = len(batches) if isinstance(batches, Sized) else 0
        self._listed = isinstance(batches, (list, tuple))
        batches = iter(batches)
        self._first = next(batches, _NOTHING)
        if self._first is _NOTHING:
            raise ValueError(f"{argument} is an iterable of batches and has none; an iterator that "
                             "was read before is at its end: make it anew")
        if self._first is None:
            raise TypeError(f"an item of {argument} is None; it must be a batch, with examples "
                            "along the first axis of each array")
        self._all = itertools.chain([self._first], batches)
        self._most, self._argument = most, argument

    def example(self) -> Any:
        names, leaves, _ = named_files(self._first)
        single = [name for name, leaf in zip(names, leaves) if not np.shape(leaf)]
        if single:
            whole = f"an item of {self._argument}" if is_leaf(self._first) else ""
            _objects.check_arrays(names, leaves, whole)
            raise ValueError(self._of_examples(leaves, len(single)))
        return Arrays(self._first).example()

    def _which(self, index: int) -> str:
        return f"batch {index} of {self._argument}"

    def _of_examples(self, leaves: list[Any], single: int) -> str:
        """What is said of items that are single examples, of which `single` are numbers."""
        name, item = self._argument, _alike.told(self._first)
        count = f"eval_examples={self._length or 'N'}" if name == "eval_dataset" else (
            f"examples={self._length or 'N'}")
        if isinstance(self._first, list) and single == len(leaves) and self._listed:
            return f"{name} is a list of lists of numbers: make it an array, np.asarray({name})"
        if is_leaf(self._first):
            item = f"the number {shown(self._first)}"
        stacked = f"jax.tree.map(lambda *x: np.stack(x), *{name})"
        if self._listed:
            return (f"{name} is a list of {self._length:,} examples, the first {item}; a list "
                    f"holds batches: give their arrays, {stacked}, or {name}.__getitem__ with "
                    f"{count}")
        own = f"{name}.__getitem__" if self._by_index else "a function index -> example"
        return (f"an item of {name} is one example, {item}, and must be a batch, with examples "
                f"along the first axis of each array: stack them, {stacked}, or give {own} with "
                f"{count}")

    def count(self) -> int:
        """With `most`, whole batches like the first, as if there were so many; of a
        list, and without, what there is."""
        names, leaves, _ = named_files(self._first)
        first = _checks.count_of(names, leaves, self._which(0))
        if self._most is not None and not self._listed:
            return -(-self._most // first) * first
        read = 0
        for index, batch in enumerate(self._all):
            if self._no_end and index + 1 >= _MOST_BATCHES:
                raise ValueError(f"{self._argument} has no end after {read:,} examples; "
                                 f"{self._no_end}")
            others, leaves, _ = _trees.named_leaves(batch, "batch")
            read += _checks.count_of(others, leaves, self._which(index))
            if self._most is not None and read >= self._most:
                break
        return read

    def stored_bytes(self) -> int:
        """Of the first batch: how many follow is not known."""
        return sum(map(_npy.stored_bytes, named_files(self._first)[1]))

    def write(self, folder: pathlib.Path) -> None:
        names, _, _ = named_files(self._first)
        alike = _alike.Batches(self._first, self._argument)
        read = written = 0
        free = shutil.disk_usage(folder.parent).free
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(_npy.Writer(folder / f"{name}.npy"))
                     for name in names]
            for index, batch in enumerate(self._all):
                others, leaves, _ = _trees.named_leaves(batch, "batch")
                _objects.check_arrays(others, leaves, of=self._which(index))
                alike.check(batch, index, read)
                read += _checks.count_of(names, leaves, self._which(index))
                for file, leaf in zip(files, leaves):
                    file.append(leaf)
                written += sum(map(_npy.stored_bytes, leaves))
                if self._no_end and (written > free // 4 or index + 1 >= _MOST_BATCHES):
                    raise ValueError(f"{self._argument} has no end after {read:,} examples "
                                     f"({_npy.mib(written)}); {self._no_end}")
                if self._most is not None and read >= self._most:
                    break
