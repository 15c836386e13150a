"""Makes the golden runs that golden_test.cc compares podsim with.

    tests/golden/regenerate              those of every model in COMMITTED
    tests/golden/regenerate encoder --out /tmp/try

README.md says what is made and what the test allows.
"""

import argparse
import importlib
import itertools
import json
import os
import sys

sys.dont_write_bytecode = True
os.environ["JAX_PLATFORMS"] = "cpu"
# One thread and one instruction set: the same files on most machines.
os.environ["XLA_FLAGS"] = ("--xla_cpu_multi_thread_eigen=false "
                           "--xla_cpu_max_isa=AVX2")
import jax
import jaxlib
import numpy as np
import optax

import draws
import rules
import runs
import tensor_file

COMMITTED = ("mlp", "logistic_regression", "lenet5", "encoder")
MOVED_RUNS = 4
# Of a sum from a kink of its function, in any of the 20 float64 steps: some
# ten times what float32 runs differ by.
NEAREST_KINK = 1e-5
HERE = os.path.dirname(os.path.abspath(__file__))


def check_against_optax(case, rule):
    """The rules written out here are optax's."""
    known = runs.train(case, np.float64)
    by_optax = runs.train_by_optax(case, np.float64)
    with jax.enable_x64(False):
        known32 = runs.train(case, np.float32, scalars_in=np.float32)
        by_optax32 = runs.train_by_optax(case, np.float32)
    for ours, theirs, allowed in ((known, by_optax, 1e-10),
                                  (known32, by_optax32, 2e-5)):
        pairs = [(name, ours.tensors[name], value)
                 for name, value in theirs.tensors.items()]
        pairs.append(("losses", ours.losses, theirs.losses))
        worst = max((runs.distance(ours, theirs), name)
                    for name, ours, theirs in pairs)
        print(f"  {rule}, {known.losses.dtype if allowed < 1e-6 else 'float32'}"
              f" scalars: optax is {worst[0]:.1e} away ({worst[1]})")
        if not worst[0] <= allowed:
            sys.exit(f"error: {case.model.name}, {rule}: {worst[1]} is "
                     f"{worst[0]:.1e} from optax's, at most {allowed} is "
                     "allowed")


def stride_of(count, most):
    """Element (i * stride) mod count, i < most, is stored and compared; 0: all
    are. Near the golden ratio of the count, so that they lie evenly."""
    if count <= most:
        return 0
    return next(stride for stride in itertools.count(int(count * 0.618))
                if np.gcd(stride, count) == 1)


def stored_part(values, most):
    flat = values.reshape(-1)
    stride = stride_of(flat.size, most)
    if stride == 0:
        return values
    return flat[np.arange(most) * stride % flat.size]


def run_case(case, seed):
    """(description, tensors to store); None if the seed is no good."""
    exact = runs.train(case, np.float64)
    if exact.nearest_kink < NEAREST_KINK:
        return None
    singles = [runs.train(runs.moved(case, seed, run) if run else case,
                          np.float32) for run in range(1 + MOVED_RUNS)]
    most = case.model.most_elements
    stored = {name: stored_part(value, most)
              for name, value in exact.tensors.items()}
    distances = {name: [runs.distance(stored_part(single.tensors[name], most),
                                      value) for single in singles]
                 for name, value in stored.items()}
    distances["losses"] = [runs.distance(single.losses, exact.losses)
                           for single in singles]
    description = {"bits": case.settings, "distances": distances}
    strides = {name: stride_of(value.size, most)
               for name, value in exact.tensors.items()
               if value.size > most}
    if strides:
        description["strides"] = strides
    if case.model.kinks:
        description["nearest_kink"] = exact.nearest_kink
    return description, stored | {"losses": exact.losses}


def good_seed(model):
    """The first one, from 1, whose runs keep away from kinks, and its runs."""
    for seed in itertools.count(1):
        made = {}
        for rule in rules.RULES:
            made[rule] = run_case(runs.case_of(model, rule, seed), seed)
            if made[rule] is None:
                break
        else:
            return seed, made


def write(model, seed, made, folder):
    examples = draws.examples(seed, runs.STEPS * runs.BATCH)
    weights = [draws.weights(seed, name, variable)
               for name, variable in model.variables.items()]
    description = {
        "made_with": {module.__name__: module.__version__
                      for module in (jax, jaxlib, optax, np)},
        "model": model.config,
        "inputs": list(model.inputs),
        "seed": seed, "steps": runs.STEPS, "batch": runs.BATCH,
        "weights_sha256": draws.digest(weights),
        "inputs_sha256": draws.digest(examples[name] for name in model.inputs),
        "variables": [{"name": name, "shape": variable.shape,
                       "centre": variable.centre, "spread": variable.spread}
                      for name, variable in model.variables.items()],
        "cases": [{"file": f"{model.name}_{rule}.safetensors", **case}
                  for rule, (case, _) in made.items()]}
    total = 0
    for case, (_, tensors) in zip(description["cases"], made.values()):
        path = os.path.join(folder, case["file"])
        total += tensor_file.write(path, tensors)
        worst = max((max(all_five), name)
                    for name, all_five in case["distances"].items())
        print(f"  {case['file']}: {os.path.getsize(path):,} bytes, losses "
              f"{tensors['losses'][0]:.3f} to {tensors['losses'][-1]:.3f}, "
              f"largest distance {worst[0]:.1e} ({worst[1]})")
    with open(os.path.join(folder, f"{model.name}.json"), "w") as file:
        file.write(tensor_file.lines_of_json(description))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=COMMITTED,
                        help="files of models/, without .py")
    parser.add_argument("--out", default=HERE, help="folder to write to")
    arguments = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    os.makedirs(arguments.out, exist_ok=True)
    for name in arguments.models:
        model = importlib.import_module(f"models.{name}").MODEL
        print(name)
        seed, made = good_seed(model)
        for rule in rules.RULES:
            check_against_optax(runs.case_of(model, rule, seed), rule)
        write(model, seed, made, arguments.out)


if __name__ == "__main__":
    main()
