"""A number of examples that the function has fixed, in what it failed with."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_SHAPE = re.compile(r"[(\[](\d+(?:, ?\d+)*),?[)\]]")


def _sizes(tree: Any) -> list[tuple[int, ...]]:
    import jax

    return [tuple(map(int, np.shape(leaf))) for leaf in jax.tree_util.tree_leaves(tree)
            if hasattr(leaf, "dtype")]


def number(why: str, batch: list[tuple[int, ...]], others: list[tuple[int, ...]]) -> int | None:
    """What stands for the number of examples in one shape of `why`, while another has the
    number that `batch` has. batch, others: shapes of the arguments; a size that these have is
    taken for theirs, unless both shapes are equal beside it."""
    counts = {shape[0] for shape in batch if shape}
    if len(counts) != 1:
        return None
    count = counts.pop()
    own = {size for shape in batch for size in shape[1:]} | {
        size for shape in others for size in shape}
    shapes = [tuple(map(int, found.split(","))) for found in _SHAPE.findall(why)]
    rests = [shape[1:] for shape in shapes if shape[0] == count]
    for first, *rest in shapes:
        alike = bool(rest) and tuple(rest) in rests
        if rests and first not in (0, 1, count) and (alike or first not in own):
            return first
    return None


def advice(why: str, batch: Any, others: Any) -> str:
    """What to do about it; empty: there is no such number. batch, others: arguments."""
    fixed = number(why, _sizes(batch), _sizes(others)) if _SHAPE.search(why) else None
    if fixed is None:
        return ""
    return (f"if {fixed} is a number of examples, write x.shape[0] in its place: the function must "
            "take any number N of them, as each core has its own share of the batch")
