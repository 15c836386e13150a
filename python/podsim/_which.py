"""What podsim.plan is asked of a whole run: prices, a deadline, a budget; and which slices
keep them."""

from __future__ import annotations

import dataclasses
import datetime
import os
import pathlib
import re
from typing import Any, Mapping

from ._errors import PodsimError, no_attribute
from ._job import path_of
from ._numbers import is_number
from ._said import shown


@dataclasses.dataclass(frozen=True)
class NamedSlice:
    """A slice that is named, with its whole run: start-up, steps, checkpoints, evaluations, and
    low and high of that. Times are simulated (sim)."""

    slice: str
    run_seconds: float
    run_seconds_low: float
    run_seconds_high: float
    run_chip_hours: float
    run_chip_hours_low: float
    run_chip_hours_high: float
    cost: float | None
    cost_low: float | None
    cost_high: float | None
    """None: no price is given."""
    holds: float
    """How far from low to high the limits are kept: 1.0 in all of it, 0.85 up to 85% of the
    way."""
    of_limit: float
    """The larger of time over deadline and cost over budget, as forecast."""
    low_moved_by: tuple[str, ...] = ()
    high_moved_by: tuple[str, ...] = ()
    """Figures of the hardware, not published, that move low (high) of the run most: at most two,
    the first most. Those of the compiler's code move together: "matrix_share+hbm_share+kernel_seconds"."""


@dataclasses.dataclass(frozen=True)
class Which:
    """Which slices of a plan keep a deadline and a budget. print says it in words."""

    deadline_seconds: float | None
    budget: float | None
    cheapest: NamedSlice | None
    """Of the slices that keep every limit given; by chip-hours where no price is given."""
    fastest: NamedSlice | None
    nearest: NamedSlice | None
    """Where none keeps them: the one that comes nearest."""
    says: tuple[str, ...] = ()
    cheapest_ties: tuple[str, ...] = ()
    """Other slices that keep every limit and cost as much within 0.5%."""
    fastest_ties: tuple[str, ...] = ()
    """Those that take as long within 0.5%."""

    def __str__(self) -> str:
        return "\n".join(self.says)


_NO_LIMITS = ("this plan has no `which`: podsim.plan names slices only with deadline= or budget=, "
              'such as deadline="4h"')


class NoLimits:
    """`which` of a plan without deadline and budget: false, and nothing can be asked of it."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return _NO_LIMITS

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, NoLimits)

    def __hash__(self) -> int:
        return hash(NoLimits)

    def __getattr__(self, name: str) -> Any:
        """Raises AttributeError, which says what to do instead."""
        key = "run_seconds" if name == "fastest" else "cost"
        raise no_attribute(f"{_NO_LIMITS}; without them take min(plan, key=lambda row: row.{key})")


def _named(found: Mapping[str, Any] | None) -> NamedSlice | None:
    if found is None:
        return None
    cost = {name: found.get(name.replace("cost", "price"))
            for name in ("cost", "cost_low", "cost_high")}
    own = {field.name: tuple(value) if isinstance(value := found[field.name], list) else value
           for field in dataclasses.fields(NamedSlice) if field.name in found}
    return NamedSlice(**own, **cost)


def read(found: Mapping[str, Any] | None) -> Which | NoLimits:
    """Of what `pod_plan --json` writes under "which"."""
    if found is None:
        return NoLimits()
    return Which(deadline_seconds=found["deadline_seconds"], budget=found["budget"],
                 cheapest=_named(found["cheapest"]), fastest=_named(found["fastest"]),
                 nearest=_named(found["nearest"]), says=tuple(found["says"]),
                 cheapest_ties=tuple(found["cheapest_ties"]),
                 fastest_ties=tuple(found["fastest_ties"]))


def check_price(per_chip_hour: Any, called: str = "the price of a chip-hour") -> None:
    """Raises ValueError for what no chip-hour costs."""
    if not is_number(per_chip_hour) or not 0 < per_chip_hour < float("inf"):
        raise ValueError(f"{called} is {shown(per_chip_hour)}; it must be a number above 0, such "
                         "as 2.2")


def check_prices(prices: Any, called: str = "chip_prices") -> None:
    """Raises for a table that gives no prices by generation."""
    if not isinstance(prices, Mapping) or not prices:
        raise TypeError(f"{called} is {shown(prices)}; it must be a price for each generation, "
                        'such as {"v3": 2.2, "v5e": 1.2}')
    for name, price in prices.items():
        if not isinstance(name, str) or not name.isalnum():
            raise TypeError(f"{called} has a price of {shown(name)}; name a generation, such as "
                            '"v3" or "v5e"')
        check_price(price, f"{called}[{name!r}]")


def _seconds(deadline: Any) -> str:
    """As pod_plan takes it. Whether a text is a time, pod_plan says."""
    if isinstance(deadline, str) and deadline:
        return deadline
    if isinstance(deadline, datetime.timedelta) and deadline > datetime.timedelta():
        return f"{deadline.total_seconds()!r}s"
    if is_number(deadline) and 0 < deadline < float("inf"):
        raise TypeError(f"deadline is {shown(deadline)}, a number without a unit: give "
                        f'"{deadline}s" for seconds, "{deadline}h" for hours, or a '
                        "datetime.timedelta")
    raise ValueError(f"deadline is {shown(deadline)}; it must be a time above 0, such as "
                     '"4h", "90m" or datetime.timedelta(hours=4)')


@dataclasses.dataclass(frozen=True)
class Question:
    """What is asked beside the job."""

    deadline: Any = None
    budget: Any = None
    chip_prices: Any = None
    price_per_chip_hour: Any = None

    def check(self) -> None:
        """Raises TypeError or ValueError for what pod_plan has no flag for."""
        if self.price_per_chip_hour is not None:
            check_price(self.price_per_chip_hour, "price_per_chip_hour")
        if isinstance(self.chip_prices, (str, os.PathLike)):
            path_of("chip_prices", self.chip_prices, "prices.txt")
        elif self.chip_prices is not None:
            check_prices(self.chip_prices)
        if self.chip_prices is not None and self.price_per_chip_hour is not None:
            raise TypeError("chip_prices and price_per_chip_hour both say what a chip costs; give "
                            "one of them")
        if self.deadline is not None:
            _seconds(self.deadline)
        if self.budget is None:
            return
        if not is_number(self.budget) or not 0 < self.budget < float("inf"):
            raise ValueError(f"budget is {shown(self.budget)}; it must be a number above 0, such "
                             "as 500")
        if self.chip_prices is None and self.price_per_chip_hour is None:
            raise TypeError("budget needs the price of a chip for an hour: give "
                            'chip_prices={"v3": 2.2} or price_per_chip_hour=2.2')

    def flags(self, folder: pathlib.Path) -> list[str]:
        """Of pod_plan. folder: for a file of prices."""
        line = []
        if self.price_per_chip_hour is not None:
            line.append(f"--price_per_chip_hour={float(self.price_per_chip_hour)!r}")
        if isinstance(self.chip_prices, Mapping):
            place = folder / "chip_prices.txt"
            place.write_text("".join(
                f'chip {{ generation: "{name}" per_hour: {float(price)!r} }}\n'
                for name, price in self.chip_prices.items()))
            line.append(f"--chip_prices={place}")
        elif self.chip_prices is not None:
            line.append(f"--chip_prices={os.fspath(self.chip_prices)}")
        if self.deadline is not None:
            line.append(f"--deadline={_seconds(self.deadline)}")
        if self.budget is not None:
            line.append(f"--budget={float(self.budget)!r}")
        return line


_NO_PRICE_OF = re.compile(r"has no price of (\S+), which (\S+) is of")


def in_words_of(asked: Question, error: PodsimError) -> PodsimError:
    """The error as of the call: of a table of prices no file is named."""
    said = re.sub(r"--(deadline|budget|chip_prices|price_per_chip_hour)", r"\1", str(error))
    missing = _NO_PRICE_OF.search(said)
    if isinstance(asked.chip_prices, Mapping):
        said = re.sub(r"\S*chip_prices\.txt: (chip \d+: )?", "chip_prices: ", said)
        if missing:
            said = (f"chip_prices has no price of {missing[1]}, which {missing[2]} is of: add "
                    f'"{missing[1]}": price')
    return error if said == str(error) else PodsimError(said, details=error.details)
