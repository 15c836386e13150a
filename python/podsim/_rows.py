"""The rows of podsim.plan's object."""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

from ._errors import no_attribute
from ._names import instead

NO_PRICE = ("a row has no cost without a price: podsim.plan(..., price_per_chip_hour=2.2), or "
             "plan.price(2.2)")

# What others call a field.
MEANT = {**dict.fromkeys(("step_time", "time_per_step", "latency"), "step_seconds"),
         **dict.fromkeys(("time", "total_seconds", "duration"), "seconds"),
         **dict.fromkeys(("name", "topology"), "slice"),
         **dict.fromkeys(("throughput", "images_per_second"), "examples_per_second"),
         **dict.fromkeys(("memory", "hbm"), "hbm_bytes"), "lr": "learning_rate",
         **dict.fromkeys(("steps", "num_steps"), "train_steps"),
         **dict.fromkeys(("batch_size", "batch"), "global_batch")}


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
    """HBM of a core at the fullest moment of a step, in tiles, without what stays on chip."""
    hbm_bytes_available: int
    step_seconds: float
    step_seconds_low: float | None
    step_seconds_high: float | None
    """Lower and upper estimate of the step time. None for an imported model and for
    published models to plan: whole steps were compared for three models on v3 alone."""
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
    """"compute", "HBM traffic", "the all-reduce", "the input" or "the store"."""
    warnings: tuple[str, ...]
    replica_name: str = "core"
    """What batch_per_core and hbm_bytes are of: "core", or "chip" where that trains as
    one (v4, v5p and later)."""

    def __getattr__(self, name: str) -> Any:
        """Of a name that a row has not."""
        own = [field.name for field in dataclasses.fields(self)]
        if name in MEANT:
            raise no_attribute(f"a PlanRow has no {name!r}; did you mean {MEANT[name]}?")
        raise no_attribute(NO_PRICE if name == "cost" else f"a PlanRow has no {name!r}"
                           f"{instead(name, own, most=len(own))}")

    def __lt__(self, _other: Any) -> NoReturn:
        """Of who takes the smallest row without saying by what."""
        raise TypeError("rows of a plan have no order of their own: say by what, as in min(plan, "
                        "key=lambda row: row.seconds)")

    __gt__ = __le__ = __ge__ = __lt__

    def __getitem__(self, name: Any) -> NoReturn:
        """Of who takes it for a dict or a tuple."""
        own = [field.name for field in dataclasses.fields(self)]
        said = name if name in own else "slice"
        raise TypeError(f"a row is no dict and no tuple: say row.{said}; it has {', '.join(own)}")


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
        try:
            return super().__getitem__(which)
        except IndexError:
            raise IndexError(f"plan.rows has no {which}; it has {len(self)}, from 0 to "
                             f"{len(self) - 1}; plan.rows[-1] is the last") from None
