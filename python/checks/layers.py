"""What the checks' models are made of, and how their weights are drawn."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

BATCH = 8
CLASSES = 10


class Draw:
    """Weights and examples from one generator."""

    def __init__(self, generator):
        self._generator = generator

    def weight(self, *shape):
        fan_in = int(np.prod(shape[:-1])) or 1
        return self.normal(*shape) / np.float32(np.sqrt(fan_in))

    def normal(self, *shape):
        return self._generator.standard_normal(shape).astype(np.float32)

    def classes(self, *shape, classes=CLASSES):
        return self._generator.integers(0, classes, shape).astype(np.int32)

    def dense(self, inputs, outputs):
        return {"kernel": self.weight(inputs, outputs),
                "bias": 0.1 * self.normal(outputs)}

    def conv(self, size, inputs, outputs):
        return self.weight(size, size, inputs, outputs)

    def norm(self, width):
        return {"scale": 1 + 0.1 * self.normal(width), "bias": 0.1 * self.normal(width)}

    def images(self, size, channels):
        return self.normal(BATCH, size, size, channels), self.classes(BATCH)


def dense(x, p):
    return x @ p["kernel"] + p["bias"]


def conv(x, kernel, stride=1, groups=1, padding="SAME"):
    return jax.lax.conv_general_dilated(
        x, kernel, (stride, stride), padding,
        dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups)


def max_pool(x, size=2, stride=2, padding="VALID"):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, size, size, 1),
                                 (1, stride, stride, 1), padding)


def layer_norm(x, p):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * p["scale"] + p["bias"]


def batch_norm(x, p):
    axes = tuple(range(x.ndim - 1))
    mean = x.mean(axes)
    variance = ((x - mean) ** 2).mean(axes)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * p["scale"] + p["bias"]


def cross_entropy(logits, labels):
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1)
    return -picked.mean()


def attention(x, p, heads, causal):
    batch, length, width = x.shape
    parts = (x @ p["qkv"]).reshape(batch, length, 3, heads, width // heads)
    q, k, v = (parts[:, :, i] for i in range(3))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width // heads)
    if causal:
        mask = jnp.tril(jnp.ones((length, length), bool))
        scores = jnp.where(mask, scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    return mixed.reshape(batch, length, width) @ p["out"]


def block(x, p, heads, causal=False):
    x = x + attention(layer_norm(x, p["norm_1"]), p["attention"], heads, causal)
    hidden = jax.nn.gelu(dense(layer_norm(x, p["norm_2"]), p["up"]))
    return x + dense(hidden, p["down"])


def draw_block(draw, width):
    return {"norm_1": draw.norm(width), "norm_2": draw.norm(width),
            "attention": {"qkv": draw.weight(width, 3 * width),
                          "out": draw.weight(width, width)},
            "up": draw.dense(width, 4 * width), "down": draw.dense(4 * width, width)}
