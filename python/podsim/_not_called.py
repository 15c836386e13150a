"""Results that callers take for functions or for dicts of arrays."""

from __future__ import annotations

from typing import Any, NoReturn


class NotCalled:
    """An object whose call says what it is instead."""

    def _when_called(self) -> str:
        raise NotImplementedError

    def __call__(self, *_args: Any, **_more: Any) -> NoReturn:
        raise TypeError(self._when_called())


def is_function(value: Any) -> bool:
    """Whether a call of it does more than to raise."""
    return callable(value) and not isinstance(value, NotCalled)
