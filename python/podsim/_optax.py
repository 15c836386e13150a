"""optax's transformations, by what their closures hold."""

from __future__ import annotations

from typing import Any, Callable

from . import _optimizers

_KNOWN = ("sgd, adam, adamw and lamb with a constant rate, and "
          "clip_by_global_norm before them; or use podsim's own of these names "
          "with lr_schedule and warmup_steps")


def _refused(what: str) -> TypeError:
    return TypeError(f"optax: podsim does not know {what}; it knows {_KNOWN}")


def _cells(function: Callable[..., Any]) -> dict[str, Any]:
    closure = function.__closure__ or ()
    values = {}
    for name, cell in zip(function.__code__.co_freevars, closure):
        try:
            values[name] = cell.cell_contents
        except ValueError:  # never filled
            pass
    return values


def _steps(update: Callable[..., Any]) -> list[tuple[str, dict[str, Any]]]:
    """(name, numbers) of each transformation of a chain, in order."""
    name = update.__qualname__.split(".")[0]
    cells = _cells(update)
    if "update_fns" in cells:
        return [step for each in cells["update_fns"] for step in _steps(each)]
    # with_extra_args_support wraps a transformation in another one.
    for inner in ("tx", "inner"):
        if hasattr(cells.get(inner), "update"):
            if name not in ("with_extra_args_support", "chain"):
                raise _refused(name)
            return _steps(cells[inner].update)
    if name == "identity" or update.__qualname__ == "_identity_update_fn":
        return []
    return [(name, cells)]


def _number(cells: dict[str, Any], name: str) -> float:
    value = cells.get(name)
    if callable(value) or value is None:
        raise _refused(f"a {name} that is not one number (a schedule)")
    return float(value)


def from_optax(transformation: Any) -> _optimizers.Optimizer:
    """The same update in podsim's words, or TypeError with what is unknown."""
    steps = _steps(transformation.update)
    more: dict[str, Any] = {}
    if steps and steps[0][0] == "clip_by_global_norm":
        more["clip_norm"] = _number(steps.pop(0)[1], "max_norm")
    if not steps or steps[-1][0] != "scale":
        raise _refused("a chain that does not end with a constant learning rate"
                       + (f" but with {steps[-1][0]}" if steps else ""))
    rate = -_number(steps.pop()[1], "step_size")
    names = tuple(name for name, _ in steps)
    if names == ():
        return _optimizers.sgd(rate, **more)
    if names == ("trace",):
        cells = steps[0][1]
        return _optimizers.sgd(rate, _number(cells, "decay"),
                               bool(cells.get("nesterov")), **more)
    if names[0] == "scale_by_adam":
        cells = steps[0][1]
        if cells.get("nesterov") or _number(cells, "eps_root") != 0:
            raise _refused("adam with nesterov or eps_root")
        numbers = {key: _number(cells, key) for key in ("b1", "b2", "eps")}
        if names == ("scale_by_adam",):
            return _optimizers.adam(rate, **numbers, **more)
        if names[1] == "add_decayed_weights":
            numbers["weight_decay"] = _number(steps[1][1], "weight_decay")
            if names[2:] == ():
                return _optimizers.adamw(rate, **numbers, **more)
            if names[2:] == ("scale_by_trust_ratio",):
                return _optimizers.lamb(rate, **numbers, **more)
    raise _refused(f"the chain {', '.join(names)}")
