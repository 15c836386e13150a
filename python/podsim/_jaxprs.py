"""What a traced function has in it that a pod does otherwise, or not at all."""

from __future__ import annotations

import os
import sysconfig
from typing import Any, Iterator

from . import _checks, _meshes
from ._errors import PodsimError

# Primitives that divide work over devices, by what people call.
_DIVIDES = {"shard_map": "jax.shard_map", "xla_pmap": "jax.pmap"}
_PMAP_AXIS = "pmap"  # is in the name of the axis over which jax.pmap calls shard_map
_SHOWS = ("debug_print", "debug_callback")
_SHOWN = ("jax.debug.print and jax.debug.callback are left out: the cores of a pod have no "
          "Python; return what is to be seen as a metric")
_ALL_WEIGHTS = "each core has its own examples of the batch, and all of the weights"
_PLACED = f"jax.device_put has no effect: {_ALL_WEIGHTS}"
_SHARDED = f"in_shardings or out_shardings of jax.jit has no effect: {_ALL_WEIGHTS}"
_DONATED = ("donate_argnums or donate_argnames of jax.jit has no effect: podsim itself plans the "
            "memory of a step")

# Primitives that are accepted and do nothing, and what is said of them.
_IDLE = {**dict.fromkeys(_SHOWS, _SHOWN),
         "sharding_constraint": f"with_sharding_constraint has no effect: {_ALL_WEIGHTS}"}


def inner(value: Any) -> Iterator[Any]:
    """The jaxprs in a parameter of an equation."""
    if hasattr(value, "eqns") or hasattr(value, "jaxpr"):
        yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from inner(each)


def jaxprs(closed: Any) -> Iterator[Any]:
    """A jaxpr and those in it, each once."""
    seen: set[int] = set()
    left = [closed]
    while left:
        each = left.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        for equation in getattr(each, "jaxpr", each).eqns:
            for value in equation.params.values():
                left += inner(value)


def equations(closed: Any) -> Iterator[Any]:
    """Of a jaxpr and of those in it."""
    for each in jaxprs(closed):
        yield from getattr(each, "jaxpr", each).eqns


def called(equation: Any) -> Any:
    """The jaxpr of a jit or a jax.checkpoint, which has the call's operands and
    results; None: it is something else."""
    if equation.primitive.name not in ("jit", "pjit", "checkpoint", "remat2"):
        return None
    jaxpr = equation.params["jaxpr"]
    return getattr(jaxpr, "jaxpr", jaxpr)


_LIBRARIES = (os.path.dirname(__file__) + os.sep, sysconfig.get_path("stdlib") + os.sep, "<frozen ",
              "<__array_function__")


def is_library(file: str) -> bool:
    """Whether code of that file is not the caller's."""
    return (any(part in file for part in ("site-packages", "dist-packages"))
            or file.startswith(_LIBRARIES) or file.endswith((".pyx", ".pxd", ".pxi")))


def line_of(equation: Any) -> str:
    """"train.py:41: ", where the caller wrote it; empty if that is not known."""
    traceback = getattr(getattr(equation, "source_info", None), "traceback", None)
    for frame in getattr(traceback, "frames", ()):
        if not is_library(frame.file_name):
            return f"{os.path.basename(frame.file_name)}:{frame.line_num}: "
    return ""


def _line_inside(equation: Any) -> str:
    """The same, of the first equation in it that has one: of a function that is
    wrapped as a whole."""
    return next((line for value in equation.params.values() for each in inner(value)
                 for line in map(line_of, equations(each)) if line), "")


def _placed(closed: Any) -> Iterator[tuple[Any, str]]:
    """The equations with their lines; one that JAX wrote has the line of the call around it."""
    seen: set[int] = set()
    left = [(closed, "")]
    while left:
        each, outer = left.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        for equation in getattr(each, "jaxpr", each).eqns:
            line = line_of(equation) or outer
            yield equation, line
            left += [(jaxpr, line) for value in equation.params.values()
                     for jaxpr in inner(value)]


def _is_given(sharding: Any) -> bool:
    return sharding is not None and type(sharding).__name__ != "UnspecifiedValue"


def _idle(equation: Any) -> Iterator[str]:
    """What is said of an equation, or of its parameters, that do nothing."""
    name, params = equation.primitive.name, equation.params
    if name in _IDLE:
        yield _IDLE[name]
    if name == "device_put" and any(each is not None for each in params["devices"]):
        yield _PLACED
    if name in ("jit", "pjit"):
        if any(map(_is_given, (*params.get("in_shardings", ()),
                               *params.get("out_shardings", ())))):
            yield _SHARDED
        if any(params.get("donated_invars", ())):
            yield _DONATED


def _divider(equation: Any) -> str:
    """"jax.pmap", of an equation that divides work over devices; empty: it does not, or JAX
    wrote it, as it does around jax.pmap."""
    if equation.primitive.name == "reshard":
        return "jax.sharding.reshard" if line_of(equation) else ""
    name = _DIVIDES.get(equation.primitive.name, "")
    axes = getattr(equation.params.get("mesh"), "axis_names", ())
    if not name and _meshes.explicit_axes(getattr(equation.params.get("out_sharding"), "mesh", None)):
        return f"out_sharding= of {equation.primitive.name}"
    return "jax.pmap" if name and any(_PMAP_AXIS in str(axis) for axis in axes) else name


def _first_divider(placed: list[tuple[Any, str]]) -> tuple[str, str]:
    """What divides the work, with its line; two empty texts: nothing does. What jax.pmap or
    jax.shard_map returns is placed on its devices, and JAX itself writes reshards of it, at the
    lines of what takes it: they come last, wherever they stand."""
    found = [(line, divider) for equation, line in placed if (divider := _divider(equation))]
    calls = [each for each in found if each[1] in _DIVIDES.values()]
    return (calls or found or [("", "")])[0]


def check(closed: Any) -> None:
    """Raises PodsimError for what divides work over devices itself, and warns once a
    line of what is left out."""
    placed = list(_placed(closed))
    line, divider = _first_divider(placed)
    if divider:
        raise PodsimError(
            f"{line}{divider} divides the work over devices, but {_meshes.PODS_WORK}; take it out, "
            "with psum and the like, and write the function for one core's examples")
    warned: set[str] = set()
    for equation, line in placed:
        for idle in _idle(equation):
            said = f"{line_of(equation) or _line_inside(equation) or line}{idle}"
            if said not in warned:
                warned.add(said)
                _checks.warn(said)
