"""Learning rates that are no number, and what says the same."""

from __future__ import annotations

import difflib
import math
import numbers
from typing import Any

import numpy as np

from . import _schedules
from ._closures import is_own, name_of
from ._numbers import is_optimizer
from ._said import article, kind_of, type_name, with_kind

RULES = ("adamw", "adam", "lamb", "lars", "sgd")
_BESIDE = "a schedule is a setting beside it, as in lr_schedule=\"cosine\" with warmup_steps=100"


def rule_of(optimizer: Any) -> str:
    """The update rule that an optimizer, or its name, well spelt or nearly, says; adamw: it
    says none."""
    settings = getattr(optimizer, "settings", None)
    name = settings.get("optimizer") if isinstance(settings, dict) else optimizer
    name = name.lower() if isinstance(name, str) else ""
    if name in ("momentum", "nesterov"):
        return "sgd"
    return next(iter(difflib.get_close_matches(name, RULES, 1)), "adamw")


def _schedule(name: str, rate: Any, rule: str) -> str:
    made_by, peak, shape = _schedules.in_words(rate)
    says = f"{name} is the schedule {made_by} of optax"
    if not math.isnan(peak):
        way = f"optimizer=podsim.{rule}({peak:g}){shape}"
        return (f"{says}; give the optimizer that has it, optimizer=optax.{rule}(schedule)" +
                (f", or its peak and its shape, {way}" if shape else f", or {way}"))
    if shape:
        return f"{says}; {shape}"
    return f"{says}; give the optimizer that has it, optimizer=optax.{rule}(schedule)"


def _is_schedule(rate: Any) -> bool:
    return not is_own(rate) and name_of(rate).endswith(("schedule", "schedules", "decay"))


def _function(name: str, rate: Any, rule: str) -> str:
    """What is said of a function in the place of a rate."""
    called = getattr(rate, "__name__", "")
    if called in RULES:
        return (f"{name} is the function {called}; an optimizer belongs into optimizer=, called: "
                f"optimizer=optax.{called}(1e-3)")
    if _is_schedule(rate):
        if called == name_of(rate):
            return (f"{name} is the function {called} itself; a schedule is what it returns, and "
                    f"belongs into an optimizer: optimizer=optax.{rule}({called}(...))")
        return _schedule(name, rate, rule)
    said = kind_of(rate) if called else article(type_name(type(rate)))
    return (f"{name} is {said}, and podsim knows no function of the step but schedules of optax, "
            f"as in optimizer=optax.{rule}(schedule): give a number; {_BESIDE}")


def check(name: str, rate: Any, rule: str) -> None:
    """Raises TypeError for a rate that is an optimizer, a schedule or another function.
    rule: of the optimizer that it is of."""
    if is_optimizer(rate):
        raise TypeError(f"{name} is an optimizer; it belongs into optimizer=, and {name} is a "
                        "number, such as 1e-3")
    if callable(rate):
        raise TypeError(_function(name, rate, rule))


def _number_in(text: str) -> str:
    try:
        return f": without the quotes, {float(text):g}"
    except ValueError:
        return ", such as 1e-3"


def check_rate(rate: Any, rule: str = "adamw") -> None:
    """Raises TypeError for a learning rate that is not one number. rule: the optimizer
    that it is of."""
    check("learning_rate", rate, rule)
    if isinstance(rate, str):
        raise TypeError(f"learning_rate is {with_kind(rate)}; give a number{_number_in(rate)}")
    if not isinstance(rate, numbers.Real) and (
            isinstance(rate, dict) or np.shape(rate) != ()):
        raise TypeError(f"learning_rate is {with_kind(rate)}; give a number, the peak; {_BESIDE}")
