"""What a line of the caller's code names: the sides of an operator, and what it takes apart."""

from __future__ import annotations

import ast
import dis
import linecache
from typing import Any, Iterator, Mapping, NamedTuple

from . import _frames

_UNKNOWN = object()  # a value that is not looked up, as that would run code of the caller's


def _segment(at: Any, where: Any) -> str:
    """The text of an instruction's part of a line; empty: there is no source."""
    code = at.tb_frame.f_code
    lines = linecache.getlines(code.co_filename, at.tb_frame.f_globals)
    if where is None or None in where or not 0 < where.end_lineno <= len(lines):
        return ""
    part = [line.encode() for line in lines[where.lineno - 1:where.end_lineno]]
    part[-1] = part[-1][:where.end_col_offset]
    part[0] = part[0][where.col_offset:]
    return b"".join(part).decode(errors="replace")


def _value(node: ast.expr, frame: Any) -> Any:
    """Of a name, a constant, or an item of a container of Python's that has a name."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id, _UNKNOWN))
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner, key = _value(node.value, frame), node.slice.value
        if type(owner) is dict:
            return owner.get(key, _UNKNOWN)
        if isinstance(key, int) and type(owner) in (list, tuple):
            return owner[key] if -len(owner) <= key < len(owner) else _UNKNOWN
    return _UNKNOWN


def of_operator(at: Any) -> list[tuple[str, Any]]:
    """Both sides of the operator that failed, each as it is written and what it is; none: it
    was no operator, or there is no source. A side whose value is not known is left out."""
    if at is None or not _frames.operator(at):
        return []
    run = [each for each in dis.get_instructions(at.tb_frame.f_code) if each.offset <= at.tb_lasti]
    try:
        tree = ast.parse(f"({_segment(at, run[-1].positions)})", mode="eval").body
    except (SyntaxError, ValueError):
        return []
    sides = [tree.left, tree.right] if isinstance(tree, ast.BinOp) else []
    found = [(ast.unparse(side), _value(side, at.tb_frame)) for side in sides]
    return [each for each in found if each[1] is not _UNKNOWN]


class Unpacked(NamedTuple):
    """"x, y = batch", or "for x in batch". names: those on the left; none: others stand in
    them."""

    source: str
    value: Mapping[Any, Any]
    names: list[str]
    line: int
    loops: bool
    offset: int


def _names_in(instructions: list[Any], most: int) -> list[str]:
    names: list[str] = []
    for each in instructions:
        if not each.opname.startswith("STORE_") or len(names) >= most:
            break
        names += each.argval if isinstance(each.argval, tuple) else [str(each.argval)]
    return names if len(names) == most else []


def unpacked(at: Any) -> Iterator[Unpacked]:
    """The dicts that a frame has taken apart by their keys up to where it stands."""
    code, frame = at.tb_frame.f_code, at.tb_frame
    every = [each for each in dis.get_instructions(code)
             if each.opname not in ("CACHE", "COPY_FREE_VARS", "NOP")]
    line = code.co_firstlineno
    for i, each in enumerate(every[1:], 1):
        line = each.positions.lineno or line if each.positions else line
        before = every[i - 1]
        loops = each.opname == "GET_ITER"
        if not (loops or each.opname == "UNPACK_SEQUENCE") or each.offset > at.tb_lasti:
            continue
        name = before.argval[-1] if isinstance(before.argval, tuple) else before.argval
        value = frame.f_locals.get(name) if before.opname.startswith("LOAD_") and isinstance(
            name, str) else None
        if isinstance(value, Mapping):
            rest = every[i + 1 + loops:]
            count = 1 if loops else each.argval
            yield Unpacked(name, value, _names_in(rest, count), line, loops, each.offset)
