"""A chain of optax's transformations taken apart, by what their closures hold."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Iterable, Mapping

from . import _masks, _schedules, _trees
from ._closures import cells, is_own, name_of, refused
from ._numbers import is_number
from ._optimizers import Optimizer
from ._said import shown
from ._unknown import unknown, unknown_chain, unknown_step

@dataclasses.dataclass(frozen=True)
class Step:
    """A transformation of a chain. mask: the variables that it is for; None: all."""

    name: str
    held: Mapping[str, Any]
    mask: Any = None
    own: bool = False
    """Whether it is none of optax's."""

    def number(self, name: str) -> float:
        value = self.held.get(name)
        if callable(value) or value is None:
            raise refused(f"{self.name} has a {name} that is not one number",
                          "podsim's schedules are of the rate alone: give a number")
        if not is_number(value):
            said = "a text" if isinstance(value, str) else shown(value)  # of which -1 * has none
            if (self.name, name) == ("scale", "step_size"):
                raise refused(f"the learning rate is {said}", "give one number, such as 1e-3"
                              + ("; float('1e-3') makes one of a text"
                                 if isinstance(value, str) else ""))
            raise refused(f"{self.name} has {said} for {name}", "give one number")
        return float(value)

    def must_be(self, **numbers: Any) -> None:
        for name, value in numbers.items():
            if self.held.get(name) != value:
                raise refused(f"{self.name} has {name}={self.held.get(name)}",
                              f"podsim has {name}={value}: leave it out")


def _steps(update: Callable[..., Any], mask: Any = None) -> list[Step]:
    """The transformations of a chain, in order."""
    name, held = name_of(update), cells(update)
    if name == "chain":
        return [step for each in held["update_fns"] for step in _steps(each, mask)]
    if name == "with_extra_args_support":
        return _steps(held["tx"].update, mask)
    if name == "masked":
        inner = _steps(held["inner"].update, held["mask"])
        if [each.name for each in inner] == ["set_to_zero"]:
            raise unknown("freeze")
        maskable = (["add_decayed_weights"], ["scale_by_trust_ratio"])
        if mask is not None or [each.name for each in inner] not in maskable:
            raise unknown(name)
        return inner
    if name in ("identity", "_identity_update_fn"):
        return []
    return [Step(name, held, mask, is_own(update))]


class Chain:
    """Its steps by name, "rate" for all that scale by the learning rate."""

    def __init__(self, transformation: Any, params: Any, job: Mapping[str, Any]) -> None:
        self.names: list[str] = []
        self._steps: dict[str, Step] = {}
        self._more: dict[str, Any] = {}
        self._scales: list[float] = []
        self._schedule: Any = None
        self._params, self._job = params, job
        for step in _steps(transformation.update):
            if step.name == "clip_by_global_norm" and not self.names + list(self._more):
                self._more["clip_norm"] = step.number("max_norm")
            elif step.name in ("scale", "scale_by_schedule"):
                self._scale(step)
            elif step.name in self._steps:
                raise refused(f"{step.name} is there twice", "leave one out")
            else:
                self._steps[step.name] = step
                self.names.append(step.name)

    def _scale(self, step: Step) -> None:
        if self.names[-1:] != ["rate"]:
            self.names.append("rate")
        if step.name == "scale":
            self._scales.append(step.number("step_size"))
            return
        if self._schedule is not None:
            raise refused("two schedules are multiplied", "give one")
        schedule = step.held["step_size_fn"]
        if name_of(schedule) == "scale_by_learning_rate":
            self._scales.append(float(cells(schedule)["m"]))
            schedule = cells(schedule)["learning_rate"]
        self._schedule = schedule

    def unknown(self, rules: Iterable[tuple[str, ...]]) -> TypeError:
        """Of steps that are none of these rules."""
        for name in self.names:
            if all(name not in rule for rule in rules):
                return unknown_step(name, self[name].held, self[name].own)
        return unknown_chain(self.names, rules)

    def _wrong_rate(self, peak: float) -> TypeError:
        """Of a learning rate that goes up the gradient, or nowhere."""
        before = self.names[:self.names.index("rate")][-1:]
        behind = f" behind {before[0]}" if before else ""
        up = [scale for scale in self._scales if scale > 0]
        down = [f"scale({scale:g})" for scale in self._scales if scale < 0]
        if self._schedule is None and up and not down and peak:
            return refused(f"scale({up[0]:g}){behind} climbs the gradient, as a learning rate of "
                           f"{peak:g} does: write optax.scale({-up[0]:g}), or optax."
                           f"scale_by_learning_rate({up[0]:g})", "")
        if self._schedule is not None and not down and peak:
            return refused(f"scale_by_schedule{behind} climbs the gradient: write optax."
                           "scale_by_learning_rate(schedule), which descends", "")
        if len(down) > 1:
            return refused(f"two learning rates are multiplied, {' and '.join(down)}",
                           "two optimizers follow one another: give one")
        return refused(f"the learning rate is {peak:g}", "give one above 0, such as 1e-3")

    def __getitem__(self, name: str) -> Step:
        return self._steps[name]

    def decay(self) -> float:
        return self["add_decayed_weights"].number("weight_decay")

    def excluded(self, name: str) -> set[str]:
        """The variables that a step is not for."""
        return _masks.excluded(self[name].mask, self._params)

    def made(self, rule: Callable[..., Optimizer], excluded: set[str] | None = None, /,
             **numbers: float) -> Optimizer:
        """The rule with the chain's rate and clipping, and without weight decay
        for the variables of these names."""
        rate = ({"learning_rate": 1.0} if self._schedule is None else
                _schedules.settings_of(self._schedule, self._job))
        peak = -rate.pop("learning_rate") * math.prod(self._scales) + 0.0  # no -0
        if peak <= 0:
            raise self._wrong_rate(peak)
        more = dict(self._more)
        if excluded:
            every, _, _ = _trees.named_leaves(self._params, "params")
            more["weight_decay_exclude"] = _masks.ends(excluded, every)
        try:
            return rule(peak, **numbers, **more).with_settings(**rate)
        except ValueError as error:  # it names podsim's function, which nobody called
            raise ValueError(str(error).replace("podsim.", "optax.", 1)) from None
