"""A data set that is a function of the index, as files before they are written."""

from __future__ import annotations

import inspect
import pathlib
from typing import Any, Callable

import numpy as np

from . import _alike, _npy, _objects, _trees
from ._batches import Arrays, Batches, is_leaf, named_files
from ._said import kind_of

_STACKED = 64  # examples that are written at a time


class Examples:
    """A function of the index."""

    ordered = False

    def __init__(self, function: Callable[[int], Any], count: int,
                 argument: str = "dataset") -> None:
        check_takes_index(function)
        self._function = function
        self._count = count
        self._argument = argument
        self._before: Any = None
        self._types: list[str] = []
        self._first: Any = None  # a batch of the first example

    def _at(self, index: int) -> Any:
        try:
            return self._function(index)
        except Exception as error:
            jitted = hasattr(self._function, "__wrapped__") and "Tracer" in type(error).__name__
            why = ("jax.jit traces the index: give the function itself, without jax.jit" if jitted
                   else f"{type(error).__name__}: {next(iter(str(error).splitlines()), '')}")
            way = "" if jitted else f": call it with {index} to see where"
            raise ValueError(f"the function {self._argument} fails at index {index} of "
                             f"{self._count} examples: {why}"
                             f"{self._fewer(error, index) or way}") from error

    def _fewer(self, error: Exception, index: int) -> str:
        """What to do about a function that has fewer examples, if that is what it says."""
        if not isinstance(error, IndexError) or index == 0:
            return ""
        count = "eval_examples" if self._argument == "eval_dataset" else "examples"
        return f": if it has no more than {index} examples, say {count}={index}"

    def _stacked(self, begin: int, end: int) -> Any:
        """A batch of the examples, which are like the first."""
        import jax

        examples = [self._at(index) for index in range(begin, end)]
        if begin == 0:
            self._before = examples[0]
        if any(map(_objects.is_key, jax.tree_util.tree_leaves(examples))):
            raise TypeError(f"{self._argument}({begin}) has a random key; podsim makes keys: take "
                            "one as the loss function's last argument")
        self._check_masks(examples, begin)
        batch = self._in_one(examples, begin)
        if begin and _alike.types(batch) != self._types or _has_texts(batch):
            self._check_alike(examples, begin)
        if begin == 0:
            self._types = _alike.types(batch)
            self._before = jax.tree_util.tree_map(lambda leaf: leaf[0], batch)
        return batch

    def _in_one(self, examples: list[Any], begin: int) -> Any:
        """A batch of the examples. Raises ValueError, without what JAX or NumPy raised, if they do
        not stack."""
        import jax

        try:
            return jax.tree_util.tree_map(lambda *leaves: np.stack(leaves), *examples)
        except (TypeError, ValueError) as error:
            why = str(error).splitlines()[0]
        self._check_alike(examples, begin)
        end = begin + len(examples)
        raise ValueError(f"{self._argument}({begin}) to {self._argument}({end - 1}) do not stack: "
                         f"{why}")

    def _check_masks(self, examples: list[Any], begin: int) -> None:
        """Raises TypeError for masked values, whose mask np.stack drops."""
        import jax

        for index, example in enumerate(examples, begin):
            if any(isinstance(leaf, np.ma.MaskedArray)
                   for leaf in jax.tree_util.tree_leaves(example)):
                names, leaves, _ = _trees.named_leaves(example, "batch")
                of = f"{self._argument}({index})"
                _objects.check_arrays(names, leaves, of if is_leaf(example) else "", of)

    def _check_alike(self, examples: list[Any], begin: int) -> None:
        _alike.check_examples(examples, self._before, begin, self._count, self._argument)

    def _of_first(self) -> Any:
        if self._first is None:
            self._first = self._stacked(0, 1)
        return self._first

    def count(self) -> int:
        return self._count

    def example(self) -> Any:
        batch = self._of_first()
        if _objects.is_empty(self._before):
            said = "None" if self._before is None else _objects.empty(self._before)
            raise TypeError(f"{self._argument}(0) is {said}: return an example, an array or a tree "
                            "of arrays, for each index")
        return Arrays(batch, f"{self._argument}(0)" if is_leaf(batch) else "").example()

    def stored_bytes(self) -> int:
        _, leaves, _ = named_files(self._of_first())
        return self._count * sum(map(_npy.stored_bytes, leaves))

    def write(self, folder: pathlib.Path) -> None:
        _npy.check_room(folder, self.stored_bytes(), "the data set")
        batches = (self._stacked(begin, min(begin + _STACKED, self._count))
                   for begin in range(0, self._count, _STACKED))
        Batches(batches, None, argument=self._argument).write(folder)


def _has_texts(batch: Any) -> bool:
    """Or objects: what NumPy makes of numbers beside None or texts."""
    _, leaves, _ = _trees.named_leaves(batch, "batch")
    return any(leaf.dtype.kind in "OUS" for leaf in leaves)


def check_takes_index(function: Callable[..., Any]) -> None:
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
        way = ("write lambda i: (x[i], y[i])" if signature.parameters else
               f"if it returns a data set, call it: {called(function)}()")
        raise TypeError("a data set that is a function takes one argument, the index of an "
                        f"example; {called(function)} takes {signature}: {way}") from None


def called(function: Callable[..., Any]) -> str:
    name = str(getattr(function, "__name__", "f"))
    return name if name.isidentifier() else "f"
