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


def instruction(at: Any) -> str:
    """Its name, such as "CALL"; empty: not known."""
    run = _run(at)
    return run[-1].opname if run else ""


def _module(frame: Any, name: str) -> str:
    """What a module is called that the frame knows by a name; empty: it is none."""
    value = frame.f_locals.get(name, frame.f_globals.get(name))
    return value.__name__ if isinstance(value, types.ModuleType) else ""


def is_of(at: Any, name: str, package: str) -> bool:
    """Whether the name is that package, or a module of it, where `at` is."""
    return _module(at.tb_frame, name).split(".")[0] == package


def called(at: Any) -> list[str]:
    """["np", "random", "permutation"], as the caller wrote a function of a module; empty: it
    is no such call, or not known."""
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
            names = []  # it is a method of a result
    return names if len(names) > 1 and _module(at.tb_frame, names[0]) else []
