"""Loss functions of models that read sequences."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from layers import BATCH, CLASSES, block, cross_entropy, dense, draw_block, layer_norm


def gpt_nano(draw):
    vocabulary, length, width = 65, 32, 48
    params = {"tokens": draw.normal(vocabulary, width),
              "positions": 0.1 * draw.normal(length, width), "norm": draw.norm(width)}
    params |= {f"block_{i}": draw_block(draw, width) for i in range(3)}

    def loss(p, batch):
        x = p["tokens"][batch["tokens"]] + p["positions"]
        for i in range(3):
            x = block(x, p[f"block_{i}"], 3, causal=True)
        logits = layer_norm(x, p["norm"]) @ p["tokens"].T
        return cross_entropy(logits, batch["targets"])

    batch = {"tokens": draw.classes(BATCH, length, classes=vocabulary),
             "targets": draw.classes(BATCH, length, classes=vocabulary)}
    return loss, params, batch


def bert_layer(draw):
    width, length = 64, 24
    params = {"block": draw_block(draw, width), "pool": draw.dense(width, width),
              "logits": draw.dense(width, 2)}

    def loss(p, batch):
        x = batch["embeddings"]
        b = p["block"]
        parts = (x @ b["attention"]["qkv"]).reshape(*x.shape[:2], 3, 4, width // 4)
        q, k, v = (parts[:, :, i] for i in range(3))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width // 4)
        scores = scores + (1 - batch["mask"])[:, None, None, :] * -1e9
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
        x = layer_norm(x + mixed.reshape(x.shape) @ b["attention"]["out"], b["norm_1"])
        y = dense(jax.nn.gelu(dense(x, b["up"]), approximate=False), b["down"])
        x = layer_norm(x + y, b["norm_2"])
        return cross_entropy(dense(jnp.tanh(dense(x[:, 0], p["pool"])), p["logits"]),
                             batch["labels"])

    mask = (np.arange(length) < draw.classes(BATCH, 1, classes=length) + 1)
    batch = {"embeddings": draw.normal(BATCH, length, width),
             "mask": mask.astype(np.float32), "labels": draw.classes(BATCH, classes=2)}
    return loss, params, batch


def lstm(draw):
    inputs, width, length = 12, 24, 28
    params = {"x": draw.weight(inputs, 4 * width), "h": draw.weight(width, 4 * width),
              "bias": 0.1 * draw.normal(4 * width), "logits": draw.dense(width, CLASSES)}

    def loss(p, batch):
        x, labels = batch

        def step(state, x_t):
            h, c = state
            i, f, g, o = jnp.split(x_t @ p["x"] + h @ p["h"] + p["bias"], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((x.shape[0], width))
        _, hidden = jax.lax.scan(step, (zeros, zeros), x.transpose(1, 0, 2))
        return cross_entropy(dense(hidden.mean(0), p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, length, inputs), draw.classes(BATCH))


def gru(draw):
    inputs, width, length = 12, 24, 28
    params = {"x": draw.weight(inputs, 3 * width), "h": draw.weight(width, 3 * width),
              "bias": 0.1 * draw.normal(3 * width), "logits": draw.dense(width, CLASSES)}

    def loss(p, batch):
        x, labels = batch

        def step(h, x_t):
            from_x = x_t @ p["x"] + p["bias"]
            from_h = h @ p["h"]
            r = jax.nn.sigmoid(from_x[:, :width] + from_h[:, :width])
            z = jax.nn.sigmoid(from_x[:, width:2 * width] + from_h[:, width:2 * width])
            n = jnp.tanh(from_x[:, 2 * width:] + r * from_h[:, 2 * width:])
            return (1 - z) * n + z * h, None

        last, _ = jax.lax.scan(step, jnp.zeros((x.shape[0], width)), x.transpose(1, 0, 2))
        return cross_entropy(dense(last, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, length, inputs), draw.classes(BATCH))


def bag_of_words(draw):
    vocabulary, length = 200, 12
    params = {"embedding": draw.normal(vocabulary, 16), "logits": draw.dense(16, 4)}

    def loss(p, batch):
        mean = jnp.take(p["embedding"], batch["words"], axis=0).mean(1)
        return cross_entropy(dense(mean, p["logits"]), batch["labels"])

    return loss, params, {"words": draw.classes(BATCH, length, classes=vocabulary),
                          "labels": draw.classes(BATCH, classes=4)}
