"""Loss functions that are small, or ask for what others do not."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from layers import BATCH, CLASSES, cross_entropy, dense


def mlp(draw):
    params = {"dense_0": draw.dense(64, 48), "dense_1": draw.dense(48, 32),
              "logits": draw.dense(32, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        x = jax.nn.relu(dense(x, p["dense_0"]))
        x = jax.nn.relu(dense(x, p["dense_1"]))
        return cross_entropy(dense(x, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, 64), draw.classes(BATCH))


def logistic_regression(draw):
    params = {"weights": draw.weight(20, 1), "bias": np.zeros(1, np.float32)}

    def loss(p, batch):
        x, y = batch
        logits = (x @ p["weights"] + p["bias"])[:, 0]
        return jnp.mean(jnp.logaddexp(0., logits) - y * logits) + 1e-3 * jnp.sum(p["weights"] ** 2)

    return loss, params, (draw.normal(BATCH, 20), draw.classes(BATCH, classes=2).astype(np.float32))


def custom_rules(draw):
    """stop_gradient, custom_vjp, custom_jvp, and ties at relu and max."""
    params = {"dense": draw.dense(16, 16), "logits": draw.dense(16, CLASSES)}

    @jax.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda _, g: (jnp.clip(g, -0.01, 0.01),))

    @jax.custom_jvp
    def smooth(x):
        return jnp.round(x * 4) / 4

    smooth.defjvps(lambda t, _, x: t * (1 + 0.1 * jnp.cos(x)))

    def loss(p, batch):
        x, labels = batch
        h = dense(x, p["dense"])
        h = jax.nn.relu(jnp.round(h)) + jnp.maximum(jnp.round(h), 0.)
        h = h + jax.lax.stop_gradient(h) * h + smooth(clipped(h))
        h = h - jax.lax.stop_gradient(h.max(-1, keepdims=True)) + 0.1 * h.max(-1, keepdims=True)
        return cross_entropy(dense(h, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, 16), draw.classes(BATCH))


def places(draw):
    """Beside the sixteen: places that are written to, a loss by logsumexp and the label's
    own logit."""
    params = {"dense": draw.dense(16, 16), "table": draw.weight(6, 16),
              "logits": draw.dense(16, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        table = p["table"].at[2].set(1.).at[jnp.array([0, 4])].multiply(
            p["table"][1], unique_indices=True)
        table = table.at[jnp.array([5, 3])].set(p["table"][:2])
        h = dense(x, p["dense"]).at[:, 3].set(x[:, 5]) + table.sum(0)
        h = jnp.tanh(h).at[:, ::4].set(0.1)
        logits = dense(h.at[:, 1].add(h[:, 2]), p["logits"])
        taken = jnp.take_along_axis(logits, labels[:, None], axis=-1)[:, 0]
        return jnp.mean(jax.nn.logsumexp(logits, axis=-1) - taken)

    return loss, params, (draw.normal(BATCH, 16), draw.classes(BATCH))


def orders(draw):
    """Beside the sixteen: sorted values, their places, the largest ones, a median."""
    params = {"dense": draw.dense(16, 24), "logits": draw.dense(24, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        h = dense(x, p["dense"])
        best, places = jax.lax.top_k(h, 8)
        keys, moved = jax.lax.sort_key_val(h, jnp.tanh(h[:, ::-1]))
        ranks = jnp.argsort(jnp.argsort(h, descending=True)).astype(h.dtype)
        h = jnp.sort(h) * moved + 0.1 * keys + 0.01 * ranks * h
        h = h.at[:, :8].add(best * (1 + places)) - jnp.median(h, axis=-1, keepdims=True)
        h = jnp.sort(h.reshape(-1, 4, 6), axis=1).reshape(h.shape)
        return cross_entropy(dense(h, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, 16), draw.classes(BATCH))


def masked_labels(draw):
    """Beside the sixteen: labels that are none, as people leave them out of a
    cross-entropy."""
    params = {"logits": draw.dense(16, CLASSES), "other": draw.dense(16, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        rows, known = jnp.arange(len(labels)), labels >= 0
        z = dense(x, p["logits"])
        normalizer = jax.nn.logsumexp(z, axis=-1)
        filled = jnp.take_along_axis(z, labels[:, None], 1, mode="fill", fill_value=0)[:, 0]
        clipped = jnp.take_along_axis(z, labels[:, None], 1, mode="clip")[:, 0]
        losses = [normalizer - filled, normalizer - jnp.where(known, clipped, 7.),
                  normalizer - jnp.where(x[:, 0] > 0, z[rows, labels], 0.),
                  known * (normalizer - clipped)]
        log_p = jax.nn.log_softmax(dense(x, p["other"]))
        losses.append(-jnp.where(known, log_p[rows, labels], 0.))
        losses.append(-jnp.take_along_axis(log_p, labels[:, None], 1, mode="fill",
                                           fill_value=0)[:, 0])
        return jnp.mean(sum(losses))

    labels = draw.classes(BATCH)
    labels[[1, 4, 6]] = -100, -1, CLASSES
    return loss, params, (draw.normal(BATCH, 16), labels)
