"""What the programs know of the name of a slice."""

from __future__ import annotations

import functools
import re

from . import _programs
from ._errors import PodsimError

_NONE = re.compile(r"no slice is called .*?(?=; there are |$)", re.DOTALL)


@functools.lru_cache(maxsize=64)
def refusal(name: str) -> str | None:
    """"no slice is called 'v3-16'; nearest: v3-8, v3-32"; nothing: it is one; None: the program
    that knows is not there."""
    try:
        _programs.run("pod_launch", [f"--describe={name}"])
    except (PodsimError, OSError) as error:
        found = _NONE.search(str(error))
        return found[0] if found else None
    return ""
