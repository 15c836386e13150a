"""What a run leaves, as dicts and lists that know what was meant."""

from __future__ import annotations

import functools
from typing import Any, ClassVar, NoReturn

import numpy as np

from ._errors import no_attribute
from ._names import instead
from ._not_called import NotCalled


_FEW = 6  # names of a record that a message lists


class Record(dict[str, Any], NotCalled):
    """A dict whose names are attributes, too, but for those that a dict has itself."""

    called: ClassVar[str] = "the record"
    meant: ClassVar[dict[str, str]] = {}
    """What says what callers ask for by another name."""
    of_accuracy: ClassVar[str] = ('give eval_dataset=, and an eval_fn= that returns {"accuracy": '
                                  '...}; it is then run.summary.eval_accuracy')

    def _missing(self, name: Any) -> str:
        if not isinstance(name, str):
            return (f"{self.called} is a dict, and {name!r} is none of its names; it has "
                    f"{', '.join(list(self)[:_FEW])}{', ...' * (len(self) > _FEW)}")
        own, _, part = self.meant.get(name, "").rpartition(".")
        if part and (not own.endswith("settings") or part in self.get("settings", self)):
            return f"{self.called} has no {name!r}: say {own}.{part}"
        for part in ("metrics", "eval_metrics"):
            if name in dict.get(self, part, ()):
                return f"{self.called} has no {name!r} itself: say [{part!r}][{name!r}]"
        if name in ("accuracy", "acc") and not any("accuracy" in each for each in self):
            return f"{self.called} has no {name!r}: {self.of_accuracy}"
        return f"{self.called} has no {name!r}{instead(name, self)}"

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise no_attribute(self._missing(name))

    def _when_called(self) -> str:
        first = "loss" if "loss" in self else next(iter(self), "")
        own = f", as in {self.called}[{first!r}]" if first else ""
        return f"{self.called} is a dict, not a function: leave () out{own}"

    def __missing__(self, name: Any) -> NoReturn:
        raise KeyError(self._missing(name))


class PlanRecord(Record):
    called = "run.plan"
    meant = {"topology": "run.plan.slice", **{name: f"run.plan.settings.{name}" for name in (
        "learning_rate", "optimizer", "batch_per_core", "seed", "precision")},
             "lr": "run.plan.settings.learning_rate", "batch_size": "run.plan.global_batch",
             "steps": "run.plan.train_steps"}


class Settings(Record):
    called = 'run.plan["settings"]'
    meant = {"lr": "run.plan.settings.learning_rate", "slice": "run.plan.slice",
             "train_batch_size": "run.plan.global_batch", "b1": "run.plan.settings.beta1",
             "b2": "run.plan.settings.beta2", "eps": "run.plan.settings.epsilon"}


class Summary(Record):
    called = "run.summary"
    meant = {name: "run.summary.loss" for name in ("final_loss", "last_loss", "train_loss")}

    def _missing(self, name: Any) -> str:
        if str(name).startswith("eval_") and not any(each.startswith("eval_") for each in self):
            return (f"{self.called} has no {name!r}, as nothing was evaluated: give "
                    "eval_dataset= and eval_fn=")
        return super()._missing(name)


class Step(Record):
    called = "a record of run.metrics"
    of_accuracy = ('the loss function may return (loss, {"accuracy": ...}), which is then '
                   "['metrics']['accuracy']")


class Evaluation(Record):
    called = "a record of run.evaluations"


class Records(list[Any], NotCalled):
    """A list of records, which tells who asks it for a name how to get one of each."""

    called: ClassVar[str] = "the list"
    also: ClassVar[dict[str, str]] = {}
    """What else says a name."""
    empty: ClassVar[str] = ""
    """Why it may be empty, and what to do."""

    def _instead(self, name: str) -> str:
        known = self[0] if self else {}
        own = known.get("metrics", {})
        if known and name not in known:
            return f"{self.called} has a record for each {self._of()}" + (
                f": say [m['metrics'][{name!r}] for m in {self.called}]" if name in own else
                f", none with {name!r}{instead(name, known)}")
        also = f"say {self.also[name]}, or " if name in self.also else "say "
        return (f"{self.called} is a list with a record for each {self._of()}: {also}"
                f"[m[{name!r}] for m in {self.called}]")

    def _of(self) -> str:
        return "step"

    def _when_called(self) -> str:
        return (f"{self.called} is a list, not a function: leave () out, as in {self.called}[-1] "
                f"for the last {self._of()}")

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            raise TypeError(self._instead(which))
        if not isinstance(which, slice) and not hasattr(which, "__index__"):
            raise TypeError(f"{self.called}[{which!r}]: a record is taken by its place, a whole "
                            f"number, as in {self.called}[-1]")
        try:
            return super().__getitem__(which)
        except IndexError:
            raise IndexError(_no_such(self.called, which, len(self), self.empty)) from None

    def __getattr__(self, name: str) -> NoReturn:
        raise no_attribute(self._instead(name))


_NO_STEP = ("this call made no step: mode was \"eval\", or its checkpoint had all of them; give more "
            "of train_steps= or epochs= to train on")


def _no_such(called: str, which: Any, count: int, empty: str) -> str:
    """What is said of an index that a list of `count` has not."""
    if not count:
        return f"{called} is empty: {empty}"
    return (f"{called} has no {which}: it has {count:,}, from 0 to {count - 1:,}; {called}[-1] is "
            "the last")


class Losses(np.ndarray, NotCalled):
    """run.losses: an array, of which a loss that is not there says why."""

    def _when_called(self) -> str:
        return "run.losses is an array, not a function: leave () out, as in run.losses[-1]"

    def __getattr__(self, name: str) -> NoReturn:
        raise no_attribute("run.losses is an array of NumPy, one loss a step, and has no "
                           f"{name!r}; run.metrics has what a step has beside it, run.evaluations "
                           "and run.summary have the rest")

    def __getitem__(self, which: Any) -> Any:
        try:
            return np.asarray(self)[which]
        except IndexError:
            if isinstance(which, str):
                way = ("leave ['loss'] out" if which == "loss" else "run.metrics has what a step "
                       f"has beside it: [m[{which!r}] for m in run.metrics]")
                raise IndexError(f"run.losses is an array of one loss a step; {way}") from None
            if not isinstance(which, (int, np.integer)):
                raise IndexError(f"run.losses[{which!r}]: a loss is taken by its place, a whole "
                                 "number, as in run.losses[-1]") from None
            raise IndexError(_no_such("run.losses", which, len(self), _NO_STEP)) from None

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """What is made of it is an array of NumPy's own."""
        return np.asarray(array)[()] if return_scalar else np.asarray(array)

    def __repr__(self) -> str:
        return repr(np.asarray(self))


class Steps(Records):
    called = "run.metrics"
    empty = _NO_STEP
    also = {"loss": "run.losses"}


class Evaluations(Records):
    called = "run.evaluations"
    empty = "this call evaluated nothing; give eval_fn= and eval_dataset="
    also = {"loss": 'run.summary["eval_loss"] of the last'}

    def _of(self) -> str:
        return "evaluation"


def plan(found: dict[str, Any]) -> PlanRecord:
    """run.plan, of an event of a metrics file."""
    return PlanRecord({**found, "settings": Settings(found.get("settings", {}))})


_DICTS = (PlanRecord, Settings, Summary, Step, Evaluation)
_LISTS = (Steps, Evaluations)


@functools.cache
def register() -> None:
    """Makes trees of JAX's of them, as dicts and lists are."""
    import jax

    def parts(record: Record) -> Any:
        names = sorted(record)
        return [(jax.tree_util.DictKey(name), record[name]) for name in names], tuple(names)

    def items(records: Records) -> Any:
        return [(jax.tree_util.SequenceKey(i), each) for i, each in enumerate(records)], None

    for kind in _DICTS:
        jax.tree_util.register_pytree_with_keys(
            kind, parts, lambda names, values, kind=kind: kind(zip(names, values)))
    for each in _LISTS:
        jax.tree_util.register_pytree_with_keys(
            each, items, lambda _, values, each=each: each(values))
