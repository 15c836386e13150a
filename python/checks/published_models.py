"""The models of published profiles in flax with dtype=bfloat16 and float32 parameters, as
podsim's own builders have them: ResNet-50 v1.5, BERT-large's pre-training, Transformer-big
and GPT-2 small, with the dropout of the published code; of GPT-2, of which no profile is
published, nothing is dropped. Each gives a loss, parameters of zeros, one example and
the examples of a core."""

from __future__ import annotations

from typing import Any, NamedTuple

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np

from bfloat16_models import Bottleneck

EPSILON = {"bert": 1e-12, "transformer": 1e-6, "gpt2": 1e-5}
DROPOUT = 0.1


def dropout(x, shared=()):
    return nn.Dropout(DROPOUT, broadcast_dims=shared, deterministic=False)(x)


class Published(NamedTuple):
    loss: Any
    params: Any
    state: Any
    example: Any
    rows: int
    zoo: str  # the name of podsim's own


class ResNet50(nn.Module):
    dtype: Any = jnp.bfloat16

    @nn.compact
    def __call__(self, x):
        kind = {"dtype": self.dtype, "param_dtype": jnp.float32}
        x = nn.Conv(64, (7, 7), (2, 2), use_bias=False, **kind)(x)
        x = nn.relu(nn.BatchNorm(use_running_average=False, **kind)(x))
        x = nn.max_pool(x, (3, 3), (2, 2), "SAME")
        for stage, depth in enumerate((3, 4, 6, 3)):
            for i in range(depth):
                x = Bottleneck(64 * 2 ** stage, 2 if stage > 0 and i == 0 else 1, **kind)(x)
        return nn.Dense(1000, **kind)(jnp.mean(x, (1, 2)))


class Attention(nn.Module):
    """Of what `x` looks for in `memory`; biases where `biased`. Along the dimensions `shared` of
    [batch, heads, to, from] the same shares are dropped."""

    heads: int
    biased: bool
    dtype: Any
    shared: tuple[int, ...] = ()
    drops: bool = True

    @nn.compact
    def __call__(self, x, memory, mask):
        width = x.shape[-1]
        kind = {"dtype": self.dtype, "param_dtype": jnp.float32, "use_bias": self.biased}

        def heads_of(name, values):
            y = nn.Dense(width, name=name, **kind)(values)
            return y.reshape(*y.shape[:-1], self.heads, width // self.heads)

        query = heads_of("query", x) / np.sqrt(width // self.heads).astype(self.dtype)
        scores = jnp.einsum("btnh,bsnh->bnts", query, heads_of("key", memory))
        scores = jnp.where(mask, scores, jnp.asarray(-1e9, scores.dtype))
        shares = nn.softmax(scores.astype(jnp.float32)).astype(self.dtype)
        shares = dropout(shares, self.shared) if self.drops else shares
        mixed = jnp.einsum("bnts,bsnh->btnh", shares, heads_of("value", memory))
        return nn.Dense(width, name="out", **kind)(mixed.reshape(x.shape))


class BertLarge(nn.Module):
    dtype: Any = jnp.bfloat16
    layers: int = 24
    width: int = 1024
    vocabulary: int = 30522

    @nn.compact
    def __call__(self, batch):
        kind = {"dtype": self.dtype, "param_dtype": jnp.float32}

        def norm(x):
            return nn.LayerNorm(epsilon=EPSILON["bert"], **kind)(x)
        table = nn.Embed(self.vocabulary, self.width, **kind)
        tokens = batch["input_ids"]
        x = table(tokens) + nn.Embed(2, self.width, **kind)(batch["segment_ids"])
        x = dropout(norm(x + nn.Embed(512, self.width, **kind)(jnp.arange(tokens.shape[1]))))
        mask = (batch["input_mask"] > 0)[:, None, None, :]
        for _ in range(self.layers):
            # The profile has random bits u32[16,512,512] for 32 examples.
            x = norm(x + dropout(Attention(16, True, self.dtype, (0,))(x, x, mask)))
            y = nn.gelu(nn.Dense(4 * self.width, **kind)(x))
            x = norm(x + dropout(nn.Dense(self.width, **kind)(y)))
        masked = jnp.take_along_axis(x, batch["masked_lm_positions"][:, :, None], axis=1)
        masked = norm(nn.gelu(nn.Dense(self.width, **kind)(masked)))
        bias = self.param("mlm_bias", nn.initializers.zeros, (self.vocabulary,), jnp.float32)
        pooled = nn.tanh(nn.Dense(self.width, **kind)(x[:, 0]))
        return table.attend(masked) + bias.astype(self.dtype), nn.Dense(2, **kind)(pooled)


class TransformerBig(nn.Module):
    dtype: Any = jnp.bfloat16
    layers: int = 6
    width: int = 1024
    vocabulary: int = 33708

    @nn.compact
    def __call__(self, inputs, targets):
        kind = {"dtype": self.dtype, "param_dtype": jnp.float32}

        def norm(x):
            return nn.LayerNorm(epsilon=EPSILON["transformer"], **kind)(x)

        def attended(x, memory, mask):
            query = norm(x)
            return x + dropout(Attention(16, False, self.dtype)(
                query, query if memory is None else memory, mask))

        def fed(x):
            y = dropout(nn.relu(nn.Dense(4 * self.width, **kind)(norm(x))))
            return x + dropout(nn.Dense(self.width, **kind)(y))

        table = nn.Embed(self.vocabulary, self.width, **kind)
        length = inputs.shape[1]
        places = sinusoids(length, self.width).astype(self.dtype)
        root = np.sqrt(self.width).astype(self.dtype)
        is_input = (inputs != 0)[:, None, None, :]
        causal = np.tril(np.ones((length, length), bool))[None, None]
        x = dropout(table(inputs) * root + places)
        for _ in range(self.layers):
            x = fed(attended(x, None, is_input))
        memory = norm(x)
        y = jnp.pad(table(targets) * root, ((0, 0), (1, 0), (0, 0)))[:, :-1]
        y = dropout(y + places)
        for _ in range(self.layers):
            y = fed(attended(attended(y, None, causal), memory, is_input))
        return table.attend(norm(y))


class Gpt2Small(nn.Module):
    dtype: Any = jnp.bfloat16
    layers: int = 12
    width: int = 768
    vocabulary: int = 50257

    @nn.compact
    def __call__(self, tokens):
        kind = {"dtype": self.dtype, "param_dtype": jnp.float32}

        def norm(x):
            return nn.LayerNorm(epsilon=EPSILON["gpt2"], **kind)(x)
        length = tokens.shape[1]
        table = nn.Embed(self.vocabulary, self.width, **kind)
        x = table(tokens) + nn.Embed(1024, self.width, **kind)(jnp.arange(length))
        causal = np.tril(np.ones((length, length), bool))[None, None]
        for _ in range(self.layers):
            seen = norm(x)
            x = x + Attention(12, True, self.dtype, drops=False)(seen, seen, causal)
            y = nn.gelu(nn.Dense(4 * self.width, **kind)(norm(x)))
            x = x + nn.Dense(self.width, **kind)(y)
        return table.attend(norm(x))


def sinusoids(length, width):
    """Sines and cosines of places, of wavelengths 2 pi to 2 pi 10^4."""
    scale = np.exp(-np.log(1e4) / (width // 2 - 1) * np.arange(width // 2))
    angles = np.arange(length)[:, None] * scale
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


KEYS = {"params": jax.random.key(0), "dropout": jax.random.key(1)}


def zeros(shapes):
    """Parameters of these shapes; nobody trains them."""
    return jax.tree_util.tree_map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes)


def chosen(log_p, labels):
    """Of each place the log of its label's probability. By comparison with every class, as the
    published programs have it: their products read the labels (v3_ops.tsv.gz), where an index
    would scatter into an array as large as the logits."""
    return (jax.nn.one_hot(labels, log_p.shape[-1]) * log_p).sum(axis=-1)


def mean_of_tokens(losses, weights):
    """Of each example the mean over its tokens of weight above 0, then the mean."""
    return ((losses * weights).sum(1) / jnp.maximum(weights.sum(1), 1e-5)).mean()


def resnet50():
    net = ResNet50()
    images = np.zeros((128, 224, 224, 3), jnp.bfloat16)
    shapes = jax.eval_shape(net.init, jax.random.key(0), images)

    def loss(params, stats, batch):
        images, labels = batch
        logits, seen = net.apply({"params": params, **stats}, images.astype(jnp.bfloat16),
                                 mutable=["batch_stats"])
        log_p = nn.log_softmax(logits.astype(jnp.float32))
        return -chosen(log_p, labels).mean(), seen
    return Published(loss, zeros(shapes["params"]), {"batch_stats": zeros(shapes["batch_stats"])},
                     (np.zeros((224, 224, 3), np.float32), np.int32(0)), 128, "resnet50")


def bert_large():
    net = BertLarge()
    length, masked = 512, 76
    example = {"input_ids": np.zeros(length, np.int32), "input_mask": np.ones(length, np.int32),
               "segment_ids": np.zeros(length, np.int32),
               "masked_lm_positions": np.zeros(masked, np.int32),
               "masked_lm_ids": np.zeros(masked, np.int32),
               "masked_lm_weights": np.ones(masked, np.float32),
               "next_sentence_labels": np.int32(0)}
    batch = {name: np.asarray(value)[None] for name, value in example.items()}
    shapes = jax.eval_shape(net.init, KEYS, batch)

    def loss(params, batch, key):
        masked, following = net.apply({"params": params}, batch, rngs={"dropout": key})
        log_p = nn.log_softmax(masked.astype(jnp.float32))
        xent = -chosen(log_p, batch["masked_lm_ids"])
        log_p = nn.log_softmax(following.astype(jnp.float32))
        return (mean_of_tokens(xent, batch["masked_lm_weights"])
                - chosen(log_p, batch["next_sentence_labels"]).mean())
    return Published(loss, zeros(shapes["params"]), None, example, 32, "bert_large")


def transformer_big():
    net = TransformerBig()
    example = {"inputs": np.zeros(256, np.int32), "targets": np.zeros(256, np.int32)}
    tokens = np.zeros((1, 256), np.int32)
    shapes = jax.eval_shape(net.init, KEYS, tokens, tokens)

    def loss(params, batch, key):
        logits = net.apply({"params": params}, batch["inputs"], batch["targets"],
                           rngs={"dropout": key})
        log_p = nn.log_softmax(logits.astype(jnp.float32))
        target = chosen(log_p, batch["targets"])
        xent = -0.9 * target - 0.1 * log_p.mean(axis=2)
        return mean_of_tokens(xent, (batch["targets"] != 0).astype(jnp.float32))
    return Published(loss, zeros(shapes["params"]), None, example, 16, "transformer_big")


def gpt2_small():
    net = Gpt2Small()
    example = {"tokens": np.zeros(1024, np.int32), "targets": np.zeros(1024, np.int32)}
    shapes = jax.eval_shape(net.init, KEYS, np.zeros((1, 1024), np.int32))

    def loss(params, batch):
        logits = net.apply({"params": params}, batch["tokens"])
        log_p = nn.log_softmax(logits.astype(jnp.float32))
        return -chosen(log_p, batch["targets"]).mean()
    return Published(loss, zeros(shapes["params"]), None, example, 8, "gpt2_small")


MODELS = {"resnet50": resnet50, "bert_large": bert_large, "transformer_big": transformer_big,
          "gpt2_small": gpt2_small}
