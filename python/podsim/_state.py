"""A tree of what steps carry, taken apart.

float32 arrays are carried. Random keys are new at every step, and whole numbers
beside a key (the count of flax's nnx.Rngs) stay what they are: each step draws
from keys of its own."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _trees

# Folded in first, so that keys of a state differ from those that a loss function
# makes of its own one.
_FOLD = 706873


def _is_key(leaf: Any) -> bool:
    import jax
    import jax.numpy as jnp

    return (hasattr(leaf, "dtype")
            and bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)))


def _beside(name: str, key: str) -> bool:
    """Whether two names differ in one part."""
    ours, theirs = name.split("/"), key.split("/")
    return (len(ours) == len(theirs)
            and sum(a != b for a, b in zip(ours, theirs)) == 1)


class State:
    """The tree may be None, a call without a state."""

    def __init__(self, tree: Any) -> None:
        every, self._leaves, self._structure = _trees.named_leaves(tree, "state")
        self.is_none = tree is None
        self._tree = tree
        self._keys = [i for i, leaf in enumerate(self._leaves) if _is_key(leaf)]
        keys = [every[i] for i in self._keys]
        self._carried = [i for i, (name, leaf) in enumerate(zip(every, self._leaves))
                         if i not in self._keys and self._is_carried(name, leaf, keys)]
        self.names = [every[i] for i in self._carried]

    @staticmethod
    def _is_carried(name: str, leaf: Any, keys: list[str]) -> bool:
        dtype = np.dtype(leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype)
        if dtype.kind == "f":
            return True
        if any(_beside(name, key) for key in keys):
            return False
        raise TypeError(f"the state {name!r} is {dtype}; steps carry float32 and random "
                        "keys of jax.random.key: leave it out of the state")

    def describe(self) -> str:
        return _trees.describe(self._tree)

    @property
    def draws(self) -> bool:
        return bool(self._keys)

    def carried(self, tree: Any = None) -> list[Any]:
        """The leaves that are carried, of a tree of the same structure."""
        import jax

        leaves = self._leaves if tree is None else jax.tree_util.tree_leaves(tree)
        return [leaves[i] for i in self._carried]

    def matches(self, tree: Any) -> bool:
        import jax

        structure: Any = jax.tree_util.tree_structure(tree)
        return bool(structure == self._structure)

    def whole(self, carried: Sequence[Any], key: Any = None) -> Any:
        """The tree with these leaves, and with keys made of `key` if it is given."""
        import jax

        leaves = list(self._leaves)
        for i, leaf in zip(self._carried, carried):
            leaves[i] = leaf
        if key is not None and self._keys:
            ours = jax.random.fold_in(key, _FOLD)
            for i in self._keys:
                fresh = jax.random.fold_in(ours, i)
                shape = np.shape(leaves[i])
                leaves[i] = jax.random.split(fresh, shape) if shape else fresh
        return jax.tree_util.tree_unflatten(self._structure, leaves)
