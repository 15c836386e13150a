"""LeNet-5 for 8x8 images in a frame of zeros, 4 wide: 16x16, NHWC.

Tanh and mean pooling, as in the original [LeCun et al., Gradient-based learning
applied to document recognition, 1998, section II.B], without its trained
subsampling and sparse connections. Smooth: with relu and max pooling some of
the millions of sums and windows of 20 steps always lie within float32's noise
of a kink, and two right programs differ by what a flip there does.
"""

import jax
import jax.numpy as jnp

from models.model import (Model, Variable, cross_entropy, dense,
                          dense_variables)

FRAME = 4


def convolution(weights, name, x):
    """5x5, stride 1, as large as its input (SAME: 2 zeros on each side)."""
    y = jax.lax.conv_general_dilated(
        x, weights[f"{name}/kernel"], window_strides=(1, 1), padding="SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return y + weights[f"{name}/bias"]


def mean_pool(x):
    """2x2, stride 2."""
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1),
                                 (1, 2, 2, 1), "VALID") * 0.25


def loss(weights, inputs):
    frame = ((0, 0), (FRAME, FRAME), (FRAME, FRAME), (0, 0))
    x = jnp.pad(inputs["features"][..., None], frame)
    for name in ("conv_0", "conv_1"):
        x = mean_pool(jnp.tanh(convolution(weights, name, x)))
    x = x.reshape(x.shape[0], -1)  # 4 * 4 * 16, row-major
    for name in ("dense_0", "dense_1"):
        x = jnp.tanh(dense(weights, name, x))
    return cross_entropy(dense(weights, "dense_2", x), inputs["labels"])


MODEL = Model(
    name="lenet5",
    config={"name": "lenet5", "example_shape": [8, 8], "classes": 10},
    inputs=("features", "labels"),
    variables={
        "conv_0/kernel": Variable((5, 5, 1, 6), 2**-1),
        "conv_0/bias": Variable((6,), 2**-4),
        "conv_1/kernel": Variable((5, 5, 6, 16), 2**-3),
        "conv_1/bias": Variable((16,), 2**-4),
    }
    | dense_variables("dense_0", 256, 120, 2**-3)
    | dense_variables("dense_1", 120, 84, 2**-3)
    | dense_variables("dense_2", 84, 10, 2**-2),
    loss=loss,
    most_elements=512)
