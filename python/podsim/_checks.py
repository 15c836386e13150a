"""What is refused or warned of by the name of the argument, before it is used."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import sys
import warnings
from typing import Any, Iterable, Iterator

import numpy as np

from . import _params
from ._errors import PodsimError
from ._not_called import is_function
from ._numbers import is_number
from ._said import kind_of, shown

_FEW = 3  # numbers beside arrays, of which more are a list
_LONGEST = 251  # bytes, as a file's name has at most 255 with ".npy"


def warn(text: str) -> None:
    """A warning at the line that called the package."""
    ours = (os.path.dirname(__file__), contextlib.__file__)
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(ours):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


@contextlib.contextmanager
def result_kept(result: Any) -> Iterator[None]:
    """Where a filter makes an error of a warning behind a job, the error carries what the job
    came to."""
    try:
        yield
    except Warning as error:
        error.result = result
        error.add_note("the job has ended and is not lost: this exception's .result is what the "
                       "call would have returned")
        raise


def _is_part(part: str) -> bool:
    return (not part.startswith(".") and part.isprintable()
            and 0 < len(part.encode()) <= _LONGEST)


def check_file_names(names: Iterable[str]) -> None:
    """Raises PodsimError for an array that cannot have a file of its name."""
    for name in names:
        if not all(map(_is_part, name.split("/"))):
            short = name if len(name) <= 80 else name[:80] + "..."
            raise PodsimError(
                f"an array of the data set is called {short!r}, but its name is that of a "
                f"file: parts with one '/' between them, each of 1 to {_LONGEST} bytes, "
                "printable, none beginning with '.'; give it another key")


def type_of(leaf: Any) -> Any:
    return leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype


def check_batch(batch: Any) -> None:
    """Raises TypeError for what export can read no shapes and types of."""
    if is_number(batch):
        raise TypeError(f"batch is {shown(batch)}; export wants a batch of examples, the tree of "
                        "arrays that loss_fn reads, of which shapes and types are taken: give "
                        "batch=(x[:8], y[:8])")
    iterated = not isinstance(batch, (list, tuple, dict)) and hasattr(batch, "__next__")
    if batch is None or isinstance(batch, (str, os.PathLike)) or callable(batch) or iterated:
        also = ": next(...) is its first batch" if iterated else ""
        raise TypeError(f"batch is {shown(batch)}{also}; export takes a tree of arrays, such as "
                        "(x[:1], y[:1]), of which shapes and types are read; the data set is "
                        "named when pod_launch trains the model")


def check_is_bool(name: str, value: Any) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {shown(value)}; it must be True or False")


def check_has_jax() -> None:
    try:
        importlib.import_module("jax")
    except ImportError as error:
        raise ImportError("podsim reads functions of JAX, which cannot be imported here "
                          f"({error}): pip install jax") from None


def check_functions(loss_fn: Any, eval_fn: Any) -> None:
    for name, function, wanted, example in (
            ("loss_fn", loss_fn, "loss", "jnp.mean((predict(params, x) - y) ** 2)"),
            ("eval_fn", eval_fn, "dict", '{"accuracy": predict(params, x).argmax(-1) == y}')):
        if not is_function(function) and (function is not None or name == "loss_fn"):
            what = (shown if isinstance(function, (str, int, float)) else kind_of)(function)
            is_made = hasattr(function, "shape") or is_number(function)
            way = ("give the function itself, not what it returns" if is_made else
                   f"def {name}(params, batch): x, y = batch; return {example}")
            raise TypeError(f"{name} is {what}; it must be a function, (params, batch) -> "
                            f"{wanted}: {way}")


def check_params(names: list[str], leaves: list[Any]) -> None:
    if not names:
        raise TypeError("params has no array in it; it must be a tree of float32 arrays, "
                        "of one at least")
    for name, leaf in zip(names, leaves):
        _params.check_leaf(name, leaf)


def some(names: list[str], most: int = 3) -> str:
    """"'a', 'b' and 998 more"."""
    more = len(names) - most
    return ", ".join(map(repr, names[:most])) + (f" and {more} more" if more > 0 else "")


def _placed(names: list[str]) -> str:
    """As some, of a tuple's arrays by their place: "array 0"."""
    return f"array {names[0]}" if len(names) == 1 and names[0].isdigit() else some(names)


def of_splits(names: list[str]) -> str:
    """What to do with a dict of splits, or nothing."""
    splits = list(dict.fromkeys(name.split("/")[0] for name in names))
    held_out = [each for each in splits if each in ("test", "eval", "valid", "val", "validation")]
    if "train" not in splits or not held_out:
        return ""
    return (f": a split is a data set of its own: give data['train'], and data[{held_out[0]!r}] "
            "as eval_dataset=")


def of_pair(names: list[str], counts: list[int]) -> str:
    """What to do with ((x, y), (x_test, y_test)), or with these four beside one another, or
    nothing."""
    if len(names) == 4 and all(map(str.isdigit, names)) and sorted(
            map(counts.count, counts)) == [2, 2, 2, 2]:
        return ("; training and held-out data are given apart: podsim.train(loss_fn, params, "
                "(x, y), eval_dataset=(x_test, y_test))")
    sides = [{name[2:]: count for name, count in zip(names, counts) if name.startswith(first)}
             for first in ("0/", "1/")]
    if len(names) != sum(map(len, sides)) or [*sides[0]] != [*sides[1]] or any(
            len(set(side.values())) != 1 for side in sides):
        return ""
    return ("; training and held-out data are given apart: podsim.train(loss_fn, params, train, "
            "eval_dataset=test)")


def _without_axes(single: list[str], every: int, what: str) -> str:
    """What is said of numbers in the place of arrays. every: how many arrays there are."""
    if all("/" in name for name in single):
        lists = list(dict.fromkeys(name.split("/")[0] for name in single))
        return (f"{what} has lists of numbers in {some(lists)}, and JAX takes each number for an "
                "array of its own: make an array of each list, np.asarray(...), with examples "
                "along its first axis")
    way = ("a list of numbers is such a tree, make it an array by np.asarray(...)"
           if len(single) == every or len(single) > _FEW else
           "give a number for each example, or let the loss function hold it")
    return (f"{what} has arrays without a dimension, {some(single)}; examples lie along the first "
            f"axis of each array: {way}")


def _of_counts(shapes: dict[str, tuple[int, ...]]) -> str:
    """What to do about arrays whose first axes differ."""
    counts = {shape[0] for shape in shapes.values()}
    if 0 in counts:
        return ": give one or more in each, or leave the empty one out"
    for name, shape in shapes.items():
        axes = [i for i, size in enumerate(shape) if i and size in counts - {shape[0]}]
        if axes and len(counts) == 2:
            return (f": {_placed([name])} has {shape[axes[0]]:,} along axis {axes[0]}: if these "
                    f"are its examples, give np.moveaxis(x, {axes[0]}, 0)")
    return (f": give as many of each, such as x[:{min(counts)}], or let the loss function hold "
            "what is not of examples")


def count_of(names: list[str], leaves: list[Any], what: str) -> int:
    """The number of examples in arrays that `what` consists of: "the data set". Raises
    ValueError if there is none, or not one."""
    shapes = {name: tuple(np.shape(leaf)) for name, leaf in zip(names, leaves)}
    if not shapes:
        raise ValueError(f"{what} has no array in it: give arrays with examples along the first "
                         "axis")
    single = [name for name, shape in shapes.items() if not shape]
    if single:
        raise ValueError(_without_axes(single, len(shapes), what))
    empty = [name for name, shape in shapes.items() if shape[0] == 0]
    if len(empty) == len(shapes):
        raise ValueError(f"{what} has no examples: {empty[0]!r} has the shape "
                         f"{shapes[empty[0]]}: give one or more along its first axis")
    sizes = [shape[0] for shape in shapes.values()]
    counts: dict[int, list[str]] = {}
    for name, shape in shapes.items():
        counts.setdefault(shape[0], []).append(name)
    if len(counts) > 1:
        said = "; ".join(f"{count:,} in {_placed(each)}" for count, each in
                         itertools.islice(counts.items(), 4))
        raise ValueError(f"the arrays of {what} must have the same number of examples along "
                         f"their first axis; here {said}{'; ...' if len(counts) > 4 else ''}"
                         f"{of_splits(names) or of_pair(names, sizes) or _of_counts(shapes)}")
    return next(iter(counts))
