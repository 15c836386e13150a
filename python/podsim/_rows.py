"""The rows of podsim.plan's object."""

from __future__ import annotations

import dataclasses
from typing import Any

from ._names import instead

_NO_PRICE = ("a row has no cost without a price: podsim.plan(..., price_per_chip_hour=2.2), or "
             "plan.price(2.2)")


@dataclasses.dataclass(frozen=True)
class PlanRow:
    """The job on one slice. All seconds are simulated (sim): computed, not measured."""

    slice: str
    chips: int
    batch_per_core: int
    global_batch: int
    train_steps: int
    learning_rate: float
    """The peak, scaled to the slice."""
    hbm_bytes: int
    """What a core holds at the fullest moment of a step."""
    hbm_bytes_available: int
    step_seconds: float
    step_seconds_low: float
    step_seconds_high: float
    """Lower and upper estimate of the step time."""
    compute_seconds: float
    all_reduce_seconds: float
    exposed_seconds: float
    """The part of the all-reduce that no computation overlaps."""
    input_seconds: float
    examples_per_second: float
    efficiency: float
    """Examples/s of a core, or of a chip where that trains as one, against those on the
    smallest slice of the plan and generation."""
    seconds: float
    """All steps, without start-up and evaluation."""
    chip_hours: float
    bound_by: str
    """"compute", "the all-reduce", "the input" or "the store"."""
    warnings: tuple[str, ...]
    replica_name: str = "core"
    """What batch_per_core and hbm_bytes are of: "core", or "chip" where that trains as
    one (v4, v5p and later)."""

    def __getattr__(self, name: str) -> Any:
        """Of a name that a row has not."""
        own = [field.name for field in dataclasses.fields(self)]
        raise AttributeError(_NO_PRICE if name == "cost" else f"a PlanRow has no {name!r}"
                             f"{instead(name, own, most=len(own))}")


@dataclasses.dataclass(frozen=True)
class PricedRow(PlanRow):
    """The same at a price."""

    cost: float = dataclasses.field(kw_only=True)
    """chip_hours at Plan.price_per_chip_hour."""


class Rows(tuple[PlanRow, ...]):
    """Rows by their places."""

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            raise TypeError(f"plan.rows is a tuple; the plan itself has the row of a slice: "
                            f"plan[{which!r}]")
        return super().__getitem__(which)
