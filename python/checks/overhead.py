"""What podsim.train adds to JAX's own lowering before the first step begins.

    python python/checks/overhead.py           the table of docs/jax.md

Seconds of this machine's wall clock, medians of five turns, each in a process of
its own, after JAX has compiled something. The lowering that JAX needs itself is
that of jax.jit(jax.value_and_grad(loss_fn)), once."""

from __future__ import annotations

import contextlib
import json
import statistics
import subprocess
import sys
import time

import jax
import numpy as np

import functions
import gradients
import layers
import podsim
from podsim import _batches, _lowering, _process, _programs

NAMES = ("mlp", "gpt_nano", "resnet_18")
TURNS = 5


def draw(name):
    jax.jit(lambda x: x + 1)(1.0).block_until_ready()
    return functions.FUNCTIONS[name](layers.Draw(np.random.default_rng(gradients.SEED)))


def lowering(name):
    loss_fn, params, batch = draw(name)
    begin = time.perf_counter()
    jax.jit(jax.value_and_grad(loss_fn)).lower(params, batch)
    return {"JAX's lowering": time.perf_counter() - begin}


@contextlib.contextmanager
def timed(place, name, took):
    """Adds to `took` when each call of a function begins and ends."""
    function = getattr(place, name)

    def wrapped(*arguments, **more):
        begin = time.time()
        try:
            return function(*arguments, **more)
        finally:
            took.append((begin, time.time()))

    setattr(place, name, wrapped)
    yield
    setattr(place, name, function)


def lasted(calls):
    return sum(end - begin for begin, end in calls)


def training(name):
    loss_fn, params, batch = draw(name)
    with contextlib.ExitStack() as stack:
        lowered, serialized, imported, written, launched = ([] for _ in range(5))
        for place, function, took in (
                (_lowering, "_lowered", lowered), (_lowering, "_serialized", serialized),
                (_programs, "run", imported), (_batches.Arrays, "write", written),
                (_process, "launch", launched)):
            stack.enter_context(timed(place, function, took))
        begin = time.time()
        run = podsim.train(loss_fn, params, batch, topology="v3-8", batch_per_core=1,
                           optimizer=podsim.sgd(1e-2), train_steps=2, progress=False)
    first = run.metrics[0]["wall_time"] - run.metrics[0]["seconds"]
    return {"to the first step": first - begin, "first lowering": lasted(lowered[:1]),
            "two more": lasted(lowered[1:]), "as HLO": lasted(serialized),
            "pod_program": lasted(imported), "data": lasted(written),
            "the pod": first - launched[0][0]}


def medians(name):
    turns = []
    for _ in range(TURNS):
        turn = {}
        for part in ("lowering", "training"):
            done = subprocess.run([sys.executable, __file__, part, name], check=True,
                                  capture_output=True, text=True)
            turn |= json.loads(done.stdout)
        turns.append(turn)
    return {key: statistics.median(turn[key] for turn in turns) for key in turns[0]}


def main():
    if len(sys.argv) == 3:
        measure = {"lowering": lowering, "training": training}[sys.argv[1]]
        print(json.dumps(measure(sys.argv[2])))
        return
    parts = ("first lowering", "two more", "as HLO", "pod_program", "data", "the pod")
    print("| function | JAX's lowering | to the first step | added | of that to the first "
          f"step: {' | '.join(parts)} |\n|" + "---|" * (4 + len(parts)))
    for name in NAMES:
        took = medians(name)
        numbers = [took["JAX's lowering"], took["to the first step"],
                   took["to the first step"] - took["JAX's lowering"],
                   *(took[part] for part in parts)]
        print(f"| {name} | {' | '.join(f'{each:.2f}' for each in numbers)} |", flush=True)


if __name__ == "__main__":
    main()
