"""Thirty steps with an optimizer of optax, in podsim and in JAX's own loop.

    python python/checks/optimizers.py                 the table of docs/jax.md

An MLP on v3-8, products in float32; bounds as in training.py. The rate's column
is the farthest that podsim's rate is from optax's at any step, as a part of the
largest one."""

from __future__ import annotations

import sys

import jax
import numpy as np
import optax

import gradients
import layers
import training
import training_models

STEPS = 30
WARM_UP = 5


def _is_matrix(params):
    return jax.tree_util.tree_map(lambda x: x.ndim > 1, params)


def _warm(peak, then):
    return optax.join_schedules(
        [optax.linear_schedule(peak / WARM_UP, peak, WARM_UP - 1), then], [WARM_UP])


SCHEDULES = {
    "constant_schedule": optax.constant_schedule(1e-3),
    "cosine_decay_schedule": optax.cosine_decay_schedule(1e-3, STEPS),
    "cosine_decay_schedule, alpha 0.1": optax.cosine_decay_schedule(1e-3, STEPS, 0.1),
    "linear_schedule": optax.linear_schedule(1e-3, 1e-4, STEPS),
    "polynomial_schedule, power 2": optax.polynomial_schedule(1e-3, 0., 2, STEPS),
    "piecewise_constant_schedule": optax.piecewise_constant_schedule(
        1e-3, {10: 0.1, 23: 0.1}),
    "warmup_constant_schedule": optax.warmup_constant_schedule(1e-4, 5e-4, WARM_UP - 1),
    "warmup_cosine_decay_schedule": optax.warmup_cosine_decay_schedule(
        0.0, 1e-3, WARM_UP, STEPS, 1e-5),
    "warm-up, then cosine": _warm(1e-3, optax.cosine_decay_schedule(1e-3, STEPS - WARM_UP)),
    "warm-up, then linear": _warm(1e-3, optax.linear_schedule(1e-3, 0., STEPS - WARM_UP)),
    "warm-up, then piecewise": _warm(
        1e-3, optax.piecewise_constant_schedule(1e-3, {5: 0.5, 15: 0.5}))}

OPTIMIZERS = {
    "sgd": optax.sgd(1e-2),
    "sgd, momentum": optax.sgd(1e-2, momentum=0.9),
    "sgd, nesterov": optax.sgd(1e-2, momentum=0.9, nesterov=True),
    "add_decayed_weights, sgd, momentum": optax.chain(
        optax.add_decayed_weights(1e-3), optax.sgd(1e-2, momentum=0.9)),
    "adam": optax.adam(1e-3),
    "adamw": optax.adamw(1e-3),
    "adamw, mask": optax.adamw(1e-3, weight_decay=0.1, mask=_is_matrix),
    "clip_by_global_norm, adamw": optax.chain(
        optax.clip_by_global_norm(0.5), optax.adamw(1e-3)),
    "lamb": optax.lamb(1e-3, weight_decay=1e-2),
    "lars": optax.lars(1.0, weight_decay=1e-4),
    "lars, masks": optax.lars(1.0, weight_decay=1e-4, weight_decay_mask=_is_matrix,
                              trust_ratio_mask=_is_matrix),
    **{f"adam, {name}": optax.adam(schedule) for name, schedule in SCHEDULES.items()}}


def rates_off(name, run):
    """Of the rates that a run had, from those of optax's schedule."""
    schedule = SCHEDULES.get(name.partition(", ")[2])
    if schedule is None:
        return "-"
    with jax.enable_x64(True):
        theirs = np.array([schedule(step) for step in range(STEPS)], np.float64)
    ours = np.array([step["learning_rate"] for step in run.metrics])
    return f"{np.abs(ours - theirs).max() / theirs.max():.0e}"


def check(name):
    model = training_models.mlp(layers.Draw(np.random.default_rng(gradients.SEED)))
    exact, allowed = training.expected(model, OPTIMIZERS[name], steps=STEPS)
    run = training.ours(model, OPTIMIZERS[name], "v3-8", STEPS)
    row, within = training.cells(run, exact, allowed)
    print(f"| {name} | {rates_off(name, run)} | {row}", flush=True)
    return within


def main():
    print("| optax | rate is off by | losses are off by | what is nearest to its bound | "
          "off by | allowed | within |\n|---|---|---|---|---|---|---|")
    good = [check(name) for name in sys.argv[1:] or OPTIMIZERS]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
