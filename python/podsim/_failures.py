"""A failure of the caller's function as one line: where it was, what failed, how the function
is called, and what to do."""

from __future__ import annotations

import re
from typing import Any

from . import (_assertions, _fits, _frames, _given, _leaks, _refused_calls, _tracebacks, _tracing,
               _typed, _unpacked, _words)
from ._counts import BATCHES, merged
from ._errors import PodsimError, is_said, said
from ._asking import Asked

# What a caller may expect to catch; KeyError shows its text in quotation marks, and
# StopIteration ends loops.
_KINDS = (TypeError, ValueError, AttributeError, IndexError, ZeroDivisionError, NameError,
          AssertionError, FileNotFoundError, OSError, ImportError,
          OverflowError, FloatingPointError, RecursionError)
_INSTEAD = {KeyError: TypeError, NotImplementedError: TypeError, StopIteration: ValueError,
            StopAsyncIteration: ValueError}

# What to do about failures that do not follow from what the function is given.
_OWN = {
    NameError: "define it, or import it, before the call",
    ImportError: "install it, or leave it out",
    FileNotFoundError: "read files before the call, and close over what they hold",
    OSError: "read files before the call, and close over what they hold",
    StopIteration: "next() is called of an iterator that has no more: give it a second argument",
    ZeroDivisionError: "divide by a number that is not 0",
    RecursionError: "a function calls itself without end: end it",
    NotImplementedError: "compute it with other functions of jax.numpy",
}
# JAX's words for a kernel of Pallas on a machine without a TPU.
_OF_PALLAS = "interpret mode is supported on CPU"
_PALLAS = ("kernels of Pallas run on a TPU alone: write attention plainly, as "
           'jax.nn.dot_product_attention does, and give attention="fused", which plans it as '
           "such a kernel")
_PLACE = re.compile(r"^\S+:\d+: ")


def _callers(error: BaseException) -> list[Any]:
    """The frames of the caller's code, as they stand in the traceback."""
    return [at for at in _tracebacks.entries(error) if _tracebacks.is_callers(at)]


def _frame(error: BaseException) -> Any:
    """Where the caller's code was last; None: it was not there."""
    frames = _callers(error)
    return frames[-1] if frames else None


def _traced_at(error: BaseException) -> Any:
    """The same, of the operation that JAX transformed as it failed."""
    cause = error.__cause__
    known = type(cause).__name__ == "JaxStackTraceBeforeTransformation"
    return _frame(cause) if cause is not None and known else None


def place_of(error: BaseException) -> str:
    """"train.py:41: ", where the caller's code was last; empty if it was not there."""
    frame = _frame(error) or _traced_at(error)
    if frame is None:
        return ""
    return f"{frame.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.tb_lineno}: "


def _kind(error: BaseException) -> type[Exception]:
    for known, instead in _INSTEAD.items():
        if isinstance(error, known):
            return instead
    if isinstance(error, RuntimeError) and not isinstance(error, _KINDS):
        return PodsimError
    return next((kind for kind in _KINDS if isinstance(error, kind)), ValueError)


def _why(error: BaseException) -> str:
    name = type(error).__name__
    text = _words.plain(str(error))
    return f"{name}: {text}" if text else name


def _with_fixed(way: str, error: BaseException, asked: Asked) -> str:
    """The way with what is to be done about a number of examples that is fixed. What JAX
    says of traced values names shapes too, of which none is at fault."""
    if type(error).__module__ == "jax.errors":
        return way
    fixed = "" if "x.shape[0]" in way else asked.fixed(str(error))
    return f"{way}; {fixed}" if fixed else way


def _general(error: BaseException, asked: Asked) -> str:
    function = ".".join(_frames.called(_frame(error)))
    fails = f"{asked.what} fails{' in ' * bool(function)}{function}: {_why(error)}"
    made = _given.call(error, _frame(error)) or _given.library_layer(error)
    said = made and _fits.general(made, error)
    if said:
        return _with_fixed(said, error, asked)
    if isinstance(error, AssertionError):
        said = _assertions.text(_frame(error))
        return f"{asked.what} fails: {said}" if said else f"{fails}: {_assertions.OWN}"
    if _OF_PALLAS in str(error):
        return f"{fails}: {_PALLAS}"
    for kind, way in _OWN.items():
        if isinstance(error, kind):
            return f"{fails}: {way}"
    if _frames.instruction(_frame(error)).startswith("RAISE") and not isinstance(
            error, RuntimeError):
        return f"{fails}: the function raises that itself: mend what it says"
    called = asked.called()
    if not called or isinstance(error, RuntimeError):
        return f"{fails}: call it without podsim, on a few examples, to see where"
    return f"{fails}; {called}: {asked.advice(str(error))}"


def _way(error: BaseException, asked: Asked) -> str:
    """What is said of a failure of a known kind, or nothing."""
    if type(error).__name__ == "UnexpectedTracerError":
        return _leaks.text(asked.what, asked.function)
    at = _frame(error)
    refused = _refused_calls.text(error, at) if at is not None else ""
    return (refused or _fits.no_array(error, at, _typed.nones(asked))
            or _typed.text(error, at, asked)
            or _tracing.in_one_line(error, at, _given.module_call(error)))


def of(error: Exception, asked: Asked) -> Exception:
    """What is to be raised from `error`, which `asked` failed with."""
    if isinstance(error, PodsimError) or is_said(error):
        if not _PLACE.match(str(error)):
            error.args = ((place_of(error) or asked.place()) + str(error),)
        return said(error)
    wrong = asked.mistake() or asked.transformed()
    if wrong:
        return said(_kind(error)(asked.place() + wrong))
    unpacked = _unpacked.of(error, _callers(error), asked)
    if unpacked:
        return said(_kind(error)(unpacked))
    place, way = place_of(error) or asked.place(), _way(error, asked)
    if way and isinstance(error, NameError) and "NameError" not in way:
        return said(TypeError(place + way))  # of an axis, as no name of Python is meant
    way = way and _with_fixed(way, error, asked)
    return said(_kind(error)(place + (way or _general(error, asked))))


def leak(asked: Asked) -> Exception:
    return said(TypeError(asked.place() + _leaks.text(asked.what, asked.function)))


def with_n(error: Exception, other: Exception | None, count: int) -> None:
    """Puts N for the numbers that follow the number of examples in what tracing with
    `count` of them failed with. other: with the second of BATCHES."""
    texts = [str(error)] if other is None or not is_said(other) else [str(error), str(other)]
    text = merged(texts, (count, *BATCHES[1:]))
    error.args = (text,)
    if isinstance(error, PodsimError):
        error.reason = error.details = text
