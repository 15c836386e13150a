"""What podsim.plan returns: a job on one slice or on several, all times simulated."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import html
import json
import operator
import os
import pathlib
import re
import shutil
import sys
from typing import Any, Callable, ClassVar, Iterator, Mapping, Sequence

from . import _display, _errors, _explain, _job, _measured, _programs, _slices, _which
from ._calls import checked
from ._drawing import Svg
from ._kept import Kept
from ._names import instead
from ._not_called import NotCalled
from ._rows import MEANT, NO_PRICE, PlanRow, PricedRow, Rows, of_run
from ._units import fine_share, gib, share, span


# What other libraries call what a plan has, or give it to do.
_MEANT = {
    **dict.fromkeys(("to_csv", "to_pandas", "to_dict", "dataframe", "df"),
                    "its rows are dataclasses: [dataclasses.asdict(row) for row in plan], or "
                    "plan.to_json()"),
    **dict.fromkeys(("best", "cheapest", "fastest", "min"), "say min(plan, key=lambda row: "
                    "row.run_seconds), or another field of podsim.PlanRow; within limits "
                    'podsim.plan(..., deadline="4h").which'),
    **dict.fromkeys(("answer", "choice", "recommendation", "recommended"), "say plan.which"),
    **dict.fromkeys(("save", "write", "json", "dump"), 'say plan.to_json("plan.json") or '
                    'plan.plot("plan.svg")'),
    **dict.fromkeys(("slices", "names", "topologies"), "say [row.slice for row in plan]"),
    **dict.fromkeys(("errors", "warnings_", "failed"), "say plan.refused"),
    **dict.fromkeys(("step_time", "time", "duration", "total_time"),
                    "say [row.step_seconds for row in plan], or row.run_seconds of the whole run"),
    **dict.fromkeys(("head", "describe", "show"), "print(plan) shows it"),
    **dict.fromkeys(("kernels", "profile", "trace", "roofline", "breakdown", "activations"),
                    "plan.explain() says what a core runs in a step, and what is in HBM"),
    "train": "podsim.train takes the same arguments and one slice",
}

# As batch_per_core: what fits each slice.
LARGEST = "max"

# What the columns of the table are called, and what stands in them.
_BATCH = "batch/"  # of a core or a chip
_COLUMNS = ("slice", _BATCH, "global batch", "steps", "learning rate", "HBM per ", "step (sim)",
            "low", "high", "step (wall)", "sim of run", "examples/s", "tokens/s", "MFU",
            "all-reduce", "exposed", "eff.", "eff. low", "eff. high", "recomputed", "run (sim)",
            "chip-hours", "bound by")
_TOKENS = "tokens/s"  # where examples are sequences of them
_MEASURED = ("step (wall)", "sim of run")  # where a run was measured
_EFFICIENCY_BAND = ("eff. low", "eff. high")  # where slices are compared
_COST = "cost"
# Of a call with limits: how each row stands to them, and low and high of the run.
_LIMITS = ("deadline", "budget")
_RUN_BAND = ("run low", "run high")
_COST_BAND = ("cost low", "cost high")
_LEFT = ("slice", "bound by", *_LIMITS)
# What a narrow terminal goes without, the first of them first.
_LEFT_OUT = ("learning rate", "recomputed", "all-reduce", "global batch", "HBM per ", "exposed",
             _BATCH, "MFU", "steps", *_EFFICIENCY_BAND, "examples/s", *_COST_BAND, "low", "high",
             *_RUN_BAND, "run (sim)")


_ABOUT_TIMES = ("times are simulated, not measured; low and high cover the figures of the hardware "
                "that are not published, not what the model leaves out; run, chip-hours and cost "
                "are of the whole run, with start-up, checkpoints and evaluations")


_ABOUT_MEASURED = ("but for step (wall): the median of a measured run's steps but the first, on "
                   "the machine that emulated the slice; sim of run: the step that the run "
                   "simulated")


def _of_rows(name: str) -> str:
    """How each row is asked for what a plan has not; or nothing."""
    field = MEANT.get(name, name)
    known = any(field == each.name for each in dataclasses.fields(PricedRow))
    return f"its rows have: [row.{field} for row in plan]" if known else ""


def _of_slice(name: str) -> str:
    """How a plan is made of a slice that another has not; nothing of what is no name of one."""
    refusal = _slices.refusal(name) if _job.is_slice(name) else None
    if refusal is None:
        return ""
    return f"; {refusal}" if refusal else f': podsim.plan(..., topology="{name}") makes one'


@dataclasses.dataclass(frozen=True, repr=False)
class Plan(NotCalled):
    """Rows in the order of the slices. print shows it, a notebook draws it."""

    rows: tuple[PlanRow, ...]
    refused: Mapping[str, str]
    """Slices on which the job cannot run, and why."""
    job: str
    """Model and data set, such as "loss_fn on arrays"."""
    scaling: str = "weak"
    """"weak": the same batch per core or chip on every slice; "strong": the same global batch."""
    tuned_on: str | None = None
    """The reference: the slice that steps and learning rate are given for and scaled from;
    None: they are the same on every slice."""
    links: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Of each generation, what its links' figures rest on."""
    price_per_chip_hour: float | Mapping[str, float] | None = None
    """One for all, or by generation."""
    which: _which.Which | _which.NoLimits = _which.NoLimits()
    """Which slices keep the deadline and the budget of the call; false: it has neither."""
    largest_batch: bool = False
    """The batch per core or chip is what fits each slice: batch_per_core="max"."""
    knees: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Of each generation of two slices or more, the largest with an efficiency of 0.8 or more."""
    knees_low: Mapping[str, str] = dataclasses.field(default_factory=dict)
    knees_high: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """The knees if every efficiency were at its low, at its high."""
    measured_notes: tuple[str, ...] = ()
    """Of the runs of measured=: which have no row, and why; which simulated another step."""
    text: str = ""
    """Of one slice: all that pod_launch says of it. Of several: empty."""
    drawing: Svg = Svg("")
    _kept: ClassVar[Kept | None] = None
    """Of a plan that podsim.plan made, what explain() needs."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", Rows(self.rows))

    def __getattr__(self, name: str) -> Any:
        """Of a name that a Plan has not."""
        own = ["rows", "refused", "which", "knees", "table", "price", "plot", "explain", "to_json",
               "text", "links"]
        meant = _MEANT.get(name, "")
        if name == "cost" and not vars(self).get("price_per_chip_hour"):
            meant = NO_PRICE
        meant = meant or _of_rows(name) or of_run(name)
        raise _errors.no_attribute(f"a Plan has no {name!r}" + (
            f": {meant}" if meant else instead(name, own)))

    def _when_called(self) -> str:
        return "a podsim.Plan is no function: leave () out; its rows are plan[0] and so on"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[PlanRow]:
        return iter(self.rows)

    def __getitem__(self, which: Any) -> Any:
        """A row by its place, or by the name of its slice."""
        if isinstance(which, slice):
            return self.rows[which]
        if hasattr(which, "__index__"):
            if not -len(self) <= which < len(self):
                raise IndexError(f"the plan has no row {which}; it has {len(self)}, from 0 on: "
                                 f"{', '.join(row.slice for row in self.rows)}")
            return self.rows[which]
        for row in self.rows:
            if row.slice == which:
                return row
        refused = isinstance(which, str) and which in self.refused
        why = f": {self.refused[which]}" if refused else (
            f"; it has {', '.join(row.slice for row in self.rows)}")
        if not isinstance(which, str):
            raise TypeError(f"a row of the plan is taken by its place, plan[0], or by the name of "
                            f"its slice, not by {which!r}{why}")
        also = f"; {_of_rows(which)}" if _of_rows(which) else "" if refused else _of_slice(which)
        raise _errors.NoRow(f"the plan has no row of {which}{why}{also}")

    @checked("plan.price")
    def price(self, per_chip_hour: float | Mapping[str, float]) -> "Plan":
        """The same with what a whole run costs at this price of a chip for an hour, or at these
        by generation: {"v3": 2.2, "v4": 3.2}. `which` stays as the call asked it."""
        if isinstance(per_chip_hour, Mapping):
            _which.check_prices(per_chip_hour, "per_chip_hour")
            self._check_generations(per_chip_hour)
        else:
            _which.check_price(per_chip_hour)
        rows = tuple(_priced(row, per_chip_hour) for row in self.rows)
        priced = dataclasses.replace(self, rows=rows, price_per_chip_hour=per_chip_hour)
        return _keeping(priced, self._kept)

    def _check_generations(self, prices: Mapping[str, float]) -> None:
        """Raises ValueError for a price of no generation, and for a row without a price."""
        hardware = self._kept.hardware() if self._kept else None
        known = {row.generation for row in self.rows}
        for name in prices:
            refusal = "" if name in known else _slices.no_generation(name, hardware)
            if refusal:
                raise ValueError(f"per_chip_hour: {refusal}")
        for row in self.rows:
            if row.generation not in prices:
                raise ValueError(f"per_chip_hour has no price of {row.generation}, which "
                                 f'{row.slice} is of: add "{row.generation}": price')

    @checked("plan.explain")
    def explain(self, slice: Any = None) -> _explain.Explanation:
        """What a core (a chip, where that trains as one) runs in a training step, kernel by
        kernel, and what is in its HBM, on one slice of the plan; on the only one, if none is
        named."""
        return _explain.of_plan(self, self._kept, slice)

    @property
    def table(self) -> str:
        """A line for each slice, and what lines cannot say below."""
        columns = list(zip(self._columns(), *map(self._cells, self.rows)))
        left_out = _too_many(columns, _terminal_width())
        lines = _lines([column for column in columns if column[0] not in left_out])
        notes = [f"left out for want of width: {', '.join(left_out)}"] if left_out else []
        return "\n".join([self._heading(), *lines, *notes, *self._notes()])

    def __str__(self) -> str:
        if not self.text:
            return self.table
        costs = [f"cost        {_money(row.cost)} at {self._price_text()} a chip-hour"
                 for row in self.rows if isinstance(row, PricedRow)]
        says = self.which.says if self.which else ()
        return "\n".join([self.text, *costs, *says])

    __repr__ = __str__

    @checked("plan.plot")
    def plot(self, path: str | os.PathLike[str] | None = None) -> Svg:
        """How long the whole run takes and how well it scales over the slices, as SVG;
        written to `path`, if one is given. A notebook shows what is returned."""
        if path is not None:
            _job.write_file(path, ".svg", "what is drawn is SVG", self.drawing)
        return self.drawing

    @checked("plan.to_json")
    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """One object: rows with the names of PlanRow's fields; cost, cost_low and cost_high are
        null without a price. With a `path` it is written there, and nothing is returned."""
        if path is None:
            return self._json()
        _job.write_file(path, ".json", "what is written is JSON", self._json() + "\n")
        return None

    def _json(self) -> str:
        return json.dumps({"clock": "sim", "job": self.job,
                           "scaling": self.scaling, "tuned_on": self.tuned_on,
                           "links": dict(self.links),
                           "price_per_chip_hour": self._prices(),
                           "knees": dict(self.knees),
                           "knees_low": dict(self.knees_low),
                           "knees_high": dict(self.knees_high),
                           "measured_notes": list(self.measured_notes),
                           "which": dataclasses.asdict(self.which) if self.which else None,
                           "rows": [_NO_COST | dataclasses.asdict(row) for row in self.rows],
                           "refused": dict(self.refused)}, indent=2)

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>"
                                    for cell in cells) + "</tr>"

        notes = "".join(f"<div>{html.escape(note)}</div>" for note in self._notes())
        return (f"<div>{html.escape(self._heading())}</div><table>"
                + line(self._columns(), "th")
                + "".join(line(self._cells(row), "td") for row in self.rows)
                + f"</table>{notes}{self.drawing if len(self.rows) > 1 else ''}")

    def _is_priced(self) -> bool:
        return self.price_per_chip_hour is not None

    def _prices(self) -> float | dict[str, float] | None:
        prices = self.price_per_chip_hour
        return dict(prices) if isinstance(prices, Mapping) else prices

    def _price_text(self) -> str:
        prices = self._prices()
        if isinstance(prices, dict):
            return ", ".join(f"{name} {price:g}" for name, price in prices.items())
        return f"{prices:g}"

    def _has_tokens(self) -> bool:
        return any(row.tokens_per_second is not None for row in self.rows)

    def _columns(self) -> list[str]:
        whose = " or ".join(self._replicas())
        columns = [name + whose if name.endswith(("/", " per ")) else name for name in _COLUMNS]
        columns = [*columns[:-1], *[_COST] * self._is_priced(),
                   *(name for name, _ in self._limits()), columns[-1]]
        absent = {_TOKENS} if not self._has_tokens() else set()
        absent |= set() if self._has_measured() else set(_MEASURED)
        absent |= set() if self._has_efficiency_band() else set(_EFFICIENCY_BAND)
        return [name for name in columns if name not in absent]

    def _has_efficiency_band(self) -> bool:
        return any(map(_efficiency_range, self.rows))

    def _has_measured(self) -> bool:
        return any(row.measured for row in self.rows)

    def _limits(self) -> list[tuple[str, Callable[[PlanRow], str]]]:
        """Columns of a call with limits, and their cells."""
        if not self.which:
            return []
        given = dict(zip(_LIMITS, (self.which.deadline_seconds, self.which.budget)))
        return [
            (_RUN_BAND[0], lambda row: span(row.run_seconds_low)),
            (_RUN_BAND[1], lambda row: span(row.run_seconds_high)),
            *[(_COST_BAND[0], lambda row: _money(row.cost_low)),
              (_COST_BAND[1], lambda row: _money(row.cost_high))] * self._is_priced(),
            *((name, operator.attrgetter(name)) for name in _LIMITS if given[name] is not None)]

    def _replicas(self) -> list[str]:
        """"core", "chip", or both where generations differ."""
        return sorted({row.replica_name for row in self.rows}, reverse=True) or ["core"]

    def _cells(self, row: PlanRow) -> list[str]:
        cost = [_money(row.cost)] if isinstance(row, PricedRow) else []
        tokens = [] if not self._has_tokens() else [
            "-" if row.tokens_per_second is None else f"{row.tokens_per_second:,.0f}"]
        return [row.slice, str(row.batch_per_core), f"{row.global_batch:,}",
                f"{row.train_steps:,}", f"{row.learning_rate:.4g}", gib(row.hbm_bytes),
                span(row.step_seconds), span(row.step_seconds_low), span(row.step_seconds_high),
                *_measured_cells(row.measured) * self._has_measured(),
                f"{row.examples_per_second:,.0f}", *tokens, fine_share(row.mfu),
                span(row.all_reduce_seconds), span(row.exposed_seconds), share(row.efficiency),
                *[share(row.efficiency_low),
                  share(row.efficiency_high)] * self._has_efficiency_band(),
                fine_share(row.recomputed_share), span(row.run_seconds),
                f"{row.run_chip_hours:.3g}", *cost, *(cell(row) for _, cell in self._limits()),
                row.bound_by + " !" * bool(row.warnings)]

    def _heading(self) -> str:
        price = f"; {self._price_text()} a chip-hour" if self._is_priced() else ""
        tuned = (f"; steps and learning rate scaled from {self.tuned_on}" if self.tuned_on else
                 "; steps and learning rate as given" if self.scaling == "weak" else "")
        whose = " or ".join(self._replicas())
        same = ("the same global batch on every slice" if self.scaling == "strong" else
                f"on every slice the largest batch per {whose} that fits" if self.largest_batch
                else f"the same batch per {whose} on every slice")
        return f"{self.job}, {same}{tuned}{price}"

    def _notes(self) -> list[str]:
        knees = ", ".join(f"{name} ({self._knee_text(generation)})"
                          for generation, name in self.knees.items())
        return [_ABOUT_TIMES, *[_ABOUT_MEASURED] * self._has_measured(), *self.measured_notes,
                *[f"knee, the largest slice with an efficiency of at least 80%: {knees}"]
                * bool(knees), *_sharding_notes(self.rows),
                *(self.which.says if self.which else ()),
                *(f"links of {name}: {note}" for name, note in self.links.items()),
                *(_examples_differ(self.rows) if self.scaling == "strong" else ()),
                *_kinds_of_warnings(self.rows), *_two_programs(self.rows),
                *(f"{name} has no plan: {why}" for name, why in self.refused.items())]


    def _knee_text(self, generation: str) -> str:
        """"83%, 81% to 86%; at low it is v3-64"."""
        row = self[self.knees[generation]]
        elsewhere = [f"at {end} it is {knees[generation]}"
                     for end, knees in (("low", self.knees_low), ("high", self.knees_high))
                     if knees.get(generation, row.slice) != row.slice]
        band = _efficiency_range(row)
        return "; ".join([share(row.efficiency) + (f", {band}" if band else ""), *elsewhere])


def _efficiency_range(row: PlanRow) -> str:
    """"81% to 86%"; nothing where both are the efficiency, in full percents."""
    low, high = share(row.efficiency_low), share(row.efficiency_high)
    return "" if low == high == share(row.efficiency) else f"{low} to {high}"


def _sharding_notes(rows: Sequence[PlanRow]) -> list[str]:
    """What the sharded update saves, if the job has one."""
    def percent(part: float | None) -> str:
        return f"{round(100 * (part or 0))}%"  # no "-0%"

    saved = [f"{row.slice} {percent(row.sharded_update_saves)} "
             f"({percent(row.sharded_update_saves_low)} to "
             f"{percent(row.sharded_update_saves_high)}; without it "
             f"{span(row.step_seconds_without_sharded_update or 0)} sim)"
             for row in rows if row.sharded_update_saves is not None]
    return [f"what sharding the update saves of a step: {', '.join(saved)}"] * bool(saved)


def _terminal_width() -> int:
    """0: it is no terminal, and takes lines of any length."""
    return shutil.get_terminal_size().columns if _display.is_terminal(sys.stdout) else 0


def _width(column: Sequence[str]) -> int:
    return max(map(len, column))


def _too_many(columns: Sequence[Sequence[str]], most: int) -> list[str]:
    """Names of columns without which lines of `most` characters hold the others."""
    widths = {column[0]: _width(column) + len("  ") for column in columns}
    left_out: list[str] = []
    order = [name for part in _LEFT_OUT for name in widths
             if name == part or part.endswith(("/", " ")) and name.startswith(part)]
    for name in order:
        if not most or sum(widths.values()) - len("  ") <= most:
            break
        del widths[name]
        left_out.append(name)
    return left_out


def _lines(columns: Sequence[Sequence[str]]) -> list[str]:
    padded = [[cell.ljust(_width(column)) if column[0] in _LEFT else cell.rjust(_width(column))
               for cell in column] for column in columns]
    return ["  ".join(row).rstrip() for row in zip(*padded)]


def _measured_cells(run: _measured.Measured | None) -> list[str]:
    spans = (run.step_seconds_wall, run.simulated_step_seconds) if run else (None, None)
    return ["-" if seconds is None else span(seconds) for seconds in spans]


def _money(amount: float) -> str:
    return f"{amount:,.2f}" if amount >= 1 else f"{amount:.3g}"


def _kinds_of_warnings(rows: Sequence[PlanRow]) -> list[str]:
    """One line for each kind: those that differ in their numbers alone are one."""
    kinds: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        for text in row.warnings:
            key = re.sub(r"[\d.,]+", "#", text.replace(row.slice, ""))
            kinds.setdefault(key, []).append((row.slice, text))
    return [f"! {found[0][0]}: {found[0][1]}"
            + (f" (likewise {', '.join(name for name, _ in found[1:])})" if found[1:] else "")
            for found in kinds.values()]


def _two_programs(rows: Sequence[PlanRow]) -> list[str]:
    """As pod_plan's table says it (runtime/plan/ladder_troubles.cc)."""
    kernels, plain = [], []
    for row in rows:
        of_own = any(text.startswith("attention is planned as a kernel") for text in row.warnings)
        (kernels if of_own else plain).append(row.slice)
    return [f"! rows of two programs: attention is plain on {', '.join(plain)}, a kernel of its "
            f"own on {', '.join(kernels)}; to compare slices by one program: attention=\"plain\""
            ] * bool(kernels and plain)


def _examples_differ(rows: Sequence[PlanRow]) -> list[str]:
    """Of rows with one global batch, as pod_plan's table says it (runtime/plan/ladder_table.cc):
    nothing where they train on as many examples, but for the last batch."""
    examples = [row.train_steps * row.global_batch for row in rows] or [0]
    least, most = min(examples), max(examples)
    if 20 * (most - least) <= most:
        return []
    return [f"! the rows train on {least:,} to {most:,} examples (train_steps * global_batch): "
            "their reference has the batch_per_core of each row, so that train_steps are scaled "
            "apart; reference_batch_size=N says one global_batch for all"]


_NO_COST = dict.fromkeys(("cost", "cost_low", "cost_high"))


def _priced(row: PlanRow, per_chip_hour: float | Mapping[str, float]) -> PricedRow:
    price = (per_chip_hour[row.generation] if isinstance(per_chip_hour, Mapping)
             else per_chip_hour)
    per_second = price * row.chips / 3600
    return PricedRow(**_fields(row), cost=row.run_chip_hours * price,
                     cost_low=row.run_seconds_low * per_second,
                     cost_high=row.run_seconds_high * per_second)


def _fields(row: PlanRow) -> dict[str, Any]:
    """Without a price."""
    return {field.name: getattr(row, field.name) for field in dataclasses.fields(PlanRow)}


def _row(found: Mapping[str, Any]) -> PlanRow:
    named = {field.name: found[field.name] for field in dataclasses.fields(PlanRow)
             if field.name in found}
    warnings = tuple(map(_errors.in_python, found["warnings"]))
    return PlanRow(**named | {"hbm_bytes": found["hbm_bytes_per_core"], "warnings": warnings,
                              "measured": _measured.read(found.get("measured"))})


def read(written: str, text: str = "", drawing: str = "") -> Plan:
    """Of what `pod_plan --json` writes."""
    found = json.loads(written)
    results = found["results"]
    plan = Plan(rows=tuple(_row(row) for row in results if "refused" not in row),
                refused={row["slice"]: _errors.in_python(row["refused"])
                         for row in results if "refused" in row},
                job=found["job"], scaling=found["scaling"],
                tuned_on=found.get("reference_topology"),
                which=_which.read(found.get("which")),
                measured_notes=tuple(map(_errors.in_python, found.get("measured_notes", ()))),
                largest_batch=found.get("largest_batch", False),
                knees={knee["generation"]: knee["slice"] for knee in found["knees"]},
                knees_low={knee["generation"]: knee["slice_low"] for knee in found["knees"]},
                knees_high={knee["generation"]: knee["slice_high"] for knee in found["knees"]},
                links={row["slice"].split("-")[0]: row["network_note"] for row in results
                       if "network_note" in row}, text=text, drawing=Svg(drawing))
    prices = {row["generation"]: row["price"] / row["run_chip_hours"] for row in results
              if "price" in row}
    return plan.price(prices) if prices else plan


def _keeping(plan: Plan, kept: Kept | None) -> Plan:
    object.__setattr__(plan, "_kept", kept)
    return plan


def of_job(settings: Mapping[str, Any], folder: pathlib.Path,
           asked: _which.Question = _which.Question(), measured: Any = None) -> Plan:
    """Asks the programs. folder: the call's own files, and for what the programs draw."""
    runs = _measured.Runs(measured)
    kept = Kept(settings, folder)
    place = folder / "plan.svg"
    table = ["--json", f"--plot={place}", *asked.flags(folder), *runs.flags(folder),
             *_job.flags_of_plan(settings)]
    try:
        written, text = _asked(table, settings)
    except _errors.PodsimError as error:
        raise runs.in_words_of_call(_which.in_words_of(asked, error)) from None
    plan = _keeping(read(runs.named(written), text.rstrip("\n"), runs.named(place.read_text())),
                    kept)
    given = asked.price_per_chip_hour if asked.price_per_chip_hour is not None else (
        asked.chip_prices if isinstance(asked.chip_prices, Mapping) else None)
    return plan if given is None else plan.price(given)


def _asked(table: list[str], settings: Mapping[str, Any]) -> tuple[str, str]:
    """What pod_plan writes, and, of one slice, what pod_launch says of it."""
    with concurrent.futures.ThreadPoolExecutor(2) as both:
        written = both.submit(_programs.run, "pod_plan", table)
        if _job.is_range(settings["topology"]):
            return written.result(), ""
        if settings.get("batch_per_core") == LARGEST:  # which pod_plan says
            rows = [row for row in json.loads(written.result())["results"]
                    if "refused" not in row]
            settings = {**settings, "batch_per_core": rows[0]["batch_per_core"]}
        text = _programs.run("pod_launch", [*_job.flags(settings), "--dry_run"])
        return written.result(), text
