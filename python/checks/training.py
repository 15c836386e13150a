"""Fifty steps on podsim's slices against JAX's own loop with optax.

    python python/checks/training.py                   the table of docs/jax.md

Losses as one vector and the final weights, as relative L2 distances to JAX's loop in
float64; allowed is four times the farthest of five float32 loops of JAX, which add
the examples of a batch up in other orders, at least 8e-7. Products in float32. The
global batch is the same everywhere; podsim's stream says which examples it has."""

from __future__ import annotations

import argparse
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

import functions
import gradients
import podsim
from podsim import _trees

STEPS = 50
GLOBAL = 64
SLICES = ("v3-8", "v3-32")


def mlp(draw):
    loss, params, _ = functions.mlp(draw)
    return loss, params, (draw.normal(GLOBAL, 64), draw.classes(GLOBAL)), "adamw"


def lenet(draw):
    loss, params, _ = functions.lenet(draw)
    return loss, params, (draw.normal(GLOBAL, 28, 28, 1), draw.classes(GLOBAL)), "momentum"


def gru(draw):
    loss, params, _ = functions.gru(draw)
    return loss, params, (draw.normal(GLOBAL, 28, 12), draw.classes(GLOBAL)), "adam"


def gpt_nano(draw):
    loss, params, _ = functions.gpt_nano(draw)
    tokens = draw.classes(GLOBAL, 33, classes=65)
    return loss, params, {"tokens": tokens[:, :-1], "targets": tokens[:, 1:]}, "adamw"


MODELS = {function.__name__: function for function in (mlp, lenet, gru, gpt_nano)}
OURS = {"adamw": podsim.adamw(1e-3), "adam": podsim.adam(1e-3),
        "momentum": podsim.sgd(1e-2, momentum=0.9)}
THEIRS = {"adamw": optax.adamw(1e-3), "adam": optax.adam(1e-3),
          "momentum": optax.sgd(1e-2, momentum=0.9)}


def jax_loop(loss_fn, params, batch, transformation, dtype, order=None, steps=STEPS):
    """The data set is one global batch: every step sees all of it."""
    with jax.enable_x64(dtype == np.float64):
        params, batch = gradients._cast(params, dtype), gradients._cast(batch, dtype)
        if order is not None:
            batch = jax.tree_util.tree_map(lambda x: x[order], batch)
        state = transformation.init(params)

        @jax.jit
        def step(params, state):
            loss, gradient = jax.value_and_grad(loss_fn)(params, batch)
            updates, state = transformation.update(gradient, state, params)
            return optax.apply_updates(params, updates), state, loss

        losses = []
        for _ in range(steps):
            params, state, loss = step(params, state)
            losses.append(loss)
        names, leaves, _ = _trees.named_leaves(jax.device_get(params), "params")
    return {"losses": np.array(losses, np.float64)} | {
        name: np.asarray(leaf, np.float64) for name, leaf in zip(names, leaves)}


def ours(loss_fn, params, batch, optimizer, topology, steps=STEPS):
    cores = int(topology.split("-")[1])
    return podsim.train(loss_fn, params, batch, topology=topology, optimizer=optimizer,
                        batch_per_core=GLOBAL // cores, train_steps=steps,
                        reference_topology=topology, precision="float32", progress=False)


def numbers_of(run):
    names, leaves, _ = _trees.named_leaves(run.params, "params")
    return {"losses": run.losses} | dict(zip(names, leaves))


def expected(loss_fn, params, batch, transformation, steps=STEPS):
    """JAX's loop in float64, and how far each number may be off."""
    exact = jax_loop(loss_fn, params, batch, transformation, np.float64, steps=steps)
    generator = np.random.default_rng(gradients.SEED)
    allowed = dict.fromkeys(exact, 4 * gradients.LEAST)
    for _ in range(gradients.RUNS):
        run = jax_loop(loss_fn, params, batch, transformation, np.float32,
                       generator.permutation(GLOBAL), steps)
        for key in exact:
            allowed[key] = max(allowed[key], 4 * gradients.distance(run[key], exact[key]))
    return exact, allowed


def cells(run, exact, allowed):
    """Cells of a row of the table, and whether all is within its bounds."""
    off = {key: gradients.distance(run[key], exact[key]) for key in exact}
    worst = max(off, key=lambda key: off[key] / allowed[key])
    within = off[worst] <= allowed[worst]
    return (f"{off['losses']:.1e} | {worst} | {off[worst]:.1e} | {allowed[worst]:.1e} | "
            f"{'yes' if within else 'NO'} |"), within


def check(name):
    loss_fn, params, batch, rule = MODELS[name](
        functions.Draw(np.random.default_rng(gradients.SEED)))
    exact, allowed = expected(loss_fn, params, batch, THEIRS[rule])
    good = True
    for topology in SLICES:
        run = numbers_of(ours(loss_fn, params, batch, OURS[rule], topology))
        row, within = cells(run, exact, allowed)
        good = good and within
        print(f"| {name} | {rule} | {topology} | {row}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    print("| model | rule | slice | losses are off by | what is nearest to its bound | off by | "
          "allowed | within |\n|---|---|---|---|---|---|---|---|")
    good = [check(name) for name in arguments.names or MODELS]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
