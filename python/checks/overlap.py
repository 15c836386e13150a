"""How much of the all-reduce of an imported model the backward pass hides: eight convolutions on
v3-32, four processes over sockets, each frame 4 ms on its way. Every second step reduces only when
all is computed, as if gradients became ready at the end of the pass; the others begin each sum
where the backward pass makes it. The exposed part (wall) must fall by half or more, with the
same weights as a run whose steps are all serial.

    PODSIM_BIN=build/release/bin PYTHONPATH=python python python/checks/overlap.py [RUNS]"""

import hashlib
import statistics
import sys

import jax
import jax.numpy as jnp
import numpy as np
import podsim

LAYERS = 8
CHANNELS = 64
STEPS = 41


def loss(params, batch):
    x, labels = batch
    for layer in range(LAYERS):
        x = jax.nn.relu(jax.lax.conv_general_dilated(
            x, params[f"window_{layer}"], (1, 1), "SAME",
            dimension_numbers=("NHWC", "HWIO", "NHWC")))
    logits = x.mean((1, 2)) @ params["out"]
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels])


def model(draw):
    params = {f"window_{layer}": (0.06 * draw.normal(size=(
        3, 3, 3 if layer == 0 else CHANNELS, CHANNELS))).astype(np.float32)
        for layer in range(LAYERS)}
    params["out"] = (0.1 * draw.normal(size=(CHANNELS, 10))).astype(np.float32)
    return params


def train(params, data, every):
    run = podsim.train(
        loss, params, data, topology="v3-32", processes=4, optimizer=podsim.sgd(0.01),
        batch_per_core=4, train_steps=STEPS, transport="unix", link_latency=0.004,
        bucket_bytes=1 << 17, overlap_probe=every, progress=False)
    weights = hashlib.sha256(b"".join(np.asarray(run.params[name]).tobytes()
                                      for name in sorted(run.params))).hexdigest()
    # The first step pays for the start.
    return weights, [step for step in run.metrics if step["step"] > 1]


def exposed(steps, serial):
    return statistics.median(step["seconds_reduce"] for step in steps
                             if step["serial"] == serial)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    draw = np.random.default_rng(0)
    params = model(draw)
    data = (draw.normal(size=(512, 16, 16, 3)).astype(np.float32),
            draw.integers(0, 10, 512).astype(np.int32))
    hashes = {train(params, data, 1)[0]}
    good = True
    for _ in range(runs):
        weights, steps = train(params, data, 2)
        hashes.add(weights)
        at_end, as_made = exposed(steps, True), exposed(steps, False)
        good = good and as_made <= at_end / 2
        print(f"exposed all-reduce of a step: {at_end * 1e3:.1f} ms wall when all is computed, "
              f"{as_made * 1e3:.1f} ms as gradients are made ({as_made / at_end - 1:+.0%})",
              flush=True)
    print(f"weights {sorted(each[:12] for each in hashes)}")
    sys.exit(0 if good and len(hashes) == 1 else 1)


if __name__ == "__main__":
    main()
