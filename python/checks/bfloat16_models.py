"""Loss functions of flax with dtype=bfloat16 and float32 parameters, and gradients of places
and orders in bfloat16. Where they are given float64, as the numbers that they are compared
with, all of it is float64."""

from __future__ import annotations

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

from layers import BATCH, CLASSES, dense


def half(x):
    """The type that a model of these numbers computes in."""
    return jnp.bfloat16 if x.dtype == jnp.float32 else x.dtype


def drawn(draw, shapes):
    """Parameters of a flax module of these shapes."""
    def leaf_of(path, leaf):
        kind = path[-1].key
        if kind in ("scale", "bias"):
            return (kind == "scale") + 0.1 * draw.normal(*leaf.shape)
        return draw.normal(*leaf.shape) if kind == "embedding" else draw.weight(*leaf.shape)
    return jax.tree_util.tree_map_with_path(
        lambda path, leaf: leaf_of(path, leaf).astype(np.float32), shapes)


def _integer_loss(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


class Bottleneck(nn.Module):
    """As ResNet v1.5 has it: the convolution of 3x3 strides."""

    features: int
    stride: int
    dtype: Any
    param_dtype: Any

    @nn.compact
    def __call__(self, x):
        kind = {"dtype": self.dtype, "param_dtype": self.param_dtype}
        strides = (self.stride, self.stride)
        y = x
        for size, width, by in ((1, self.features, (1, 1)), (3, self.features, strides),
                                (1, 4 * self.features, (1, 1))):
            y = nn.Conv(width, (size, size), by, use_bias=False, **kind)(y)
            y = nn.BatchNorm(use_running_average=False, **kind)(y)
            y = nn.relu(y) if width == self.features else y
        if x.shape != y.shape:
            x = nn.Conv(4 * self.features, (1, 1), strides, use_bias=False, **kind)(x)
            x = nn.BatchNorm(use_running_average=False, **kind)(x)
        return nn.relu(x + y)


class ResNet(nn.Module):
    depths: tuple[int, ...]
    width: int
    dtype: Any = jnp.bfloat16
    param_dtype: Any = jnp.float32

    @nn.compact
    def __call__(self, x):
        kind = {"dtype": self.dtype, "param_dtype": self.param_dtype}
        x = nn.Conv(self.width, (7, 7), (2, 2), use_bias=False, **kind)(x)
        x = nn.relu(nn.BatchNorm(use_running_average=False, **kind)(x))
        x = nn.max_pool(x, (3, 3), (2, 2), "SAME")
        for stage, depth in enumerate(self.depths):
            for i in range(depth):
                stride = 2 if stage > 0 and i == 0 else 1
                x = Bottleneck(self.width * 2 ** stage, stride, **kind)(x)
        return nn.Dense(CLASSES, **kind)(jnp.mean(x, (1, 2)))


class Bert(nn.Module):
    """An encoder that reads tokens, and makes one class of the first of them."""

    layers: int
    width: int
    heads: int
    vocabulary: int
    dtype: Any = jnp.bfloat16
    param_dtype: Any = jnp.float32

    @nn.compact
    def __call__(self, tokens):
        kind = {"dtype": self.dtype, "param_dtype": self.param_dtype}
        x = nn.Embed(self.vocabulary, self.width, **kind)(tokens)
        x = x + nn.Embed(tokens.shape[1], self.width, **kind)(jnp.arange(tokens.shape[1]))
        x = nn.LayerNorm(**kind)(x)
        for _ in range(self.layers):
            y = nn.MultiHeadDotProductAttention(self.heads, deterministic=True, **kind)(x, x)
            x = nn.LayerNorm(**kind)(x + y)
            y = nn.Dense(self.width, **kind)(nn.gelu(nn.Dense(4 * self.width, **kind)(x)))
            x = nn.LayerNorm(**kind)(x + y)
        return nn.Dense(CLASSES, **kind)(nn.tanh(nn.Dense(self.width, **kind)(x[:, 0])))


def _of(net, params):
    """The module in the types that these parameters ask for."""
    leaf = jax.tree_util.tree_leaves(params)[0]
    return net.clone(dtype=half(leaf), param_dtype=leaf.dtype)


def resnet_loss(net):
    """The loss of a batch, and what its batch norms have seen."""
    def loss(params, stats, batch):
        x, labels = batch
        logits, seen = _of(net, params).apply({"params": params, **stats}, x,
                                              mutable=["batch_stats"])
        return _integer_loss(logits, labels), seen
    return loss


def bert_loss(net):
    def loss(params, batch):
        tokens, labels = batch
        return _integer_loss(_of(net, params).apply({"params": params}, tokens), labels)
    return loss


def bfloat16_resnet(draw):
    """A bottleneck behind a max pool, with batch norms and integer labels."""
    net = ResNet((1,), 8)
    x, labels = draw.images(32, 3)
    params = drawn(draw, jax.eval_shape(net.init, jax.random.key(0), x)["params"])
    loss = resnet_loss(net)
    return lambda p, batch: loss(p, {}, batch)[0], params, (x, labels)


def bfloat16_bert(draw):
    """A layer of an encoder over embeddings, with integer labels."""
    net = Bert(1, 16, 2, 30)
    tokens = draw.classes(BATCH, 12, classes=30)
    params = drawn(draw, jax.eval_shape(net.init, jax.random.key(0), tokens)["params"])
    return bert_loss(net), params, (tokens, draw.classes(BATCH))


def bfloat16_orders(draw):
    """Places that are taken twice, the largest, sorted values, an average pool and a running
    sum, each with its gradient in bfloat16."""
    params = {"dense": draw.dense(16, 24), "table": draw.normal(7, 24),
              "logits": draw.dense(24, CLASSES)}

    def loss(p, batch):
        x, places, labels = batch
        h = dense(x, p["dense"]).astype(half(x))
        best, where = jax.lax.top_k(h, 8)
        taken = jnp.take_along_axis(h, places, axis=1)
        rows = p["table"].astype(h.dtype)[labels % 7]
        pooled = nn.avg_pool(h.reshape(-1, 4, 6, 1), (2, 2), (2, 2)).reshape(-1, 6)
        h = jnp.sort(h) * rows + 0.1 * jnp.cumsum(h, axis=1)
        h = h.at[:, :8].add(best * (1 + where / 24).astype(h.dtype))
        h = h.at[:, 8:18].add(taken).at[:, 18:].add(pooled)
        logits = h @ p["logits"]["kernel"].astype(h.dtype)
        log_p = jax.nn.log_softmax(logits + p["logits"]["bias"].astype(h.dtype))
        return -jnp.take_along_axis(log_p, labels[:, None], -1).mean()

    return loss, params, (draw.normal(BATCH, 16), draw.classes(BATCH, 10, classes=24),
                          draw.classes(BATCH))
