"""A second round of forecasts that were fixed before the published figures were read: models as
flax has them, each on its slice, with the published batch, types and optimizer as far as a job has
them. docs/notes/second-blind.md has the sources, the forecasts and, beside them, the figures.

    python python/checks/second_blind.py [ROW...]        such as R1 R13

A line per row: the step (sim) with low and high, MFU, HBM, what is exposed. R3 is podsim's own
ResNet-152: pod_plan --model resnet152 --topology v3-8 --batch_per_core 384 --train_steps 100
--optimizer momentum --learning_rate 0.1, less its all-reduce."""

from __future__ import annotations

import sys
from typing import Any, Callable, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

import podsim
from published_models import chosen, zeros


class Model(NamedTuple):
    loss: Any
    params: Any
    example: Any


class Row(NamedTuple):
    model: Callable[[], Model]
    slice: str
    rows: int  # examples of a core or chip
    optimizer: podsim.Optimizer
    settings: dict[str, Any] = {}
    parameters: int | None = None


HALF = {"dtype": jnp.bfloat16, "param_dtype": jnp.float32}


def shapes_of(net, *inputs):
    """Parameters of zeros."""
    keys = {"params": jax.random.key(0), "dropout": jax.random.key(1)}
    return zeros(jax.eval_shape(net.init, keys, *inputs)["params"])


def tokens_of(length):
    return np.zeros(length, np.int32)


def next_token(net, length, by_index=False):
    """The loss of a decoder of [batch, length] tokens, by one-hot labels or by their index."""
    def loss(params, batch):
        tokens, targets = batch
        logits = net.apply({"params": params}, tokens)
        if by_index:
            losses = optax.softmax_cross_entropy_with_integer_labels(logits, targets)
            return losses.astype(jnp.float32).mean()
        return -chosen(nn.log_softmax(logits.astype(jnp.float32)), targets).mean()
    tokens = tokens_of(length)
    return Model(loss, shapes_of(net, tokens[None]), (tokens, tokens))


def rms_norm(x, scaled=False):
    return nn.RMSNorm(use_scale=scaled, epsilon=1e-6, **HALF)(x)


def rotated(x):
    """RoPE of [batch, tokens, heads, size]: halves are turned by the token's place."""
    size = x.shape[-1]
    scale = 1e4 ** -(jnp.arange(size // 2) / (size // 2))
    angles = jnp.arange(x.shape[1])[:, None] * scale
    cos, sin = (f(angles)[:, None].astype(x.dtype) for f in (jnp.cos, jnp.sin))
    first, second = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


class Decoder(nn.Module):
    """Causal, RoPE, RMSNorm, no biases, an output table of its own."""

    layers: int
    width: int
    heads: int
    keys: int  # heads of keys and values
    head: int
    inner: int
    vocabulary: int
    gated: bool
    norms_queries: bool

    @nn.compact
    def __call__(self, tokens):
        def dense(width, x):
            return nn.Dense(width, use_bias=False, **HALF)(x)

        def heads_of(count, x):
            return dense(count * self.head, x).reshape(*x.shape[:-1], count, self.head)

        def turned(x):
            return rotated(rms_norm(x) if self.norms_queries else x)
        scaled = self.gated
        x = nn.Embed(self.vocabulary, self.width, **HALF)(tokens)
        for _ in range(self.layers):
            y = rms_norm(x, scaled)
            mixed = jax.nn.dot_product_attention(
                turned(heads_of(self.heads, y)), turned(heads_of(self.keys, y)),
                heads_of(self.keys, y), is_causal=True)
            x = x + dense(self.width, mixed.reshape(*x.shape[:-1], self.heads * self.head))
            y = rms_norm(x, scaled)
            inside = (nn.silu(dense(self.inner, y)) * dense(self.inner, y) if self.gated
                      else nn.gelu(dense(self.inner, y)))
            x = x + dense(self.width, inside)
        return dense(self.vocabulary, rms_norm(x, scaled))


class EncoderLayer(nn.Module):
    """Attention and feed-forward behind norms, or with norms behind them, with biases."""

    width: int
    heads: int
    inner: int
    dtype: Any
    dropout: float
    norms_first: bool

    @nn.compact
    def __call__(self, x):
        kind = {"dtype": self.dtype, "param_dtype": jnp.float32}

        def norm(y):
            return nn.LayerNorm(**kind)(y)

        def drop(y):
            return nn.Dropout(self.dropout, deterministic=False)(y) if self.dropout else y

        def fed(y):
            return nn.Dense(self.width, **kind)(nn.gelu(nn.Dense(self.inner, **kind)(y)))

        attention = nn.MultiHeadDotProductAttention(
            self.heads, dropout_rate=self.dropout, broadcast_dropout=False,
            deterministic=not self.dropout, **kind)
        if self.norms_first:
            y = norm(x)
            x = x + drop(attention(y, y))
            return x + drop(fed(norm(x)))
        x = norm(x + drop(attention(x, x)))
        return norm(x + drop(fed(x)))


class Encoder(nn.Module):
    """`shared`: all layers have the same parameters."""

    layers: int
    width: int
    heads: int
    inner: int
    dtype: Any
    dropout: float = 0.0
    norms_first: bool = False
    shared: bool = False

    @nn.compact
    def __call__(self, x):
        def layer():
            return EncoderLayer(self.width, self.heads, self.inner, self.dtype, self.dropout,
                                self.norms_first)
        one = layer() if self.shared else None
        for _ in range(self.layers):
            x = (one or layer())(x)
        return x


class Albert(nn.Module):
    @nn.compact
    def __call__(self, tokens, segments, places):
        table = nn.Embed(30000, 128)
        length = tokens.shape[1]
        x = table(tokens) + nn.Embed(2, 128)(segments) + nn.Embed(512, 128)(jnp.arange(length))
        x = nn.Dense(4096)(nn.LayerNorm()(x))
        x = Encoder(12, 4096, 64, 16384, jnp.float32, shared=True)(x)
        masked = jnp.take_along_axis(x, places[:, :, None], axis=1)
        masked = nn.LayerNorm()(nn.gelu(nn.Dense(128)(masked)))
        return (table.attend(masked) + self.param("bias", nn.initializers.zeros, (30000,)),
                nn.Dense(2)(jnp.tanh(nn.Dense(4096)(x[:, 0]))))


def albert_xxlarge():
    net = Albert()
    tokens, masked = tokens_of(512), tokens_of(20)
    params = shapes_of(net, tokens[None], tokens[None], masked[None])

    def loss(params, batch):
        tokens, segments, places, labels, order = batch
        logits, ordered = net.apply({"params": params}, tokens, segments, places)
        return (-chosen(nn.log_softmax(logits), labels).mean()
                - chosen(nn.log_softmax(ordered), order).mean())
    return Model(loss, params, (tokens, tokens, masked, masked, np.int32(0)))


class Roberta(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        table = nn.Embed(50265, 768, **HALF)
        length = tokens.shape[1]
        x = table(tokens) + nn.Embed(514, 768, **HALF)(jnp.arange(length))
        x = nn.Dropout(0.1, deterministic=False)(nn.LayerNorm(**HALF)(x))
        x = Encoder(12, 768, 12, 3072, jnp.bfloat16, dropout=0.1)(x)
        x = nn.LayerNorm(**HALF)(nn.gelu(nn.Dense(768, **HALF)(x)))
        bias = self.param("bias", nn.initializers.zeros, (50265,))
        return table.attend(x) + bias.astype(jnp.bfloat16)


def roberta_base():
    net = Roberta()
    tokens = tokens_of(512)

    def loss(params, batch, key):
        tokens, labels, weights = batch
        logits = net.apply({"params": params}, tokens, rngs={"dropout": key})
        losses = -chosen(nn.log_softmax(logits.astype(jnp.float32)), labels) * weights
        return (losses.sum(1) / weights.sum(1)).mean()
    return Model(loss, shapes_of(net, tokens[None]), (tokens, tokens, np.ones(512, np.float32)))


class Lra(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(257, 512)(tokens)
        x = x + self.param("places", nn.initializers.zeros, x.shape[1:])
        x = nn.Dropout(0.1, deterministic=False)(x)
        x = Encoder(6, 512, 8, 2048, jnp.float32, dropout=0.1, norms_first=True)(x)
        x = nn.LayerNorm()(x)[:, 0]
        return nn.Dense(2)(nn.relu(nn.Dense(2048)(x)))


def lra(length):
    net = Lra()
    tokens = tokens_of(length + 1)

    def loss(params, batch, key):
        tokens, labels = batch
        logits = net.apply({"params": params}, tokens, rngs={"dropout": key})
        return -chosen(nn.log_softmax(logits), labels).mean()
    return Model(loss, shapes_of(net, tokens[None]), (tokens, np.int32(0)))


class Mixer(nn.Module):
    @nn.compact
    def __call__(self, images):
        x = nn.Conv(768, (16, 16), (16, 16), "VALID")(images)
        x = x.reshape(x.shape[0], -1, 768)
        for _ in range(12):
            y = jnp.swapaxes(nn.LayerNorm()(x), 1, 2)
            y = nn.Dense(196)(nn.gelu(nn.Dense(384)(y)))
            x = x + jnp.swapaxes(y, 1, 2)
            x = x + nn.Dense(768)(nn.gelu(nn.Dense(3072)(nn.LayerNorm()(x))))
        return nn.Dense(1000)(nn.LayerNorm()(x).mean(axis=1))


def mixer_b16():
    net = Mixer()
    image, labels = np.zeros((224, 224, 3), np.float32), np.zeros(1000, np.float32)

    def loss(params, batch):
        images, labels, share = batch
        # Mixup, with the example's own values reversed for its neighbour's.
        part = share[:, None, None, None]
        images = part * images + (1 - part) * images[:, ::-1]
        logits = net.apply({"params": params}, images)
        return optax.softmax_cross_entropy(logits, labels).mean()
    return Model(loss, shapes_of(net, image[None]), (image, labels, np.float32(1)))


class T5(nn.Module):
    """Base, gated as version 1.1 but with one table (223 M parameters); a bias of each pair of
    places, that all layers of a side share."""

    @nn.compact
    def __call__(self, inputs, targets):
        def dense(width, x):
            return nn.Dense(width, use_bias=False, **HALF)(x)

        def attended(x, memory, bias):
            def heads_of(y):
                return dense(768, y).reshape(*y.shape[:-1], 12, 64)
            scores = jnp.einsum("btnh,bsnh->bnts", heads_of(x), heads_of(memory))
            shares = nn.softmax((scores + bias).astype(jnp.float32)).astype(jnp.bfloat16)
            mixed = jnp.einsum("bnts,bsnh->btnh", shares, heads_of(memory))
            return dense(768, mixed.reshape(x.shape))

        def fed(x):
            y = rms_norm(x, True)
            return x + dense(768, nn.gelu(dense(2048, y)) * dense(2048, y))

        def bias_of(name, length):
            table = self.param(name, nn.initializers.zeros, (32, 12))
            ahead = np.arange(length)[None] - np.arange(length)[:, None]
            return jnp.moveaxis(table[np.clip(ahead + 16, 0, 31)], 2, 0).astype(jnp.bfloat16)
        table = nn.Embed(32128, 768, **HALF)
        x = table(inputs)
        bias = bias_of("encoder", inputs.shape[1])
        for _ in range(12):
            y = rms_norm(x, True)
            x = fed(x + attended(y, y, bias))
        memory = rms_norm(x, True)
        y, length = table(targets), targets.shape[1]
        hidden = np.where(np.tril(np.ones((length, length), bool)), 0, -1e9)
        bias = bias_of("decoder", length) + jnp.asarray(hidden, jnp.bfloat16)
        for _ in range(12):
            z = rms_norm(y, True)
            y = y + attended(z, z, bias)
            y = fed(y + attended(rms_norm(y, True), memory, jnp.bfloat16(0)))
        return table.attend(rms_norm(y, True))


def t5_base():
    net = T5()
    inputs, targets = tokens_of(512), tokens_of(114)

    def loss(params, batch):
        inputs, shifted, targets = batch
        logits = net.apply({"params": params}, inputs, shifted)
        return -chosen(nn.log_softmax(logits.astype(jnp.float32)), targets).mean()
    return Model(loss, shapes_of(net, inputs[None], targets[None]), (inputs, targets, targets))


def picodo(heads, length, by_index):
    return next_token(Decoder(12, 768, heads, heads, 768 // heads, 3072, 50257, False, True),
                      length, by_index)


def maxtext(layers, keys, head, length):
    return next_token(Decoder(layers, 1024, 8, keys, head, 2816, 32768, True, False), length)


ADAMW = podsim.adamw(1e-3, weight_decay=0.1)
CLIPPED = podsim.adamw(1e-3, weight_decay=0.1, clip_norm=1.0)
ADAM = podsim.adam(1e-3)
ROWS = {
    "R1": Row(lambda: picodo(3, 1024, True), "v6e-1", 8, ADAMW, {}, 162_129_408),
    "R2": Row(lambda: picodo(6, 256, False), "v6e-1", 32, ADAMW, {"attention": "plain"}),
    "R4": Row(t5_base, "v3-32", 64, podsim.sgd(0.1)),
    "R5": Row(lambda: lra(1000), "v3-32", 1, ADAM),
    "R6": Row(lambda: lra(4000), "v3-32", 1, ADAM),
    "R7": Row(albert_xxlarge, "v3-512", 8, podsim.lamb(1e-3)),
    "R8": Row(roberta_base, "v3-8", 48, ADAMW),
    "R9": Row(mixer_b16, "v3-128", 32, podsim.adam(1e-3, clip_norm=1.0)),
    "R11": Row(lambda: maxtext(12, 8, 256, 2048), "v6e-8", 16, CLIPPED, {}, 271_606_784),
    "R12": Row(lambda: maxtext(12, 8, 256, 2048), "v6e-8", 8, CLIPPED, {}, 271_606_784),
    "R13": Row(lambda: maxtext(18, 2, 128, 2048), "v6e-8", 16, CLIPPED, {}, 270_046_208),
    "R14": Row(lambda: maxtext(18, 2, 128, 8192), "v6e-8", 2, CLIPPED, {}, 270_046_208)}


def planned(name, row):
    model = row.model()
    count = sum(leaf.size for leaf in jax.tree_util.tree_leaves(model.params))
    if row.parameters not in (None, count):
        sys.exit(f"{name} has {count:,} parameters, the published model {row.parameters:,}")
    print(f"{name}: {count:,} parameters", flush=True)
    return podsim.plan(model.loss, model.params, lambda index: model.example,
                       examples=1 << 16, name=name, topology=row.slice, optimizer=row.optimizer,
                       batch_per_core=row.rows, train_steps=100, **row.settings)[0]


def main():
    names = sys.argv[1:] or list(ROWS)
    for name in names:
        row = ROWS[name]
        plan = planned(name, row)
        low, step, high = (1e3 * each for each in (
            plan.step_seconds_low, plan.step_seconds, plan.step_seconds_high))
        print(f"{name}: {row.slice}, {row.rows} each: {step:.2f} ms sim ({low:.2f} to {high:.2f}), "
              f"MFU {plan.mfu:.1%}, recomputed {plan.recomputed_share:.1%}, HBM "
              f"{plan.hbm_bytes / 2 ** 30:.2f} GiB, bound by {plan.bound_by}, "
              f"all-reduce exposed {1e3 * plan.exposed_seconds:.2f} ms", flush=True)


if __name__ == "__main__":
    main()
