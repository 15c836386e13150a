"""Loss functions as people write them, small enough to be computed here.

FUNCTIONS: name -> function of a numpy generator that returns (loss_fn, params,
batch); the batch has 8 examples."""

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


def mlp(draw):
    params = {"dense_0": draw.dense(64, 48), "dense_1": draw.dense(48, 32),
              "logits": draw.dense(32, CLASSES)}

    def loss(p, batch):
        x, labels = batch
        x = jax.nn.relu(dense(x, p["dense_0"]))
        x = jax.nn.relu(dense(x, p["dense_1"]))
        return cross_entropy(dense(x, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, 64), draw.classes(BATCH))


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


def gpt_nano(draw):
    vocabulary, length, width = 65, 32, 48
    params = {"tokens": draw.normal(vocabulary, width),
              "positions": 0.1 * draw.normal(length, width), "norm": draw.norm(width)}
    params |= {f"block_{i}": draw_block(draw, width) for i in range(3)}

    def loss(p, batch):
        x = p["tokens"][batch["tokens"]] + p["positions"]
        for i in range(3):
            x = block(x, p[f"block_{i}"], 3, causal=True)
        logits = layer_norm(x, p["norm"]) @ p["tokens"].T
        return cross_entropy(logits, batch["targets"])

    batch = {"tokens": draw.classes(BATCH, length, classes=vocabulary),
             "targets": draw.classes(BATCH, length, classes=vocabulary)}
    return loss, params, batch


def bert_layer(draw):
    width, length = 64, 24
    params = {"block": draw_block(draw, width), "pool": draw.dense(width, width),
              "logits": draw.dense(width, 2)}

    def loss(p, batch):
        x = batch["embeddings"]
        b = p["block"]
        parts = (x @ b["attention"]["qkv"]).reshape(*x.shape[:2], 3, 4, width // 4)
        q, k, v = (parts[:, :, i] for i in range(3))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width // 4)
        scores = scores + (1 - batch["mask"])[:, None, None, :] * -1e9
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
        x = layer_norm(x + mixed.reshape(x.shape) @ b["attention"]["out"], b["norm_1"])
        y = dense(jax.nn.gelu(dense(x, b["up"]), approximate=False), b["down"])
        x = layer_norm(x + y, b["norm_2"])
        return cross_entropy(dense(jnp.tanh(dense(x[:, 0], p["pool"])), p["logits"]),
                             batch["labels"])

    mask = (np.arange(length) < draw.classes(BATCH, 1, classes=length) + 1)
    batch = {"embeddings": draw.normal(BATCH, length, width),
             "mask": mask.astype(np.float32), "labels": draw.classes(BATCH, classes=2)}
    return loss, params, batch


def lstm(draw):
    inputs, width, length = 12, 24, 28
    params = {"x": draw.weight(inputs, 4 * width), "h": draw.weight(width, 4 * width),
              "bias": 0.1 * draw.normal(4 * width), "logits": draw.dense(width, CLASSES)}

    def loss(p, batch):
        x, labels = batch

        def step(state, x_t):
            h, c = state
            i, f, g, o = jnp.split(x_t @ p["x"] + h @ p["h"] + p["bias"], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((x.shape[0], width))
        _, hidden = jax.lax.scan(step, (zeros, zeros), x.transpose(1, 0, 2))
        return cross_entropy(dense(hidden.mean(0), p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, length, inputs), draw.classes(BATCH))


def gru(draw):
    inputs, width, length = 12, 24, 28
    params = {"x": draw.weight(inputs, 3 * width), "h": draw.weight(width, 3 * width),
              "bias": 0.1 * draw.normal(3 * width), "logits": draw.dense(width, CLASSES)}

    def loss(p, batch):
        x, labels = batch

        def step(h, x_t):
            from_x = x_t @ p["x"] + p["bias"]
            from_h = h @ p["h"]
            r = jax.nn.sigmoid(from_x[:, :width] + from_h[:, :width])
            z = jax.nn.sigmoid(from_x[:, width:2 * width] + from_h[:, width:2 * width])
            n = jnp.tanh(from_x[:, 2 * width:] + r * from_h[:, 2 * width:])
            return (1 - z) * n + z * h, None

        last, _ = jax.lax.scan(step, jnp.zeros((x.shape[0], width)), x.transpose(1, 0, 2))
        return cross_entropy(dense(last, p["logits"]), labels)

    return loss, params, (draw.normal(BATCH, length, inputs), draw.classes(BATCH))


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


def bag_of_words(draw):
    vocabulary, length = 200, 12
    params = {"embedding": draw.normal(vocabulary, 16), "logits": draw.dense(16, 4)}

    def loss(p, batch):
        mean = jnp.take(p["embedding"], batch["words"], axis=0).mean(1)
        return cross_entropy(dense(mean, p["logits"]), batch["labels"])

    return loss, params, {"words": draw.classes(BATCH, length, classes=vocabulary),
                          "labels": draw.classes(BATCH, classes=4)}


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


FUNCTIONS = {function.__name__: function for function in (
    mlp, lenet, resnet_18, resnet_50, vgg_block, mlp_mixer, vit_tiny, gpt_nano,
    bert_layer, lstm, gru, unet_small, separable_block, bag_of_words,
    logistic_regression, custom_rules, places, orders, masked_labels)}
