"""The MLP of models/zoo/mlp.cc: 64-32-10, relu."""

import jax
import jax.numpy as jnp

from models.model import Model, cross_entropy, dense, dense_variables


def hidden_sums(weights, inputs):
    x = inputs["features"]
    return dense(weights, "dense_0", x.reshape(x.shape[0], -1))


def loss(weights, inputs):
    x = jax.nn.relu(hidden_sums(weights, inputs))
    return cross_entropy(dense(weights, "dense_1", x), inputs["labels"])


MODEL = Model(
    name="mlp",
    config={"name": "mlp", "hidden": [32], "example_shape": [8, 8],
            "classes": 10},
    inputs=("features", "labels"),
    variables=dense_variables("dense_0", 64, 32, 2**-2)
    | dense_variables("dense_1", 32, 10, 2**-1),
    loss=loss,
    kinks=lambda weights, inputs: jnp.min(
        jnp.abs(hidden_sums(weights, inputs))))
