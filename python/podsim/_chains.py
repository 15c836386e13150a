"""A chain of optax's transformations taken apart, by what their closures hold."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Mapping

from . import _masks, _schedules, _trees
from ._closures import cells, name_of, refused
from ._optimizers import Optimizer

_KNOWN = ("podsim has sgd, adam, adamw, lamb and lars, with clip_by_global_norm before "
          "them; say one of these")
_INSTEAD = {
    "clip": "clip the norm of all gradients with clip_by_global_norm",
    "adaptive_grad_clip": "clip the norm of all gradients with clip_by_global_norm",
    "clip_by_block_rms": "clip the norm of all gradients with clip_by_global_norm",
    "inject_hyperparams": "podsim's rate is a setting of the job: give the optimizer "
                          "itself, with a schedule if you like",
    "MultiSteps": "give the optimizer itself and a larger batch_per_core",
    "apply_every": "give the optimizer itself and a larger batch_per_core",
    "apply_if_finite": "podsim stops at a loss that is not finite: give the optimizer "
                       "itself",
    "named_chain": "say chain",
    "clip_by_global_norm": "podsim clips the gradients: put it first in the chain",
    "partition": "podsim has one update rule for all variables: give one optimizer; a mask of "
                 "the weight decay is taken, as in adamw(1e-3, mask=mask)",
    "masked": "podsim masks the weight decay alone: give the mask to adamw or lars",
}


@dataclasses.dataclass(frozen=True)
class Step:
    """A transformation of a chain. mask: the variables that it is for; None: all."""

    name: str
    held: Mapping[str, Any]
    mask: Any = None

    def number(self, name: str) -> float:
        value = self.held.get(name)
        if callable(value) or value is None:
            raise refused(f"{self.name} has a {name} that is not one number",
                          "podsim's schedules are of the rate alone: give a number")
        return float(value)

    def must_be(self, **numbers: Any) -> None:
        for name, value in numbers.items():
            if self.held.get(name) != value:
                raise refused(f"{self.name} has {name}={self.held.get(name)}",
                              f"podsim has {value}")


# What callers write for transformations that optax calls otherwise.
_TYPED = {"partition": "multi_transform", "scale_by_rms": "rmsprop", "scale_by_rss": "adagrad",
          "scale_by_belief": "adabelief", "scale_by_factored_rms": "adafactor",
          "add_noise": "noisy_sgd", "scale_by_sign": "sign_sgd",
          "scale_by_optimistic_gradient": "optimistic_gradient_descent",
          **{f"scale_by_{name}": name for name in (
              "adadelta", "adamax", "adan", "amsgrad", "lbfgs", "lion", "novograd", "polyak",
              "radam", "rprop", "sm3", "stddev", "yogi")}}


def unknown(name: str) -> TypeError:
    typed = f"{name} ({_TYPED[name]})" if name in _TYPED else name
    return refused(f"podsim has no {typed} there", _INSTEAD.get(name, _KNOWN))


def _steps(update: Callable[..., Any], mask: Any = None) -> list[Step]:
    """The transformations of a chain, in order."""
    name, held = name_of(update), cells(update)
    if name == "chain":
        return [step for each in held["update_fns"] for step in _steps(each, mask)]
    if name == "with_extra_args_support":
        return _steps(held["tx"].update, mask)
    if name == "masked":
        inner = _steps(held["inner"].update, held["mask"])
        maskable = (["add_decayed_weights"], ["scale_by_trust_ratio"])
        if mask is not None or [each.name for each in inner] not in maskable:
            raise unknown(name)
        return inner
    return [] if name in ("identity", "_identity_update_fn") else [Step(name, held, mask)]


class Chain:
    """Its steps by name, "rate" for all that scale by the learning rate."""

    def __init__(self, transformation: Any, params: Any, job: Mapping[str, Any]) -> None:
        self.names: list[str] = []
        self._steps: dict[str, Step] = {}
        self._more: dict[str, Any] = {}
        self._factor = -1.0
        self._schedule: Any = None
        self._params, self._job = params, job
        for step in _steps(transformation.update):
            if step.name == "clip_by_global_norm" and not self.names + list(self._more):
                self._more["clip_norm"] = step.number("max_norm")
            elif step.name in ("scale", "scale_by_schedule"):
                self._scale(step)
            elif step.name in self._steps:
                raise refused(f"{step.name} is there twice", _KNOWN)
            else:
                self._steps[step.name] = step
                self.names.append(step.name)

    def _scale(self, step: Step) -> None:
        if self.names[-1:] != ["rate"]:
            self.names.append("rate")
        if step.name == "scale":
            self._factor *= step.number("step_size")
            return
        if self._schedule is not None:
            raise refused("two schedules are multiplied", "give one")
        schedule = step.held["step_size_fn"]
        if name_of(schedule) == "scale_by_learning_rate":
            self._factor *= cells(schedule)["m"]
            schedule = cells(schedule)["learning_rate"]
        self._schedule = schedule

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
        peak = rate.pop("learning_rate") * self._factor
        if peak <= 0:
            raise refused(f"the learning rate is {peak:g}", "give one that is positive")
        more = dict(self._more)
        if excluded:
            every, _, _ = _trees.named_leaves(self._params, "params")
            more["weight_decay_exclude"] = _masks.ends(excluded, every)
        try:
            return rule(peak, **numbers, **more).with_settings(**rate)
        except ValueError as error:  # it names podsim's function, which nobody called
            raise ValueError(str(error).replace("podsim.", "optax.", 1)) from None
