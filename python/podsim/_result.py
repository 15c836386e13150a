"""What a run leaves behind."""

from __future__ import annotations

import dataclasses
import html
import itertools
import json
import math
import os
import pathlib
import sys
import tempfile
from typing import Any, Iterable, Mapping, NoReturn

import numpy as np

from . import _job, _programs, _records, _safetensors, _tables
from ._calls import checked
from ._drawing import Svg
from ._errors import PodsimError, no_attribute
from ._names import near
from ._not_called import NotCalled
from ._settings import SETTINGS
from ._units import gib, span


# What other libraries call what a run has, or give it to do.
_MEANT = {
    **dict.fromkeys(("history", "logs", "log", "records"), "say run.losses, the loss of each step, "
                    "or run.metrics, a dict a step with all else"),
    **dict.fromkeys(("weights", "variables", "model", "best_params"), "say run.params"),
    **dict.fromkeys(("loss", "loss_history", "train_loss", "losses_"), "say run.losses, or "
                    "run.summary.loss for the last"),
    **dict.fromkeys(("final_loss", "last_loss"), "say run.summary.loss"),
    **dict.fromkeys(("val_loss", "val_losses", "test_loss"), "say run.summary.eval_loss, or "
                    "[e['loss'] for e in run.evaluations]"),
    **dict.fromkeys(("eval", "evals", "val_metrics", "eval_history"), "say run.evaluations"),
    **dict.fromkeys(("save", "save_weights", "to_file", "checkpoint", "save_checkpoint"),
                    "podsim.train(..., model_dir=DIR) keeps checkpoints; run.params are arrays"),
    **dict.fromkeys(("predict", "evaluate", "apply", "test"), "call a function of your own with "
                    "run.params"),
    **dict.fromkeys(("show", "figure", "draw", "chart"), "a notebook draws the run itself; "
                    "run.plot() is what it draws, and run.report() writes a page of it"),
    **dict.fromkeys(("opt_state", "optimizer_state"), "its checkpoints have it, with model_dir="),
    **dict.fromkeys(("to_df", "to_frame", "dataframe", "df", "pandas"), "say run.to_pandas()"),
    **dict.fromkeys(("to_json", "to_dict"), "metrics_file= keeps the records as JSON"),
    **dict.fromkeys(("explain", "kernels", "profile", "trace", "roofline"), "podsim.plan of the "
                    "same arguments has it: podsim.plan(...).explain()"),
    **dict.fromkeys(("rows", "table", "knees", "which", "price"), "podsim.plan of the same "
                    "arguments compares slices"),
    **dict.fromkeys(("resume", "fit", "train", "continue_training"), "the same call of "
                    "podsim.train with the same model_dir= goes on"),
}


@dataclasses.dataclass(frozen=True, repr=False)
class Run(NotCalled):
    """A run of training. A notebook draws it."""

    params: Any
    """The trained weights, in the caller's own tree."""
    state: Any
    """What the steps carried, likewise; None if the call had no state."""
    metrics: list[dict[str, Any]]
    """One dict a step of this call: step, examples, loss, metrics, learning_rate, seconds
    of the wall clock, simulated_seconds of the pod's with simulated_time, the sum so far, ...
    Empty if a checkpoint in model_dir had nothing left to train."""
    evaluations: list[dict[str, Any]]
    """One dict an evaluation: step, examples, loss, accuracy, and in metrics what eval_fn
    returns beside it."""
    plan: dict[str, Any]
    """What the job ran with: slice, global_batch, train_steps, ..., the settings with
    their types, hbm_bytes_per_core (of a core or chip: replica_name) of
    hbm_bytes_available, and of a simulated step
    step_seconds, step_seconds_low and step_seconds_high; plan_hash."""
    summary: dict[str, Any]
    """The last loss, eval_loss, eval_accuracy, eval_metrics; times of the wall clock, and
    input_verdict, whether steps wait for input. Of the pod: simulated_step_seconds, with
    _low and _high as in plan, simulated_seconds_run with what it consists of
    (simulated_seconds_start_up, _steps, _evaluation, _checkpoints), the phases of the
    steps (simulated_seconds_input, _compute, _reduce, _update, _fixed),
    simulated_chip_hours, simulated_mfu, simulated_input_verdict,
    simulated_hbm_bytes_per_core of simulated_hbm_bytes_available."""
    model_dir: pathlib.Path | None
    """Where the checkpoints are, if the job named a place."""

    def __post_init__(self) -> None:
        kept = {"metrics": _records.Steps(map(_records.Step, self.metrics)),
                "evaluations": _records.Evaluations(map(_records.Evaluation, self.evaluations)),
                "plan": _records.plan(self.plan), "summary": _records.Summary(self.summary)}
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        """Of a name that a Run has not."""
        own = [field.name for field in dataclasses.fields(self)] + ["losses", "to_pandas", "plot", "report"]
        raise no_attribute(f"a Run has no {name!r}{self._instead(name, own)}; it has "
                           f"{', '.join(own)}")

    def _instead(self, name: str, own: list[str]) -> str:
        held = vars(self)  # fewer than all, if it is being copied
        if name in _MEANT:
            return f": {_MEANT[name]}"
        for part in ("plan", "summary"):
            if name in held.get(part, {}):
                return f": say run.{part}.{name}"
        for part in (f"eval_{name}", f"train_{name}"):
            if part in held.get("summary", {}):
                return f": say run.summary.{part}"
        if any(name in step for step in held.get("metrics", [])[:1]):
            return f": say [m[{name!r}] for m in run.metrics]"
        if any(name in step.get("metrics", ()) for step in held.get("metrics", [])[:1]):
            return f": say [m['metrics'][{name!r}] for m in run.metrics]"
        if {"acc", "accuracy"} & {*name.split("_")}:
            return f": {_records.Record.of_accuracy}"
        return near(name, own)

    def __getitem__(self, name: Any) -> Any:
        """Of who takes it for a dict or a tuple."""
        own = [field.name for field in dataclasses.fields(self)]
        said = name if isinstance(name, str) and name in own else "params"
        raise TypeError(f"a podsim.Run is no dict and no tuple: run = podsim.train(...), then "
                        f"run.{said}; it has {', '.join(own)}")

    def keys(self) -> NoReturn:
        """Of who takes it for a dict, as in f(**run)."""
        raise TypeError("a podsim.Run is no dict: its weights are run.params, as in **run.params "
                        "if that is a dict")

    def _when_called(self) -> str:
        return ("a podsim.Run is no function: give the weights, run.params, to a function of your "
                "own, as in model.apply(run.params, x)")

    @property
    def losses(self) -> np.ndarray:
        """One a step of this call, as metrics has them; NaN for one that was none."""
        losses = np.array([_number(step["loss"]) for step in self.metrics], float)
        return losses.view(_records.Losses)

    def to_pandas(self, what: str = "metrics") -> Any:
        """A pandas.DataFrame of "metrics" (a row a step) or of "evaluations", by step. A
        dict of a record becomes columns with dots, as in metrics.accuracy. Columns whose
        names begin with simulated_ are of the pod's clock, all other times of the wall's.
        Needs pandas, which podsim does not install."""
        if what not in ("metrics", "evaluations"):
            raise ValueError(f'to_pandas({what!r}): say "metrics", a row a step, or '
                             '"evaluations"')
        try:
            import pandas
        except ImportError as error:
            raise ImportError("run.to_pandas() needs pandas, which is not installed here: pip "
                              "install pandas; run.metrics are the same records as "
                              "dicts") from error
        frame = pandas.DataFrame(_tables.columns(getattr(self, what)))
        return frame.set_index("step") if "step" in frame else frame

    def report(self, path: str | os.PathLike[str] = "report.html") -> pathlib.Path:
        """Writes the page that pod_report makes of the run, one file that needs no other:
        what is wrong first, then its figures. A file that is there is replaced. Returns its
        path. Raises ValueError for a name without .html or a folder that is not there, and
        PodsimError if it cannot be written."""
        page = _job.file_of(path, ".html", "what is written is a page of HTML")
        with tempfile.TemporaryDirectory() as folder:
            try:
                _report(self._events(), folder, f"--output={page}")
            except PodsimError as error:
                raise PodsimError(str(error).replace("--output", "path"),
                                  details=error.details) from None
        return page

    @checked("run.plot")
    def plot(self, path: str | os.PathLike[str] | None = None) -> Svg:
        """Loss, the first metric, and throughput beside the forecast over the steps, as SVG,
        drawn by pod_report; written to `path`, if one is given. A notebook shows what is
        returned. Raises PodsimError for a run of fewer than two steps."""
        if len(self.metrics) < 2:
            raise PodsimError("run.plot() needs two steps at least, and this call made "
                              f"{len(self.metrics)}")
        drawing = self._drawn()
        if path is not None:
            _job.write_file(path, ".svg", "what is drawn is SVG", drawing)
        return drawing

    def _drawn(self) -> Svg:
        # Without what a step has of each process, which is not drawn.
        events = ({name: value for name, value in event.items() if not isinstance(value, list)}
                  for event in self._events())
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "run.svg")
            _report(events, folder, f"--plot={place}")
            return Svg(place.read_text(encoding="utf-8"))

    def _events(self) -> list[dict[str, Any]]:
        """What a metrics file has of this run."""
        kept = vars(self)
        events = {"plan": [self.plan], **kept.get("_others", {}), "step": self.metrics,
                  "eval": self.evaluations}
        events.setdefault("summary", [self.summary])
        order = kept.get("_order") or [kind for kind, each in events.items() for _ in each]
        left = {kind: iter(each) for kind, each in events.items()}
        return [{"event": kind, **event} for kind in order
                for event in itertools.islice(left[kind], 1)]

    def __repr__(self) -> str:
        return "\n".join(["podsim.Run: " + self._what(), *("  " + row for row in self._rows())])

    def _what(self) -> str:
        job = f"{self.plan['model']} on {self.plan['dataset']}, {self.plan['slice']}"
        return (f"{job}: step {self.summary.get('steps', 0):,}, "
                f"{self.summary.get('examples', 0):,} examples")

    def _rows(self) -> list[str]:
        return list(filter(None, [
            _loss_row(self.summary, bool(self.metrics)), _time_row(self.summary),
            _hbm_row(self.plan),
            f"checkpoints  {self.model_dir}" if self.model_dir else "",
            f"weights hash {self.summary.get('weights_hash', '')}"]))

    def _repr_html_(self) -> str:
        rows = "".join(f"<div>{html.escape(row)}</div>" for row in
                       [self._what(), *self._rows()])
        if len(self.metrics) < 2:
            return rows
        try:
            return rows + self._drawn()
        except PodsimError as error:  # a run that was pickled, where the programs are not
            return rows + f"<div>{html.escape(f'not drawn: {error}')}</div>"


def _report(events: Iterable[Mapping[str, Any]], folder: str, flag: str) -> None:
    """Gives pod_report a metrics file of these, which is written into the folder."""
    file = pathlib.Path(folder, "run.jsonl")
    file.write_text("".join(json.dumps(event) + "\n" for event in events))
    _programs.run("pod_report", [file, flag])


def _number(value: Any) -> float:
    """JSON has null for what is none."""
    return math.nan if value is None else float(value)


def _loss_row(summary: Mapping[str, Any], has_steps: bool) -> str:
    parts = [f"loss {_number(summary.get('loss')):.4f}" if has_steps else "no step was left"]
    if "train_accuracy" in summary:
        parts.append(f"accuracy {_number(summary['train_accuracy']):.2%}")
    if "eval_loss" in summary:
        parts.append(f"eval loss {_number(summary['eval_loss']):.4f}")
    if "eval_accuracy" in summary:
        parts.append(f"eval accuracy {_number(summary['eval_accuracy']):.2%}")
    own = summary.get("eval_metrics", {})
    parts += [f"eval {name} {_number(value):.4g}" for name, value in list(own.items())[:3]]
    return "last step    " + ", ".join(parts) + (", ..." if len(own) > 3 else "")


def _time_row(summary: Mapping[str, Any]) -> str:
    if "simulated_step_seconds" not in summary:
        return ""
    rate = summary["examples_per_second"]
    return (f"step time    {span(summary['simulated_step_seconds'])} sim: "
            f"{summary.get('simulated_how', '')}"
            + (f"; {rate:,.0f} examples/s wall" if rate else ""))


def _hbm_row(plan: Mapping[str, Any]) -> str:
    if "hbm_bytes_per_core" not in plan:
        return ""
    return (f"HBM          {gib(plan['hbm_bytes_per_core'])} of "
            f"{gib(plan['hbm_bytes_available'])} per {plan.get('replica_name', 'core')}")


def nothing_left(plan: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """Why a job that goes on had no step to make: it is a number of examples."""
    return (f"no step was left: the checkpoint at step {summary['steps']:,} was trained on "
            f"{summary['examples']:,} examples, the job has {plan['total_examples']:,} "
            f"({plan['train_steps']:,} steps of {plan['global_batch']:,}); give more of "
            "train_steps or epochs to train on, or another model_dir to begin anew")


def plan_of(event: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
    """Run.plan, of a metrics file's events."""
    settings = {name: typed(name, text) for name, text in event["settings"].items()}
    times = {f"step_seconds{end}": summary[f"simulated_step_seconds{end}"]
             for end in ("", "_low", "_high") if f"simulated_step_seconds{end}" in summary}
    return {**event, "settings": settings, **times}


def summary_of(event: Mapping[str, Any]) -> dict[str, Any]:
    """Run.summary, of a metrics file's event."""
    return dict(event)


_TYPES: Mapping[str, Any] = {"N": int, "X": float, "BYTES": int}


def typed(name: str, text: str) -> Any:
    """A setting's text as a keyword takes it: a switch is a bool, "N" an int, "X" a
    float, and a list of such a list. Text that is no number ("auto") stays text."""
    kind = SETTINGS[name].type if name in SETTINGS else "TEXT"
    if text in ("true", "false") and kind in ("", "HOW"):
        return text == "true"
    one = _TYPES.get(kind.split(",")[0], str)
    try:
        return [one(part) for part in text.split(",") if part] if "," in kind else one(text)
    except ValueError:
        return text


class Events(dict[str, list[dict[str, Any]]]):
    """The events of a metrics file by their kind, and the kinds in the file's order: what comes
    after a restart says so by its place alone."""

    order: list[str]


def with_others(run: Run, events: Mapping[str, list[dict[str, Any]]]) -> Run:
    """The run, whose report has all events of the job, as they came."""
    kept = {kind: each for kind, each in events.items() if kind not in ("step", "eval")}
    object.__setattr__(run, "_others", kept)
    object.__setattr__(run, "_order", getattr(events, "order", []))
    return run


class Metrics:
    """What a job adds to a metrics file. One that goes on writes behind the lines of
    the calls before it, any other moves such a file away."""

    def __init__(self, path: pathlib.Path) -> None:
        if os.path.exists(path) and not path.is_file():
            raise TypeError(f"metrics_file is {str(path)!r}, which is no file; run.metrics "
                            "are read from it: name a file")
        self.path = path
        self._before = _file_and_size(path)

    def read(self) -> Events:
        file, size = self._before
        same = _file_and_size(self.path)[0] == file
        return read_metrics(self.path, size if same else 0)


def _file_and_size(path: pathlib.Path) -> tuple[int, int]:
    if not os.path.exists(path):  # or nobody may look, as the job will say
        return 0, 0
    stat = path.stat()
    return stat.st_ino, stat.st_size


def read_metrics(path: pathlib.Path, begin: int = 0) -> Events:
    """The events of a metrics file from a byte on, by their kind."""
    events = Events()
    events.order = []
    for line in filter(None, path.read_bytes()[begin:].splitlines()):
        event = json.loads(line)
        kind = sys.intern(event.pop("event"))
        events.order.append(kind)
        events.setdefault(kind, []).append(event)
    return events


def read_weights(checkpoint: pathlib.Path) -> dict[str, np.ndarray]:
    """All tensors of a checkpoint's files, by name."""
    weights: dict[str, np.ndarray] = {}
    for part in sorted(checkpoint.glob("model-*.safetensors")):
        weights |= _safetensors.read(part)
    return weights
