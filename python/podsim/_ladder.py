"""What podsim.ladder returns: a job trained on slice after slice, beside its plan."""

from __future__ import annotations

import contextlib
import dataclasses
import html
import json
import os
import pathlib
import re
import signal
import subprocess
from typing import Any, Callable, Iterator, Mapping, Sequence

from . import _errors, _job, _programs
from ._calls import checked
from ._errors import PodsimError
from ._drawing import Svg
from ._names import instead
from ._not_called import NotCalled
from ._said import shown
from ._units import share, span

_COLUMNS = ("slice", "global batch", "steps", "learning rate", "train loss", "eval loss",
            "accuracy", "eff.", "step (sim)", "step (wall)", "verdict")
_LEFT = ("slice", "verdict")

# What else such an object may be asked for, and what says it.
_MEANT = {
    **dict.fromkeys(("slices", "names", "rungs"), "its rows are ladder[0] and so on, and "
                    "[row.slice for row in ladder] their slices"),
    **dict.fromkeys(("to_csv", "to_pandas", "to_dict"), "its rows are dataclasses: "
                    "[dataclasses.asdict(row) for row in ladder], or ladder.to_json()"),
    **dict.fromkeys(("failed", "error", "failure"), "say ladder.stopped_at, with ladder.reason "
                    "and ladder.change"),
    **dict.fromkeys(("save", "write", "dump"), 'say ladder.to_json("ladder.json") or '
                    'ladder.plot("ladder.svg")'),
    **dict.fromkeys(("html", "page", "to_html"), 'say ladder.report("ladder.html")'),
    "losses": "say [row.eval_loss for row in ladder], or row.runs of each seed",
}


@dataclasses.dataclass(frozen=True)
class LadderRow:
    """The job on one slice. Of the first slice losses and accuracy are the mean of its
    seeds; None: it was not run, or has none."""

    slice: str
    chips: int
    verdict: str
    """"passed", "not run", or what failed: "loss", "accuracy", "not finite", "memory", ..."""
    reason: str | None
    """Why it did not pass."""
    change: str | None
    """Which number to change, in words."""
    global_batch: int | None
    train_steps: int | None
    learning_rate: float | None
    efficiency: float | None
    """Scaling efficiency (sim) against the first slice."""
    step_seconds: float | None
    """Of the plan, simulated; a run that keeps it is part of what is judged."""
    wall_step_seconds: float | None
    """The median on this machine, which is not judged."""
    train_loss: float | None
    """The mean of the last tenth of the examples."""
    eval_loss: float | None
    eval_accuracy: float | None
    runs: tuple[Mapping[str, Any], ...]
    """One dict a run: seed, plan_hash, steps, examples, losses, ..."""

    @property
    def passed(self) -> bool:
        return self.verdict == "passed"


@dataclasses.dataclass(frozen=True, repr=False)
class Ladder(NotCalled):
    """Rows in the order of the slices. print shows it, a notebook draws it."""

    rows: tuple[LadderRow, ...]
    job: str
    """Model and data set, such as "loss_fn on arrays"."""
    examples: int
    """On which each slice trained, but for the last batch."""
    passed: bool
    """All slices did."""
    stopped_at: str | None
    """The slice that failed."""
    reason: str | None
    change: str | None
    band: Mapping[str, Any] | None
    """What losses must keep: low to high around the mean of the first slice's seeds."""
    drawing: Svg = Svg("")
    written: str = ""
    """What pod_ladder --json wrote."""
    written_page: str = ""
    """Its page, which report() writes."""

    def __getattr__(self, name: str) -> Any:
        """Of a name that a Ladder has not."""
        own = ["rows", "passed", "stopped_at", "reason", "change", "band", "table", "plot",
               "report", "to_json"]
        meant = _MEANT.get(name, "")
        if not meant and any(name == each.name for each in dataclasses.fields(LadderRow)):
            meant = f"its rows have: [row.{name} for row in ladder]"
        raise _errors.no_attribute(f"a Ladder has no {name!r}" + (
            f": {meant}" if meant else instead(name, own)))

    def _when_called(self) -> str:
        return "a podsim.Ladder is no function: leave () out; its rows are ladder[0] and so on"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[LadderRow]:
        return iter(self.rows)

    def __getitem__(self, which: Any) -> Any:
        """A row by its place, or by the name of its slice."""
        if isinstance(which, slice) or hasattr(which, "__index__"):
            return self.rows[which]
        for row in self.rows:
            if row.slice == which:
                return row
        raise _errors.NoRow(f"the ladder has no row of {which}; it has "
                            f"{', '.join(row.slice for row in self.rows)}")

    @property
    def table(self) -> str:
        """A line for each slice that was run, and below them what lines cannot say."""
        columns = list(zip(_COLUMNS, *map(_cells, self._run_rows())))
        widths = [max(map(len, column)) for column in columns]
        padded = [[cell.ljust(width) if column[0] in _LEFT else cell.rjust(width)
                   for cell in column] for column, width in zip(columns, widths)]
        lines = ["  ".join(row).rstrip() for row in zip(*padded)]
        return "\n".join([self._heading(), *lines, *self._notes()])

    def __str__(self) -> str:
        return self.table

    __repr__ = __str__

    @checked("ladder.plot")
    def plot(self, path: str | os.PathLike[str] | None = None) -> Svg:
        """Losses of all runs with their band, and the efficiency, over the slices, as SVG;
        written to `path`, if one is given. A notebook shows what is returned."""
        if path is not None:
            _job.write_file(path, ".svg", "what is drawn is SVG", self.drawing)
        return self.drawing

    @checked("ladder.report")
    def report(self, path: str | os.PathLike[str] = "ladder.html") -> pathlib.Path:
        """Writes the page that pod_ladder makes, one file that needs no other: what failed and
        which number to change, the table, the drawing, and the runs side by side. A file that
        is there is replaced. Returns its path."""
        return _job.write_file(path, ".html", "what is written is a page of HTML",
                               self.written_page)

    @checked("ladder.to_json")
    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """One object, as pod_ladder --json writes it. With a `path` it is written there, and
        nothing is returned."""
        if path is None:
            return self.written
        _job.write_file(path, ".json", "what is written is JSON", self.written + "\n")
        return None

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>"
                                    for cell in cells) + "</tr>"

        notes = "".join(f"<div>{html.escape(note)}</div>" for note in self._notes())
        return (f"<div>{html.escape(self._heading())}</div><table>" + line(_COLUMNS, "th")
                + "".join(line(_cells(row), "td") for row in self._run_rows())
                + f"</table>{notes}{self.drawing}")

    def _run_rows(self) -> list[LadderRow]:
        return [row for row in self.rows if row.verdict != "not run"]

    def _heading(self) -> str:
        return (f"{self.job}, trained on {self.examples:,} examples on every slice; sim: computed, "
                "of the real slice; wall: of this machine, not judged")

    def _notes(self) -> list[str]:
        notes = []
        if self.band:
            what = "eval loss" if self.band["of"] == "eval_loss" else "training loss"
            notes.append(f"{what} must be {self.band['mean']:.4g}, the mean of "
                         f"{self.band['seeds']} seeds on {self.rows[0].slice}, within "
                         f"{self.band['high'] - self.band['mean']:.4g}: 3 standard deviations, "
                         "or 5% of it")
        if self.stopped_at:
            notes.append(f"{self.stopped_at} failed: {self.reason}")
        if self.change:
            notes.append(f"change {self.change}")
        behind = [row.slice for row in self.rows if row.verdict == "not run"]
        return [*notes, *[f"not run: {', '.join(behind)}"] * bool(behind)]


def _text(value: Any, format_of: Callable[[Any], str]) -> str:
    return "-" if value is None else format_of(value)


def _cells(row: LadderRow) -> list[str]:
    return [row.slice, _text(row.global_batch, "{:,}".format),
            _text(row.train_steps, "{:,}".format), _text(row.learning_rate, "{:.4g}".format),
            _text(row.train_loss, "{:.4g}".format), _text(row.eval_loss, "{:.4g}".format),
            _text(row.eval_accuracy, "{:.2%}".format), _text(row.efficiency, share),
            _text(row.step_seconds, span), _text(row.wall_step_seconds, span),
            row.verdict if row.passed else f"FAILED: {row.verdict}"]


def _mean(runs: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [run[name] for run in runs if run.get(name) is not None]
    return sum(values) / len(values) if values else None


def _said(text: str | None) -> str | None:
    """Of pod_ladder, in the words of a call."""
    return None if text is None else _errors.in_python(text.replace("--steps", "--train_steps"))


def _row(found: Mapping[str, Any]) -> LadderRow:
    runs = found["runs"]
    return LadderRow(
        slice=found["slice"], chips=found["chips"], verdict=found["verdict"],
        reason=_said(found["reason"]), change=_said(found["change"]),
        **{name: found.get(name) for name in ("global_batch", "train_steps", "learning_rate",
                                              "efficiency", "step_seconds")},
        **{name: _mean(runs, name) for name in ("wall_step_seconds", "train_loss", "eval_loss",
                                                "eval_accuracy")},
        runs=tuple(runs))


def read(written: str, drawing: str = "", page: str = "") -> Ladder:
    """Of what `pod_ladder --json` writes."""
    found = json.loads(written)
    return Ladder(rows=tuple(map(_row, found["rungs"])), job=found["job"],
                  examples=found["examples"], passed=found["passed"],
                  stopped_at=found["stopped_at"], reason=_said(found["reason"]),
                  change=_said(found["change"]), band=found["band"], drawing=Svg(drawing),
                  written=written.rstrip("\n"), written_page=page)


def check(until: Any, ladder_dir: Any, resume: Any) -> list[str]:
    """The flags of these arguments. Raises TypeError or ValueError for what is none."""
    flags = []
    if until is not None:
        if isinstance(until, bool) or not isinstance(until, (int, float)) or not 0 < until <= 1:
            raise ValueError(f"until is {shown(until)}; it must be the least scaling efficiency, "
                             "above 0 and at most 1, such as until=0.8")
        flags.append(f"--until=efficiency:{float(until)!r}")
    if not isinstance(resume, bool):
        raise TypeError(f"resume is {shown(resume)}; it must be True or False")
    if resume and ladder_dir is None:
        raise TypeError("resume=True goes on in ladder_dir, which is not given: say "
                        'ladder_dir="ladder"')
    if ladder_dir is not None:
        flags.append(f"--ladder_dir={_job.local('ladder_dir', ladder_dir)}")
    return flags + ["--resume"] * resume


# Of one run, and a ladder has several (one_run in proto/job.proto); a test compares.
ONE_RUN = ("model_dir", "checkpoint_every", "checkpoint_every_seconds", "keep", "mode",
           "max_restarts", "metrics_file", "tensorboard_dir", "log_dir", "trace", "trace_steps",
           "profile_dir", "faults", "quiet", "external_hosts", "listen",
           "allow_plaintext_network", "metrics_port", "metrics_host", "tpu_metrics_port")


def check_settings(settings: Mapping[str, Any]) -> None:
    """Raises TypeError for a setting of one run."""
    for name in ONE_RUN:
        if settings.get(name) is not None:
            raise TypeError(f"{name} is {shown(settings[name])}, a setting of one run, and a ladder "
                            'has one on each slice: leave it out; ladder_dir="ladder" keeps the '
                            "metrics of each")


def in_words_of_call(error: PodsimError) -> PodsimError:
    """An error of pod_ladder with its own flags as arguments of podsim.ladder."""
    said = str(error).replace("leave --resume out", "leave resume out")
    said = said.replace("--resume", "resume=True")
    said = re.sub(r"^steps is ", "train_steps is ", said)
    for name in ("ladder_dir", "until"):
        said = said.replace(f"--{name}", name)
    return PodsimError(said, details=error.details)


def of_job(settings: Mapping[str, Any], folder: pathlib.Path, flags: Sequence[str],
           watching: Callable[[int], contextlib.AbstractContextManager[None]]) -> Ladder:
    """Runs the program. folder: for what it draws; watching: entered with its process."""
    place, page = folder / "ladder.svg", folder / "ladder.html"
    command = [str(_programs.find("pod_ladder")), "--json", f"--plot={place}",
               f"--report={page}", *flags, *_job.flags(settings)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             start_new_session=True, env=_programs.environment())
    with watching(child.pid):
        try:
            written, errors = child.communicate()
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            child.communicate()
            raise
    if child.returncode not in (0, 1) or not written:
        raise in_words_of_call(_errors.of_program("pod_ladder", errors, child.returncode))
    return read(written, place.read_text(), page.read_text(encoding="utf-8"))
