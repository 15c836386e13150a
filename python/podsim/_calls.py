"""Calls of podsim's functions with arguments that do not fit their signatures."""

from __future__ import annotations

import functools
import inspect
import os
import re
from typing import Any, Callable, ParamSpec, TypeVar

from . import _order, _tracebacks
from ._errors import is_said
from ._names import ARGUMENTS, near
from ._numbers import is_number, is_optimizer
from ._said import shown, type_name
from ._settings import SETTINGS

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")
_PLACED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)


def _ordinal(count: int) -> str:
    return f"{count}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(count, 'th') }"


def _named(args: tuple[Any, ...], count: int, signature: inspect.Signature) -> str:
    """What the first argument behind `count` by position is called, as far as its kind says; or
    nothing."""
    value = args[count]
    if sum(hasattr(each, "shape") and not is_number(each) for each in args[2:]) > 1:
        return "; arrays of one data set are given together, as (x, y)"
    if "optimizer" not in signature.parameters:
        return ""
    if is_optimizer(value):
        return "; it is optimizer="
    if inspect.isfunction(value):
        root = str(value.__module__).split(".")[0]
        return (f"; it is optimizer=, called: optimizer={root}.{value.__name__}(1e-3)"
                if root in ("optax", "podsim") else "; it is eval_fn=")
    if isinstance(value, (tuple, dict)) and type(value) is type(args[count - 1]):
        return "; held-out examples are eval_dataset="
    if is_number(value):
        whole = float(value).is_integer()
        return (f"; say what it is, epochs={value} or batch_per_core={value}" if whole else
                f"; of a learning rate say optimizer=podsim.adamw({value})")
    is_slice = isinstance(value, str) and re.match(r"[a-z]+\d+[a-z]*-\d+", value.lower())
    return f"; say topology={value!r}" if is_slice else ""


# What to give for arguments that are left out.
_GIVE = {"params": "params are the weights, a tree of arrays",
         "batch": "batch is a few examples, such as (x[:8], y[:8])",
         "dataset": "dataset has the examples, such as (x, y)"}


def _left_out(name: str, missing: list[str], order: str, why: str = "") -> str:
    """That arguments are missing, and what to give for them."""
    listed = " and ".join(filter(None, [", ".join(missing[:-1]), missing[-1]]))
    give = [f"; {_GIVE[each]}" for each in missing if each in _GIVE]
    return f"{name} is called without {listed}{why}; it is {order}{''.join(give)}"


def _before_text(name: str, args: tuple[Any, ...], missing: list[str], names: list[str],
                 order: str) -> str:
    """That what belongs before a text, the last of `missing`, is left out; nothing: no text
    stands in the place of it."""
    at = next((i for i, each in enumerate(args) if isinstance(each, (str, os.PathLike))), 0)
    if not at:
        return ""
    left_out = [names[at], *missing[:-1]]
    place = "its place" if len(left_out) == 1 else f"the place of {names[at]}"
    return _left_out(name, left_out, order.replace(missing[-1], shown(args[at])),
                     f": {shown(args[at])} stands in {place}")


def _elsewhere(name: str) -> str:
    """What to do about an argument that other functions of podsim take; or nothing."""
    return (": leave it out, podsim.train and podsim.plan take it"
            if name in SETTINGS or name in ARGUMENTS else "")


def _wrong(name: str, signature: inspect.Signature, args: tuple[Any, ...],
           named: dict[str, Any], usage: str, text: str) -> str:
    """What is wrong with arguments that the signature does not bind; nothing: it is
    none of these."""
    placed = [each for each in signature.parameters.values() if each.kind in _PLACED]
    names = [each.name for each in placed]
    if names[:1] == ["loss_fn"] and args and type_name(type(args[0])) == "podsim.Run":
        usual = usage or f"{name}({', '.join(names)})"
        return (f"{name}: the first argument is a Run, which has the weights: "
                f"{usual.replace('params', 'run.params', 1)}")
    order = usage or f"{name}({', '.join(names)})"
    swapped = _order.mistake(names, args, order)
    if swapped:
        return f"{name}: {swapped}"
    if len(args) > len(names):
        needs = ("is one too many: leave it out" if len(names) == len(signature.parameters) else
                 f"needs its name{_named(args, len(names), signature)}")
        return (f"{name} takes {', '.join(names) or 'nothing'} by position; the "
                f"{_ordinal(len(names) + 1)} argument, {shown(args[len(names)])}, {needs}"
                f"{': ' + usage if usage else ''}")
    twice = [each for each in names[:len(args)] if each in named]
    if twice:
        placed_value = args[names.index(twice[0])]
        return (f"{name}: {twice[0]} is given twice, by position ({shown(placed_value)}) "
                f"and by name ({shown(named[twice[0]])}); leave one out")
    unknown = [each for each in named if each not in signature.parameters]
    if unknown and not any(each.kind is each.VAR_KEYWORD
                           for each in signature.parameters.values()):
        return (f"{name} has no argument {unknown[0]!r}{near(unknown[0], signature.parameters)}; "
                f"it has {', '.join(signature.parameters)}{_elsewhere(unknown[0])}")
    missing = [each.name for each in placed[len(args):]
               if each.default is each.empty and each.name not in named]
    before = _before_text(name, args, missing, names, order) if missing[-1:] == [text] else ""
    if before:
        return before
    if missing and names[:1] == ["loss_fn"] and args and not callable(args[0]):
        return (f"{name} is called without a loss function: the first argument is "
                f"{shown(args[0])}; it is {order}")
    if missing:
        meant = [f"; {each!r} is not its name" for each in unknown if near(missing[0], [each])]
        return _left_out(name, missing, order, "".join(meant[:1]))
    return ""


def checked(name: str, usage: str = "", text: str = "") -> Callable[
        [Callable[_Given, _Result]], Callable[_Given, _Result]]:
    """The function, whose TypeErrors about its arguments say `name` as it is typed, and
    `usage`, the call with all that it needs. text: the one of its arguments that is a text, the
    last by position, "path"."""
    def of(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
        signature = inspect.signature(function)
        first = next(iter(signature.parameters), "") == "self"
        outer = signature.replace(parameters=[*signature.parameters.values()][first:])
        placed = [each.name for each in outer.parameters.values()
                  if each.kind in _PLACED and each.default is each.empty]

        @functools.wraps(function)
        def call(*args: _Given.args, **named: _Given.kwargs) -> _Result:
            try:
                bound = signature.bind(*args, **named).arguments
            except TypeError:
                wrong = _wrong(name, outer, args[first:], named, usage, text)
                if wrong:
                    raise TypeError(wrong) from None
                raise
            swapped = _order.mistake(placed, [bound[each] for each in placed], usage)
            if placed and swapped:
                raise TypeError(f"{name}: {swapped}")
            try:
                return function(*args, **named)
            except Exception as error:
                if is_said(error):
                    _tracebacks.shorten_to_callers(error)
                raise

        return call

    return of
