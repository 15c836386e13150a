"""What the programs know of the name of a slice or of a generation."""

from __future__ import annotations

import functools
import os
import re

from . import _programs
from ._errors import PodsimError

_NONE = re.compile(r"no slice is called .*?(?=; there are |$)", re.DOTALL)
_NO_GENERATION = re.compile(r"no generation is called .*", re.DOTALL)


def _said(flags: list[str], refusal: re.Pattern[str]) -> str | None:
    """What pod_launch refuses in these words; nothing: it refuses nothing; None: it fails
    otherwise, or is not there."""
    try:
        _programs.run("pod_launch", flags)
    except (PodsimError, OSError) as error:
        found = refusal.search(str(error))
        return found[0] if found else None
    return ""


@functools.lru_cache(maxsize=64)
def refusal(name: str) -> str | None:
    """"no slice is called 'v3-16'; nearest: v3-8, v3-32"; nothing: it is one; None: the program
    that knows is not there."""
    return _said([f"--describe={name}"], _NONE)


def no_generation(name: str, hardware: str | os.PathLike[str] | None) -> str:
    """"no generation is called 'v33'; did you mean v3?; known: v2, v3"; nothing: it is one, or
    the program that knows is not there. hardware: the file that the job names beside those that
    ship."""
    own = [] if hardware is None else [f"--hardware={os.fspath(hardware)}"]
    return _said([f"--print_hardware={name}", *own], _NO_GENERATION) or ""
