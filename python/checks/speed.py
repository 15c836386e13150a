"""Steps of imported functions beside the same models of podsim's own, and beside
JAX's own training step on eight host devices.

    python python/checks/speed.py              the table of docs/jax.md

In turn, five times each; medians of examples a second, wall, of this machine."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import optax  # noqa: E402

import functions  # noqa: E402
import gradients  # noqa: E402
import layers  # noqa: E402
import podsim  # noqa: E402
from podsim import _programs  # noqa: E402

TURNS = 5


def dense_layers(draw, widths):
    return {f"dense_{i}": draw.dense(a, b) for i, (a, b) in enumerate(zip(widths, widths[1:]))}


def mlp(draw):
    params = dense_layers(draw, (784, 512, 512, 10))

    def loss(p, batch):
        x = batch["features"].reshape(-1, 784)
        for i in range(3):
            x = layers.dense(x, p[f"dense_{i}"])
            if i < 2:
                x = jax.nn.relu(x)
        return layers.cross_entropy(x, batch["labels"])

    return (loss, params, (28, 28), ["--dataset=synthetic"],
            ["--model=mlp", "--hidden=512,512"], 128)


def lenet5(draw):
    params = dense_layers(draw, (256, 120, 84, 10))
    params |= {"conv_0": draw.conv(5, 1, 6), "conv_1": draw.conv(5, 6, 16),
               "bias_0": draw.normal(6), "bias_1": draw.normal(16)}

    def pooled(x):
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4

    def loss(p, batch):
        x = batch["features"][..., None]
        for i in range(2):
            padding = [(6, 6), (6, 6)] if i == 0 else "SAME"  # 8x8 in a frame of zeros
            x = layers.conv(x, p[f"conv_{i}"], padding=padding) + p[f"bias_{i}"]
            x = pooled(jnp.tanh(x))
        x = x.reshape(x.shape[0], -1)
        for i in range(3):
            x = layers.dense(x, p[f"dense_{i}"])
            if i < 2:
                x = jnp.tanh(x)
        return layers.cross_entropy(x, batch["labels"])

    return loss, params, (8, 8), ["--dataset=digits"], ["--model=lenet5"], 16


def encoder(draw):
    width, heads = 32, 4
    params = {"tokens": draw.weight(17, width), "positions": draw.weight(64, width),
              "norm": draw.norm(width), "head": draw.dense(width, 10)}
    for i in range(2):
        params[f"layer_{i}"] = {
            "norm_0": draw.norm(width), "norm_1": draw.norm(width),
            **{name: draw.dense(width, width) for name in ("query", "value", "out")},
            "key": draw.weight(width, width),
            "dense_0": draw.dense(width, 64), "dense_1": draw.dense(64, width)}

    def attention(x, p):
        q, k, v = (each.reshape(*x.shape[:2], heads, -1) for each in (
            layers.dense(x, p["query"]), x @ p["key"], layers.dense(x, p["value"])))
        shares = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width / heads))
        mixed = jnp.einsum("bhqk,bkhd->bqhd", shares, v).reshape(x.shape)
        return layers.dense(mixed, p["out"])

    def loss(p, batch):
        x = p["tokens"][batch["tokens"]] + p["positions"]
        for i in range(2):
            layer = p[f"layer_{i}"]
            x = x + attention(layers.layer_norm(x, layer["norm_0"]), layer)
            hidden = layers.dense(layers.layer_norm(x, layer["norm_1"]), layer["dense_0"])
            x = x + layers.dense(jax.nn.gelu(hidden), layer["dense_1"])
        x = layers.layer_norm(x, p["norm"]).mean(1)
        return layers.cross_entropy(layers.dense(x, p["head"]), batch["labels"])

    return (loss, params, (64,), ["--dataset=digits"],
            ["--model=encoder", "--dropout=0"], 8)


def launched(arguments):
    """Examples a second of the run's training."""
    with tempfile.TemporaryDirectory() as folder:
        metrics = pathlib.Path(folder, "metrics")
        _programs.run("pod_launch", [*arguments, f"--metrics_file={metrics}", "--quiet"])
        summary = json.loads(metrics.read_text().splitlines()[-1])
    return summary["examples_per_second"]


ZOO = {"mlp": mlp, "lenet5": lenet5, "encoder": encoder}


def beside_zoo(name, topology):
    loss_fn, params, shape, data, zoo, batch = ZOO[name](
        layers.Draw(np.random.default_rng(gradients.SEED)))
    seen = ({"tokens": np.zeros((1, *shape), np.int32)} if name == "encoder" else
            {"features": np.zeros((1, *shape), np.float32)})
    example = {**seen, "labels": np.zeros(1, np.int32)}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "model")
        podsim.export(loss_fn, params, example, file)
        common = [f"--topology={topology}", *data, f"--batch_per_core={batch}",
                  "--train_steps=100", "--learning_rate=0.05", "--optimizer=sgd",
                  "--momentum=0", f"--reference_topology={topology}"]
        pairs = [(launched([*common, f"--model_file={file}"]), launched([*common, *zoo]))
                 for _ in range(TURNS)]
    return [statistics.median(each) for each in zip(*pairs)]


def jax_rate(loss_fn, params, batch, per_core, steps):
    """Data-parallel SGD over eight host devices, as people write it."""
    transformation = optax.sgd(1e-2)
    devices = jax.devices()[:8]
    sharded = jax.tree_util.tree_map(
        lambda x: x[:8 * per_core].reshape(8, per_core, *x.shape[1:]), batch)

    @jax.pmap
    def first(_):
        return params, transformation.init(params)

    def step(params, state, batch):
        loss, gradient = jax.value_and_grad(loss_fn)(params, batch)
        gradient = jax.lax.pmean(gradient, "i")
        updates, state = transformation.update(gradient, state)
        return optax.apply_updates(params, updates), state, loss

    step = jax.pmap(step, "i", devices=devices)
    params_8, state = first(np.arange(8))
    params_8, state, loss = step(params_8, state, sharded)
    jax.block_until_ready(loss)
    begin = time.perf_counter()
    for _ in range(steps):
        params_8, state, loss = step(params_8, state, sharded)
    jax.block_until_ready(loss)
    return steps * 8 * per_core / (time.perf_counter() - begin)


def beside_jax(name, per_core, steps):
    loss_fn, params, batch = functions.FUNCTIONS[name](
        layers.Draw(np.random.default_rng(gradients.SEED)))
    many = jax.tree_util.tree_map(lambda x: np.concatenate([x] * (per_core * 8 // len(x) + 1)), batch)
    pairs = []
    for _ in range(TURNS):
        run = podsim.train(loss_fn, params, many, topology="v3-8", optimizer=podsim.sgd(1e-2),
                           batch_per_core=per_core, train_steps=steps,
                           reference_topology="v3-8", precision="float32", progress=False)
        pairs.append((run.summary["examples_per_second"],
                      jax_rate(loss_fn, params, many, per_core, steps)))
    return [statistics.median(each) for each in zip(*pairs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows that begin so")
    names = tuple(parser.parse_args().names)
    print("| imported | beside | podsim, examples/s | the other, examples/s | ratio |\n|---|---|---|---|---|")
    rows = [("mlp 784-512-512-10, v3-8, bfloat16", "podsim's mlp", lambda: beside_zoo("mlp", "v3-8")),
            ("the same, v3-32", "podsim's mlp", lambda: beside_zoo("mlp", "v3-32")),
            ("lenet5, v3-8, bfloat16", "podsim's lenet5", lambda: beside_zoo("lenet5", "v3-8")),
            ("encoder, v3-8, bfloat16", "podsim's encoder", lambda: beside_zoo("encoder", "v3-8")),
            ("gpt_nano, 8 a core, v3-8, float32", "JAX, 8 devices", lambda: beside_jax("gpt_nano", 8, 20)),
            ("resnet_18 at 64x64, 1 a core, v3-8, float32", "JAX, 8 devices", lambda: beside_jax("resnet_18", 1, 4))]
    for what, peer, measure in rows:
        if names and not what.startswith(names):
            continue
        ours, theirs = measure()
        print(f"| {what} | {peer} | {ours:,.0f} | {theirs:,.0f} | {ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
