"""A function of the caller's, called with what JAX traces; what it fails with is said in
one line."""

from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator

from . import _draws, _errors, _failures, _tracebacks
from ._asking import Asked


@contextlib.contextmanager
def refusing(asked: Asked) -> Iterator[None]:
    """What fails within the context is told of the caller's function in one line. The failure
    itself is the cause, with the caller's lines; one without any says nothing more."""
    try:
        with _tracebacks.whole():
            yield
    except MemoryError:
        raise
    except Exception as error:
        refused = _failures.of(error, asked)
        if refused is error:
            _tracebacks.shorten(error)
            raise
        _tracebacks.shorten_to_callers(error)
        raise refused from (error if _tracebacks.entries(error) else None)


def call(what: str, function: Callable[..., Any], params: Any, *states: Any,
         batch: Any, keys: tuple[Any, ...] = ()) -> Any:
    """function(params, *states, batch, *keys). what: "the loss function"."""
    roles = ("params", *["state"] * len(states), "batch", *["key"] * len(keys))
    arguments = (params, *states, batch, *keys)
    asked = Asked(what, function, roles, arguments)
    with refusing(asked), _draws.refusing(asked):
        return function(*arguments)


@contextlib.contextmanager
def checked(asked: Asked) -> Iterator[None]:
    """What podsim refuses within the context is of this function: its line is said, and
    whether it takes its arguments in another order."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not _errors.is_said(error):
            error.args = (asked.place() + (asked.mistake() or str(error)),)
        _errors.said(error)
        raise
