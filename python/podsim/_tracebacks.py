"""Tracebacks with the frames of the libraries in them, as long as something is traced: they
hold what each function was given."""

from __future__ import annotations

import contextlib
import sys
import types
from typing import Any, Callable, Iterator

from . import _jaxprs

_OPTION = "jax_traceback_filtering"


@contextlib.contextmanager
def whole() -> Iterator[None]:
    """JAX leaves its own frames in tracebacks within the context."""
    config = getattr(sys.modules.get("jax"), "config", None)
    before = getattr(config, _OPTION, None)
    if config is None or before is None:
        yield
        return
    config.update(_OPTION, "off")
    try:
        yield
    finally:
        config.update(_OPTION, before)


def entries(error: BaseException) -> list[Any]:
    """A traceback's entries, the outermost first."""
    found, at = [], error.__traceback__
    while at is not None:
        found.append(at)
        at = at.tb_next
    return found


def is_callers(at: Any) -> bool:
    """Whether an entry is of the caller's code."""
    return not _jaxprs.is_library(at.tb_frame.f_code.co_filename)


def inside(error: BaseException) -> list[Any]:
    """The entries of libraries behind the last one of the caller's code; all: there is none."""
    every = entries(error)
    last = max((i for i, at in enumerate(every) if is_callers(at)), default=-1)
    return every[last + 1:]


def _is_shown(at: Any) -> bool:
    own = at.tb_frame.f_globals.get("__name__", "").startswith("podsim.")
    return own or is_callers(at)


def _keep(error: BaseException, kept: Callable[[Any], bool]) -> None:
    made = None
    for at in reversed([each for each in entries(error) if kept(each)]):
        made = types.TracebackType(made, at.tb_frame, at.tb_lasti, at.tb_lineno)
    error.__traceback__ = made


def shorten(error: BaseException) -> None:
    """Leaves the frames of other libraries out of its traceback."""
    _keep(error, _is_shown)


def shorten_to_callers(error: BaseException) -> None:
    """Leaves those of podsim out, too: its text says what was at fault. A bare raise keeps it
    so."""
    _keep(error, is_callers)
