"""How a function is called, beside how its parameters are named."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Mapping, Sequence

_NAMES = {
    "params": {"p", "params", "param", "parameters", "weights", "theta", "variables"},
    "state": {"s", "st", "state", "states", "batch_stats", "stats", "model_state", "net_state",
              "aux_state"},
    "batch": {"b", "x", "xs", "xy", "batch", "data", "images", "image", "inputs", "input",
              "features", "examples"},
    "key": {"k", "key", "keys", "rng", "rngs", "prng", "rng_key", "prng_key", "random_key",
            "subkey", "dropout_key", "dropout_rng"},
    "switch": {"train", "training", "is_training", "train_mode", "deterministic", "is_train",
               "eval", "test"},
    "labels": {"y", "ys", "label", "labels", "target", "targets", "t"},
}


def parameters(function: Callable[..., Any]) -> list[str] | None:
    """The names of those that an argument by its place goes to; None: it does not say."""
    try:
        every = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(each.kind == each.VAR_POSITIONAL for each in every):
        return None
    return [each.name for each in every
            if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]


def role(name: str) -> str:
    """What an argument of this name is; empty: its name does not say."""
    name = name.lower().strip("_")
    return next((each for each, names in _NAMES.items() if name in names), "")


def listed(names: Sequence[str]) -> str:
    return f"({', '.join(names)})"


def shown(function: str, names: Sequence[str]) -> str:
    """"loss_fn(p, b)", "the lambda (p, b)"."""
    return f"{function}{' ' * (' ' in function)}{listed(names)}"


def _reordered(names: Sequence[str], roles: Sequence[str]) -> list[str] | None:
    """The names in the order of the roles, if they have all of them in another."""
    given = [role(name) for name in names]
    if given == list(roles) or sorted(given) != sorted(roles):
        return None
    return [names[given.index(role)] for role in roles]


def _state(names: Sequence[str], roles: Sequence[str]) -> str:
    """What is to be done where state= is given and no parameter is called so, or the other
    way round."""
    given = [role(name) for name in names]
    if "state" in given and "state" not in roles:
        name = names[given.index("state")]
        if given[0] == "state":
            return (f"{name} is params here, with nothing beside: write model.apply(params, x), "
                    f"and take {listed(['params', *names[1:]])}")
        others = [each for each in names[1:] if each != name]
        return (f"{name} is {'the batch' if given[1] == 'state' else 'a random key'}: for a state "
                f"give state=, and take {listed([names[0], name, *others])}")
    if "state" in roles and "state" not in given and given[:2] == ["params", "batch"]:
        return f"state= is given: take {listed([names[0], 'state', *names[1:]])}"
    return ""


def _taken_apart(names: Sequence[str], batch: Any) -> str:
    """"x, y = batch", of a batch that may be a dict."""
    keys = list(batch) if isinstance(batch, Mapping) else []
    parts = (", ".join(f"batch[{key!r}]" for key in keys) if len(keys) == len(names) else
             "batch")
    return f"{', '.join(names)} = {parts}"


def _no_key(names: Sequence[str], batch: Any) -> str:
    """What is to be done where the last parameter gets a random key and is called
    otherwise; empty: its name does not say."""
    given = [role(name) for name in names]
    if given[-1] == "switch":
        return f"{names[-1]} is a random key: give it a default, as in {names[-1]}=True"
    if given[-1] in ("labels", "batch") and given[0] in ("params", ""):
        return (f"{names[-2]} is the whole batch and {names[-1]} a random key: take "
                f"{listed([*names[:-2], 'batch'])}, and {_taken_apart(names[-2:], batch)}")
    if "params" in given[1:]:
        return f"params come first and the batch is one argument: take {listed(['p', 'batch'])}"
    return ""


def labels_apart(function: Callable[..., Any]) -> str:
    """What to do about a function that takes the arrays of a batch one by one, as (params, x, y,
    key) does; empty: its names do not say."""
    names = parameters(function) or []
    at = next((i for i, name in enumerate(names) if role(name) == "labels"), 0)
    if at < 2 or not all(map(role, [*names[:at - 1], *names[at + 1:]])):
        return ""
    return (f"take {listed([*names[:at - 1], 'batch', *names[at + 1:]])}, and "
            f"{_taken_apart(names[at - 1:at + 1], None)}")


def _of_outputs(names: Sequence[str], roles: Sequence[str]) -> str:
    """What is to be done about f(logits, labels), as other libraries have metrics."""
    if list(roles) != ["params", "batch"] or role(names[1]) != "labels" or role(names[0]):
        return ""
    return (f"{names[0]} is the params and {names[1]} the whole batch: take (params, batch), and "
            f"compute {names[0]} from them")


def mistake(names: Sequence[str] | None, roles: Sequence[str], of: str, batch: Any = None) -> str:
    """What is wrong with parameters that are called with `roles`, and what to do; empty:
    their names do not say. of: "the lambda"; batch: what they are called with."""
    if not roles or names is None or len(names) < len(roles):
        return ""
    if names[0] == "self":
        return (f"{shown(of, names)} is a method of a class, and is called as {listed(roles)}: "
                f"give that of an object of it, as in model.{of}")
    names = names[:len(roles)]
    order = _reordered(names, roles)
    advice = (f"change their order to {listed(order)}" if order else
              _state(names, roles) or _of_outputs(names, roles) or
              (_no_key(names, batch) if roles[-1] == "key" else ""))
    return advice and f"{shown(of, names)} is called as {listed(roles)}: {advice}"
