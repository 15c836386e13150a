"""A dict that the caller's function takes apart as if it were a tuple: that gives its keys."""

from __future__ import annotations

import os
import re
from typing import Any, Sequence

from . import _checks, _operands, _roles
from ._asking import Asked
from ._operands import Unpacked

_MOST = 6  # keys that a message names


def _is_of_texts(error: BaseException, keys: Sequence[Any], at: Any) -> bool:
    """Whether it failed as something was a text, such as a key. at: where."""
    if isinstance(error, AttributeError):
        return isinstance(getattr(error, "obj", None), str)
    if any(isinstance(value, str) and value in keys for _, value in _operands.of_operator(at)):
        return True
    said = str(error)
    return isinstance(error, (TypeError, ValueError)) and (
        re.search(r"\b(?:str|string)\b|<U\d", said) is not None
        or any(repr(key) in said for key in keys))


def _counts(error: BaseException) -> bool:
    return isinstance(error, ValueError) and "values to unpack" in str(error)


def _listed(keys: Sequence[Any]) -> str:
    said = [repr(key) for key in keys[:_MOST]]
    if len(keys) > _MOST:
        return ", ".join(said) + f" and {len(keys) - _MOST} more"
    return " and ".join(filter(None, [", ".join(said[:-1]), said[-1]]))


def matched(names: Sequence[str], keys: Sequence[Any]) -> list[Any] | None:
    """The key for each name: of the same spelling, of the same meaning, or else in order;
    None: there are not as many."""
    left, found = list(keys), dict.fromkeys(names)
    if len(left) != len(found):
        return None
    for is_like in (lambda name, key: name == key,
                    lambda name, key: _roles.role(name) and _roles.role(name) == _roles.role(
                        str(key)), lambda name, key: True):
        for name in names:
            same = [key for key in left if found[name] is None and is_like(name, key)]
            if same:
                found[name] = same[0]
                left.remove(same[0])
    return [*found.values()]


def _item(source: str, key: Any) -> str:
    return f'{source}["{key}"]' if isinstance(key, str) else f"{source}[{key!r}]"


def _way(part: Unpacked) -> str:
    keys, source = list(part.value), part.source
    if part.loops:
        return f"write for {', '.join(part.names) or 'value'} in {source}.values()"
    split = _checks.of_splits([str(key) for key in keys])
    if split:
        return split.removeprefix(": ")
    own = matched(part.names, keys) if part.names else None
    if own is None:
        return f"take its arrays by their keys, as in {_item(source, keys[0])}"
    return (f"write {', '.join(part.names)} = "
            f"{', '.join(_item(source, key) for key in own)}")


def _said(part: Unpacked, asked: Asked) -> str:
    role = next((role for role, value in zip(asked.roles, asked.arguments)
                 if value is part.value), part.source)
    called = part.source if role == part.source else f"{part.source}, the {role},"
    left, keys = ", ".join(part.names), list(part.value)
    left += "," * (len(part.names) == 1 and not part.loops)
    does = "taking it apart" if not left else (
        f"for {left} in {part.source}" if part.loops else f"{left} = {part.source}")
    count = len(part.names) not in (0, len(keys)) and not part.loops
    number = f", of which there {'is' if len(keys) == 1 else 'are'} {len(keys)}" * count
    return f"{called} is a dict of {_listed(keys)}; {does} takes its keys{number}: {_way(part)}"


def of(error: BaseException, frames: Sequence[Any], asked: Asked) -> str:
    """"train.py:12: batch is a dict of 'x' and 'y'; ...", or nothing. frames: those of the
    caller's code, the outermost first."""
    for at in reversed(frames):
        for part in reversed([*_operands.unpacked(at)]):
            keys = list(part.value)
            own = at is frames[-1] and _counts(error) and not part.loops
            if keys and (own or _is_of_texts(error, keys, frames[-1])):
                file = os.path.basename(at.tb_frame.f_code.co_filename)
                return f"{file}:{part.line}: {_said(part, asked)}"
    return ""
