"""What is refused or warned of by the name of the argument, before it is used."""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from typing import Any, Iterable

import numpy as np

from ._programs import PodsimError

_LONGEST = 251  # bytes, as a file's name has at most 255 with ".npy"


def warn(text: str) -> None:
    """A warning at the line that called the package."""
    ours = (os.path.dirname(__file__), contextlib.__file__)
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(ours):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, stacklevel=level)


def _is_part(part: str) -> bool:
    return (not part.startswith(".") and part.isprintable()
            and 0 < len(part.encode()) <= _LONGEST)


def check_file_names(names: Iterable[str]) -> None:
    """Raises PodsimError for an array that cannot have a file of its name."""
    for name in names:
        if not all(map(_is_part, name.split("/"))):
            shown = name if len(name) <= 80 else name[:80] + "..."
            raise PodsimError(
                f"an array of the data set is called {shown!r}, but its name is that of a "
                f"file: parts with one '/' between them, each of 1 to {_LONGEST} bytes, "
                "printable, none beginning with '.'; give it another key")


def type_of(leaf: Any) -> Any:
    return leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype


def check_numbers(names: Iterable[str], leaves: Iterable[Any]) -> None:
    """Raises TypeError for an array of the data set that is text or the like."""
    for name, leaf in zip(names, leaves):
        kind = type_of(leaf)
        if not isinstance(kind, np.dtype) or kind.kind not in "biuf":
            raise TypeError(f"the array {name!r} of the data set is {kind}; it must be of "
                            "booleans, whole numbers or float32: make it so")


def check_params(names: list[str], leaves: list[Any]) -> None:
    if not names:
        raise TypeError("params has no array in it; it must be a tree of float32 arrays, "
                        "of one at least")
    for name, leaf in zip(names, leaves):
        kind = type_of(leaf)
        if str(kind) not in ("float32", "float64"):
            raise TypeError(f"the parameter {name!r} is {kind}; what is trained is float32: "
                            "convert it, or leave it out of params (the loss function may "
                            "hold it itself)")
