"""Loss functions of models that see images."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from layers import (BATCH, CLASSES, batch_norm, block, conv, cross_entropy,
                    dense, draw_block, layer_norm, max_pool)


def lenet(draw):
    params = {"conv_1": draw.conv(5, 1, 6), "conv_2": draw.conv(5, 6, 16),
              "dense": draw.dense(7 * 7 * 16, 84), "logits": draw.dense(84, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        x = max_pool(jnp.tanh(conv(x, p["conv_1"])))
        x = max_pool(jnp.tanh(conv(x, p["conv_2"])))
        x = jnp.tanh(dense(x.reshape(x.shape[0], -1), p["dense"]))
        return cross_entropy(dense(x, p["logits"]), labels)

    return loss, params, draw.images(28, 1)


def _draw_residual(draw, inputs, outputs, bottleneck):
    width = outputs // 4 if bottleneck else outputs
    sizes = ([(1, inputs, width), (3, width, width), (1, width, outputs)]
             if bottleneck else [(3, inputs, width), (3, width, outputs)])
    params = {f"conv_{i}": draw.conv(*size) for i, size in enumerate(sizes)}
    params |= {f"norm_{i}": draw.norm(size[2]) for i, size in enumerate(sizes)}
    if inputs != outputs:
        params["shortcut"] = draw.conv(1, inputs, outputs)
        params["shortcut_norm"] = draw.norm(outputs)
    return params


def _residual(x, p, stride):
    y = x
    count = sum(name.startswith("conv_") for name in p)
    strided = 1 if count == 3 else 0
    for i in range(count):
        y = conv(y, p[f"conv_{i}"], stride if i == strided else 1)
        y = batch_norm(y, p[f"norm_{i}"])
        if i + 1 < count:
            y = jax.nn.relu(y)
    if "shortcut" in p:
        x = batch_norm(conv(x, p["shortcut"], stride), p["shortcut_norm"])
    return jax.nn.relu(x + y)


def _resnet(draw, depths, bottleneck, width):
    params = {"stem": draw.conv(7, 3, width), "stem_norm": draw.norm(width)}
    inputs = width
    for stage, depth in enumerate(depths):
        outputs = width * 2 ** stage * (4 if bottleneck else 1)
        for i in range(depth):
            params[f"block_{stage}_{i}"] = _draw_residual(draw, inputs, outputs, bottleneck)
            inputs = outputs
    params["logits"] = draw.dense(inputs, CLASSES)

    def loss(p, batch):
        x, labels = batch
        x = jax.nn.relu(batch_norm(conv(x, p["stem"], 2), p["stem_norm"]))
        x = max_pool(x, 3, 2, "SAME")
        for stage, depth in enumerate(depths):
            for i in range(depth):
                stride = 2 if stage > 0 and i == 0 else 1
                x = _residual(x, p[f"block_{stage}_{i}"], stride)
        return cross_entropy(dense(x.mean((1, 2)), p["logits"]), labels)

    return loss, params, draw.images(64, 3)


def resnet_18(draw):
    return _resnet(draw, (2, 2, 2, 2), False, 64)


def resnet_50(draw):
    return _resnet(draw, (3, 4, 6, 3), True, 64)


def vgg_block(draw):
    params = {"conv_1": draw.conv(3, 3, 16), "conv_2": draw.conv(3, 16, 16),
              "dense": draw.dense(16 * 16 * 16, 32), "logits": draw.dense(32, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        x = jax.nn.relu(conv(x, p["conv_1"]))
        x = max_pool(jax.nn.relu(conv(x, p["conv_2"])))
        x = jax.nn.relu(dense(x.reshape(x.shape[0], -1), p["dense"]))
        return cross_entropy(dense(x, p["logits"]), labels)

    return loss, params, draw.images(32, 3)


def mlp_mixer(draw):
    width, patches = 32, 16
    params = {"patch": draw.conv(8, 3, width), "logits": draw.dense(width, CLASSES)}
    for i in range(2):
        params[f"block_{i}"] = {
            "norm_1": draw.norm(width), "norm_2": draw.norm(width),
            "tokens_up": draw.dense(patches, 24), "tokens_down": draw.dense(24, patches),
            "up": draw.dense(width, 64), "down": draw.dense(64, width)}

    def loss(p, batch):
        x, labels = batch
        x = conv(x, p["patch"], 8, padding="VALID")
        x = x.reshape(x.shape[0], patches, width)
        for i in range(2):
            b = p[f"block_{i}"]
            y = layer_norm(x, b["norm_1"]).transpose(0, 2, 1)
            y = dense(jax.nn.gelu(dense(y, b["tokens_up"])), b["tokens_down"])
            x = x + y.transpose(0, 2, 1)
            y = jax.nn.gelu(dense(layer_norm(x, b["norm_2"]), b["up"]))
            x = x + dense(y, b["down"])
        return cross_entropy(dense(x.mean(1), p["logits"]), labels)

    return loss, params, draw.images(32, 3)


def vit_tiny(draw):
    width = 48
    params = {"patch": draw.conv(8, 3, width), "class": draw.normal(1, 1, width),
              "positions": 0.1 * draw.normal(17, width), "norm": draw.norm(width),
              "logits": draw.dense(width, CLASSES)}
    params |= {f"block_{i}": draw_block(draw, width) for i in range(2)}

    def loss(p, batch):
        x, labels = batch
        x = conv(x, p["patch"], 8, padding="VALID").reshape(x.shape[0], 16, width)
        first = jnp.broadcast_to(p["class"], (x.shape[0], 1, width))
        x = jnp.concatenate([first, x], 1) + p["positions"]
        for i in range(2):
            x = block(x, p[f"block_{i}"], 3)
        return cross_entropy(dense(layer_norm(x, p["norm"])[:, 0], p["logits"]), labels)

    return loss, params, draw.images(32, 3)


def unet_small(draw):
    params = {"down_1": draw.conv(3, 3, 8), "down_2": draw.conv(3, 8, 16),
              "middle": draw.conv(3, 16, 16), "up_2": draw.conv(3, 32, 8),
              "up_1": draw.conv(3, 16, 8), "out": draw.conv(1, 8, 1)}

    def up(x):
        return jax.image.resize(x, (x.shape[0], 2 * x.shape[1], 2 * x.shape[2], x.shape[3]),
                                "nearest")

    def loss(p, batch):
        image, mask = batch
        a = jax.nn.relu(conv(image, p["down_1"]))
        b = jax.nn.relu(conv(max_pool(a), p["down_2"]))
        c = jax.nn.relu(conv(max_pool(b), p["middle"]))
        x = jax.nn.relu(conv(jnp.concatenate([up(c), b], -1), p["up_2"]))
        x = jax.nn.relu(conv(jnp.concatenate([up(x), a], -1), p["up_1"]))
        logits = conv(x, p["out"])
        return jnp.mean(jax.nn.softplus(logits) - mask * logits)

    mask = draw.classes(BATCH, 32, 32, 1, classes=2).astype(np.float32)
    return loss, params, (draw.normal(BATCH, 32, 32, 3), mask)


def separable_block(draw):
    params = {"depth": draw.weight(3, 3, 1, 16), "point": draw.conv(1, 16, 24),
              "norm_1": draw.norm(16), "norm_2": draw.norm(24),
              "logits": draw.dense(24, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        x = jax.nn.relu6(batch_norm(conv(x, p["depth"], groups=16), p["norm_1"]))
        x = jax.nn.relu6(batch_norm(conv(x, p["point"], 2), p["norm_2"]))
        return cross_entropy(dense(x.mean((1, 2)), p["logits"]), labels)

    return loss, params, draw.images(16, 16)
