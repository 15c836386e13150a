"""Convolutions whose input and kernel have their axes in another order than they are read in."""

from __future__ import annotations

from typing import Any

from . import _given
from ._given import Call

# How jax.lax reads the axes of an input and of a kernel if it is told nothing: by their places,
# of two spatial axes and of others.
_READ = {3: ("NCH", "OIH"), 4: ("NCHW", "OIHW"), 5: ("NCDHW", "OIDHW")}
_SPATIAL = {3: "H", 4: "HW", 5: "DHW"}
_READERS = ("conv", "conv_with_general_padding", "conv_general_dilated")


def _layouts(lhs: Any, rhs: Any) -> tuple[str, str] | None:
    """The order of the axes in which as many channels go into the kernel as the input has, the
    channels last, if they can be; None: there is none."""
    rank = len(lhs.shape)
    spatial = _SPATIAL[rank]
    inputs = ((f"N{spatial}C", lhs.shape[-1]), (f"NC{spatial}", lhs.shape[1]))
    kernels = ((f"{spatial}IO", rhs.shape[-2]), (f"OI{spatial}", rhs.shape[1]))
    return next(((x, w) for x, channels in inputs for w, taken in kernels
                 if channels == taken), None)


def text(made: Call) -> str:
    """What to write for a convolution of channels that do not fit, or nothing: it is none that
    reads axes by their places."""
    lhs, rhs = (made.arguments.get(name) for name in ("lhs", "rhs"))
    if (getattr(made.function, "__name__", "") not in _READERS
            or not (_given.is_array(lhs) and _given.is_array(rhs))
            or len(lhs.shape) not in _READ or len(lhs.shape) != len(rhs.shape)
            or made.arguments.get("dimension_numbers") is not None):
        return ""
    read = _READ[len(lhs.shape)]
    said = (f"{made.name} reads {_given.kind(lhs)} as {read[0]} and {_given.kind(rhs)} as "
            f"{read[1]}")
    layouts = _layouts(lhs, rhs)
    if layouts is None or layouts == read:
        return (f"{said}, {lhs.shape[1]} channels of input for a kernel that takes "
                f"{rhs.shape[1]}: give them the same number")
    head = made.name.rpartition(".")[0] or "jax.lax"
    x, kernel = layouts
    return (f"{said}; write {head}.conv_general_dilated(..., "
            f'dimension_numbers=("{x}", "{kernel}", "{x}"))')
