"""Arguments by position that stand in each other's place."""

from __future__ import annotations

import inspect
import os
from typing import Any, Mapping, Sequence

from ._not_called import is_function
from ._numbers import is_optimizer
from ._said import kind_of, shown
from ._wrapped import is_model


def _kind(value: Any) -> str:
    """What an argument can only be: "function", "text", "optimizer", "tree"; empty: not known."""
    if isinstance(value, (str, os.PathLike)):
        return "text"
    if is_optimizer(value):
        return "optimizer"
    if isinstance(value, type):
        return ""
    if is_function(value) and (inspect.isroutine(value) or not hasattr(value, "init")):
        return "function"
    is_tree = isinstance(value, (Mapping, tuple, list)) and len(value) > 0
    return "tree" if is_tree or hasattr(value, "shape") else ""


_WANTED = {"loss_fn": "function", "params": "tree", "batch": "tree", "path": "text"}


def _stands(value: Any, name: str) -> str:
    said = f"{str(value)!r}, a path," if isinstance(value, os.PathLike) else (
        shown(value) if isinstance(value, str) else kind_of(value))
    return f"{said} stands in the place of {name}"


def mistake(names: Sequence[str], args: Sequence[Any], order: str) -> str:
    """That two arguments would fit if they changed their places, or that the function is not
    the first; empty: neither. order: the call as it is."""
    kinds = [_kind(each) for each in args]
    wanted = [_WANTED.get(name, "") for name in names]
    at = kinds.index("function") if "function" in kinds else 0
    is_model_first = at == 1 and not kinds[0] and (isinstance(args[0], type) or is_model(args[0]))
    if wanted[:1] == ["function"] and at and (is_model_first or not is_function(args[0])):
        where = names[at] if at < len(names) else f"argument {at + 1}"
        return f"{_stands(args[at], where)}, and {_stands(args[0], names[0])}; the order is {order}"
    if wanted[:1] == ["function"] and "optimizer" in kinds[:len(names)]:
        at = kinds.index("optimizer")
        of = "" if "dataset" in names else " of podsim.train"
        return (f"{_stands(args[at], names[at])}; an optimizer belongs into optimizer={of}; the "
                f"order is {order}")
    if kinds[:2] == ["function", "function"] and len(args) > len(names):
        return f"{_stands(args[1], names[1])}; eval_fn= needs its name; the order is {order}"
    if wanted[-1:] != ["text"] or len(args) != len(names) or "text" not in kinds[:-1]:
        return ""
    at = kinds.index("text")
    if kinds[-1] != "tree":
        return ""
    return (f"{_stands(args[at], names[at])}, and {_stands(args[-1], names[-1])}; the order is "
            f"{order}")
