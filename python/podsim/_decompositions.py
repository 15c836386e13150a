"""Decompositions of matrices, which a pod does not compute, by the functions that the caller
wrote, and whether they follow from params."""

from __future__ import annotations

import re
from typing import Any, Iterator, Sequence

from . import _jaxprs, _words

_PRIMITIVES = ("lu", "qr", "geqrf", "householder_product", "svd", "eigh", "eig", "cholesky",
               "triangular_solve", "schur", "hessenberg", "tridiagonal")
_MODULES = (("jax/_src/numpy/linalg.py", "jnp.linalg"), ("jax/_src/scipy/", "jax.scipy.linalg"),
            ("jax/_src/lax/linalg.py", "jax.lax.linalg"))

_BEFORE = "compute it before, as an array of the data set"
_OF_PARAMS = "it follows from params: leave the term out, or write it with products of matrices"


def _typed(equation: Any) -> str:
    """"jnp.linalg.slogdet", as the caller called it; empty: not known."""
    traceback = getattr(getattr(equation, "source_info", None), "traceback", None)
    name = ""
    for frame in getattr(traceback, "frames", ()):
        if not _jaxprs.is_library(frame.file_name):
            return name
        function = frame.function_name.split(".")[0]
        for part, module in _MODULES:
            if part in frame.file_name.replace("\\", "/") and re.match(r"[a-z]", function):
                name = f"{module}.{function}"
    return name


def _equations(jaxpr: Any, follows: set[Any], outer: tuple[str, str] = ("", "")
               ) -> Iterator[tuple[Any, bool, tuple[str, str]]]:
    """Each equation, whether it follows from these variables, and its line with what is typed
    there: inside of a jit these may be the jit's own, which `outer` says. What is inside of a
    loop or a branch follows if anything does that goes in."""
    for equation in jaxpr.eqns:
        typed = _jaxprs.line_of(equation) or outer[0], outer[1] or _typed(equation)
        does = [not hasattr(each, "val") and each in follows for each in equation.invars]
        if any(does):
            follows.update(equation.outvars)
        called = _jaxprs.called(equation)
        if called is not None:
            inside = {each for each, is_one in zip(called.invars, does) if is_one}
            yield from _equations(called, inside, typed)
            continue
        yield equation, any(does), typed
        for value in equation.params.values():
            for each in _jaxprs.inner(value):
                plain = getattr(each, "jaxpr", each)
                yield from _equations(plain, set(plain.invars) if any(does) else set(), typed)


def notes(closed: Any, params: int) -> dict[str, tuple[str, bool]]:
    """By place and operation: what the caller called, and whether it follows from the first
    `params` arguments."""
    found: dict[str, tuple[str, bool]] = {}
    for equation, does, (line, typed) in _equations(closed.jaxpr, set(closed.jaxpr.invars[:params])):
        if equation.primitive.name not in _PRIMITIVES:
            continue
        key = line + _words.operation(equation.primitive.name)
        if typed:
            name, before = found.get(key, (typed, False))
            found[key] = name, before or does
    return found


def said(text: str, operation: str, note: Sequence[Any] | None) -> str:
    """The text, which begins with the operation, with what the caller called in its place."""
    if note is None:
        return text
    text = text.replace(operation, note[0], 1)
    return text.replace(_BEFORE, _OF_PARAMS) if note[1] else text
