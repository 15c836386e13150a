"""A loss function of JAX as the message that pod_program imports.

What is lowered is `jax.value_and_grad(loss_fn)`, with several numbers of
examples: the importer finds the batch by comparing them."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any, Callable, Mapping

import numpy as np

from . import _random, _trees, _wire

# Numbers of examples that hardly are a dimension of somebody's model by chance.
BATCHES = (19, 23, 29)

# Kinds of proto/import.proto.
_VARIABLE, _STATE, _INPUT, _KEY = 1, 2, 3, 4
_LOSS, _GRADIENT, _NEW_STATE, _METRIC = 1, 2, 3, 4


@dataclasses.dataclass(frozen=True)
class Result:
    """What one of a function's results is to podsim."""

    kind: int
    name: str = ""

    def message(self) -> bytes:
        return _wire.number(1, self.kind) + _wire.sized(2, self.name)


@dataclasses.dataclass(frozen=True)
class Names:
    """The arrays of a call of the loss function, by name."""

    variables: list[str]
    inputs: list[str]


def example_type(leaf: Any) -> tuple[tuple[int, ...], np.dtype]:
    """Shape and type of one example of `leaf`, whose first axis are examples."""
    shape = tuple(np.shape(leaf))
    if not shape:
        raise ValueError(
            "an array of the batch has no dimensions; the first one of each "
            "must be that of the examples")
    dtype = np.dtype(leaf.dtype if hasattr(leaf, "dtype") else np.asarray(leaf).dtype)
    return shape[1:], narrow(dtype)


def narrow(dtype: np.dtype) -> np.dtype:
    """What JAX makes of a type by default: 64 bits become 32."""
    return np.dtype({"int64": "int32", "uint64": "uint32", "float64": "float32"}
                    .get(dtype.name, dtype.name))


def _batch_of(examples: Any, count: int) -> Any:
    import jax

    def leaf_of(leaf: Any) -> Any:
        shape, dtype = example_type(leaf)
        return jax.ShapeDtypeStruct((count, *shape), dtype)

    return jax.tree_util.tree_map(leaf_of, examples)


def _lower(function: Callable[..., Any], *arguments: Any) -> bytes:
    import jax

    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    return lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()


def _function(function: Callable[..., Any], params: Any, examples: Any,
              names: Names, results: list[Result], begins: bool,
              takes_key: bool = False) -> bytes:
    import jax

    message = b""
    for count in BATCHES:
        key = [jax.ShapeDtypeStruct((2,), np.uint32)] if takes_key else []
        module = _lower(function, params, _batch_of(examples, count), *key)
        message += _wire.sized(1, _wire.number(1, count) + _wire.sized(2, module))
    for name, leaf in zip(names.variables, jax.tree_util.tree_leaves(params)):
        argument = _wire.number(1, _VARIABLE) + _wire.sized(2, name)
        if begins:
            argument += _wire.sized(3, np.asarray(leaf, "<f4").tobytes())
        message += _wire.sized(2, argument)
    for name in names.inputs:
        message += _wire.sized(2, _wire.number(1, _INPUT) + _wire.sized(2, name))
    if takes_key:
        message += _wire.sized(2, _wire.number(1, _KEY) + _wire.sized(2, "key"))
    for result in results:
        message += _wire.sized(3, result.message())
    return message


def _takes_key(loss_fn: Callable[..., Any]) -> bool:
    """Whether it has a third parameter without a default."""
    try:
        parameters = inspect.signature(loss_fn).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [each for each in parameters
              if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
              and each.default is each.empty]
    if len(needed) not in (2, 3):
        raise TypeError("the loss function takes params, batch and, if it draws random "
                        f"numbers, a key; this one takes {len(needed)} arguments")
    return len(needed) == 3


def _keyed(loss_fn: Callable[..., Any]) -> Callable[..., Any]:
    def with_key(params: Any, batch: Any, numbers: Any) -> Any:
        return loss_fn(params, batch, _random.wrap(numbers))
    return with_key


def _scalar_metrics(metrics: Any, what: str) -> Mapping[str, Any]:
    if isinstance(metrics, Mapping):
        return metrics
    raise TypeError(f"{what} must be a dict of names and arrays, "
                    f"not a {type(metrics).__name__}")


def import_message(name: str, loss_fn: Callable[..., Any], params: Any,
                   examples: Any, eval_fn: Callable[..., Any] | None) -> bytes:
    """ImportProto's bytes. `examples`: a batch, of which only shapes and types
    are read. Raises what JAX raises for a function that it cannot trace."""
    import jax
    import jax.numpy as jnp

    variables, _, _ = _trees.named_leaves(params, "params")
    inputs, _, _ = _trees.named_leaves(examples, "batch")
    names = Names(variables, inputs)
    takes_key = _takes_key(loss_fn)
    keyed = _keyed(loss_fn) if takes_key else loss_fn
    first = _batch_of(examples, BATCHES[0])
    probe = jax.eval_shape(keyed, params, first, *(
        [jax.ShapeDtypeStruct((2,), np.uint32)] if takes_key else []))
    has_aux = isinstance(probe, tuple)
    if has_aux and len(probe) != 2:
        raise TypeError("the loss function must return a loss, or a loss and a "
                        f"dict of metrics, not {len(probe)} things")
    loss = probe[0] if has_aux else probe
    if getattr(loss, "shape", None) != ():
        raise TypeError("the loss must be one number, the mean over the "
                        f"examples; it has the shape {getattr(loss, 'shape', None)}")
    metric_names = sorted(_scalar_metrics(probe[1], "metrics")) if has_aux else []

    def training(params: Any, batch: Any, *key: Any) -> Any:
        value, gradients = jax.value_and_grad(keyed, has_aux=has_aux)(params, batch, *key)
        loss, metrics = value if has_aux else (value, {})
        as_float = [jnp.asarray(metrics[key], jnp.float32) for key in metric_names]
        return (jnp.asarray(loss, jnp.float32), as_float,
                jax.tree_util.tree_leaves(gradients))

    results = [Result(_LOSS)]
    results += [Result(_METRIC, key) for key in metric_names]
    results += [Result(_GRADIENT, key) for key in variables]
    message = _wire.sized(1, name)
    message += _wire.sized(2, _function(training, params, examples, names, results,
                                       begins=True, takes_key=takes_key))
    if eval_fn is None:
        return message
    probe = jax.eval_shape(eval_fn, params, _batch_of(examples, BATCHES[0]))
    eval_names = sorted(_scalar_metrics(probe, "what eval_fn returns"))
    for key in eval_names:
        if probe[key].shape not in ((), (BATCHES[0],)):
            raise TypeError(
                f"eval_fn's {key!r} has the shape {probe[key].shape}; it must be "
                "one number for each example")

    def evaluation(params: Any, batch: Any) -> Any:
        metrics = eval_fn(params, batch)
        return [jnp.asarray(metrics[key], jnp.float32) for key in eval_names]

    results = [Result(_METRIC, key) for key in eval_names]
    message += _wire.sized(3, _function(evaluation, params, examples, names, results,
                                       begins=False))
    return message
