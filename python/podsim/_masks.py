"""Masks of optax as parts of variables' names."""

from __future__ import annotations

from typing import Any

from . import _trees
from ._closures import refused


def excluded(mask: Any, params: Any) -> set[str]:
    """Names of the variables for which the mask is False. None: there is no mask."""
    if mask is None:
        return set()
    import jax

    parts = jax.tree_util.tree_leaves(mask)
    chosen = mask(params) if parts and all(map(callable, parts)) else mask
    # A mask may stop above the leaves and stand for all that is below.
    try:
        whole = jax.tree_util.tree_map(
            lambda kept, below: jax.tree_util.tree_map(lambda _: bool(kept), below),
            chosen, params)
    except (TypeError, ValueError):
        raise refused(f"the mask is {_trees.describe(chosen)}, params is "
                      f"{_trees.describe(params)}", "give a mask with True or False for each "
                      "of params, such as jax.tree.map(lambda p: p.ndim > 1, params)") from None
    names, leaves, _ = _trees.named_leaves(whole, "params")
    return {name for name, kept in zip(names, leaves) if not kept}


def _shortest(name: str, others: list[str]) -> str:
    """The shortest end of a name that none of the others contains."""
    parts = name.split("/")
    for begin in range(len(parts) - 1, -1, -1):
        end = "/".join(parts[begin:])
        if "," not in end and not any(end in other for other in others):
            return end
    also = "".join([f", such as {each!r}" for each in others if name in each][:1])
    raise refused(f"a mask leaves out {name!r} alone, but podsim leaves out all variables with "
                  f"that text in their names{also}", f"rename {name!r}")


def ends(names: set[str], every: list[str]) -> list[str]:
    """For weight_decay_exclude: texts that these names contain and the others of
    all variables do not."""
    others = [name for name in every if name not in names]
    return sorted({_shortest(name, others) for name in names})
