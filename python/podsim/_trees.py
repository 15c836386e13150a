"""Trees of arrays as lists with names: "dense_0/kernel"."""

from __future__ import annotations

import collections
from typing import Any, Mapping, Sequence

from ._said import article

_MOST_PARTS = 999  # of a list whose dicts are looked at; longer ones are numbers


def _part(key: Any) -> str:
    for attribute in ("key", "name", "idx"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


def name_of(path: Sequence[Any], otherwise: str) -> str:
    """The name of a leaf, from JAX's path to it."""
    return "/".join(_part(key) for key in path) or otherwise


def describe(tree: Any, most: int = 3) -> str:
    """"a dict of 'a', 'b' and 7 more", for a message."""
    import jax

    if tree is None:
        return "None"
    if hasattr(tree, "__next__"):  # JAX warns of an iterator in a tree
        return article(type(tree).__name__)
    paths, structure = jax.tree_util.tree_flatten_with_path(tree)
    kind = article(type(tree).__name__)
    if jax.tree_util.treedef_is_leaf(structure):
        shape = getattr(tree, "shape", None)
        return kind if shape is None else f"an array of the shape {shape}"
    if isinstance(tree, (list, tuple)) and not hasattr(tree, "_fields"):
        return f"{kind} of length {len(tree)}"
    names = [name_of(path, "") for path, _ in paths]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{kind} of {', '.join(map(repr, names[:most])) or 'nothing'}{more}"


def named_leaves(tree: Any, otherwise: str) -> tuple[list[str], list[Any], Any]:
    """Names, leaves and the structure, in JAX's order.

    `otherwise` is the name of a tree that is one array."""
    import jax

    paths, structure = jax.tree_util.tree_flatten_with_path(tree)
    names = [name_of(path, otherwise) for path, _ in paths]
    twice = [name for name, count in collections.Counter(names).items() if count > 1]
    if twice:
        name = sorted(twice)[0]
        both = [otherwise + jax.tree_util.keystr(path) for path, _ in paths
                if name_of(path, otherwise) == name]
        raise ValueError(f"{' and '.join(both[:2])} would both be called {name!r}, the keys on the "
                         "way to an array with '/' between: rename one of these keys")
    return names, [leaf for _, leaf in paths], structure


def check_keys(tree: Any, name: str) -> None:
    """Raises TypeError for a dict whose keys JAX cannot bring into an order. name: of the
    argument."""
    if isinstance(tree, Mapping):
        kinds = {type(key).__name__: key for key in tree}
        try:
            sorted(tree)
        except TypeError:
            said = ", ".join(f"{key!r} ({kind})" for kind, key in kinds.items())
            raise TypeError(f"the keys of {name} have no order, {said}: JAX sorts the keys of a "
                            "dict: give all the same type, such as texts") from None
        for key, value in tree.items():
            check_keys(value, f"{name}[{key!r}]")
    elif isinstance(tree, (tuple, list)) and len(tree) <= _MOST_PARTS:
        for i, value in enumerate(tree):
            check_keys(value, f"{name}[{i}]")
