"""Random numbers that a function draws by numpy or Python: once, as it is traced."""

from __future__ import annotations

import contextlib
import pickle
import random
import threading
from typing import Any, Callable, Iterator

import numpy as np

from . import _leaks, _spoken, _wrapped
from ._asking import Asked
from ._errors import said

_SAID = ("{0} draws by {1}: it is traced, not run at each step, so that every step would have the "
         "same numbers: take a random key as its last argument and draw from that, as in "
         "jax.random.normal(key, shape); numbers that stay the same are drawn before the call")
_OF_EVALUATION = ("eval_fn draws by {0}, but an evaluation draws nothing: leave it out, or draw "
                  "before the call")


def _generators(function: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """Those of numpy and Python that the function sees, by name."""
    for name, value in _leaks.variables(function):
        if isinstance(value, (np.random.Generator, np.random.RandomState, random.Random)):
            yield name, value


def _state(generator: Any) -> bytes:
    if isinstance(generator, np.random.Generator):
        return pickle.dumps(generator.bit_generator.state)
    return pickle.dumps(generator.getstate() if hasattr(generator, "getstate") else
                        generator.get_state(legacy=False))


def _states(function: Callable[..., Any]) -> dict[str, bytes]:
    """Those of the modules and of the generators that the function sees."""
    own = {name: _state(each) for name, each in _generators(function)}
    return {"np.random": _state(np.random), "random": _state(random), **own}


def _is_alone() -> bool:
    """Whether no thread of the caller's could have drawn meanwhile."""
    return all(each is threading.current_thread() or each.name == _spoken.THREAD
               for each in threading.enumerate())


@contextlib.contextmanager
def refusing(asked: Asked) -> Iterator[None]:
    """Raises TypeError if what is called within the context drew."""
    before = _states(asked.function)
    yield
    for name, state in _states(asked.function).items():
        place = _wrapped.place_of(asked.function, name)
        if before.get(name) != state and (place or _is_alone()):
            text = (_OF_EVALUATION.format(name) if asked.what == "eval_fn" else
                    _SAID.format(asked.what, name))
            raise said(TypeError((place or asked.place()) + text))
