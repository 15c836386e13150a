"""Data sets for the programs: a file of NumPy's for each array, in memory that
all host processes map."""

from __future__ import annotations

import inspect
import os
import pathlib
import tempfile
from typing import Any, Callable, Mapping

import numpy as np

from . import _alike, _checks, _lowering, _npy, _objects, _packed, _trees
from ._batches import Arrays, Batches, Source, is_leaf
from ._examples import Examples, called, check_takes_index
from ._not_called import is_function
from ._numbers import is_number, is_optimizer
from ._said import kind_of, shown

_NO_END = {
    "examples": "epochs needs a data set with an end: say train_steps=N in its place, or "
                "examples=N, how many are read",
    "eval_examples": "an evaluation needs one with an end: say eval_examples=N, how many are "
                     "read"}


def folder_in_memory() -> str | None:
    """Where files are memory, if this machine has such a place."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def place_for(wanted: int) -> str:
    """Where a call's own files go: memory, or where temporary files do (TMPDIR) if they
    take more. Raises OSError if they fit in neither."""
    places = [*filter(None, [folder_in_memory()]), tempfile.gettempdir()]
    rooms = {place: _npy.room_in(pathlib.Path(place)) for place in places}
    for place, room in rooms.items():
        if wanted <= room:
            return place
    said = ", ".join(f"{place} has room for {_npy.mib(max(room, 0))}"
                     for place, room in rooms.items())
    raise OSError(f"data set and weights need {_npy.mib(wanted)}, but {said}: set TMPDIR to a "
                  'folder with more, or write the data set as DIR/train/NAME.npy and say "arrays" '
                  "with data_dir=DIR")


def _check_has_no_gap(dataset: list[Any]) -> None:
    """Raises ValueError for a list of batches of which one is None."""
    gaps = [i for i, each in enumerate(dataset) if each is None]
    trees = sum(isinstance(each, (tuple, dict)) for each in dataset)
    if gaps and trees and len(gaps) + trees == len(dataset):
        raise ValueError(f"item {gaps[0]} of the list of batches is None: leave it out")


def _is_batches(dataset: Any) -> bool:
    """An object that JAX takes for no tree and that can be walked through, or a
    list of trees of one structure."""
    if hasattr(dataset, "__next__"):
        return not hasattr(dataset, "shape")
    import jax

    if isinstance(dataset, list):
        _check_has_no_gap(dataset)
        structures = {str(jax.tree_util.tree_structure(item)) for item in dataset}
        return (len(structures) == 1
                and not jax.tree_util.all_leaves(dataset))
    return (jax.tree_util.all_leaves([dataset]) and hasattr(dataset, "__iter__")
            and not hasattr(dataset, "shape"))


_TAKEN = ("give arrays with examples along the first axis, a function index -> example with "
          "{count}=N, or an iterable of batches")


def _check_has_arrays(dataset: Any, argument: str, count: str) -> None:
    if _objects.is_empty(dataset):
        raise ValueError(f"{argument} is {_objects.empty(dataset)}, which has no array in it; "
                         f"{_TAKEN.format(count=count)}")


def _check_whole(dataset: Any, argument: str, count: str) -> None:
    """Raises TypeError for an object that is no data set itself."""
    if argument == "eval_dataset" and is_number(dataset):
        raise TypeError(f"eval_dataset is {shown(dataset)}; podsim holds no part of the data set "
                        "out: slice it, (x[n:], y[n:]) for the data set and eval_dataset=(x[:n], "
                        "y[:n])")
    if is_number(dataset):
        raise TypeError(f"{argument} is {shown(dataset)}; it is the examples themselves: give "
                        "arrays with examples along the first axis, such as (x, y)")
    if is_optimizer(dataset):
        raise TypeError(f"{argument} is {kind_of(dataset)}; an optimizer belongs into optimizer=")
    _trees.check_keys(dataset, argument)
    if dataset is not None and not is_leaf(dataset):
        _check_has_arrays(dataset, argument, count)
        return
    _objects.check_is_no_npz(dataset, argument)
    if isinstance(dataset, Mapping) and not hasattr(dataset, "shape"):
        raise TypeError(f"{argument} is {kind_of(dataset)}; give a dict: dict({argument})")
    way = _objects.way_round(dataset)
    if _objects.is_indexed(dataset) and not way:
        if not hasattr(dataset, "__iter__"):
            raise TypeError(_objects.indexed(dataset, argument, count))
        return
    shape = getattr(dataset, "shape", None)
    iterated = hasattr(dataset, "__iter__") and not isinstance(dataset, (bytes, str))
    if shape is None and iterated and not way or shape is not None and shape != ():
        return
    what, unpacked = _packed.of_bytes(dataset)
    if what:
        raise TypeError(f"{argument} is {what}; give arrays with examples along the first axis: "
                        f"{unpacked}")
    raise TypeError(f"{argument} is {shown(dataset)}; {way or _TAKEN.format(count=count)}")


def _check_count(count: Any, name: str) -> None:
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        known = is_number(count) and count >= 1 and float(count).is_integer()
        said = f"say {name}={int(count)}" if known else f"such as {name}=1000"
        raise TypeError(f"{name} is {shown(count)}; it must be a whole number of examples, 1 or "
                        f"more: {said}")


def source_of(dataset: Any, examples: int | None, most: Callable[[], int | None],
              name: str = "examples") -> Source:
    """examples: of a function of the index, or how many are read of an iterable; `name`
    is the argument's. most: how many the job consumes, which is asked of an iterable;
    None: it does not say."""
    argument = "eval_dataset" if name == "eval_examples" else "dataset"
    if examples is not None:
        _check_count(examples, name)
    if is_function(dataset):
        if inspect.isgeneratorfunction(dataset):
            raise TypeError(f"{argument} is the generator function {called(dataset)}: call it, "
                            f"{argument}={called(dataset)}()")
        if examples is None:
            check_takes_index(dataset)
            raise TypeError(f"{argument} is {kind_of(dataset)}; a function of the index needs "
                            f"{name}=N, how many examples there are, such as {name}=len(x)")
        return Examples(dataset, examples, argument)
    _check_whole(dataset, argument, name)
    if _is_batches(dataset):
        return Batches(dataset, most() if examples is None else examples, _NO_END[name],
                        argument)
    if examples is not None:
        raise TypeError(f"{name} is {examples}, but it is for a data set that is a function of "
                        "the index, or an iterable of batches; arrays have their own number of "
                        "examples: leave it out, or give a[:N]")
    return Arrays(dataset, argument if is_leaf(dataset) else "")


def check_is_batch(batch: Any) -> None:
    """Raises TypeError for what is no array in a batch whose shapes are read."""
    _trees.check_keys(batch, "batch")
    names, leaves, _ = _trees.named_leaves(batch, "batch")
    others = {name: leaf for name, leaf in zip(names, leaves) if not _has_type(leaf)}
    _objects.check_arrays(others.keys(), others.values(), "batch" if is_leaf(batch) else "",
                          "the batch")
    check_alike_long(names, leaves)


def check_alike_long(names: Sequence[str], leaves: Sequence[Any]) -> None:
    """Raises ValueError for arrays of a batch that differ in their number of examples."""
    counts = {name: np.shape(leaf)[0] for name, leaf in zip(names, leaves) if np.ndim(leaf)}
    if len(set(counts.values())) > 1:
        first, other = next((a, b) for a in counts for b in counts if counts[a] != counts[b])
        raise ValueError(f"the arrays of batch must have the same number of examples along their "
                         f"first axis; here {counts[first]} in {first!r}, {counts[other]} in "
                         f"{other!r}: give as many of each, such as (x[:8], y[:8])")


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
        raise ValueError(f"an example of eval_dataset is {_alike.told(held_out, 1)}, one of the "
                         f"data set is {_alike.told(train, 1)}: give both the same structure")
    for name, kind in ours.items():
        if theirs[name] != kind:
            raise ValueError(f"an example of eval_dataset has {theirs[name]} in {name!r}, one of "
                             f"the data set has {kind}: give it the same shapes and types")
