"""What a frame of the caller's code was calling as it failed."""

from __future__ import annotations

import dis
import types
from typing import Any

_NAMES = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FAST")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")


def _run(at: Any) -> list[Any]:
    """The instructions up to the one that failed. at: a traceback's."""
    if at is None:
        return []
    return [each for each in dis.get_instructions(at.tb_frame.f_code)
            if each.offset <= at.tb_lasti]


def function(at: Any) -> str:
    """"loss_fn", "Net.__call__", "a lambda": the function that a frame runs; "a function": not
    known. A comprehension is part of the one around it."""
    name = at.tb_frame.f_code.co_qualname if at is not None else ""
    parts = [each for each in name.split(".<locals>.")
             if each == "<lambda>" or not each.startswith("<")]
    found = parts[-1] if parts else ""
    return "a lambda" if found.endswith("<lambda>") else found or "a function"


def instruction(at: Any) -> str:
    """Its name, such as "CALL"; empty: not known."""
    run = _run(at)
    return run[-1].opname if run else ""


def operator(at: Any) -> str:
    """"@" of x @ y, "[]" of x[i]; empty: it is none."""
    run = _run(at)
    last = run[-1] if run else None
    if last is None or last.opname not in ("BINARY_OP", "COMPARE_OP", "BINARY_SUBSCR"):
        return ""
    return "[]" if last.opname == "BINARY_SUBSCR" or last.argrepr == "[]" else last.argrepr


def is_unpacked_in_loop(at: Any) -> bool:
    """Whether "for k, v in x" failed."""
    names = [each.opname for each in _run(at)[-2:]]
    return names == ["FOR_ITER", "UNPACK_SEQUENCE"]


def indexed(at: Any) -> tuple[str, Any, Any]:
    """("b", its value, 2) of b[2]; ("", None, None): it is something else, ("shape", None, 2)
    of x.shape[2]."""
    run = _run(at)[-3:]
    if not operator(at) or len(run) < 3 or run[1].opname != "LOAD_CONST":
        return "", None, None
    name = str(run[0].argval)
    value = at.tb_frame.f_locals.get(name) if run[0].opname in _NAMES else None
    return name, value, run[1].argval


def _module(frame: Any, name: str) -> str:
    """What a module is called that the frame knows by a name; empty: it is none."""
    value = frame.f_locals.get(name, frame.f_globals.get(name))
    return value.__name__ if isinstance(value, types.ModuleType) else ""


def is_of(at: Any, name: str, package: str) -> bool:
    """Whether the name is that package, or a module of it, where `at` is."""
    return _module(at.tb_frame, name).split(".")[0] == package


def _chain(at: Any) -> list[str]:
    """The names that the call that failed begins with: ["x", "mean"] of x.mean(), ["", "mean"]
    of a method of a result; empty: it is no call, or not known."""
    run = _run(at)
    start = run[-1].positions if run and run[-1].opname.startswith("CALL") else None
    if start is None or start.lineno is None:
        return []
    names: list[str] = []
    for each in run[:-1]:
        where = each.positions
        if (where.lineno, where.col_offset) != (start.lineno, start.col_offset):
            continue
        if each.opname in _NAMES:
            names = [str(each.argval)]
        elif each.opname in _ATTRIBUTES and names:
            names.append(str(each.argval))
        elif each.opname.startswith(("CALL", "BINARY")):
            names = [""]  # what follows is a method of a result
    return names


def called(at: Any) -> list[str]:
    """["np", "random", "permutation"], as the caller wrote a function of a module; empty: it
    is no such call, or not known."""
    names = _chain(at)
    return names if len(names) > 1 and _module(at.tb_frame, names[0]) else []


def method(at: Any) -> str:
    """"mean" of x.mean() and f(x).mean(); empty: it is no such call."""
    names = _chain(at)
    return names[-1] if len(names) > 1 else ""


def target(at: Any) -> tuple[str, Any]:
    """("jnp.mean", the function) that the caller called; None in its place: it is not known."""
    names = _chain(at)
    if not names or not names[0]:
        return "", None
    frame = at.tb_frame
    value = frame.f_locals.get(names[0], frame.f_globals.get(names[0]))
    for name in names[1:]:
        holds = isinstance(value, (types.ModuleType, type))
        value = getattr(value, name, None) if holds else None
    return ".".join(names), value
