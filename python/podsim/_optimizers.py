"""Update rules and their numbers, as pod_launch names them."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, NoReturn, Sequence

from . import _names, _numbers, _rates
from ._calls import checked
from ._errors import no_attribute
from ._said import shown
from ._settings import SETTINGS


@dataclasses.dataclass(frozen=True)
class Optimizer:
    """Settings of pod_launch that say how weights follow gradients."""

    settings: dict[str, Any]

    def __post_init__(self) -> None:
        if not isinstance(self.settings, dict):
            raise TypeError("podsim.Optimizer takes a dict of settings, not "
                            f"{shown(self.settings)}: say podsim.adamw(1e-3) or the like")

    def __getattr__(self, name: str) -> NoReturn:
        """Of a name that an optimizer has not; optax's have it, or the settings."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise no_attribute(f"a podsim.Optimizer has no {name!r}: {self._instead(name)}")

    def __getitem__(self, name: Any) -> NoReturn:
        raise TypeError(f"a podsim.Optimizer is no dict: {self._instead(name)}")

    def _instead(self, name: Any) -> str:
        held = vars(self).get("settings", {})
        for each in (name, _MEANT.get(name), *(o for o, own in _OWN_NAMES.items() if own == name)):
            if each in held:
                return f"say optimizer.settings[{each!r}]"
        if name in ("init", "update", "step", "apply", "minimize"):
            return ("podsim.train makes the updates, optimizer=; a loop of your own takes one of "
                    "optax")
        return f"it has settings, a dict of {', '.join(map(repr, held))}"

    def with_settings(self, **more: Any) -> "Optimizer":
        return Optimizer({**self.settings, **more})


_RULES = {"momentum": "sgd", "nesterov": "sgd"}
_OWN_NAMES = {"beta1": "b1", "beta2": "b2", "epsilon": "eps"}  # optax's, of settings
_MEANT = {**dict.fromkeys(("lr", "rate", "step_size", "alpha"), "learning_rate"),
          **_OWN_NAMES, "mask": "weight_decay_exclude=[...]",
          **dict.fromkeys(("decay", "wd", "l2", "weight_decay_rate"), "weight_decay"),
          **dict.fromkeys(("max_norm", "grad_clip", "clip", "max_grad_norm", "clipnorm",
                           "global_clipnorm"), "clip_norm"),
          "betas": "b1=0.9, b2=0.999", "trust_coef": "trust_coefficient"}
_SAID = {**dict.fromkeys(("schedule", "lr_scheduler", "scheduler"), "say lr_schedule= beside "
                         "optimizer=, or give optax's optimizer with the schedule"),
         **dict.fromkeys(("dampening", "maximize", "amsgrad", "foreach", "fused", "centered",
                          "eps_root", "mu_dtype", "accumulator_dtype", "ams_grad"),
                         "no update rule of podsim has it: leave it out"),
         "nesterov": "podsim.sgd(0.1, momentum=0.9, nesterov=True) has it"}

# Which of podsim's functions takes a number that the called one has not. sgd's weight decay is a
# setting of the job.
_TAKEN_BY = {"momentum": "sgd", "weight_decay_exclude": "adamw", "trust_coefficient": "lars",
             "b1": "adamw", "b2": "adamw", "eps": "adamw"}
_RATES = {"adamw": "1e-3", "sgd": "0.1", "lars": "0.1"}  # to begin with


def _with_value(name: str, value: Any, said: str) -> str:
    """What to say with the value that was given: betas=(0.9, 0.95) are b1 and b2."""
    if name == "betas" and isinstance(value, (list, tuple)) and len(value) == 2:
        first, second = map(shown, value)
        return said.replace("b1=0.9, b2=0.999", f"b1={first}, b2={second}")
    return said


def _own_name(name: str) -> str:
    return _MEANT.get(name, name).split("=")[0]


def _elsewhere(function: str, name: str, value: Any, rate: Any) -> str:
    """What to write for an argument that another update rule has, or nothing. rate: the learning
    rate that was given, which adam and adamw have in common."""
    own = _own_name(name)
    decays = own == "weight_decay" and function == "adam"
    other = "adamw" if decays else _TAKEN_BY.get(own, "")
    if not other:
        return ""
    keeps = (function, other) == ("adam", "adamw") and _numbers.is_number(rate)
    plain = _numbers.is_number(value) or isinstance(value, (str, list, tuple))
    meant = _MEANT.get(name, name)
    way = meant if "=" in meant else f"{own}={shown(value) if plain else '...'}"
    return (f"; leave it out, or write podsim.{other}("
            f"{shown(rate) if keeps else _RATES[other]}, {_with_value(name, value, way)})")


def _instead_of(name: str, taken: Sequence[str]) -> str:
    """What says an argument that the update rule does not have; or nothing."""
    meant = _MEANT.get(name, name)
    if name in _MEANT and meant.split("=")[0] in taken:
        return f"; say {meant}"
    if meant in SETTINGS:
        return f"; say {meant}= beside optimizer="
    return f"; {_SAID[name]}" if name in _SAID else _names.near(name, taken)


def _arguments(function: str) -> list[str]:
    own = [*inspect.signature(globals()[function]).parameters][:-1]
    return own + ["weight_decay_exclude"] * (function != "adam") + ["clip_norm"]


def _check_known(rule: str, learning_rate: Any, unknown: dict[str, Any]) -> None:
    """Raises TypeError for an argument that the update rule does not have."""
    function = _RULES.get(rule, rule)
    taken = _arguments(function)
    for name, value in unknown.items():
        if name in taken:
            continue
        other = "" if _own_name(name) in taken else _elsewhere(function, name, value, learning_rate)
        if other:
            raise TypeError(f"podsim.{function} has no argument {name!r}{other}")
        said = _with_value(name, value, _instead_of(name, taken))
        raise TypeError(f"podsim.{function} has no argument {name!r}{said}; it has "
                        f"{', '.join(taken)}")


def _optimizer(rule: str, learning_rate: Any, numbers: dict[str, Any],
               weight_decay_exclude: Sequence[str] = (),
               clip_norm: float | None = None, **unknown: Any) -> Optimizer:
    excludes = not isinstance(weight_decay_exclude, (tuple, list, str)) or weight_decay_exclude
    _check_known(rule, learning_rate, {
        **({"weight_decay_exclude": weight_decay_exclude} if excludes else {}), **unknown})
    call = f"podsim.{_RULES.get(rule, rule)}"
    if learning_rate is None:
        raise TypeError(f"{call} has no learning_rate: give it first, as in {call}(1e-3)")
    _rates.check_rate(learning_rate, _RULES.get(rule, rule))
    clip = {} if clip_norm is None else {"clip_norm": clip_norm}
    given = {"learning_rate": learning_rate, **numbers, **clip}
    _numbers.check_numbers(call, {_OWN_NAMES.get(name, name): value
                                  for name, value in given.items()})
    settings = {"optimizer": rule, **given}
    excluded = _numbers.excluded_parts(call, weight_decay_exclude)
    if excluded:
        settings["weight_decay_exclude"] = excluded
    return Optimizer(settings)


# Of what is given by its name alone.
_BY_NAME = 'clip_norm=1.0 or weight_decay_exclude=["bias"]'


@checked("podsim.sgd", f"{_BY_NAME}; a weight decay is weight_decay= beside optimizer=")
def sgd(learning_rate: float | None = None, momentum: float | None = 0.0, nesterov: bool = False,
        **more: Any) -> Optimizer:
    """optax.sgd. `more`: weight_decay_exclude, clip_norm."""
    _numbers.check_nesterov("podsim.sgd", nesterov)
    if nesterov and (momentum is None or momentum == 0):
        raise TypeError("podsim.sgd: nesterov is True, but there is no momentum, whose rule it is: "
                        "give momentum=0.9, or leave nesterov out")
    if momentum is None or _numbers.is_number(momentum) and momentum == 0:
        return _optimizer("sgd", learning_rate, {"momentum": 0}, **more)
    return _optimizer("nesterov" if nesterov else "momentum", learning_rate,
                      {"momentum": momentum}, **more)


def _adam_numbers(b1: float, b2: float, eps: float) -> dict[str, Any]:
    return {"beta1": b1, "beta2": b2, "epsilon": eps}


@checked("podsim.adam", "clip_norm=1.0; a weight decay is podsim.adamw's")
def adam(learning_rate: float | None = None, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
         **more: Any) -> Optimizer:
    """optax.adam."""
    return _optimizer("adam", learning_rate, _adam_numbers(b1, b2, eps), **more)


@checked("podsim.adamw", _BY_NAME)
def adamw(learning_rate: float | None = None, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8,
          weight_decay: float = 1e-4, **more: Any) -> Optimizer:
    """optax.adamw."""
    numbers = _adam_numbers(b1, b2, eps) | {"weight_decay": weight_decay}
    return _optimizer("adamw", learning_rate, numbers, **more)


@checked("podsim.lamb", _BY_NAME)
def lamb(learning_rate: float | None = None, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-6,
         weight_decay: float = 0.0, **more: Any) -> Optimizer:
    """optax.lamb."""
    numbers = _adam_numbers(b1, b2, eps) | {"weight_decay": weight_decay}
    return _optimizer("lamb", learning_rate, numbers, **more)


@checked("podsim.lars", _BY_NAME)
def lars(learning_rate: float | None = None, momentum: float = 0.9, weight_decay: float = 0.0,
         trust_coefficient: float = 1e-3, **more: Any) -> Optimizer:
    """optax.lars."""
    numbers = {"momentum": momentum, "weight_decay": weight_decay,
               "trust_coefficient": trust_coefficient}
    return _optimizer("lars", learning_rate, numbers, **more)
