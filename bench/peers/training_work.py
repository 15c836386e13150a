"""The training that every contender does, and what a driver prints of it.

MLP 784-512-512-10 with ReLU, softmax cross-entropy averaged over the 4,096 rows
of a step, plain SGD. Needs only numpy; imported by drivers inside the peers'
virtual environment and inside Debian's Python.
"""

import json
import math
import statistics

import numpy as np

LAYERS = (784, 512, 512, 10)
ROWS = 4096  # of a step, over all processes
BATCHES = 4  # that a process holds in memory and takes in turn
WARM_UP = 5  # steps that are not timed
LEARNING_RATE = 0.01


def weights(seed):
    """[(kernel [inputs, outputs] He-normal, bias of zeros)], float32."""
    generator = np.random.default_rng(seed)
    return [(generator.normal(0, math.sqrt(2 / inputs), (inputs, outputs))
             .astype(np.float32), np.zeros(outputs, np.float32))
            for inputs, outputs in zip(LAYERS, LAYERS[1:])]


def batches(seed, part, rows):
    """BATCHES of (features [rows, 784] in [0, 1), labels [rows]) of one part.

    Class centres, which all parts share, with as much noise on top.
    """
    centres = np.random.default_rng(seed).random((LAYERS[-1], LAYERS[0]))
    generator = np.random.default_rng((seed, part))
    for _ in range(BATCHES):
        labels = generator.integers(0, LAYERS[-1], rows)
        features = (centres[labels] + generator.random((rows, LAYERS[0]))) / 2
        yield features.astype(np.float32), labels


def is_wrong(losses):
    """1 unless every loss is finite and the last is below the first."""
    return int(not (all(map(math.isfinite, losses))
                    and losses[-1] < losses[0]))


def report(seconds, losses, **facts):
    """Prints the driver's line; `seconds` of the timed steps, `losses` of all.

    The speed is that of the whole loop: what a slow step costs is in it.
    """
    print(json.dumps({
        "examples_per_second": ROWS * len(seconds) / sum(seconds),
        "steps": len(seconds),
        "step_median": statistics.median(seconds),
        "step_min": min(seconds),
        "step_max": max(seconds),
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "wrong": is_wrong(losses),
        **facts}), flush=True)
