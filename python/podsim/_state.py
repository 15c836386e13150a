"""A tree of what steps carry, taken apart.

float32 arrays are carried, and signed whole numbers, such as counters, as float32
that are rounded: exact below 2^24. Random keys are new at every step, and the count beside
a key of flax's nnx.Rngs stays what it is: each step draws from keys of its own."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from . import _objects, _trees
from ._said import shown

# Folded in first, so that keys of a state differ from those that a loss function
# makes of its own one.
_FOLD = 706873
_MOST = 1 << 24
_CARRIED = ("steps carry float32, int32 and random keys of jax.random.key: give one of these, such "
            "as .astype(np.float32) makes, or leave it out of the state")


def _is_key(leaf: Any) -> bool:
    import jax
    import jax.numpy as jnp

    return (hasattr(leaf, "dtype")
            and bool(jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)))


def _beside(name: str, key: str) -> bool:
    """Whether a name is that of a key but for one part, "count": other counters are the
    caller's own."""
    ours, theirs = name.split("/"), key.split("/")
    other = [a for a, b in zip(ours, theirs) if a != b]
    return len(ours) == len(theirs) and other == ["count"]


def _as_float(leaf: Any) -> Any:
    """float32 of a counter; other leaves as they are."""
    import jax

    if _kind(leaf).kind != "i":
        return leaf
    if isinstance(leaf, jax.ShapeDtypeStruct):
        struct: Any = jax.ShapeDtypeStruct
        return struct(leaf.shape, np.float32)
    return leaf.astype("float32") if hasattr(leaf, "astype") else np.float32(leaf)


def _as_kind(leaf: Any, kind: np.dtype) -> Any:
    """The counter that a float32 carries; other leaves as they are."""
    import jax.numpy as jnp

    if kind.kind != "i":
        return leaf
    if isinstance(leaf, np.ndarray):
        return np.rint(leaf).astype(kind)
    return jnp.round(leaf).astype("int32")


def _own_names(names: list[str], params: Any) -> list[str]:
    """The names of a state; "state/" before those that are a parameter's, too."""
    taken = set(_trees.named_leaves(params, "params")[0])
    own = []
    for name in names:
        while name in taken:
            name = f"state/{name}"
        taken.add(name)
        own.append(name)
    return own


def _type_of(leaf: Any) -> Any:
    """Of a random key a type of JAX's own."""
    return leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype


def _kind(leaf: Any) -> np.dtype:
    return np.dtype(_type_of(leaf))


def _check_counts(name: str, leaf: Any) -> None:
    """Raises TypeError for a whole number that a float32 does not hold."""
    import jax

    if not isinstance(leaf, jax.ShapeDtypeStruct) and np.any(np.abs(leaf) >= _MOST):
        raise TypeError(f"the state {name!r} holds a whole number of {_MOST:,} or more; steps "
                        "carry it as float32, exact below that: leave it out of the state")


class State:
    """The tree may be None, a call without a state. Its names differ from those of
    `params`."""

    def __init__(self, tree: Any, params: Any) -> None:
        _trees.check_keys(tree, "state")
        every, self._leaves, self._structure = _trees.named_leaves(tree, "state")
        self.is_none = tree is None
        self._tree = tree
        self._keys = [i for i, leaf in enumerate(self._leaves) if _is_key(leaf)]
        keys = [every[i] for i in self._keys]
        self._carried = [i for i, (name, leaf) in enumerate(zip(every, self._leaves))
                         if i not in self._keys and self._is_carried(name, leaf, keys)]
        self._every = every
        self.names = _own_names([every[i] for i in self._carried], params)

    @staticmethod
    def _is_carried(name: str, leaf: Any, keys: list[str]) -> bool:
        _objects.check_is_there(f"the state {name!r}", leaf)
        if not hasattr(leaf, "shape"):
            what, _ = _objects.problem_of(leaf)
            if what:
                raise TypeError(f"the state {name!r} is {what}; {_CARRIED}")
        dtype = _kind(leaf)
        if dtype.kind == "f" and dtype.itemsize in (4, 8):
            return True
        if any(_beside(name, key) for key in keys):
            return False
        if dtype.kind == "i":
            _check_counts(name, leaf)
            return True
        said = dtype if hasattr(leaf, "shape") else shown(leaf)
        if _objects.is_raw_key(leaf):
            raise TypeError(f"the state {name!r} is a key of jax.random.PRNGKey; steps carry those "
                            "of jax.random.key: make it by that")
        raise TypeError(f"the state {name!r} is {said}; {_CARRIED}")

    def describe(self) -> str:
        return _trees.describe(self._tree)

    @property
    def draws(self) -> bool:
        return bool(self._keys)

    def carried(self, tree: Any = None) -> list[Any]:
        """The leaves that are carried, of a tree of the same structure."""
        import jax

        leaves = self._leaves if tree is None else jax.tree_util.tree_leaves(tree)
        self._check_are_arrays(leaves)
        self._check_shapes(leaves)
        return [_as_float(leaves[i]) for i in self._carried]

    def _check_are_arrays(self, leaves: Sequence[Any]) -> None:
        for name, leaf in zip(self._every, leaves):
            if not hasattr(leaf, "shape") and not isinstance(leaf, (bool, int, float)):
                raise TypeError(f"the loss function returns {shown(leaf)} for {name!r} of the "
                                "state: return an array of the shape that it came with")

    def _check_shapes(self, leaves: Sequence[Any]) -> None:
        for name, ours, theirs in zip(self._every, self._leaves, leaves):
            if np.shape(ours) != np.shape(theirs):
                raise TypeError(f"the loss function returns {name!r} of the state with the shape "
                                f"{np.shape(theirs)}, but is given it with {np.shape(ours)}: "
                                "return it with the same shape")
            given, returned = _type_of(ours), _type_of(theirs)
            if getattr(given, "kind", "") == "i" and getattr(returned, "kind", "") not in "iub":
                raise TypeError(f"the loss function returns {name!r} of the state as {returned}, "
                                f"but is given it as {given}, which would lose what is behind the "
                                "point: begin with a float32, or return .astype(jnp.int32)")

    def matches(self, tree: Any) -> bool:
        import jax

        structure: Any = jax.tree_util.tree_structure(tree)
        return bool(structure == self._structure)

    def whole(self, carried: Sequence[Any], key: Any = None) -> Any:
        """The tree with these leaves, and with keys made of `key` if it is given."""
        import jax

        leaves = list(self._leaves)
        for i, leaf in zip(self._carried, carried):
            leaves[i] = _as_kind(leaf, _kind(leaves[i]))
        if key is not None and self._keys:
            ours = jax.random.fold_in(key, _FOLD)
            for i in self._keys:
                fresh = jax.random.fold_in(ours, i)
                shape = np.shape(leaves[i])
                leaves[i] = jax.random.split(fresh, shape) if shape else fresh
        return jax.tree_util.tree_unflatten(self._structure, leaves)
