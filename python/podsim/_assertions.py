"""An assertion of the caller's function that failed."""

from __future__ import annotations

import ast
import linecache
import re
from typing import Any

_ASSERTS = re.compile(r"assert\b|[\w.]*\bassert_\w+\(")
_SIZES = re.compile(r"\.shape\b|\.size\b|\blen\(|chex")
OWN = "the assertion is the function's own: mend what it says, or leave it out"


def _line(at: Any) -> str:
    """The line that failed, without a comment; empty: its source is not known."""
    if at is None:
        return ""
    text = linecache.getline(at.tb_frame.f_code.co_filename, at.tb_lineno)
    return text.partition("  #")[0].strip()


def is_at(at: Any) -> bool:
    """Whether an assert statement failed, or what it computes."""
    if at is None:
        return False
    lines = linecache.getlines(at.tb_frame.f_code.co_filename, at.tb_frame.f_globals)
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(each, ast.Assert)
               and each.lineno <= at.tb_lineno <= (each.end_lineno or each.lineno)
               for each in ast.walk(tree))


def text(at: Any) -> str:
    """The line that failed, and what to do; empty: it is not known. at: a traceback's, where the
    caller's code was last."""
    line = _line(at)
    if not _ASSERTS.match(line) or len(line) > 120:
        return ""
    if not _SIZES.search(line):
        return f"{line}: {OWN}"
    return (f"{line}: the number of examples is not fixed, a function is traced with several: ask "
            "for the other axes alone (x.shape[1:]), or leave the assertion out")
