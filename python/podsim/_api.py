"""train, plan, ladder and export."""

from __future__ import annotations

import datetime
import os
import pathlib
from typing import Any, Callable, Mapping

import numpy as np

from . import (_checks, _data, _errors, _inputs, _job, _ladder, _lowering, _measured, _names,
               _params, _plan, _process, _records, _result, _spoken, _start, _trees, _values,
               _which)
from ._calls import checked
from ._said import shown
from ._state import State

LossFunction = Callable[..., Any]
EvalFunction = Callable[..., Any]


@checked("podsim.export", "podsim.export(loss_fn, params, batch, path)", text="path")
def export(loss_fn: LossFunction, params: Any, batch: Any, path: str | os.PathLike[str],
           *, eval_fn: EvalFunction | None = None, state: Any = None,
           name: str | None = None) -> None:
    """Writes the model, with the weights that it begins with, to `path`, for
    `pod_launch --model_file=path --dataset=...`.

    loss_fn(params, batch) returns a loss, the mean over the examples, or
    (loss, metrics), metrics a dict; if it takes a third argument, that is a random
    key. With `state` (a tree of what is carried from step to step, such as the moving
    averages of batch norm; random keys in it are new at every step) it is
    loss_fn(params, state, batch) and returns (loss, new_state) or
    (loss, (new_state, metrics)). Of `batch` only shapes and types
    are read; the first axis of each array are the examples. eval_fn(params, batch), or
    eval_fn(params, state, batch), returns a dict of numbers for each example.

    Raises PodsimError with the line of the source that cannot be imported, and ValueError for
    weights of more than 256 MiB, which no program reads from a file (train takes them)."""
    _checks.check_functions(loss_fn, eval_fn)
    _job.check_name(name)
    _job.path_of("path", path, "net.model")
    _checks.check_batch(batch)
    _checks.check_has_jax()
    order = "podsim.export(loss_fn, params, batch, path)"
    _params.check_is_tree(params, order)
    _params.check_order(params, batch, order)
    _params.check_leaves(params)
    _params.check_numbers(params)
    _params.check_holds_numbers(*_trees.named_leaves(params, "params")[:2])
    _data.check_is_batch(batch)
    _inputs.check_fits(params, state)
    message = _lowering.import_message(_inputs.name_of(loss_fn, name), loss_fn, params,
                                       batch, eval_fn, state)
    _inputs.export(message, path, loss_fn, name, batch)


def _settings(optimizer: Any, params: Any, topology: str,
              settings: dict[str, Any]) -> dict[str, Any]:
    _names.check_names(settings)
    _job.check_trains(settings)
    _values.check_values(settings, optimizer)
    job = {"topology": topology, **settings}
    chosen = ({} if optimizer is None else
              _job.optimizer_of(optimizer, params, job).settings)
    twice = sorted(chosen.keys() & settings.keys())
    if twice:
        name = twice[0]
        raise TypeError(f"{name} is {shown(chosen[name])} in the optimizer and "
                        f"{shown(settings[name])} as a keyword: give it to the optimizer alone")
    return {**job, **chosen}


@checked("podsim.train", "podsim.train(loss_fn, params, dataset, topology=\"v3-8\", ...)")
def train(loss_fn: LossFunction, params: Any, dataset: Any, *, topology: str = "v3-32",
          optimizer: Any = None, eval_fn: EvalFunction | None = None,
          eval_dataset: Any = None, examples: int | None = None,
          eval_examples: int | None = None, batch: Any = None, state: Any = None,
          model_dir: str | os.PathLike[str] | None = None, name: str | None = None,
          progress: bool = True, **settings: Any) -> _result.Run:
    """Trains on an emulated TPU slice and returns what it learned.

    loss_fn, eval_fn, state: see export. dataset, eval_dataset: trees of arrays whose first
    axis are the examples, or functions index -> example with `examples`,
    `eval_examples`, how many there are, or iterables of batches, whose order is kept: they
    are read to their end, or as far as train_steps asks for, or until `examples`,
    `eval_examples` are read, which one without an end needs. dataset may be the
    name of one that pod_launch opens, such as "mnist" or "arrays", with data_dir and
    `batch`, a tree of its fields, of which shapes and types are read. optimizer:
    podsim.adamw(1e-3) and the like, or one of optax.
    model_dir: where checkpoints, metrics.jsonl and files of TensorBoard go, and whence the
    same call goes on. settings: the
    flags of pod_launch by their names (batch_per_core=8, epochs=3, ...; `--help`), but
    for those with which it trains nothing (dry_run, describe, ...). model_dir and
    metrics_file are of this machine: run.params and run.metrics are read from there.

    Raises PodsimError with the reason that the programs give. Ctrl-C ends the job as
    it does in a terminal, and KeyboardInterrupt goes on from here; on SIGTERM, unless the
    program handles it, the job saves likewise, and Python ends."""
    _job.check_is_one_slice(topology)
    _checks.check_is_bool("progress", progress)
    chosen = _settings(optimizer, params, topology, settings)
    own_dir = None if model_dir is None else _job.folder_of("model_dir", model_dir)
    _values.check_is_kept(own_dir, settings)
    own_metrics = _own_metrics(chosen.pop("metrics_file", None), own_dir, chosen)
    call = _inputs.Call(loss_fn, params, dataset, eval_fn, eval_dataset, examples,
                        eval_examples, batch, state, name)
    with _inputs.written(call, chosen, progress=progress) as (own, named):
        path = own.path
        metrics = own_metrics or _result.Metrics(path / "metrics.jsonl")
        kept = own_dir or path / "run"
        _params.check_numbers(params)
        begins = {} if _is_begun(kept, chosen) else _start.write(
            _weights(params, state), path / "start")
        flags = _job.flags({**named, "model_dir": kept, "metrics_file": metrics.path,
                            **begins, **chosen, **_no_events(own_dir, chosen)})
        _process.launch(flags, progress, own_dir is not None, own.watching)
        events = metrics.read()
        summary = _result.summary_of(events["summary"][-1])
        weights = _result.read_weights(_checkpoint_of(kept, summary, chosen))
    _records.register()
    run = _result.with_others(_result.Run(
        params=_like(params, weights), state=_carried(state, params, weights),
        metrics=events.get("step", []),
        evaluations=events.get("eval", []), plan=_result.plan_of(events["plan"][-1], summary),
        summary=summary,
        model_dir=own_dir), events)
    with _checks.result_kept(run):
        if not progress:  # otherwise they have been shown
            _warn_of(events["plan"][-1])
        if not events.get("step") and chosen.get("mode") != "eval":
            _checks.warn(_result.nothing_left(events["plan"][-1], summary))
    return run


def _warn_of(plan: Mapping[str, Any]) -> None:
    """Of what a job's plan warns of, such as a warm-up that is longer than the run."""
    for text in plan.get("warnings", ()):
        _checks.warn(_errors.in_python(text))


def _own_metrics(place: Any, own_dir: pathlib.Path | None,
                 settings: Mapping[str, Any]) -> _result.Metrics | None:
    """Where the call's metrics stay: where it says, or where pod_launch keeps them. None: they
    go with the call."""
    if place is None and own_dir is not None and settings.get("mode") != "eval":
        return _result.Metrics(own_dir / "metrics.jsonl")
    return _result.Metrics(_job.local("metrics_file", place)) if place else None


def _no_events(own_dir: pathlib.Path | None, settings: dict[str, Any]) -> dict[str, Any]:
    """What keeps TensorBoard's files out of a folder that goes with the call."""
    given = settings.get("tensorboard_dir") is not None
    return {} if given or own_dir is not None else {"tensorboard_dir": ""}


def _checkpoint_of(kept: pathlib.Path, summary: dict[str, Any],
                   settings: dict[str, Any]) -> pathlib.Path:
    """Where the weights are that a job ends with: it saves none of its own if it made no
    step after those that it began with."""
    own = kept / str(summary["steps"])
    if own.is_dir() or settings.get("restore") is None:
        return own
    return _job.local("restore", settings["restore"])


def _is_begun(model_dir: pathlib.Path, settings: dict[str, Any]) -> bool:
    """Whether the weights are those of a checkpoint."""
    return (settings.get("restore") is not None or settings.get("mode") == "eval"
            or _start.has_checkpoint(model_dir))


def _weights(params: Any, state: Any) -> dict[str, np.ndarray]:
    names, leaves, _ = _trees.named_leaves(params, "params")
    _params.check_holds_numbers(names, leaves)
    carried = State(state, params)
    return {name: np.asarray(leaf) for name, leaf in
            [*zip(names, leaves), *zip(carried.names, carried.carried())]}


def _shaped(names: list[str], leaves: list[Any], weights: dict[str, np.ndarray]) -> list[Any]:
    return [np.array(weights[name]).reshape(np.shape(leaf))
            for name, leaf in zip(names, leaves)]


def _like(tree: Any, weights: dict[str, np.ndarray]) -> Any:
    """`weights` in the structure and the shapes of the params."""
    import jax

    names, leaves, structure = _trees.named_leaves(tree, "params")
    return jax.tree_util.tree_unflatten(structure, _shaped(names, leaves, weights))


def _carried(tree: Any, params: Any, weights: dict[str, np.ndarray]) -> Any:
    """The same of the state."""
    state = State(tree, params)
    return state.whole(_shaped(state.names, state.carried(), weights))


@checked("podsim.plan", "podsim.plan(loss_fn, params, dataset, topology=\"v3-8..v3-128\", ...)")
def plan(loss_fn: LossFunction, params: Any, dataset: Any, *, topology: str = "v3-32",
         optimizer: Any = None, eval_fn: EvalFunction | None = None,
         eval_dataset: Any = None, examples: int | None = None,
         eval_examples: int | None = None, batch: Any = None, state: Any = None,
         name: str | None = None, progress: bool = True,
         price_per_chip_hour: float | None = None,
         chip_prices: Mapping[str, float] | str | os.PathLike[str] | None = None,
         deadline: str | datetime.timedelta | None = None,
         budget: float | None = None, measured: Any = None, **settings: Any) -> _plan.Plan:
    """What the same call of train would do; nothing is run. A topology such as
    "v3-8..v3-2048" gives a row for each slice, all times simulated, and leaves out what
    changes nothing there: seed, shuffle, steps_per_eval, threads, model_dir and whatever
    else pod_plan has no flag for. progress=False says nothing of a long wait. Of a data set
    that is handed over one example of each split is read (all of an iterable that neither
    has a length nor is told one), and no hash of the plan is known. What a core runs in
    a step on one of the slices: plan(...).explain("v3-8"). batch_per_core="max" is the largest
    that fits each slice with nothing recomputed.

    deadline ("4h", or a timedelta) and budget are of the whole run: plan.which names
    the slices that keep them. What a chip costs for an hour is price_per_chip_hour, or by
    generation chip_prices: {"v3": 2.2, "v5e": 1.2}, or a file as pod_plan reads it.

    measured: a Run of podsim.train, a metrics file, or a list of them, each shown beside the row
    of its slice and global batch: row.measured. plan.measured_notes names those that have no row,
    and those whose simulated step is not the row's.

    Raises PodsimError where train would refuse the job."""
    _job.check_is_text(topology, several=True)
    _measured.Runs(measured)  # which checks
    asked = _which.Question(deadline, budget, chip_prices, price_per_chip_hour)
    asked.check()
    _checks.check_is_bool("progress", progress)
    _values.check_is_restored(settings)
    largest = {name: value for name, value in settings.items() if name == "batch_per_core"
               and isinstance(value, str) and value == _plan.LARGEST}
    others = {name: value for name, value in settings.items() if name not in largest}
    chosen = {**_settings(optimizer, params, topology, others), **largest}
    call = _inputs.Call(loss_fn, params, dataset, eval_fn, eval_dataset, examples,
                        eval_examples, batch, state, name)
    with _inputs.written(call, chosen, shapes=True, progress=progress) as (own, named):
        return _plan.of_job({**named, **chosen}, own.path, asked, measured)


@checked("podsim.ladder", "podsim.ladder(loss_fn, params, dataset, topology=\"v3-8..v3-128\", ...)")
def ladder(loss_fn: LossFunction, params: Any, dataset: Any, *, topology: str = "v3-8..v3-128",
           optimizer: Any = None, eval_fn: EvalFunction | None = None,
           eval_dataset: Any = None, examples: int | None = None,
           eval_examples: int | None = None, batch: Any = None, state: Any = None,
           name: str | None = None, progress: bool = True, until: float | None = None,
           ladder_dir: str | os.PathLike[str] | None = None, resume: bool = False,
           **settings: Any) -> _ladder.Ladder:
    """Trains for real, if briefly, on slice after slice, each beside its plan, and stops at the
    first that fails: .stopped_at, .reason and .change, which number to change. All slices train
    on as many examples; the first one is the reference of train_steps (200, if neither that nor
    epochs is given), learning rate and warm-up, and has three seeds. `pod_ladder --help=all` says
    what is judged.

    until: the least scaling efficiency (sim), such as 0.8. ladder_dir: keeps what was measured,
    and the metrics of each slice; with resume=True the same call goes on there behind the last
    slice that passed. The others: see train; settings of one run (model_dir, metrics_file, ...)
    are refused.

    Raises PodsimError where the first slice's plan is refused. Ctrl-C ends the run that is being
    made; results are kept in ladder_dir."""
    _job.check_is_text(topology, several=True)
    _checks.check_is_bool("progress", progress)
    flags = _ladder.check(until, ladder_dir, resume)
    _ladder.check_settings(settings)
    _values.check_is_restored(settings)
    chosen = _settings(optimizer, params, topology, settings)
    call = _inputs.Call(loss_fn, params, dataset, eval_fn, eval_dataset, examples,
                        eval_examples, batch, state, name)
    with _inputs.written(call, chosen, progress=progress, called="ladder") as (own, named):
        _params.check_numbers(params)
        begins = {} if settings.get("restore") is not None else _start.write(
            _weights(params, state), own.path / "start")
        with _spoken.spoken(f"pod_ladder trains on {topology}", progress):
            return _ladder.of_job({**named, **begins, **chosen}, own.path, flags, own.watching)
