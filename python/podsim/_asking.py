"""How a function of the caller's is called, for a message."""

from __future__ import annotations

import dataclasses
import os
import re
from typing import Any, Callable, Mapping

import numpy as np

from . import _fixed, _jaxprs, _roles, _trees, _wrapped

_FEW = 4  # arrays more than are unpacked, of which more are examples


def _shape(leaf: Any, has_examples: bool) -> str:
    if leaf is None or not hasattr(leaf, "dtype"):
        return type(leaf).__name__
    sizes = list(map(str, np.shape(leaf)))
    if has_examples and sizes:
        sizes[0] = "N"
    return f"{leaf.dtype}[{','.join(sizes)}]"


def shapes(tree: Any, has_examples: bool = False, most: int = 4) -> str:
    """"a dict of w: float32[8,4], b: float32[4]"; N: the number of examples."""
    import jax

    paths, structure = jax.tree_util.tree_flatten_with_path(tree, is_leaf=lambda leaf: leaf is None)
    named = [(_trees.name_of(path, ""), _shape(leaf, has_examples)) for path, leaf in paths]
    said = ", ".join(f"{name}: {shape}" if name else shape for name, shape in named[:most])
    more = f" and {len(named) - most} more" if len(named) > most else ""
    kind = "" if jax.tree_util.treedef_is_leaf(structure) else f"a {type(tree).__name__} of "
    return f"{kind}{said}{more}"


@dataclasses.dataclass(frozen=True)
class Asked:
    """what: "the loss function". roles, arguments: those of the call, beside one
    another; none: it failed outside of a call."""

    what: str
    function: Callable[..., Any]
    roles: tuple[str, ...] = ()
    arguments: tuple[Any, ...] = ()

    def name(self) -> str:
        """"the lambda (p, b)"."""
        names = _roles.parameters(self.function)
        name = _wrapped.name_of(self.function)
        return name if names is None else _roles.shown(name, names)

    def place(self) -> str:
        """"train.py:12: ", where it begins; empty: it has no source."""
        code = _wrapped.code_of(self.function)
        if code is None or _jaxprs.is_library(code.co_filename):
            return ""
        return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}: "

    def mistake(self) -> str:
        """What is wrong with the names of its parameters, or nothing."""
        names = _roles.parameters(self.function)
        return _roles.mistake(names, self.roles, _wrapped.name_of(self.function),
                              self._argument("batch"))

    def _argument(self, role: str) -> Any:
        return dict(zip(self.roles, self.arguments)).get(role)

    def advice(self, why: str) -> str:
        """What to do about a failure of no known kind. why: what it says."""
        batch = self._argument("batch")
        wanted = re.search(r"values to unpack \(expected (\d+)", why)
        if wanted and self.roles:
            if isinstance(batch, list) and len(batch) > int(wanted[1]) + _FEW:
                return (f"it unpacks {wanted[1]}, and the batch is a list of {len(batch)} arrays: "
                        "make one array of those that belong together, np.stack(values), and give "
                        "(x, y)")
            has = len(batch) if isinstance(batch, (tuple, list, Mapping)) else 1
            return (f"it unpacks {wanted[1]}, and the batch has {has}: give a data set of as many "
                    "arrays, such as (x, y), or unpack as many")
        return self.fixed(why) or "make the function fit what it is given, or the other way round"

    def fixed(self, why: str) -> str:
        """What to do about a number of examples that the function has fixed, or nothing."""
        others = [value for role, value in zip(self.roles, self.arguments) if role != "batch"]
        return _fixed.advice(why, self._argument("batch"), others)

    def transformed(self) -> str:
        """That JAX returned it, and what to give instead, or nothing."""
        return _wrapped.advice(self.what, self.function)

    def called(self) -> str:
        """"loss_fn(p, b) is called as (params, batch), params a dict of ..."."""
        if not self.roles:
            return ""
        said = [f"{role} {_said(role, value)}" for role, value in zip(self.roles, self.arguments)]
        return f"{self.name()} is called as {_roles.listed(self.roles)}, {'; '.join(said)}"


def _said(role: str, value: Any) -> str:
    if role == "key":
        return "a random key"
    return shapes(value, role == "batch") + " (N examples)" * (role == "batch")
