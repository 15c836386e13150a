"""Loss functions that draw random numbers: loss(params, batch, key)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.ad_checkpoint import checkpoint_name

from layers import BATCH, CLASSES, cross_entropy, dense, layer_norm

KEPT = np.float32(0.9)  # float32 in float64, too: there it decides by the same bits


def dropout(x, key):
    return jnp.where(jax.random.bernoulli(key, KEPT, x.shape), x / KEPT, 0)


def own_keys(draw):
    """A key for each example, split again: one part masks, one makes three noises."""
    params = {"dense": draw.dense(32, 24), "logits": draw.dense(24, CLASSES)}

    def loss(p, batch, key):
        x, labels = batch

        def hidden(row, own):
            mask, noise = jax.random.split(own)
            h = jnp.tanh(dense(dropout(row, mask), p["dense"]))
            noises = jax.vmap(lambda each: jax.random.normal(each, h.shape, "float32"))(
                jax.random.split(noise, 3))
            return h + 0.1 * noises.mean(0)

        h = jax.vmap(hidden)(x, jax.random.split(key, len(x)))
        return cross_entropy(dense(h, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, 32), draw.classes(BATCH))


def shared_draws(draw):
    """Draws that all examples of a step share, a layer that is dropped for all of them,
    and draws with the batch in their second dimension."""
    params = {"in": draw.dense(12, 32), "layer": draw.dense(32, 32),
              "logits": draw.dense(32, CLASSES)}

    def loss(p, batch, key):
        x, labels = batch
        rows, length, _ = x.shape
        steps, mask, drop, noise = jax.random.split(key, 4)
        x = jnp.tanh(dense(x, p["in"]))
        x = x * jax.random.bernoulli(steps, KEPT, (length, rows)).T[..., None]
        x = x * jax.random.bernoulli(mask, KEPT, (1, 1, 32)) / KEPT
        x = jax.lax.cond(jax.random.bernoulli(drop, np.float32(0.5)), lambda v: v,
                         lambda v: v + jnp.tanh(dense(v, p["layer"])), x)
        x = x.mean(1) + 0.1 * jax.random.normal(noise, (3, rows, 32), "float32").mean(0)
        return cross_entropy(dense(x, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, 9, 12), draw.classes(BATCH))


def recomputed(draw):
    """jax.checkpoint around all there is: a layer that draws, layers by several policies, and
    the loss."""
    width = 24
    policies = jax.checkpoint_policies
    ways = (None, policies.dots_saveable, policies.save_only_these_names("up"),
            policies.everything_saveable)
    params = {f"layer_{i}": {"norm": draw.norm(width), "up": draw.dense(width, 2 * width),
                             "down": draw.dense(2 * width, width)} for i in range(len(ways))}
    params |= {"in": draw.dense(12, width), "logits": draw.dense(width, CLASSES)}

    def layer(x, p):
        up = checkpoint_name(dense(layer_norm(x, p["norm"]), p["up"]), "up")
        return x + dense(jax.nn.gelu(up), p["down"])

    def loss(p, batch, key):
        x, labels = batch
        x = jax.checkpoint(lambda v, q: dropout(jnp.tanh(dense(v, q)), key))(x, p["in"])
        for i, policy in enumerate(ways):
            x = jax.checkpoint(layer, policy=policy)(x, p[f"layer_{i}"])
        head = jax.checkpoint(lambda v, q: cross_entropy(dense(v, q), labels),
                              policy=policies.everything_saveable)
        return jax.checkpoint(cross_entropy)(dense(x, p["logits"]), labels) + head(x, p["logits"])

    return loss, params, (draw.normal(BATCH, 12), draw.classes(BATCH))
