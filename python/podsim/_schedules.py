"""optax's schedules as settings, where the rate is the same at every step.

Steps count from 0 and N is the job's train_steps. With W warm-up steps podsim's
rate is peak * (t + 1) / W up to step W - 1, and then falls from step W to N
(models/optimizer/learning_rate.h)."""

from __future__ import annotations

import math
from typing import Any, Callable, Mapping

from ._closures import cells, name_of, refused

Schedule = Callable[..., Any]
Piece = tuple[str, Mapping[str, Any]]  # the function that made it, and what it holds

_SHAPES = ("podsim has constant_schedule, cosine_decay_schedule, linear_schedule, "
           "polynomial_schedule, piecewise_constant_schedule and, for a warm-up, "
           "join_schedules of a linear_schedule and one of these: give one of them")


# What is said of schedules that callers do not call so.
_TYPED = {"<lambda>": "of a lambda",
          "piecewise_interpolate_schedule":
          "piecewise_interpolate_schedule (which the onecycle schedules are)"}


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-6)


# What falls to its end, and how many steps that takes.
_LENGTHS = {"cosine_decay_schedule": "decay_steps", "polynomial_schedule": "transition_steps"}


def _check_length(piece: Piece, left: int, warm_up: int) -> None:
    """Raises TypeError unless it takes the `left` steps behind a warm-up."""
    name, held = piece
    what = _LENGTHS.get(name, "")
    length = held.get(what)
    if length is None or length == left or held.get("end_value") == held["init_value"]:
        return
    if name == "polynomial_schedule" and held["power"] == 1:
        name = "linear_schedule"
    behind = f" behind a warm-up of {warm_up}" if warm_up else ""
    has = f"has {left}{' there' if warm_up else ''}" if left > 0 else "ends with the warm-up"
    also = f", or {what}={left}" if left > 0 else ""
    raise refused(f"{name} falls for {what}={length:g} steps{behind}, but the job {has}",
                  "podsim's rate falls to the last step: give "
                  f"train_steps={warm_up + length:g}{also}")


def _constant(held: Mapping[str, Any], _left: int) -> tuple[float, dict[str, Any]]:
    return float(held["value"]), {}


def _cosine(held: Mapping[str, Any], _left: int) -> tuple[float, dict[str, Any]]:
    name = "cosine_decay_schedule"
    if held["exponent"] != 1:
        raise refused(f"{name} has exponent={held['exponent']}", "podsim has 1: leave it out")
    return float(held["init_value"]), {"lr_schedule": "cosine",
                                       "lr_end": float(held["alpha"])}


def _polynomial(held: Mapping[str, Any], _left: int) -> tuple[float, dict[str, Any]]:
    if "transition_steps" not in held:  # of no steps: it holds its first value
        return float(held["init_value"]), {}
    begin, end = float(held["init_value"]), float(held["end_value"])
    power = float(held["power"])
    name = "linear_schedule" if power == 1 else "polynomial_schedule"
    if held["transition_begin"] != 0:
        raise refused(f"{name} has transition_begin={held['transition_begin']}",
                      "podsim's rate begins to fall at once or after a warm-up: leave it out")
    if end >= begin:
        raise refused(f"{name} rises from {begin:g} to {end:g} after a warm-up",
                      f"podsim's rate falls there: give an end_value below {begin:g}")
    shape = {"lr_schedule": "linear"} if power == 1 else {"lr_schedule": "polynomial",
                                                          "lr_power": power}
    return begin, {**shape, "lr_end": end / begin}


def _piecewise(held: Mapping[str, Any], left: int) -> tuple[float, dict[str, Any]]:
    drops = {at: float(scale)
             for at, scale in sorted((held["boundaries_and_scales"] or {}).items())
             if at < left}
    if not drops:
        return float(held["init_value"]), {}
    factor = next(iter(drops.values()))
    if min(drops) < 1 or not all(_same(each, factor) for each in drops.values()):
        raise refused(f"piecewise_constant_schedule has the boundaries {drops}",
                      "podsim multiplies with one factor, at steps from 1 on: give each the same, "
                      "such as {30: 0.1, 60: 0.1}")
    if not 0 < factor < 1:
        raise refused(f"piecewise_constant_schedule has the boundaries {drops}",
                      "podsim's rate falls there: give factors between 0 and 1")
    return float(held["init_value"]), {"lr_schedule": "step", "lr_decay_at": list(drops),
                                       "lr_decay_factor": factor}


_KNOWN = {"constant_schedule": _constant, "cosine_decay_schedule": _cosine,
          "polynomial_schedule": _polynomial, "piecewise_constant_schedule": _piecewise}


def _shape(piece: Piece, left: int) -> tuple[float, dict[str, Any]]:
    """Peak and settings of one that begins at its peak and has `left` steps.

    lr_decay_at is in steps yet."""
    name, held = piece
    if name == "join_schedules":
        raise refused("join_schedules stands in another one", _SHAPES)
    if name not in _KNOWN:
        raise refused(f"the schedule {_TYPED.get(name, name)} is unknown to podsim", _SHAPES)
    return _KNOWN[name](held, left)


def _warm_up(piece: Piece, until: int, peak: float) -> dict[str, Any]:
    """Settings of a warm-up of `until` steps to the peak. Raises if podsim has none
    such."""
    name, held = piece
    if (name == "polynomial_schedule" and held["power"] == 1 and until > 0
            and held["transition_begin"] == 0 and held["transition_steps"] == until
            and _same(held["end_value"], peak) and 0 <= held["init_value"] < peak):
        return {"warmup_init": float(held["init_value"]) / peak}
    begin = held.get("init_value", held.get("value"))
    if until == 0 or until == 1 and begin is not None and _same(begin, peak):
        return {}
    wanted = {"power": 1, "transition_begin": 0, "transition_steps": until - 1}
    if (name != "polynomial_schedule" or not _same(held["init_value"] * until, peak)
            or any(held.get(key) != value for key, value in wanted.items())
            or not _same(held["end_value"], peak)):
        if begin is not None and begin >= peak > 0:
            raise refused(f"the warm-up begins at {begin:g}, its peak is {peak:g}",
                          "a warm-up rises: give a smaller init_value")
        if held.get("end_value") is not None and not _same(held["end_value"], peak):
            raise refused(f"the warm-up ends at {held['end_value']:g}, what follows begins at "
                          f"{peak:g}", "give both the same peak")
        starts = f" from {begin:g}" if begin is not None else ""
        raise refused(
            f"a warm-up{starts} over {until} steps has other rates than podsim's, whose "
            "first step moves", f"say join_schedules([linear_schedule({peak / until:g}, "
            f"{peak:g}, {until - 1}), what follows], [{until}])")
    return {}


def _split(schedule: Schedule) -> tuple[Piece | None, int, Piece]:
    """The warm-up if there is one, its steps, and what follows."""
    name, held = name_of(schedule), cells(schedule)
    if name == "join_schedules":
        parts = [(name_of(each), cells(each)) for each in held["schedules"]]
        if len(parts) != 2:
            raise refused(f"join_schedules has {len(parts)} parts", _SHAPES)
        return parts[0], int(held["boundaries"][0]), parts[1]
    if name == "polynomial_schedule" and held.get("end_value", 0) > held["init_value"]:
        steps = int(held["transition_steps"])
        if _same(held["init_value"] * (steps + 1), held["end_value"]):
            steps += 1  # podsim's own: its last step has the peak
        return (name, held), steps, ("constant_schedule", {"value": held["end_value"]})
    return None, 0, (name, held)


def _steps_of(job: Mapping[str, Any]) -> int:
    if job.get("train_steps") is None:
        raise refused("a schedule is a function of the step", "say how many the job has "
                      "with train_steps=N instead of epochs")
    scaled = [name for name in ("reference_topology", "reference_batch_size")
              if job.get(name) not in (None, job["topology"])]
    if scaled:
        raise refused(f"a schedule's steps are those of {job['topology']}, and "
                      f"{scaled[0]} would scale them", f"leave {scaled[0]} out")
    return int(job["train_steps"])


def settings_of(schedule: Schedule, job: Mapping[str, Any]) -> dict[str, Any]:
    """The rate's settings: those of the job with its schedule. Raises TypeError
    where podsim's rate would differ at some step."""
    if getattr(schedule, "__name__", "") in _KNOWN:
        raise refused(f"the schedule {name_of(schedule)} is not called",
                      f"write {name_of(schedule)}(...), with its numbers")
    if name_of(schedule) == "constant_schedule":
        return {"learning_rate": float(cells(schedule)["value"])}
    steps = _steps_of(job)
    first, warm_up, rest = _split(schedule)
    peak, shape = _shape(rest, steps - warm_up)
    _check_length(rest, steps - warm_up, warm_up)
    if first is not None:
        shape = {**shape, **_warm_up(first, warm_up, peak)}
    if "lr_decay_at" in shape:
        shape["lr_decay_at"] = [(warm_up + at) / steps for at in shape["lr_decay_at"]]
    return {"learning_rate": peak, "lr_schedule": "constant", **shape,
            "warmup_steps": warm_up}


def _said_of(piece: Piece, warm_up: int) -> str:
    """", lr_schedule="cosine", warmup_steps=10": the keywords of a shape beside its peak."""
    shape = _shape(piece, _ANY)[1]
    if "lr_decay_at" in shape:
        at = ", ".join(f"{warm_up + each} / train_steps" for each in shape.pop("lr_decay_at"))
        shape = {"lr_schedule": "step", "lr_decay_at": f"[{at}]", **shape}
    words = {name: f'"{value}"' if name == "lr_schedule" else
             value if isinstance(value, str) else f"{value:g}"
             for name, value in shape.items() if name != "lr_end" or value}
    words |= {"warmup_steps": str(warm_up)} if warm_up else {}
    return "".join(f", {name}={value}" for name, value in words.items())


_ANY = 1 << 62  # steps, of a job that does not say yet how many it has


def in_words(schedule: Schedule) -> tuple[str, float, str]:
    """("cosine_decay_schedule", 1e-3, ', lr_schedule="cosine"'): the function of optax that
    made it, its peak, and the keywords that say its shape. NaN for a peak: podsim has no
    such schedule."""
    name, held = name_of(schedule), cells(schedule)
    known = name in _KNOWN or name == "join_schedules"
    if name == "polynomial_schedule" and held.get("power") == 1:
        name = "linear_schedule"
    try:
        _, warm_up, rest = _split(schedule)
        return name, _shape(rest, _ANY)[0], _said_of(rest, warm_up)
    except (KeyError, TypeError, ValueError):
        return name, math.nan, "" if known else _SHAPES
