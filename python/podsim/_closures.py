"""What functions of optax hold, by which they are recognised."""

from __future__ import annotations

import functools
from typing import Any, Callable


def refused(what: str, instead: str) -> TypeError:
    return TypeError(f"optax: {what}{f'; {instead}' if instead else ''}")


def name_of(function: Callable[..., Any]) -> str:
    """The function of optax that made this one, such as scale_by_adam."""
    if isinstance(function, functools.partial):
        return name_of(function.func)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return str(name.split(".")[0])


def is_own(function: Callable[..., Any]) -> bool:
    """Whether a caller made it and not optax, as far as its module says."""
    module = str(getattr(function, "__module__", "optax"))
    return not module.startswith("optax") and not hasattr(function, "__wrapped__")


def cells(function: Callable[..., Any]) -> dict[str, Any]:
    """The variables that it took with it; none for what is no plain function."""
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    values = {}
    for name, cell in zip(names, getattr(function, "__closure__", None) or ()):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # never filled
            pass
    return values
