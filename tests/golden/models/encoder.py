"""A transformer encoder over an image's 64 pixels as tokens, 17 grey levels.

Two layers of width 32, 4 heads, 64 hidden units; layer norms before attention
and before the dense layers, and behind the last one [Xiong et al., On layer
normalization in the transformer architecture, 2020]; the mean over the tokens
is classified. GELU is tanh's approximation [Hendrycks and Gimpel, Gaussian
error linear units, 2016]. No dropout.

Keys have no bias: softmax does not see what all keys have in common, so its
gradient is 0 but for rounding, which Adam would make steps of full size from.
"""

import jax
import jax.numpy as jnp

from models.model import (Model, Variable, cross_entropy, dense,
                          dense_variables)

TOKENS, LEVELS = 64, 17
WIDTH, HEADS, HIDDEN, LAYERS = 32, 4, 64, 2
EPSILON = 1e-5


def norm(weights, name, x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True)
    x = (x - mean) * jax.lax.rsqrt(variance + EPSILON)
    return x * weights[f"{name}/scale"] + weights[f"{name}/bias"]


def split(x):
    """[B, tokens, width] -> [B, tokens, heads, width / heads]"""
    return x.reshape(*x.shape[:2], HEADS, WIDTH // HEADS)


def attention(weights, name, x):
    query = split(dense(weights, f"{name}/query", x))
    key = split(x @ weights[f"{name}/key/kernel"])
    value = split(dense(weights, f"{name}/value", x))
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key)
    shares = jax.nn.softmax(scores * (WIDTH // HEADS) ** -0.5, axis=-1)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", shares, value)
    return dense(weights, f"{name}/out", mixed.reshape(x.shape))


def loss(weights, inputs):
    x = weights["embed/tokens"][inputs["tokens"]] + weights["embed/positions"]
    for layer in range(LAYERS):
        name = f"layer_{layer}"
        x = x + attention(weights, f"{name}/attention",
                          norm(weights, f"{name}/norm_0", x))
        y = dense(weights, f"{name}/dense_0",
                  norm(weights, f"{name}/norm_1", x))
        x = x + dense(weights, f"{name}/dense_1",
                      jax.nn.gelu(y, approximate=True))
    x = jnp.mean(norm(weights, "norm", x), axis=1)
    return cross_entropy(dense(weights, "head", x), inputs["labels"])


def norm_variables(name):
    return {f"{name}/scale": Variable((WIDTH,), 2**-3, centre=1.0),
            f"{name}/bias": Variable((WIDTH,), 2**-4)}


def layer_variables(name):
    return (norm_variables(f"{name}/norm_0")
            | dense_variables(f"{name}/attention/query", WIDTH, WIDTH, 2**-2)
            | {f"{name}/attention/key/kernel": Variable((WIDTH, WIDTH), 2**-2)}
            | dense_variables(f"{name}/attention/value", WIDTH, WIDTH, 2**-2)
            | dense_variables(f"{name}/attention/out", WIDTH, WIDTH, 2**-2)
            | norm_variables(f"{name}/norm_1")
            | dense_variables(f"{name}/dense_0", WIDTH, HIDDEN, 2**-2)
            | dense_variables(f"{name}/dense_1", HIDDEN, WIDTH, 2**-3))


MODEL = Model(
    name="encoder",
    config={"name": "encoder", "example_shape": [TOKENS], "classes": 10},
    inputs=("tokens", "labels"),
    variables={"embed/tokens": Variable((LEVELS, WIDTH), 2**-1),
               "embed/positions": Variable((TOKENS, WIDTH), 2**-1)}
    | layer_variables("layer_0") | layer_variables("layer_1")
    | norm_variables("norm")
    | dense_variables("head", WIDTH, 10, 2**-2),
    loss=loss,
    most_elements=384)
