"""Batches and examples that must all have the same arrays: which of them has others."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _lowering, _trees
from ._said import kind_of, shown

_MOST = 6  # parts of a tree that a message names

_PAD = "pad all to one shape"
_TYPES = "give all the same types"
_STRUCTURE = "give all the same structure"


def _array(leaf: Any, lead: int, typed: bool) -> str:
    """"float32[8]", without the first `lead` axes."""
    if leaf is None or isinstance(leaf, (str, bytes)):
        return shown(leaf)
    if not hasattr(leaf, "dtype") and not isinstance(leaf, (bool, int, float)):
        return kind_of(leaf)
    if str(getattr(leaf, "dtype", "")).startswith("key<"):
        return "a random key"
    dtype = np.dtype(getattr(leaf, "dtype", None) or np.asarray(leaf).dtype)
    name = _lowering.stored(dtype).name if dtype.kind in "biuf" else str(dtype)
    shape = np.shape(leaf)[lead:]
    sizes = f"[{','.join(map(str, shape))}]" if shape or not typed else ""
    return (name if typed else "") + sizes


def told(tree: Any, lead: int = 0, typed: bool = True) -> str:
    """A tree of arrays as it is written: "(float32[8], int32)". typed: with their types."""
    if isinstance(tree, dict):
        parts = [f"{name!r}: {told(each, lead, typed)}" for name, each in tree.items()]
        return "{" + _some(parts) + "}"
    if isinstance(tree, list):
        return "[" + _some([told(each, lead, typed) for each in tree]) + "]"
    if isinstance(tree, tuple):
        parts = [told(each, lead, typed) for each in tree]
        return "(" + _some(parts) + ("," if len(parts) == 1 else "") + ")"
    return _array(tree, lead, typed)


def _some(parts: Sequence[str]) -> str:
    more = len(parts) - _MOST
    return ", ".join(parts[:_MOST]) + (f", and {more} more" if more > 0 else "")


def _kinds(tree: Any) -> tuple[dict[str, str], dict[str, str], Any]:
    """Shapes and types of its arrays by their names, without the first axis; its structure."""
    names, leaves, structure = _trees.named_leaves(tree, "batch")
    return ({name: str(tuple(np.shape(leaf)[1:])) for name, leaf in zip(names, leaves)},
            {name: _array(leaf, np.ndim(leaf), True) for name, leaf in zip(names, leaves)},
            structure)


class Batches:
    """What the first batch has, and all others must have. argument: the caller's."""

    def __init__(self, first: Any, argument: str) -> None:
        self._first, self._argument = first, argument
        self._shapes, self._types, self._structure = _kinds(first)

    def check(self, batch: Any, index: int, read: int) -> None:
        """Raises ValueError if batch number `index`, of the examples from `read` on, has
        other arrays than the first."""
        shapes, types, structure = _kinds(batch)
        which = f"batch {index} (from example {read:,})"
        if structure != self._structure:
            has = "is None" if batch is None else f"has examples of {told(batch, 1)}"
            raise ValueError(f"{self._argument}: {which} {has}, those before "
                             f"{told(self._first, 1)}: {_STRUCTURE}")
        for name, shape in shapes.items():
            what = f"{self._argument}: the array {name!r} of {which}"
            if shape != self._shapes[name]:
                raise ValueError(f"{what} has examples of {shape}, those before "
                                 f"{self._shapes[name]}: {_PAD}")
            if types[name] != self._types[name]:
                raise ValueError(f"{what} is {types[name]}, those before are "
                                 f"{self._types[name]}: {_TYPES}")


def _way(one: Any, other: Any, count: int) -> str:
    """What makes two examples alike."""
    if one is None:
        return (f"return an example for every index from 0 to {count - 1:,}, or map over the "
                "indices of good ones")
    (_, ones, first), (_, others, second) = (_trees.named_leaves(each, "batch")
                                             for each in (one, other))
    if first != second:
        return _STRUCTURE
    return _TYPES if [*map(np.shape, ones)] == [*map(np.shape, others)] else _PAD


def types(batch: Any) -> list[str]:
    """What its arrays are stored as."""
    return [*_kinds(batch)[1].values()]


def check_examples(examples: Sequence[Any], before: Any, begin: int, count: int,
                   argument: str) -> None:
    """Raises ValueError for the first of the examples, from index `begin` of `count` on,
    that is not like the example `before`; by shapes first, then by types."""
    for typed in (False, True):
        wanted = told(before, typed=typed)
        for index, example in enumerate(examples, begin):
            if told(example, typed=typed) != wanted:
                raise ValueError(f"{argument}({index}) is {told(example)}, those before are "
                                 f"{told(before)}: {_way(example, before, count)}")
