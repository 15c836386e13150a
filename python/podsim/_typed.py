"""Mistakes of plain Python in the caller's function: names, keys and attributes that are not
there, and values of another kind than an operator takes."""

from __future__ import annotations

import builtins
import difflib
import re
from typing import Any, Iterator, Mapping

from . import _fits, _frames, _given, _operands, _tracebacks
from ._asking import Asked

_OPERATOR = re.compile(r"unsupported operand type\(s\) for (\S+)(?: or pow\(\))?: '([\w.]+)' and "
                       r"'([\w.]+)'")
_INDEX = re.compile(r"(tuple|list) ind(?:ices must be integers or slices, not str|ex out of range)")
_PLAIN = {"NoneType": "None", "str": "a text", "dict": "a dict", "tuple": "a tuple",
          "list": "a list", "function": "a function", "builtin_function_or_method": "a function",
          "FrozenDict": "a dict"}
_TO_DO = {"NoneType": "a function before it returns nothing, or a setting is not set",
          "str": "a dict that is looped over gives its keys: take its values(), or "
                 "jax.tree.leaves(...)",
          "dict": "take one of its arrays by its key, or sum over jax.tree.leaves(...)",
          "tuple": "take one of them, as in x[0] (apply with mutable= returns (output, "
                   "new_state))",
          "list": "make an array of it, jnp.stack(values)",
          "function": "call it", "builtin_function_or_method": "call it"}


def _near(name: str, known: Any) -> list[str]:
    same = [str(each) for each in known if str(each).lower() == name.lower()]
    return same or difflib.get_close_matches(name, [str(each) for each in known], 2, 0.6)


def _said(names: list[str]) -> str:
    return f"did you mean {' or '.join(names)}?"


def _mappings(tree: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The dicts of a tree, by what a message calls them."""
    if isinstance(tree, Mapping):
        if tree:
            yield name, tree
        for key, value in tree.items():
            yield from _mappings(value, f"{name}[{key!r}]")
    elif isinstance(tree, (tuple, list)):
        for i, value in enumerate(tree):
            yield from _mappings(value, f"{name}[{i}]")


def _keys(found: Any) -> str:
    return ", ".join(map(repr, list(found)[:6])) + ", ..." * (len(found) > 6)


def _key(error: KeyError, asked: Asked) -> str:
    """Which keys there are where one is missing."""
    if not error.args or not isinstance(error.args[0], (str, int)):
        return ""
    key, known = error.args[0], []
    if isinstance(key, int):
        return _place_in(key, asked)
    if key == "params":
        return ("KeyError: 'params': params is what stands under \"params\" already: leave "
                "[\"params\"] out, or hand over the whole dictionary of collections")
    for role, argument in zip(asked.roles, asked.arguments):
        known += [each for each in _mappings(argument, role) if key not in each[1]]
    if not known:
        return ""
    same = [each for each in known for name in each[1]
            if str(name).lower() == key.lower()]
    near = same or [each for each in known if _near(key, each[1])]
    name, found = (near or known)[0]
    keys = _keys(found)
    if near:
        close = [each for each in found if str(each).lower() == key.lower()] or _near(key, found)
        return f"KeyError: {key!r}: {name} has {keys}: did you mean {close[0]!r}?"
    # Which of them was asked, an error does not say: the outer ones first.
    outer_first = sorted(known, key=lambda each: each[0] not in asked.roles)
    all_of_them = "; ".join(f"{name} has {_keys(found)}" for name, found in outer_first[:4])
    return f"KeyError: {key!r}: {all_of_them}: take one of these"


def _place_in(key: int, asked: Asked) -> str:
    """Of a dict that is indexed as a tuple is."""
    for role, argument in zip(asked.roles, asked.arguments):
        if isinstance(argument, Mapping) and argument:
            keys = ", ".join(map(repr, list(argument)[:6])) + ", ..." * (len(argument) > 6)
            if role == "batch" or not isinstance(asked.arguments[-1], Mapping):
                return (f"KeyError: {key}: {role} is a dict of {keys}, without an order: take an "
                        f"array by its key, as in {role}[{next(iter(argument))!r}]")
    return ""


def _attribute(error: AttributeError) -> str:
    """Of a dict, a tuple, None, a text."""
    owner, name = getattr(error, "obj", None), getattr(error, "name", None)
    if name is None or not isinstance(owner, (Mapping, tuple, list, str, type(None))):
        return ""
    said = f"{_given.kind(owner)} has no {name}"
    if isinstance(owner, Mapping):
        close = [name] if name in owner else _near(name, owner)
        keys = ", ".join(map(repr, list(owner)[:6]))
        return (f"{said}; it has the keys {keys}: " + (
            f"write [{close[0]!r}]" if close else "take one of these, as in [key]"))
    fields = list(getattr(owner, "_fields", ()))
    if fields:
        close = f": did you mean {_near(name, fields)[0]}?" if _near(name, fields) else ""
        return f"{said}; it has {', '.join(fields)}{close}"
    return f"{said}: {_fits.what_else(owner)}"


def _name(error: NameError, at: Any) -> str:
    name = getattr(error, "name", None)
    if name is None or isinstance(error, UnboundLocalError) or at is None:
        return ""
    frame = at.tb_frame
    found = _near(name, {**frame.f_globals, **frame.f_locals}) or _near(name, dir(builtins))
    imports = {"jnp": "import jax.numpy as jnp", "np": "import numpy as np",
               "nn": "import flax.linen as nn", "jax": "import jax", "optax": "import optax",
               "F": "import jax.nn as F"}
    if name in imports:
        return f"NameError: name {name!r} is not defined: write {imports[name]} before"
    return (f"NameError: name {name!r} is not defined: {_said(found)}" if found else "")


def _nones(tree: Any, name: str) -> Iterator[str]:
    """Where None stands in a tree."""
    if isinstance(tree, Mapping):
        for key, value in tree.items():
            yield from _nones(value, f"{name}[{key!r}]")
    elif isinstance(tree, (tuple, list)):
        for i, value in enumerate(tree):
            yield from _nones(value, f"{name}[{i}]")
    elif tree is None:
        yield name


def nones(asked: Asked) -> list[str]:
    """Where None stands in what the function is called with."""
    return [each for role, argument in zip(asked.roles, asked.arguments)
            for each in _nones(argument, role)]


def _side(sides: list[tuple[str, Any]], kind: str, asked: Asked) -> str:
    """"b, the batch, is a tuple (float32[N,4], int32[N])", of the side of this kind."""
    for name, value in sides:
        if type(value).__name__ == kind and not isinstance(value, str) and value is not None:
            roles = [role for role, each in zip(asked.roles, asked.arguments) if each is value]
            called = f"{name}, the {roles[0]}," if roles and roles[0] != name else name
            return f"{called} is {_given.kind(value)}"
    return ""


def _with_text(at: Any) -> str:
    """Of an operator between an array and a text, of which JAX says something else."""
    sides = _operands.of_operator(at)
    for name, value in sides:
        if isinstance(value, str):
            is_number = value.strip().lstrip("+-").replace(".", "", 1).isdigit()
            way = (f"without the quotes, {value.strip()}" if is_number else
                   "give an array or a number")
            said = f"{name} is a text" if name == repr(value) else f"{name} is {value!r}, a text"
            return f"a text stands beside {_frames.operator(at)}: {said}: {way}"
    return ""


def _operator(text: str, asked: Asked, at: Any) -> str:
    found = _OPERATOR.search(text)
    if not found:
        return _with_text(at)
    kinds = [found[2], found[3]]
    wrong = next((each for each in kinds if each in _TO_DO), "")
    if not wrong:
        return ""
    left, right = (_PLAIN.get(each, "a number" if each in ("int", "float", "bool") else "an array")
                   for each in kinds)
    way = _TO_DO[wrong]
    side = _side(_operands.of_operator(at), wrong, asked)
    if wrong == "tuple" and side:
        way = "take one of them, as in " + side.split(" ")[0].rstrip(",") + "[0]"
    if side:
        way = f"{side}: {way}"
    if wrong == "NoneType":
        found_in = nones(asked)
        way = f"{found_in[0]} is None: give an array, or leave it out" if found_in else way
    return f"{left} {found[1]} {right} is not possible: {way}"


def _indexed(text: str, asked: Asked) -> str:
    """Of an array that is indexed by a key."""
    found = re.search(r"string indexing; got idx='?([^']*)'?", text)
    if not found:
        return ""
    for role, argument in zip(asked.roles, asked.arguments):
        if _given.is_array(argument):
            kind = f"{argument.dtype}[{','.join(map(str, argument.shape))}]"
            return (f"{role} is one array, {kind}, and is indexed by the key {found[1]!r}: give a "
                    f"dict, {{{found[1]!r}: ...}}, or leave the key out")
    return (f"an array is indexed by the key {found[1]!r}, as a dict is: index it by whole numbers "
            "and slices")


def _is_argument(value: Any, asked: Asked) -> bool:
    return value is not None and any(each is value for each in asked.arguments)


def _place(error: BaseException, at: Any, asked: Asked) -> str:
    """Of a tuple or a list that is indexed by a key, or behind its end."""
    said, (name, value, key) = str(error), _frames.indexed(at)
    if name == "shape" and "out of range" in said:
        return "x.shape[i] asks for an axis that x has not: it has fewer (x.ndim)"
    if "object is not subscriptable" in said and _is_argument(value, asked):
        own = [each for each in getattr(value, "__dict__", {}) if not each.startswith("_")][:6]
        way = (f"write {name}.{key}" if hasattr(value, str(key)) else
               f"it has {', '.join(own) or 'no items'}")
        return f"{name} is {_given.kind(value)}, and is indexed as a dict or a tuple is: {way}"
    found = _INDEX.match(said)
    if not found or not _frames.operator(at) or _tracebacks.inside(error):
        return ""
    for role, argument in zip(asked.roles, asked.arguments):
        if isinstance(argument, (tuple, list)) and argument is value:
            called = name if name == role else f"{name}, the {role},"
            dict_of = "the data set" if role == "batch" else role
            also = f", or give {dict_of} as a dict that has {key!r}" * isinstance(key, str)
            return (f"{called} is {_given.kind(argument)}, and {name}[{key!r}] is not in it: write "
                    f"{name}[0]" + f" to {name}[{len(argument) - 1}]" * (len(argument) > 1) + also)
    return ""


def text(error: BaseException, at: Any, asked: Asked) -> str:
    """Nothing: it is none of these."""
    said = str(error)
    if isinstance(error, KeyError):
        way = _key(error, asked)
        return f"{asked.what} fails: {way}" if way else ""
    if isinstance(error, ValueError) and at is not None and _frames.is_unpacked_in_loop(at):
        return (f"{asked.what} fails: {said}: a dict that is looped over gives its keys: write "
                "for name, value in x.items()")
    if isinstance(error, AttributeError):
        return _attribute(error)
    if type(error) is NameError:
        way = _name(error, at)
        return f"{asked.what} fails: {way}" if way else ""
    if isinstance(error, TypeError) and "is not callable" in said:
        kind = re.search(r"'([\w.]+)' object is not callable", said)
        if kind and kind[1] in _PLAIN:
            return f"{_PLAIN[kind[1]]} is called as a function is: index it, [...], or leave () out"
    return (_indexed(said, asked) or _place(error, at, asked)
            or (_operator(said, asked, at) if isinstance(error, TypeError) else ""))
