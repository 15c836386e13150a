"""Loss functions with what people write every day: flax's recurrent layers, switches,
small whole numbers, means in bfloat16, places that are written to."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from layers import BATCH, CLASSES, cross_entropy, dense


def flax_rnn(draw):
    """flax's nn.RNN of LSTM cells, whose first state is made with a key that nothing
    reads."""
    from flax import linen as nn

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            kind = {"dtype": x.dtype, "param_dtype": x.dtype}  # float64, too
            x = nn.RNN(nn.OptimizedLSTMCell(6, **kind))(x)
            return nn.Dense(CLASSES, **kind)(x[:, -1])

    net = Net()
    x = draw.normal(BATCH, 4, 3)
    shapes = jax.eval_shape(net.init, jax.random.key(0), x)["params"]
    params = jax.tree_util.tree_map(lambda leaf: draw.weight(*leaf.shape), shapes)

    def loss(p, batch):
        return cross_entropy(net.apply({"params": p}, batch[0]), batch[1])

    return loss, params, (x, draw.classes(BATCH))


def small_wholes(draw):
    """Images of uint16, sound of int16 and int8 offsets, with arithmetic that wraps."""
    params = {"image": draw.dense(16, CLASSES), "sound": draw.dense(6, CLASSES)}

    def loss(p, batch):
        image = (batch["image"] + jnp.uint16(700)).reshape(-1, 16)
        image = jnp.where(batch["flip"][:, None] > 0, image[:, ::-1], image)
        sound = -batch["sound"] * batch["flip"][:, None].astype(jnp.int16)
        logits = dense(image.astype(jnp.float32) / 65535, p["image"])
        logits = logits + dense(sound / jnp.float32(32768), p["sound"])
        return cross_entropy(logits, batch["labels"])

    generator = np.random.default_rng(7)
    batch = {"image": generator.integers(0, 1 << 16, (BATCH, 4, 4), np.uint16),
             "sound": generator.integers(-1 << 15, 1 << 15, (BATCH, 6), np.int16),
             "flip": generator.integers(-100, 100, BATCH, np.int8),
             "labels": draw.classes(BATCH)}
    return loss, params, batch


def switches(draw):
    """lax.switch of three branches, by an index that a scan knows and by data."""
    params = {"in": draw.weight(6, 8), "up": draw.weight(3, 8, 8),
              "logits": draw.dense(8, CLASSES)}
    branches = (jnp.tanh, lambda x: x * jax.nn.sigmoid(x), jnp.sin)

    def loss(p, batch):
        x, kind, labels = batch

        def step(h, i):
            return jax.lax.switch(i % 3, branches, h @ p["up"][i]), None

        h, _ = jax.lax.scan(step, x @ p["in"], jnp.arange(3))
        h = jax.vmap(lambda k, row: jax.lax.switch(k, branches, row))(kind, h)
        which = jnp.argmax(p["up"][:, 0, 0])
        h = h + jax.lax.switch(which, branches, h)
        return cross_entropy(dense(h, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, 6), draw.classes(BATCH, classes=4),
                          draw.classes(BATCH))


def own_places(draw):
    """Each example's own places read, set, added to and subtracted from; constant rows."""
    params = {"dense": draw.dense(6, 8), "table": draw.weight(5, 8),
              "logits": draw.dense(8, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        rows = jnp.arange(len(x))
        h = jnp.tanh(dense(x, p["dense"]))
        h = h.at[rows, labels % 8].set(x[:, 0] * h[:, 1])
        h = h.at[rows, (labels + 3) % 8].subtract(h[:, 2])
        pair = jnp.stack([labels % 8, (labels + 1) % 8], 1)
        h = h.at[rows[:, None], pair].add(0.1 * x[:, :2])
        h = h * (1 + h[rows[:, None], pair].sum(1, keepdims=True))
        table = p["table"].at[labels % 5].subtract(0.1 * h)
        table = table.at[1].subtract(p["table"][0])
        types = jnp.concatenate([jnp.zeros((len(x), 3), int), jnp.ones((len(x), 5), int)], 1)
        scale = jnp.concatenate([jnp.ones((len(x), 3)), jnp.full((len(x), 5), 0.5)], 1)
        h = h * scale + p["table"][types].sum(-1) + table.sum(0)
        return cross_entropy(dense(h, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, 6), draw.classes(BATCH))


def segments(draw):
    """The largest and the smallest of each segment of an example, as graph networks pool."""
    params = {"dense": draw.dense(5, 6), "logits": draw.dense(12, CLASSES)}

    def pooled(h, places):
        high = jax.ops.segment_max(h, places, num_segments=4)
        low = jax.ops.segment_min(h, places, num_segments=4)
        return jnp.where(jnp.isfinite(high), high, 0.), jnp.where(jnp.isfinite(low), low, 0.)

    def loss(p, batch):
        x, places, labels = batch
        high, low = jax.vmap(pooled)(jnp.tanh(dense(x, p["dense"])), places)
        h = jnp.concatenate([high.sum(1), low[:, 0] * low[:, 1]], -1)
        return cross_entropy(dense(h, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, 7, 5), draw.classes(BATCH, 7, classes=3),
                          draw.classes(BATCH))


def bfloat16_mean(draw):
    """A mean over the examples that stays in bfloat16."""
    params = {"dense": draw.dense(6, 8), "logits": draw.dense(8, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        h = jnp.tanh(dense(x, p["dense"]))
        log_p = jax.nn.log_softmax(dense(h, p["logits"]))
        losses = -jnp.take_along_axis(log_p, labels[:, None], -1)[:, 0]
        return jnp.mean(losses.astype(jnp.bfloat16))

    return loss, params, (draw.normal(BATCH, 6), draw.classes(BATCH))


def mapped(draw):
    """lax.map over the examples, and a callback that shows one of them."""
    params = {"dense": draw.dense(6, 8), "logits": draw.dense(8, CLASSES)}

    def loss(p, batch):
        x, labels = batch

        def one(example):
            h = jnp.tanh(dense(example, p["dense"]))
            return dense(h / jnp.sqrt(jnp.sum(h ** 2) + 1), p["logits"])

        logits = jax.lax.map(one, x)
        jax.debug.callback(lambda _: None, logits[0, 0])
        return cross_entropy(logits, labels)

    return loss, params, (draw.normal(BATCH, 6), draw.classes(BATCH))
