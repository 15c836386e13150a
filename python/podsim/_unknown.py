"""What optax has and podsim has not, and what to give instead."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from ._closures import refused

KNOWN = ("podsim has sgd, adam, adamw, lamb and lars, with clip_by_global_norm before "
         "them; say one of these")
_CLIP = "clip the norm of all gradients, optax.chain(optax.clip_by_global_norm(1.0), ...)"
_FROZEN = ("podsim trains all of params: leave what is frozen out of them, the loss function may "
           "hold it itself")
_INSTEAD = {
    **dict.fromkeys(("clip", "adaptive_grad_clip", "clip_by_block_rms"), _CLIP),
    "inject_hyperparams": "podsim's rate is a setting of the job: give the optimizer "
                          "itself, with a schedule if you like",
    **dict.fromkeys(("MultiSteps", "apply_every"),
                    "give the optimizer itself and a larger batch_per_core"),
    "apply_if_finite": "podsim stops at a loss that is not finite: give the optimizer "
                       "itself",
    "named_chain": "say optax.chain(...), without names",
    "clip_by_global_norm": "podsim clips the gradients: put it first in the chain, once",
    "partition": "podsim has one update rule for all variables: give one optimizer; a mask of "
                 "the weight decay is taken, as in adamw(1e-3, mask=mask)",
    "masked": "every variable is trained: to hold one still take jax.lax.stop_gradient of it "
              "in the loss function, or leave it out of params; a mask of the weight decay "
              "alone is taken, as in adamw(1e-3, mask=mask)",
    **dict.fromkeys(("set_to_zero", "freeze"), _FROZEN),
    **dict.fromkeys(("lookahead", "sam", "flatten", "schedule_free", "ema", "zero_nans",
                     "skip_not_finite", "skip_large_updates"),
                    "leave it out of the chain, or give the optimizer that it wraps"),
    "reduce_on_plateau": "podsim's rate is known before the job: give a schedule, such as "
                         "optax.adamw(optax.cosine_decay_schedule(1e-3, train_steps))",
}

# What callers write for transformations that optax calls otherwise.
_TYPED = {"partition": "multi_transform", "scale_by_rms": "rmsprop", "scale_by_rss": "adagrad",
          "scale_by_belief": "adabelief", "scale_by_factored_rms": "adafactor",
          "add_noise": "noisy_sgd", "scale_by_sign": "sign_sgd",
          "scale_by_optimistic_gradient": "optimistic_gradient_descent",
          **{f"scale_by_{name}": name for name in (
              "adadelta", "adamax", "adan", "amsgrad", "lbfgs", "lion", "novograd", "polyak",
              "radam", "rprop", "sm3", "stddev", "yogi")}}

# Optimizers of optax by the rule of podsim that is made of the same parts.
LIKE = {**dict.fromkeys(("adabelief", "adamax", "adan", "amsgrad", "radam", "yogi", "nadam",
                         "rmsprop", "adagrad", "adadelta", "rprop", "lion", "novograd", "muon",
                         "adafactor", "sm3", "prodigy", "dadapt_adamw"), "adamw(1e-3)"),
        **dict.fromkeys(("noisy_sgd", "sign_sgd", "optimistic_gradient_descent", "polyak",
                         "stddev", "lbfgs"), "sgd(0.1, momentum=0.9)"),
        "fromage": "lars(0.1)"}


def unknown(name: str) -> TypeError:
    if name == "clip_by_global_norm":  # there is one, elsewhere in the chain
        return refused("clip_by_global_norm does not stand first in the chain, or twice",
                       _INSTEAD[name])
    typed = _TYPED.get(name, name)
    said = "nadam (adam with nesterov=True)" if name == "nadam" else (
        name if typed == name else f"{typed} ({name})")
    like = f", such as optax.{LIKE[typed]}" if typed in LIKE else ""
    return refused(f"podsim has no {said}", _INSTEAD.get(name, KNOWN + like))


def unknown_step(name: str, held: Mapping[str, Any], own: bool) -> TypeError:
    """Of a transformation that holds these. own: it is none of optax's."""
    if "muon" in held.get("transforms", ()):
        return unknown("muon")
    if own:
        called = "a lambda" if name == "<lambda>" else name
        return refused(f"{called} is an update rule of the caller's own", KNOWN)
    return unknown(name)


def _written(names: Iterable[str]) -> str:
    return ", ".join("scale_by_learning_rate" if name == "rate" else name for name in names)


def unknown_chain(names: Sequence[str], rules: Iterable[Sequence[str]]) -> TypeError:
    """Of transformations that podsim has, but not together or not in this order."""
    for rule in rules:
        if not names or (*names, "rate") == rule:
            behind = f" behind {_written(names)}" if names else ""
            return refused(f"there is no learning rate{behind}",
                           "end the chain with optax.scale_by_learning_rate(1e-3)")
        if sorted(names) == sorted(rule):
            return refused(f"the chain is {_written(names)}",
                           f"podsim has these in another order: {_written(rule)}")
    if set(names) == {"scale_by_trust_ratio", "rate", "add_decayed_weights"}:
        return unknown("fromage")
    return refused(f"podsim has no chain of {_written(names)}", KNOWN)
