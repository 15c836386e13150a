"""A call's model and data set as files for the programs."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import re
import tempfile
from typing import Any, Callable, Iterator, Mapping

import numpy as np

from . import (_checks, _data, _errors, _guard, _importing, _job, _lowering, _names, _npy, _own_files,
               _params, _programs, _spoken, _trees, _units)
from ._asking import Asked
from ._numbers import is_number
from ._said import shown
from ._wire import Message

Function = Callable[..., Any]


@dataclasses.dataclass(frozen=True)
class Call:
    """What train and plan are given, beside settings (train says what it is)."""

    loss_fn: Function
    params: Any
    dataset: Any
    eval_fn: Function | None
    eval_dataset: Any
    examples: int | None
    eval_examples: int | None
    batch: Any
    state: Any
    name: str | None


def name_of(function: Function, name: str | None) -> str:
    return name or getattr(function, "__name__", "model").strip("<>") or "model"


def _words_for(function: Function, name: str | None) -> str:
    """How a message calls a function: what has no name, by its line."""
    code = getattr(function, "__code__", None)
    if name or code is None or code.co_name != "<lambda>":
        return name_of(function, name)
    return f"the lambda of {os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def export(message: Message, path: str | os.PathLike[str], function: Function,
           name: str | None, batch: Any = None, evaluates: bool = False) -> None:
    """Writes the model of an ImportProto of `function`. batch: what it is given.
    evaluates: the call has examples for evaluations."""
    with tempfile.TemporaryDirectory(prefix="podsim-",
                                     dir=_data.folder_in_memory()) as folder:
        file = pathlib.Path(folder, "functions.import")
        with file.open("wb") as opened:
            message.write(opened)
        try:
            said = _programs.run("pod_program", ["import", file, f"--output={os.fspath(path)}"])
        except _errors.PodsimError as error:
            text = str(error).replace(f"cannot import {name_of(function, name)}: ",
                                      f"cannot import {_words_for(function, name)}: ", 1)
            place = Asked("the loss function", function).place()
            raise _errors.PodsimError(_importing.in_python(text, place, batch, message.notes),
                                      details=error.details) from None
    for warning in _importing.warnings(said, evaluates):
        _checks.warn(warning)


# Bytes of a model's file at most (models/graph/serialize_model.h); a test compares.
MOST_FILE_BYTES = 256 << 20


def check_fits(params: Any, state: Any) -> None:
    """Raises ValueError for weights that a model's file cannot hold."""
    _trees.check_keys(state, "state")
    leaves = [leaf for tree, name in ((params, "params"), (state, "state"))
              for leaf in _trees.named_leaves(tree, name)[1]]
    numbers = sum(int(np.size(leaf)) for leaf in leaves)
    if 4 * numbers > MOST_FILE_BYTES:
        held = "params" if state is None else "params and state"
        raise ValueError(f"{held} take {_units.gib(4 * numbers)} ({numbers:,} float32 numbers); a "
                         f"model's file holds at most {_units.gib(MOST_FILE_BYTES)}, so that none "
                         "is written: podsim.train hands weights of any size over, as a checkpoint")


# Those that the programs open (host/input/dataset_kinds.cc); a test compares.
DATASETS = ("arrays", "cifar10", "cifar100", "csv", "digits", "images", "mnist", "npz",
            "synthetic", "tfrecord")


_KINDS_OF_FILES = {".csv": "csv", ".gz": "csv", ".npz": "npz", ".tfrecord": "tfrecord",
                   ".tfrecords": "tfrecord"}


def _kind_of(place: str) -> str:
    """What a place may be called as a data set; of a folder most likely."""
    suffix = os.path.splitext(place)[1]
    return _KINDS_OF_FILES.get(suffix, "images" if os.path.isdir(place) else "arrays")


def _check_name(dataset: Any) -> None:
    """Raises TypeError for a name or a place that is not a data set's."""
    if isinstance(dataset, os.PathLike) or isinstance(dataset, str) and (
            "/" in dataset or os.path.splitext(dataset)[1] in (*_KINDS_OF_FILES, ".npy")):
        place = os.fspath(dataset)
        if place.endswith((".npz", ".npy")):
            made = f"np.load({place!r})"
            raise TypeError(f"the data set is {place!r}, a file; give what it holds, "
                            f"{f'dict({made})' if place.endswith('.npz') else made}")
        raise TypeError(f"the data set is {place!r}, a place; say \"{_kind_of(place)}\", with "
                        f"data_dir={place!r} and batch=, the dict of its fields that the loss "
                        "function gets, such as {\"features\": x, \"labels\": y}, arrays of a few "
                        "examples (pod_data show names the fields)")
    if isinstance(dataset, str) and _job.is_slice(dataset):
        raise TypeError(f"the data set is {dataset!r}, the name of a slice: say topology="
                        f"{dataset!r}, and give the arrays, such as (x, y), in this place")
    if isinstance(dataset, str) and re.fullmatch(r"\.[a-z]\w{1,7}", os.path.splitext(dataset)[1]):
        raise TypeError(f"the data set is {dataset!r}, the name of a file; give what it holds as "
                        "arrays with examples along the first axis, such as (x, y)")
    if isinstance(dataset, str) and dataset not in DATASETS:
        raise TypeError(f"no data set is called {dataset!r}{_names.near(dataset, DATASETS)}; "
                        f"known: {', '.join(DATASETS)}; or give arrays, (x, y), a function of "
                        "the index or an iterable of batches")


def _check(call: Call, settings: Mapping[str, Any]) -> None:
    """Raises TypeError for arguments that do not go together."""
    _check_name(call.dataset)
    _check_counts(call)
    if is_number(call.batch):
        raise TypeError(f"batch is {shown(call.batch)}; it is for the fields of a data set that "
                        "pod_launch opens: of a batch size say train_batch_size=, of the whole pod, "
                        "or batch_per_core=")
    if not isinstance(call.dataset, str):
        given = {"batch": call.batch, "data_dir": settings.get("data_dir")}
        for name in [name for name, value in given.items() if value is not None]:
            raise TypeError(f"{name} is {shown(given[name])}, which is for a data set that "
                            'pod_launch opens, such as "arrays"; this one is given itself: leave '
                            f"{name} out")
    elif call.batch is None:
        raise TypeError(f"the data set {call.dataset!r} has its own fields, which the loss "
                        'function gets as a dict: say batch={"features": x, "labels": y}, arrays '
                        "with the shapes and types of a few examples, of which no more is read")
    elif call.eval_dataset is not None:
        raise TypeError(f"eval_dataset is {shown(call.eval_dataset)}, but the data set "
                        f"{call.dataset!r} holds examples out itself: leave eval_dataset out")
    if not isinstance(call.dataset, str) and call.eval_dataset is None:
        _check_holds_nothing_out(call, settings)


def _check_counts(call: Call) -> None:
    if isinstance(call.dataset, str) and call.examples is not None:
        raise TypeError(f"examples is {call.examples!r}, but the data set {call.dataset!r} is "
                        "opened by pod_launch, which counts them: leave it out")
    if call.eval_dataset is None and call.eval_examples is not None:
        raise TypeError(f"eval_examples is {call.eval_examples!r}, but there is no eval_dataset: "
                        "give eval_dataset=, or leave eval_examples out")


def _check_holds_nothing_out(call: Call, settings: Mapping[str, Any]) -> None:
    for name in ("steps_per_eval", "eval_batch_size"):
        if settings.get(name):
            raise TypeError(f"{name} is {shown(settings[name])}, but there is no eval_dataset that "
                            f"could be evaluated: give eval_dataset=(x, y), or leave {name} out")
    if settings.get("mode") == "eval":
        raise TypeError('mode="eval" evaluates eval_dataset, which is not given: give '
                        "eval_dataset=(x, y) and eval_fn=")
    if call.eval_fn is not None:
        _checks.warn("eval_fn is given, but no eval_dataset: nothing is held out and nothing "
                     "is evaluated: give eval_dataset=")


def _held_out(call: Call, batch: Any) -> _data.Source | None:
    """eval_dataset, of batches like those of the data set."""
    if call.eval_dataset is None:
        return None
    try:
        source = _data.source_of(call.eval_dataset, call.eval_examples, lambda: None,
                                 "eval_examples")
        example = source.example()
    except (TypeError, ValueError) as error:
        if "eval_" in str(error):
            raise
        raise type(error)(f"eval_dataset: {error}") from None
    _data.check_alike(batch, example)
    return source


# The weights that a job begins with, and two checkpoints of them with two slots each.
_COPIES = 7


def _wanted(call: Call, *sources: _data.Source | None) -> int:
    """Bytes of the files that a call makes."""
    weights = sum(map(_npy.stored_bytes, _trees.named_leaves(call.params, "params")[1]))
    return _COPIES * weights + sum(each.stored_bytes() for each in sources if each is not None)


# What a plan reads the number of examples from (host/input/arrays.h).
_COUNTS = "podsim-counts"


def _write_shapes(path: pathlib.Path, train: _data.Source, held_out: _data.Source | None) -> None:
    """One example of each split, and how many there are."""
    counts = []
    for split, source in (("train", train), ("eval", held_out)):
        counts.append(0 if source is None else source.count())
        if source is not None:
            _data.Arrays(source.example()).write(path / split)
    (path / _COUNTS).write_text(" ".join(map(str, counts)))


@contextlib.contextmanager
def written(call: Call, settings: Mapping[str, Any], shapes: bool = False,
            progress: bool = True, called: str = "") -> Iterator[tuple[_guard.Guarded, dict[str, Any]]]:
    """A folder that lasts as long as the context, and the settings that name what
    is in it: all but the weights that the model begins with (_start.py). shapes: for a
    plan, which needs no more than an example of the data set. progress: says what
    takes longer than a second. called: the function, if it is neither train nor plan."""
    _check(call, settings)
    _job.check_name(call.name)
    _checks.check_functions(call.loss_fn, call.eval_fn)
    _checks.check_has_jax()
    order = _params.order_of(called or ("plan" if shapes else "train"))
    _params.check_is_tree(call.params, order)
    _params.check_order(call.params, call.dataset, order)
    _params.check_leaves(call.params)
    train = held_out = None
    batch = call.batch
    if isinstance(call.dataset, str):
        _data.check_is_batch(batch)
    else:
        train = _data.source_of(call.dataset, call.examples, lambda: _job.examples_of(settings))
        batch = train.example()
        held_out = _held_out(call, batch)
    sources = () if shapes else (train, held_out)
    with _guard.folder(_data.place_for(_wanted(call, *sources))) as own, \
            _own_files.in_words(own.path, call.batch):
        path = own.path
        named: dict[str, Any] = {"model_file": path / "model"}
        if train is None:
            named["dataset"] = call.dataset
        else:
            named |= {"dataset": "arrays", "data_dir": path}
            if train.ordered:
                named["shuffle"] = False
        with _spoken.spoken(f"JAX lowers {name_of(call.loss_fn, call.name)}", progress):
            message = _lowering.import_message(name_of(call.loss_fn, call.name), call.loss_fn,
                                               call.params, batch, call.eval_fn, call.state,
                                               begins=False)
        with _spoken.spoken("pod_program imports what JAX lowered", progress):
            export(message, path / "model", call.loss_fn, call.name, batch,
                   train is None or held_out is not None)
        endless = not shapes and train is not None and train.ordered and call.examples is None
        with _spoken.spoken("the data set is read" + (
                " to its end (examples=N takes the first N)" if endless else ""), progress):
            if shapes and train is not None:
                _write_shapes(path, train, held_out)
            for split, source in (("train", train), ("eval", held_out)):
                if source is not None and not shapes:
                    source.write(path / split)
        yield own, named
