"""What the generator has to know of a model."""

import dataclasses
from typing import Any, Callable

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Variable:
    shape: tuple
    spread: float  # of its first values, a power of two
    centre: float = 0.0


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    config: dict  # podsim's ModelConfig
    inputs: tuple  # of draws.examples, in the order of their digest
    variables: dict  # name -> Variable, in podsim's names
    # (weights by name, inputs by name) -> the mean of the examples' losses
    loss: Callable[[dict, dict], Any]
    # Of the same: what must not be near 0, where the loss has kinks; None
    # where it is smooth.
    kinks: Callable[[dict, dict], Any] | None = None
    # Tensors with more elements are stored and compared at so many of them.
    most_elements: int = 2048


def cross_entropy(logits, labels):
    """The mean over the batch."""
    logs = jax.nn.log_softmax(logits)
    taken = jnp.take_along_axis(logs, labels[:, None], axis=1)
    return -jnp.mean(taken)


def dense(weights, name, x):
    return x @ weights[f"{name}/kernel"] + weights[f"{name}/bias"]


def dense_variables(name, inputs, outputs, spread):
    return {f"{name}/kernel": Variable((inputs, outputs), spread),
            f"{name}/bias": Variable((outputs,), 2**-4)}
