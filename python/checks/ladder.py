"""A model of JAX climbs from v3-8 to v3-128 by one call, in two minutes at most.

    PODSIM_BIN=build/release/bin PYTHONPATH=python python python/checks/ladder.py"""

import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import podsim

MOST_SECONDS = 120


def images(draw, count, centers):
    labels = draw.integers(0, len(centers), count).astype(np.int32)
    noise = 3 * draw.normal(size=(count, *centers.shape[1:])).astype(np.float32)
    return centers[labels] + noise, labels


def per_example(params, batch):
    """A convolution, a mean over the image and a layer."""
    x, labels = batch
    x = jax.lax.conv_general_dilated(x, params["window"], (1, 1), "SAME",
                                     dimension_numbers=("NHWC", "HWIO", "NHWC"))
    logits = jax.nn.relu(x).reshape(len(x), -1) @ params["out"]
    return -jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels]


def loss(params, batch):
    return per_example(params, batch).mean()


def main():
    draw = np.random.default_rng(0)
    centers = draw.normal(size=(10, 8, 8, 1)).astype(np.float32)
    params = {"window": (0.3 * draw.normal(size=(3, 3, 1, 8))).astype(np.float32),
              "out": (0.05 * draw.normal(size=(512, 10))).astype(np.float32)}
    begin = time.monotonic()
    ladder = podsim.ladder(
        loss, params, images(draw, 16384, centers), topology="v3-8..v3-128",
        optimizer=podsim.sgd(0.001, momentum=0.9), batch_per_core=4, train_steps=3200,
        eval_fn=lambda params, batch: {"loss": per_example(params, batch)},
        eval_dataset=images(draw, 1024, centers), progress=False)
    taken = time.monotonic() - begin
    print(ladder)
    climbed = ladder.passed and ladder.stopped_at is None
    print(f"{len(ladder)} rungs in {taken:.0f} s (wall), of {MOST_SECONDS} at most: "
          f"{'all passed' if climbed else 'not all passed'}")
    sys.exit(0 if climbed and taken <= MOST_SECONDS else 1)


if __name__ == "__main__":
    main()
