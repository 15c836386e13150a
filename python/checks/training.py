"""Fifty steps on podsim's slices against JAX's own loop with optax.

    python python/checks/training.py                   the table of docs/jax.md

Losses as one vector, the final weights and the final state, as relative L2 distances
to JAX's loop in float64; allowed is four times the farthest of five float32 loops of
JAX, which add the examples of a batch up in other orders, at least 8e-7. Products in
float32. The global batch is the same everywhere. JAX's loop follows podsim's stream:
its order of the examples, the bits that each draws, and, where there is a batch norm,
which of them are on one core."""

from __future__ import annotations

import argparse
import sys

import numpy as np
import optax

import gradients
import layers
import podsim
from jax_loop import SEED, Loop, named
from training_models import GLOBAL, MODELS

STEPS = 50
OURS = {"adamw": podsim.adamw(1e-3), "adam": podsim.adam(1e-3),
        "momentum": podsim.sgd(1e-2, momentum=0.9)}
THEIRS = {"adamw": optax.adamw(1e-3), "adam": optax.adam(1e-3),
          "momentum": optax.sgd(1e-2, momentum=0.9)}


def expected(model, transformation, groups=1, steps=STEPS):
    """JAX's loop in float64, and how far each number may be off."""
    loop = Loop(model, groups, steps)
    exact = loop.run(transformation, np.float64)
    generator = np.random.default_rng(gradients.SEED)
    allowed = dict.fromkeys(exact, 4 * gradients.LEAST)
    for _ in range(gradients.RUNS):
        run = loop.run(transformation, np.float32, generator)
        for key in exact:
            allowed[key] = max(allowed[key], 4 * gradients.distance(run[key], exact[key]))
    return exact, allowed


def cores_of(topology):
    return int(topology.split("-")[1])


def ours(model, optimizer, topology, steps=STEPS):
    return podsim.train(model.loss, model.params, model.batch, topology=topology,
                        optimizer=optimizer, batch_per_core=GLOBAL // cores_of(topology),
                        train_steps=steps, reference_topology=topology, state=model.state,
                        seed=SEED, precision="float32", progress=False)


def cells(run, exact, allowed):
    """Cells of a row of the table, and whether all is within its bounds."""
    numbers = named(run.losses, run.params, run.state)
    off = {key: gradients.distance(numbers[key], exact[key]) for key in exact}
    worst = max(off, key=lambda key: off[key] / allowed[key])
    within = off[worst] <= allowed[worst]
    return (f"{off['losses']:.1e} | {worst} | {off[worst]:.1e} | {allowed[worst]:.1e} | "
            f"{'yes' if within else 'NO'} |"), within


def check(name):
    model = MODELS[name](layers.Draw(np.random.default_rng(gradients.SEED)))
    known = {}
    good = True
    for topology in model.slices:
        groups = 1 if model.state is None else cores_of(topology)
        if groups not in known:
            known[groups] = expected(model, THEIRS[model.rule], groups)
        row, within = cells(ours(model, OURS[model.rule], topology), *known[groups])
        good = good and within
        print(f"| {name} | {model.rule} | {topology} | {row}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    print("| model | rule | slice | losses are off by | what is nearest to its bound | off by "
          "| allowed | within |\n|---|---|---|---|---|---|---|---|")
    good = [check(name) for name in arguments.names or MODELS]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
