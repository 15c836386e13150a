"""The rows of podsim.plan's object."""

from __future__ import annotations

import dataclasses
from typing import Any, NoReturn

from ._errors import no_attribute
from ._measured import Measured
from ._names import instead

NO_PRICE = ("a row has no cost without a price: podsim.plan(..., price_per_chip_hour=2.2), or "
             "plan.price(2.2)")

# What others call a field.
MEANT = {**dict.fromkeys(("step_time", "time_per_step", "latency"), "step_seconds"),
         **dict.fromkeys(("time", "total_seconds", "duration"), "run_seconds"),
         **dict.fromkeys(("tokens", "tokens_per_sec"), "tokens_per_second"),
         **dict.fromkeys(("utilization", "hfu"), "mfu"),
         **dict.fromkeys(("name", "topology"), "slice"),
         **dict.fromkeys(("throughput", "images_per_second"), "examples_per_second"),
         **dict.fromkeys(("memory", "hbm"), "hbm_bytes"), "lr": "learning_rate",
         **dict.fromkeys(("steps", "num_steps"), "train_steps"),
         **dict.fromkeys(("batch_size", "batch"), "global_batch")}

# What a Run has, and what else that is called.
_OF_RUN = {
    **dict.fromkeys(("params", "weights", "variables"), "params are the trained weights"),
    **dict.fromkeys(("losses", "loss", "history"), "losses are those of its steps"),
    "metrics": "metrics are a dict a step",
    "evaluations": "evaluations are a dict an evaluation",
    "summary": "summary is what the run came to; print(plan) shows the plan",
    "state": "state is what the steps carried",
    "model_dir": "model_dir is where its checkpoints are"}


def of_run(name: str) -> str:
    """That a plan has nothing of what training leaves; or nothing."""
    return (f"podsim.plan trains nothing; podsim.train(...).{_OF_RUN[name]}"
            if name in _OF_RUN else "")


_COSTS = ("price", "dollars", "usd", "total_cost", "run_cost")


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
    step_seconds_low: float
    step_seconds_high: float
    """Lower and upper estimate of the step time."""
    fixed_seconds: float
    """The fixed cost of a step on v2 and v3, part of step_seconds."""
    step_seconds_without_fixed_cost: float
    compute_seconds: float
    all_reduce_seconds: float
    exposed_seconds: float
    """The part of the all-reduce that no computation overlaps."""
    input_seconds: float
    examples_per_second: float
    tokens_per_second: float | None
    """None: examples are no sequences of tokens."""
    mfu: float
    """Model FLOPs utilization: of what the matrix units could do in a step."""
    model_flops: float
    """Of the products of a core's (a chip's) step, as the model says them."""
    recomputed_flops: float
    """Of products that are computed again for want of HBM, on top of them."""
    recomputed_share: float
    """These as a part of model_flops."""
    efficiency: float
    """Examples/s of a core, or of a chip where that trains as one, against those on the
    smallest slice of the plan and generation."""
    efficiency_low: float
    efficiency_high: float
    """A figure of the hardware that is not published moves the steps of both slices at once."""
    seconds: float
    """All steps and what their checkpoints add, without start-up and evaluations."""
    chip_hours: float
    """Of these."""
    start_up_seconds: float
    evaluation_seconds: float
    """Of all evaluations."""
    run_seconds: float
    run_seconds_low: float
    run_seconds_high: float
    """The whole run from start to end. Low and high: what each figure that is not published may
    take away from steps, start-up and evaluations, or add to them, in squares."""
    run_chip_hours: float
    run_chip_hours_low: float
    run_chip_hours_high: float
    bound_by: str
    """"compute", "HBM traffic", "the all-reduce", "the fixed cost", "the input" or "the store"."""
    warnings: tuple[str, ...]
    replica_name: str = "core"
    """What batch_per_core and hbm_bytes are of: "core", or "chip" where that trains as
    one (v4, v5p and later)."""
    generation: str = ""
    """"v3", "v5e"."""
    deadline: str | None = None
    """How run_seconds_low to run_seconds_high stands to the deadline: "meets" (all of it is
    within), "may miss" or "misses" (none is). None: the call has no deadline."""
    budget: str | None = None
    """The same of the cost and the budget."""
    step_seconds_without_sharded_update: float | None = None
    """Of a job with sim_sharded_update: the step without it. None: the job has none."""
    sharded_update_saves: float | None = None
    sharded_update_saves_low: float | None = None
    sharded_update_saves_high: float | None = None
    """What the sharded update saves of that step, a share of it."""
    measured: Measured | None = None
    """A run of this slice and global batch, if the call has one: measured=."""

    def __getattr__(self, name: str) -> Any:
        """Of a name that a row has not."""
        own = [field.name for field in dataclasses.fields(self)]
        if name in _COSTS:
            raise no_attribute(f"a PlanRow has no {name!r}; did you mean cost?" if "cost" in own
                               else NO_PRICE)
        if name in MEANT:
            raise no_attribute(f"a PlanRow has no {name!r}; did you mean {MEANT[name]}?")
        if of_run(name):
            raise no_attribute(f"a PlanRow has no {name!r}: {of_run(name)}")
        raise no_attribute(NO_PRICE if name == "cost" else f"a PlanRow has no {name!r}"
                           f"{instead(name, own, most=len(own))}")

    def __lt__(self, _other: Any) -> NoReturn:
        """Of who takes the smallest row without saying by what."""
        raise TypeError("rows of a plan have no order of their own: say by what, as in min(plan, "
                        "key=lambda row: row.run_seconds)")

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
    """run_chip_hours at the price of a chip-hour of the slice's generation."""
    cost_low: float = dataclasses.field(kw_only=True)
    cost_high: float = dataclasses.field(kw_only=True)
    """Of run_chip_hours_low and run_chip_hours_high."""


class Rows(tuple[PlanRow, ...]):
    """Rows by their places."""

    def __getattr__(self, name: str) -> NoReturn:
        """Of who takes all of them for one, or for a table's columns."""
        if name.startswith("_"):
            raise AttributeError(name)
        own = [field.name for row in self[:1] for field in dataclasses.fields(row)]
        said = name if name in own else MEANT.get(name, "slice")
        raise no_attribute(f"plan.rows is a tuple of rows and has no {name!r}: say "
                           f"[row.{said} for row in plan]")

    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, str):
            raise TypeError(f"plan.rows is a tuple; the plan itself has the row of a slice: "
                            f"plan[{which!r}]")
        try:
            return super().__getitem__(which)
        except IndexError:
            raise IndexError(f"plan.rows has no {which}; it has {len(self)}, from 0 to "
                             f"{len(self) - 1}; plan.rows[-1] is the last") from None
