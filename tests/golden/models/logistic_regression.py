"""Softmax regression on the pixels: 64-10."""

from models.model import Model, cross_entropy, dense, dense_variables


def loss(weights, inputs):
    x = inputs["features"]
    logits = dense(weights, "dense_0", x.reshape(x.shape[0], -1))
    return cross_entropy(logits, inputs["labels"])


MODEL = Model(
    name="logistic_regression",
    config={"name": "logistic_regression", "example_shape": [8, 8],
            "classes": 10},
    inputs=("features", "labels"),
    variables=dense_variables("dense_0", 64, 10, 2**-3),
    loss=loss)
