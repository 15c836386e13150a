"""Decompositions of matrices, which a pod does not compute, and loops that JAX makes of a
function: by the functions that the caller wrote, and whether they follow from params."""

from __future__ import annotations

import re
from typing import Any, Iterator, NamedTuple

from . import _jaxprs, _words

# What each primitive of JAX computes.
_DECOMPOSITIONS = {
    "lu": "an LU decomposition",
    **dict.fromkeys(("qr", "geqrf", "householder_product"), "a QR decomposition"),
    "svd": "a singular value decomposition",
    **dict.fromkeys(("eigh", "eig"), "a decomposition into eigenvalues"),
    "cholesky": "a Cholesky decomposition",
    "triangular_solve": "the solution of triangular equations",
    "schur": "a Schur decomposition",
    "hessenberg": "a Hessenberg decomposition",
    "tridiagonal": "a tridiagonal decomposition",
}
# Those that JAX lowers to a loop until a number has converged.
_LOOPS = ("igamma", "igammac", "igamma_grad_a", "random_gamma_grad",
          "regularized_incomplete_beta")
_MODULES = (("jax/_src/numpy/linalg.py", "jnp.linalg"), ("jax/_src/numpy/polynomial.py", "jnp"),
            ("jax/_src/lax/linalg.py", "jax.lax.linalg"))
_SCIPY = re.compile(r"jax/_src/scipy/([\w/]+)\.py$")

_NO_SUCH = ": podsim has no such operation: "
_BEFORE = "compute it before, as an array of the data set"
_OF_PARAMS = "leave the term out, or write it with products of matrices"
# What a function takes in its place, by what it is called.
_INSTEAD = {"jnp.linalg.norm": "use the Frobenius norm, jnp.linalg.norm(w)"}


class Note(NamedTuple):
    """What the caller called, whether it follows from params, and its primitive."""
    name: str
    follows: bool
    primitive: str


def _module(file: str) -> str:
    """"jnp.linalg", "jax.scipy.stats.multivariate_normal"; empty: another."""
    path = file.replace("\\", "/")
    scipy = _SCIPY.search(path)
    if scipy:
        return "jax.scipy." + scipy[1].replace("/", ".")
    return next((module for part, module in _MODULES if path.endswith(part)), "")


def _typed(equation: Any) -> str:
    """"jnp.linalg.slogdet", as the caller called it; empty: not known."""
    traceback = getattr(getattr(equation, "source_info", None), "traceback", None)
    name = ""
    for frame in getattr(traceback, "frames", ()):
        if not _jaxprs.is_library(frame.file_name):
            return name
        function = frame.function_name.split(".")[0]
        module = _module(frame.file_name)
        if module and re.match(r"[a-z]", function):
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


def notes(closed: Any, params: int) -> dict[str, Note]:
    """By place and operation: what follows from the first `params` arguments does from params."""
    found: dict[str, Note] = {}
    of_params = set(closed.jaxpr.invars[:params])
    for equation, does, (line, typed) in _equations(closed.jaxpr, of_params):
        primitive = equation.primitive.name
        if not typed or primitive not in (*_DECOMPOSITIONS, *_LOOPS):
            continue
        key = line + _words.operation("while" if primitive in _LOOPS else primitive)
        name, before, first = found.get(key, (typed, False, primitive))
        found[key] = Note(name, before or does, first)
    return found


def _way(note: Note) -> str:
    ways = [_INSTEAD[note.name]] if note.name in _INSTEAD else []
    if note.follows:
        return f"it follows from params: {', '.join([*ways, _OF_PARAMS])}"
    return ", or ".join([*ways, _BEFORE])


def said(text: str, operation: str, note: Note | None) -> str:
    """The text, which begins with the operation, with what the caller called in its place, and
    what that takes."""
    if note is None:
        return text
    what = _DECOMPOSITIONS.get(note.primitive, operation)
    own = note.name.endswith(f".{note.primitive}")
    takes = f"{note.name} is {what}" if own else f"{note.name} here takes {what}"
    if note.primitive not in _DECOMPOSITIONS or _NO_SUCH not in text:
        return text.replace(operation, takes, 1)
    primitive = "" if own else f" ({note.primitive})"
    return f"{takes}{primitive}, which podsim has not: {_way(note)}"
