"""Models whose steps are forecast before their published times are read, as published_models.py
has those of published profiles: no weights, no times. Written from the published shapes:

- haiku_resnet50_v2: ResNet-50 v2 of haiku's examples/imagenet (pre-activation, the stride in the
  3x3 convolution), 224x224, 256 images a core. Compute and batch norm's statistics in bfloat16,
  label smoothing 0.1, L2 of the kernels in the loss.
- vit_s16: ViT-S/16 of big_vision's configuration vit_s16_i1k (196 tokens, fixed positions, mean
  pool, a tanh layer before the classes), 224x224, 128 images a core, float32 arrays.
- llama_164m, llama_159m: decoders of 8 layers of 1,024 with 4 or 3 query heads and one key head of
  256, SwiGLU of 3,072, 32,768 tokens, 4 sequences of 2,048. All is bfloat16 but the weights that
  the optimizer has, which podsim keeps in float32. Attention is plain and causal, where the
  published runs have a splash kernel."""

from __future__ import annotations

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax

from published_models import Published, zeros

CLASSES = 1000
L2 = 1e-4
SMOOTHING = 0.1
SIDE = 224
HALF = {"dtype": jnp.bfloat16, "param_dtype": jnp.float32}
HEAD = 256  # a decoder's
SOFT_CAP = 15.0


def norm_in_half(x):
    return nn.relu(nn.BatchNorm(use_running_average=False, force_float32_reductions=False,
                                **HALF)(x))


class BlockV2(nn.Module):
    channels: int
    stride: int
    projects: bool

    @nn.compact
    def __call__(self, x):
        inner, strides = self.channels // 4, (self.stride, self.stride)
        y = norm_in_half(x)
        shortcut = x if not self.projects else nn.Conv(
            self.channels, (1, 1), strides, use_bias=False, **HALF)(y)
        y = nn.Conv(inner, (1, 1), use_bias=False, **HALF)(y)
        y = nn.Conv(inner, (3, 3), strides, use_bias=False, **HALF)(norm_in_half(y))
        return shortcut + nn.Conv(self.channels, (1, 1), use_bias=False, **HALF)(norm_in_half(y))


class ResNet50V2(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.Conv(64, (7, 7), (2, 2), use_bias=False, **HALF)(x)
        x = nn.max_pool(x, (3, 3), (2, 2), "SAME")
        for stage, depth in enumerate((3, 4, 6, 3)):
            for i in range(depth):
                stride = 2 if stage > 0 and i == 0 else 1
                x = BlockV2(256 * 2 ** stage, stride, i == 0)(x)
        return nn.Dense(CLASSES, **HALF)(jnp.mean(norm_in_half(x), (1, 2)))


def places_of_grid(side, width):
    """Sines and cosines of a token's column and row, big_vision's sincos2d."""
    rows, columns = np.mgrid[:side, :side].astype(np.float32)
    scale = 1e4 ** -(jnp.arange(width // 4) / (width // 4 - 1))
    angles = [place.reshape(-1, 1) * scale for place in (columns, rows)]
    return jnp.concatenate([f(angle) for angle in angles for f in (jnp.sin, jnp.cos)], axis=1)


class VitS16(nn.Module):
    layers: int = 12
    width: int = 384
    heads: int = 6

    @nn.compact
    def __call__(self, images):
        x = nn.Conv(self.width, (16, 16), (16, 16), "VALID")(images)
        x = x.reshape(x.shape[0], -1, self.width) + places_of_grid(SIDE // 16, self.width)
        for _ in range(self.layers):
            y = nn.LayerNorm()(x)
            x = x + nn.MultiHeadDotProductAttention(self.heads, deterministic=True)(y, y)
            y = nn.gelu(nn.Dense(4 * self.width)(nn.LayerNorm()(x)))
            x = x + nn.Dense(self.width)(y)
        x = jnp.tanh(nn.Dense(self.width)(nn.LayerNorm()(x).mean(axis=1)))
        return nn.Dense(CLASSES)(x)


def rms_norm(x):
    return nn.RMSNorm(use_scale=False, epsilon=1e-6, dtype=jnp.bfloat16)(x)


def rotated(x):
    """RoPE of [batch, tokens, heads, HEAD]: its halves are turned by the token's place."""
    scale = 1e4 ** -(jnp.arange(HEAD // 2) / (HEAD // 2))
    angles = jnp.arange(x.shape[1])[:, None] * scale
    cos, sin = (f(angles)[:, None].astype(x.dtype) for f in (jnp.cos, jnp.sin))
    first, second = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)


def causal_attention(query, key, value):
    """Of [batch, tokens, heads, HEAD]; all heads of `query` share the one key and value."""
    places = jnp.arange(query.shape[1])
    scores = jnp.einsum("btnh,bsh->bnts", query * HEAD ** -0.5, key[:, :, 0])
    scores = jnp.where(places[:, None] >= places, scores, jnp.asarray(-1e9, scores.dtype))
    shares = nn.softmax(scores.astype(jnp.float32)).astype(scores.dtype)
    return jnp.einsum("bnts,bsh->btnh", shares, value[:, :, 0])


class Llama(nn.Module):
    heads: int
    layers: int = 8
    width: int = 1024
    inner: int = 3072
    vocabulary: int = 32768

    @nn.compact
    def __call__(self, tokens):
        def dense(width, x):
            return nn.Dense(width, use_bias=False, **HALF)(x)

        def heads_of(count, x):
            return dense(count * HEAD, x).reshape(*x.shape[:-1], count, HEAD)
        x = nn.Embed(self.vocabulary, self.width, **HALF)(tokens)
        for _ in range(self.layers):
            y = rms_norm(x)
            query = rotated(rms_norm(heads_of(self.heads, y)))
            mixed = causal_attention(query, rotated(rms_norm(heads_of(1, y))), heads_of(1, y))
            x = x + dense(self.width, mixed.reshape(*x.shape[:-1], self.heads * HEAD))
            y = rms_norm(x)
            x = x + dense(self.width, nn.silu(dense(self.inner, y)) * dense(self.inner, y))
        return SOFT_CAP * jnp.tanh(dense(self.vocabulary, rms_norm(x)) / SOFT_CAP)


def haiku_resnet50_v2():
    net = ResNet50V2()
    shapes = jax.eval_shape(net.init, jax.random.key(0),
                            np.zeros((2, SIDE, SIDE, 3), jnp.bfloat16))

    def loss(params, stats, batch):
        images, labels = batch
        logits, seen = net.apply({"params": params, **stats}, images.astype(jnp.bfloat16),
                                 mutable=["batch_stats"])
        smooth = optax.smooth_labels(jax.nn.one_hot(labels, CLASSES), SMOOTHING)
        kernels = [leaf for leaf in jax.tree_util.tree_leaves(params) if leaf.ndim > 1]
        decay = 0.5 * L2 * sum(jnp.sum(jnp.square(kernel)) for kernel in kernels)
        return optax.softmax_cross_entropy(logits.astype(jnp.float32), smooth).mean() + decay, seen
    return Published(loss, zeros(shapes["params"]), {"batch_stats": zeros(shapes["batch_stats"])},
                     (np.zeros((SIDE, SIDE, 3), np.float32), np.int32(0)), 256, "")


def vit_s16():
    net = VitS16()
    image, labels = np.zeros((SIDE, SIDE, 3), np.float32), np.zeros(CLASSES, np.float32)
    shapes = jax.eval_shape(net.init, jax.random.key(0), image[None])

    def loss(params, batch):
        images, labels, share = batch
        images = mixed(images, share[:, None, None, None])
        logits = net.apply({"params": params}, images)
        return optax.softmax_cross_entropy(logits, mixed(labels, share[:, None])).mean()
    return Published(loss, zeros(shapes["params"]), None, (image, labels, np.float32(1)), 128, "")


def mixed(values, share):
    """Mixup, with the example's own values reversed for those of its neighbour in the batch: no
    example may read another here, and as many bytes are read."""
    return share * values + (1 - share) * values[:, ::-1]


def llama(heads):
    net = Llama(heads)
    tokens = np.zeros(2048, np.int32)
    shapes = jax.eval_shape(net.init, jax.random.key(0), tokens[None])

    def loss(params, batch):
        tokens, targets = batch
        half = jax.tree_util.tree_map(lambda leaf: leaf.astype(jnp.bfloat16), params)
        losses = optax.softmax_cross_entropy_with_integer_labels(
            net.apply({"params": half}, tokens), targets)
        return losses.astype(jnp.float32).mean()
    return Published(loss, zeros(shapes["params"]), None, (tokens, tokens), 4, "")


MODELS = {"haiku_resnet50_v2": haiku_resnet50_v2, "vit_s16": vit_s16,
          "llama_164m": lambda: llama(4), "llama_159m": lambda: llama(3)}
