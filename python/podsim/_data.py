"""Data sets for the programs: a file of NumPy's for each array, in memory that
all host processes map."""

from __future__ import annotations

import contextlib
import inspect
import itertools
import os
import pathlib
import shutil
from typing import Any, Callable, Iterable, Protocol

import numpy as np

from . import _checks, _lowering, _npy, _objects, _trees
from ._said import kind_of, shown

_STACKED = 64  # examples that are written at a time
_MOST_BATCHES = 1 << 18  # of an iterable that says nowhere when it ends
_NO_END = {
    "examples": "epochs needs a data set with an end: say train_steps=N in its place, or "
                "examples=N, how many are read",
    "eval_examples": "an evaluation needs one with an end: say eval_examples=N, how many are "
                     "read"}


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
    """A tree of arrays. whole: the argument's name, if it is one array."""

    ordered = False

    def __init__(self, tree: Any, whole: str = "") -> None:
        self._tree, self._whole = tree, whole

    def example(self) -> Any:
        self._named()
        import jax

        return jax.tree_util.tree_map(lambda x: np.asarray(x[:1]), self._tree)

    def _named(self) -> tuple[list[str], list[Any]]:
        names, leaves, _ = _named_files(self._tree)
        _objects.check_arrays(names, leaves, self._whole)
        _checks.count_of(names, leaves, "the data set")
        return names, leaves

    def write(self, folder: pathlib.Path) -> None:
        names, leaves = self._named()
        _npy.check_room(folder, sum(map(_npy.stored_bytes, leaves)), "the data set")
        for name, leaf in zip(names, leaves):
            with _npy.Writer(folder / f"{name}.npy") as file:
                file.append(leaf)


_ITEM = "an item of the iterable of batches"


class _Batches:
    """An iterable of trees of arrays, written one after another. most: how many
    examples are read of one that goes on. no_end: what is said of one that does not
    say its length, and goes on; none: it has an end."""

    ordered = True

    def __init__(self, batches: Iterable[Any], most: int | None, no_end: str = "") -> None:
        if most is None and no_end and isinstance(batches, (itertools.cycle, itertools.count)):
            raise ValueError(f"the iterable of batches has no end; {no_end}")
        self._no_end = "" if most is not None or hasattr(batches, "__len__") else no_end
        self._by_index = (": dataset.__getitem__, examples=len(dataset)"
                          if _objects.is_indexed(batches) else "")
        batches = iter(batches)
        self._first = next(batches, None)
        if self._first is None:
            raise ValueError("the iterable of batches has none; an iterator that was read "
                             "before is at its end: make it anew")
        self._all = itertools.chain([self._first], batches)
        self._most = most

    def example(self) -> Any:
        names, leaves, _ = _named_files(self._first)
        single = [name for name, leaf in zip(names, leaves) if not np.shape(leaf)]
        if single:
            _objects.check_arrays(names, leaves, _ITEM if _is_leaf(self._first) else "")
            raise ValueError(f"an item of the iterable has no examples along an axis in "
                             f"{_checks.some(single)}, as if it were one example; an item is a "
                             "batch: stack the examples (of a list: jax.tree.map(lambda *x: "
                             "np.stack(x), *examples)), or give a function index -> example with "
                             f"examples=N{self._by_index}")
        return _Arrays(self._first).example()

    def write(self, folder: pathlib.Path) -> None:
        names, _, structure = _named_files(self._first)
        read = written = 0
        free = shutil.disk_usage(folder.parent).free
        with contextlib.ExitStack() as stack:
            files = [stack.enter_context(_npy.Writer(folder / f"{name}.npy"))
                     for name in names]
            for index, batch in enumerate(self._all):
                others, leaves, this = _trees.named_leaves(batch, "batch")
                if this != structure:
                    raise ValueError(f"batch {index} has the arrays {others}, the first "
                                     f"one has {names}")
                _objects.check_arrays(names, leaves)
                read += _checks.count_of(names, leaves, f"batch {index}")
                for file, leaf in zip(files, leaves):
                    file.append(leaf)
                written += sum(map(_npy.stored_bytes, leaves))
                if self._no_end and (written > free // 4 or index + 1 >= _MOST_BATCHES):
                    raise ValueError(f"the iterable of batches has no end after {read:,} examples "
                                     f"({_npy.mib(written)}); {self._no_end}")
                if self._most is not None and read >= self._most:
                    break


class _Examples:
    """A function of the index."""

    ordered = False

    def __init__(self, function: Callable[[int], Any], count: int) -> None:
        _check_takes_index(function)
        self._function = function
        self._count = count

    def _at(self, index: int) -> Any:
        try:
            return self._function(index)
        except Exception as error:
            why = next(iter(str(error).splitlines()), "")
            raise ValueError(f"the data set's function fails at index {index} of {self._count} "
                             f"examples: {type(error).__name__}: {why}") from error

    def _stacked(self, begin: int, end: int) -> Any:
        import jax

        examples = [self._at(index) for index in range(begin, end)]
        try:
            return jax.tree_util.tree_map(lambda *leaves: np.stack(leaves), *examples)
        except ValueError as error:
            why = str(error).splitlines()[0]
            raise ValueError(f"examples {begin} to {end - 1} do not all have the same "
                             f"arrays: {why}") from None

    def example(self) -> Any:
        return _Arrays(self._stacked(0, 1)).example()

    def write(self, folder: pathlib.Path) -> None:
        _, leaves, _ = _named_files(self._stacked(0, 1))
        _npy.check_room(folder, self._count * sum(map(_npy.stored_bytes, leaves)), "the data set")
        batches = (self._stacked(begin, min(begin + _STACKED, self._count))
                   for begin in range(0, self._count, _STACKED))
        _Batches(batches, None).write(folder)


def _check_takes_index(function: Callable[..., Any]) -> None:
    if isinstance(function, type):
        raise TypeError(f"the data set is {kind_of(function)}; give an object of it, or a function "
                        "index -> example")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(0)
    except TypeError:
        raise TypeError("a data set that is a function takes one argument, the index of an "
                        f"example; this one takes {signature}") from None


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


def _is_leaf(dataset: Any) -> bool:
    """Whether it is no tree of others."""
    if dataset is None or isinstance(dataset, (list, tuple, dict)):
        return False
    import jax

    return jax.tree_util.all_leaves([dataset])


_TAKEN = ("give arrays with examples along the first axis, a function index -> example with "
          "{count}=N, or an iterable of batches")


def _check_whole(dataset: Any, argument: str, count: str) -> None:
    """Raises TypeError for an object that is no data set itself."""
    if dataset is not None and not _is_leaf(dataset):
        return
    way = _objects.way_round(dataset)
    if _objects.is_indexed(dataset) and not way:
        if not hasattr(dataset, "__iter__"):
            raise TypeError(_objects.indexed(dataset, argument, count))
        return
    shape = getattr(dataset, "shape", None)
    iterated = hasattr(dataset, "__iter__") and not isinstance(dataset, (bytes, str))
    if shape is None and iterated and not way or shape is not None and shape != ():
        return
    raise TypeError(f"{argument} is {shown(dataset)}; {way or _TAKEN.format(count=count)}")


def _check_count(count: Any, name: str) -> None:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise TypeError(f"{name} is {count!r}; it must be a whole number of examples, 1 or more")


def source_of(dataset: Any, examples: int | None, most: Callable[[], int | None],
              name: str = "examples") -> Source:
    """examples: of a function of the index, or how many are read of an iterable; `name`
    is the argument's. most: how many the job consumes, which is asked of an iterable;
    None: it does not say."""
    if examples is not None:
        _check_count(examples, name)
    if callable(dataset):
        if inspect.isgeneratorfunction(dataset):
            raise TypeError("the data set is a generator function: call it")
        if examples is None:
            _check_takes_index(dataset)
            raise TypeError("a data set that is a function of the index needs "
                            f"{name}=N, how many there are")
        return _Examples(dataset, examples)
    argument = "eval_dataset" if name == "eval_examples" else "dataset"
    _check_whole(dataset, argument, name)
    if _is_batches(dataset):
        return _Batches(dataset, most() if examples is None else examples, _NO_END[name])
    if examples is not None:
        raise TypeError(f"{name} is {examples}, but it is for a data set that is a function of "
                        "the index, or an iterable of batches; arrays have their own number of "
                        "examples: leave it out, or give a[:N]")
    return _Arrays(dataset, argument if _is_leaf(dataset) else "")


def check_is_batch(batch: Any) -> None:
    """Raises TypeError for what is no array in a batch whose shapes are read."""
    names, leaves, _ = _trees.named_leaves(batch, "batch")
    others = {name: leaf for name, leaf in zip(names, leaves) if not _has_type(leaf)}
    _objects.check_arrays(others.keys(), others.values(), "batch" if _is_leaf(batch) else "",
                          "the batch")


def _has_type(leaf: Any) -> bool:
    """Whether it has the shape and a type of an array of numbers, and perhaps no numbers."""
    kind = getattr(getattr(leaf, "dtype", None), "kind", "O")
    return hasattr(leaf, "shape") and kind not in "OUSmM" and not _objects.way_round(leaf)


def _kinds(tree: Any) -> dict[str, str]:
    """What each array of a batch is, as it is written."""
    names, leaves, _ = _trees.named_leaves(tree, "batch")
    return {name: f"{_lowering.stored(_checks.type_of(leaf))} of {np.shape(leaf)[1:]}"
            for name, leaf in zip(names, leaves)}


def check_alike(train: Any, held_out: Any) -> None:
    """Raises ValueError unless a batch of eval_dataset is like one of the data set."""
    ours, theirs = _kinds(train), _kinds(held_out)
    if ours.keys() != theirs.keys():
        raise ValueError(f"eval_dataset has the arrays {', '.join(map(repr, theirs))}, but the "
                         f"data set has {', '.join(map(repr, ours))}: give it the same structure")
    for name, kind in ours.items():
        if theirs[name] != kind:
            raise ValueError(f"an example of eval_dataset has {theirs[name]} in {name!r}, one of "
                             f"the data set has {kind}: give it the same shapes and types")
