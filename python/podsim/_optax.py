"""optax's optimizers as podsim's."""

from __future__ import annotations

from typing import Any, Callable, Mapping

from . import _optimizers
from ._chains import Chain
from ._closures import refused
from ._optimizers import Optimizer
from ._unknown import unknown


def _sgd(chain: Chain) -> Optimizer:
    momentum = {}
    if "trace" in chain.names:
        chain["trace"].must_be(accumulator_dtype=None)
        momentum = {"momentum": chain["trace"].number("decay"),
                    "nesterov": bool(chain["trace"].held["nesterov"])}
    if "add_decayed_weights" not in chain.names or not chain.decay():
        return chain.made(_optimizers.sgd, **momentum)
    return chain.made(_optimizers.sgd, chain.excluded("add_decayed_weights"),
                      **momentum).with_settings(weight_decay=chain.decay())


def _adam_numbers(chain: Chain) -> dict[str, float]:
    step = chain["scale_by_adam"]
    if step.held.get("nesterov"):
        raise unknown("nadam")
    step.must_be(eps_root=0, mu_dtype=None)
    return {key: step.number(key) for key in ("b1", "b2", "eps")}


def _adam(chain: Chain) -> Optimizer:
    return chain.made(_optimizers.adam, **_adam_numbers(chain))


def _adamw(chain: Chain) -> Optimizer:
    decay = chain.decay()
    excluded = chain.excluded("add_decayed_weights") if decay else None
    return chain.made(_optimizers.adamw, excluded, **_adam_numbers(chain),
                      weight_decay=decay)


def _lamb(chain: Chain) -> Optimizer:
    decay = chain.decay()
    chain["scale_by_trust_ratio"].must_be(min_norm=0, eps=0, trust_coefficient=1)
    trusts = chain.excluded("scale_by_trust_ratio")
    if (chain.excluded("add_decayed_weights") if decay else trusts) != trusts:
        raise refused("lamb has a mask of the weight decay alone",
                      "podsim.lamb(weight_decay_exclude=[...]) leaves out decay and trust "
                      "ratio; mask both or none")
    return chain.made(_optimizers.lamb, trusts, **_adam_numbers(chain),
                      weight_decay=decay)


def _lars(chain: Chain) -> Optimizer:
    decay = chain.decay()
    ratio, trace = chain["scale_by_trust_ratio"], chain["trace"]
    ratio.must_be(min_norm=0, eps=0)
    trace.must_be(nesterov=False, accumulator_dtype=None)
    trusts = chain.excluded("scale_by_trust_ratio")
    if (chain.excluded("add_decayed_weights") if decay else trusts) != trusts:
        raise refused("lars has one mask for the weight decay and another one for the "
                      "trust ratio", "podsim has one for both: give the same twice")
    return chain.made(_optimizers.lars, trusts, momentum=trace.number("decay"),
                      weight_decay=decay,
                      trust_coefficient=ratio.number("trust_coefficient"))


_RULES: dict[tuple[str, ...], Callable[[Chain], Optimizer]] = {
    ("rate",): _sgd,
    ("trace", "rate"): _sgd,
    ("add_decayed_weights", "rate"): _sgd,
    ("add_decayed_weights", "trace", "rate"): _sgd,
    ("scale_by_adam", "rate"): _adam,
    ("scale_by_adam", "add_decayed_weights", "rate"): _adamw,
    ("scale_by_adam", "add_decayed_weights", "scale_by_trust_ratio", "rate"): _lamb,
    ("add_decayed_weights", "scale_by_trust_ratio", "rate", "trace"): _lars}


def from_optax(transformation: Any, params: Any, job: Mapping[str, Any]) -> Optimizer:
    """The same update in podsim's words, or TypeError with what is unknown. job: the
    settings beside the optimizer, which say how many steps a schedule has."""
    chain = Chain(transformation, params, job)
    names = tuple(chain.names)
    if names in _RULES:
        return _RULES[names](chain)
    raise chain.unknown(_RULES)
