"""The models of training.py: MODELS, name -> function of a layers.Draw."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np

import bfloat16_models
import drawing_models
import image_models
import layers
import odd_models
import sequence_models
from drawing_models import dropout

GLOBAL = 64


@dataclasses.dataclass(frozen=True)
class Model:
    """A loss function as podsim.train takes it, and what it is called with."""

    loss: Callable[..., Any]
    params: Any
    batch: Any  # the data set: one global batch
    rule: str
    state: Any = None  # with one, loss takes it and returns (loss, new state)
    draws: bool = False  # loss takes a key
    slices: tuple[str, ...] = ("v3-8", "v3-32")


def _images(draw):
    return draw.normal(GLOBAL, 28, 28, 1), draw.classes(GLOBAL)


def _text(draw):
    tokens = draw.classes(GLOBAL, 33, classes=65)
    return {"tokens": tokens[:, :-1], "targets": tokens[:, 1:]}


def mlp(draw):
    loss, params, _ = odd_models.mlp(draw)
    return Model(loss, params, (draw.normal(GLOBAL, 64), draw.classes(GLOBAL)), "adamw")


def lenet(draw):
    loss, params, _ = image_models.lenet(draw)
    return Model(loss, params, _images(draw), "momentum")


def gru(draw):
    loss, params, _ = sequence_models.gru(draw)
    return Model(loss, params, (draw.normal(GLOBAL, 28, 12), draw.classes(GLOBAL)), "adam")


def gpt_nano(draw):
    loss, params, _ = sequence_models.gpt_nano(draw)
    return Model(loss, params, _text(draw), "adamw")


def _batch_norm(x, p, state):
    mean = x.mean((0, 1, 2))
    variance = ((x - mean) ** 2).mean((0, 1, 2))
    seen = {"mean": mean, "variance": variance}
    moved = jax.tree_util.tree_map(lambda old, new: 0.9 * old + 0.1 * new, state, seen)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * p["scale"] + p["bias"], moved


def conv_norm(draw):
    """Two convolutions, each with a batch norm that keeps moving averages."""
    widths = (1, 8, 16)
    params = {"logits": draw.dense(16, layers.CLASSES)}
    state = {}
    for i in (1, 2):
        params[f"conv_{i}"] = draw.conv(3, widths[i - 1], widths[i])
        params[f"norm_{i}"] = draw.norm(widths[i])
        state[f"norm_{i}"] = {"mean": np.zeros(widths[i], np.float32),
                              "variance": np.ones(widths[i], np.float32)}

    def loss(p, state, batch):
        x, labels = batch
        moved = {}
        for i in (1, 2):
            x = layers.conv(x, p[f"conv_{i}"])
            x, moved[f"norm_{i}"] = _batch_norm(x, p[f"norm_{i}"], state[f"norm_{i}"])
            x = layers.max_pool(jax.nn.relu(x))
        logits = layers.dense(x.mean((1, 2)), p["logits"])
        return layers.cross_entropy(logits, labels), moved

    return Model(loss, params, _images(draw), "momentum", state)


def gpt_dropout(draw):
    """A block of a GPT with dropout behind the embedding and in the MLP."""
    width = 48
    params = {"tokens": draw.normal(65, width), "positions": 0.1 * draw.normal(32, width),
              "block": layers.draw_block(draw, width), "norm": draw.norm(width)}

    def loss(p, batch, key):
        first, second = jax.random.split(key)
        x = dropout(p["tokens"][batch["tokens"]] + p["positions"], first)
        b = p["block"]
        y = layers.layer_norm(x, b["norm_1"])
        x = x + layers.attention(y, b["attention"], 3, causal=True)
        y = jax.nn.gelu(layers.dense(layers.layer_norm(x, b["norm_2"]), b["up"]))
        x = x + layers.dense(dropout(y, second), b["down"])
        logits = layers.layer_norm(x, p["norm"]) @ p["tokens"].T
        return layers.cross_entropy(logits, batch["targets"])

    return Model(loss, params, _text(draw), "adamw", draws=True)


def target_net(draw):
    """An average of the weights, called as they are, whose start a counter makes up for."""
    params = {"dense": draw.dense(16, 24), "logits": draw.dense(24, layers.CLASSES)}
    state = {"dense": jax.tree_util.tree_map(np.zeros_like, params["dense"]),
             "steps": np.int32(0)}

    def loss(p, state, batch):
        x, labels = batch
        steps = state["steps"] + 1
        average = jax.tree_util.tree_map(lambda old, new: 0.9 * old + 0.1 * new,
                                         state["dense"], p["dense"])
        true = jax.tree_util.tree_map(lambda a: a / (1 - 0.9 ** steps), average)
        h = jnp.tanh(layers.dense(x, p["dense"]))
        target = jnp.tanh(layers.dense(x[:, ::-1], jax.lax.stop_gradient(true)))
        value = layers.cross_entropy(layers.dense(h, p["logits"]), labels)
        return value + ((h - target) ** 2).mean(), {"dense": average, "steps": steps}

    return Model(loss, params, (draw.normal(GLOBAL, 16), draw.classes(GLOBAL)), "adam", state)


def own_keys(draw):
    loss, params, _ = drawing_models.own_keys(draw)
    return Model(loss, params, (draw.normal(GLOBAL, 32), draw.classes(GLOBAL)), "adamw",
                 draws=True)


def shared_draws(draw):
    loss, params, _ = drawing_models.shared_draws(draw)
    return Model(loss, params, (draw.normal(GLOBAL, 9, 12), draw.classes(GLOBAL)), "momentum",
                 draws=True)


def weighted(draw):
    """A mean by weights, of which most are 0, so that all of some cores are, and one by a
    mask; and numbers that are normalized over the batch."""
    loss, params, _ = odd_models.mlp(draw)
    x, labels = draw.normal(GLOBAL, 64), draw.classes(GLOBAL)
    heavy = np.arange(GLOBAL) % 5 == 0
    weights = (np.abs(draw.normal(GLOBAL)) * heavy).astype(np.float32)

    def mixed(p, batch):
        x, labels, weights, gain = batch
        each = jax.vmap(lambda a, b: loss(p, (a[None], b[None])))(x, labels)
        mask = weights > 0.3
        gain = (gain - gain.mean()) / (gain.std() + 1e-6)
        return (jnp.sum(weights * each) / jnp.sum(weights)
                + jnp.sum(mask * each) / jnp.maximum(mask.sum(), 1) + 0.1 * jnp.mean(gain * each))

    return Model(mixed, params, (x, labels, weights, draw.normal(GLOBAL)), "momentum")


def bfloat16_resnet_50(draw):
    """flax's, of 64x64. With two examples a core its last batch norms would see eight
    numbers."""
    net = bfloat16_models.ResNet((3, 4, 6, 3), 64)
    x, labels = draw.normal(GLOBAL, 64, 64, 3), draw.classes(GLOBAL)
    shapes = jax.eval_shape(net.init, jax.random.key(0), x)
    stats = jax.tree_util.tree_map_with_path(
        lambda path, leaf: np.full(leaf.shape, path[-1].key == "var", np.float32),
        shapes["batch_stats"])
    return Model(bfloat16_models.resnet_loss(net), bfloat16_models.drawn(draw, shapes["params"]),
                 (x, labels), "momentum", {"batch_stats": stats}, slices=("v3-8",))


def bfloat16_bert_tiny(draw):
    """Two layers of 128, two heads (google-research/bert, BERT-Tiny), 64 tokens."""
    net = bfloat16_models.Bert(2, 128, 2, 1000)
    tokens = draw.classes(GLOBAL, 64, classes=1000)
    shapes = jax.eval_shape(net.init, jax.random.key(0), tokens)["params"]
    return Model(bfloat16_models.bert_loss(net), bfloat16_models.drawn(draw, shapes),
                 (tokens, draw.classes(GLOBAL)), "adamw")


MODELS = {function.__name__: function for function in (
    mlp, lenet, gru, gpt_nano, conv_norm, gpt_dropout, own_keys,
    shared_draws, target_net, weighted, bfloat16_resnet_50, bfloat16_bert_tiny)}
