"""A job as a command line of pod_launch."""

from __future__ import annotations

import fractions
import json
import os
import pathlib
import re
from typing import Any, Mapping

import numpy as np

from . import _optax, _optimizers, _params, _programs, _rates
from ._closures import name_of
from ._errors import IDLE, PodsimError, in_python
from ._names import check_names
from ._numbers import is_number
from ._said import kind_of, shown
from ._settings import SETTINGS


def optimizer_of(optimizer: Any, params: Any,
                 job: Mapping[str, Any]) -> _optimizers.Optimizer:
    """podsim's own, or one of optax. job: the settings beside it."""
    if isinstance(optimizer, _optimizers.Optimizer):
        return optimizer
    if hasattr(optimizer, "update") and hasattr(optimizer, "init") and not isinstance(
            optimizer, type):
        return _optax.from_optax(optimizer, params, job)
    raise _no_optimizer(optimizer, job.get("learning_rate"))


def _no_optimizer(optimizer: Any, beside: Any) -> TypeError:
    """beside: the learning rate that is a setting; None: there is none."""
    name = getattr(optimizer, "__name__", "")
    if isinstance(optimizer, (list, tuple)) and any(hasattr(each, "update") or isinstance(
            each, _optimizers.Optimizer) for each in optimizer):
        return TypeError(f"optimizer is {shown(optimizer)}; give one optimizer, without brackets, "
                         "such as optimizer=podsim.adamw(1e-3)")
    made_by = name_of(optimizer) if callable(optimizer) else ""
    if made_by.endswith(("_schedule", "_schedules", "_decay")):
        return TypeError(f"optimizer is the schedule {made_by}; give an optimizer that has it: "
                         "optimizer=optax.adamw(schedule)")
    if name in ("update", "init", "update_fn", "init_fn"):
        return TypeError(f"optimizer is the function {name} of an optimizer: give the optimizer "
                         "itself")
    if callable(optimizer) and name in _rates.RULES:
        return TypeError(f"optimizer is the function {name} itself: call it, as in {name}(1e-3)")
    if callable(optimizer):
        return TypeError(f"optimizer is {kind_of(optimizer)}; give what podsim.adamw(1e-3) or "
                         "optax.adamw(schedule) returns")
    if hasattr(optimizer, "tx"):
        return TypeError(f"optimizer is {kind_of(optimizer)}; give the optimizer in it: state.tx")
    if _params.has_state_of_optax(optimizer):
        return TypeError(f"optimizer is {shown(optimizer)}, an optimizer's state, which podsim "
                         "makes itself; give the optimizer, without .init(params), such as "
                         "optimizer=optax.adam(1e-3)")
    rule = _rates.rule_of(optimizer)
    rate = (shown(optimizer) if is_number(optimizer) else
            shown(beside) if is_number(beside) else "1e-3")
    apart = "" if beside is None else ", and leave learning_rate= out"
    return TypeError(f"optimizer is {shown(optimizer)}; it must be one of podsim ("
                     f"{', '.join(_rates.RULES)}) or the same of optax: say "
                     f"optimizer=podsim.{rule}({rate}){apart}")


# Settings of the models that pod_launch brings.
_OF_MODELS = ("model", "model_file", "model_config", "hidden", "dropout", "batch_norm_group")


def check_trains(settings: Mapping[str, Any]) -> None:
    """Raises TypeError for a flag with which pod_launch does something else."""
    for name in _OF_MODELS:
        if settings.get(name) is not None:
            raise TypeError(f"{name} is {shown(settings[name])}, but the model is the loss "
                            "function: leave it out; pod_launch trains its own models in a terminal")
    for name in IDLE:
        if settings.get(name) not in (None, False):
            raise TypeError(f"{name} trains nothing: leave it out; podsim.plan says what the "
                            "job would do, podsim.export writes the model, and pod_launch "
                            f"--{name} does the rest in a terminal")


def check_is_text(topology: Any, several: bool) -> None:
    """Raises TypeError for a topology that is no text. several: whether it may name more
    than one slice."""
    names = topology if isinstance(topology, (list, tuple)) else []
    if names and all(isinstance(name, str) for name in names):
        raise TypeError(f"topology is {topology!r}; " + (
            f'name the slices in one text, "{",".join(names)}"' if several else
            f'train runs one slice, such as "{names[0]}"; podsim.plan takes several, in one text: '
            f'"{",".join(names)}"'))
    row = topology[0] if type(topology).__name__ == "Plan" and len(topology) else topology
    if type(row).__name__ in ("PlanRow", "PricedRow"):
        way = "row.slice" if row is topology else "the slice of one of its rows, plan[0].slice"
        raise TypeError(f"topology is {shown(topology)}; give its name: {way}, {row.slice!r}")
    if not isinstance(topology, str):
        raise TypeError(f'topology is {shown(topology)}; it must be the name of a '
                        'slice, such as "v3-32"')
    _check_names_of_slices(topology)


_SLICE = re.compile(r"[a-z]+\d+[a-z]*-\d+")
_NAMES = re.compile(rf"{_SLICE.pattern}(?:(?:,|\.\.){_SLICE.pattern})*")


def _check_names_of_slices(topology: str) -> None:
    """Raises TypeError for slices that neither commas nor two dots part."""
    names = [part.strip() for part in topology.split(",")]
    if not all(names):
        left = ",".join(filter(None, names)) or "v3-32"
        raise TypeError(f"topology is {topology!r}, in which a name is empty; it must be the name "
                        f'of a slice, such as "{left}"')
    words = topology.split()
    slices = [word for word in words if is_slice(word)]
    if len(words) > 1 and len(slices) == 1 and all(word.isalpha() for word in words
                                                   if word not in slices):
        raise TypeError(f'topology is {topology!r}; it must be the name of a slice alone, '
                        f'"{slices[0]}"')
    together = "".join(words)
    if together != topology and _NAMES.fullmatch(together.lower()):
        raise TypeError(f'topology is {topology!r}; write it without blanks, "{together}"')
    found = _SLICE.findall(topology.lower())
    if len(found) > 1 and not is_range(topology):
        raise TypeError(f'topology is {topology!r}; slices are named with commas, "'
                        f'{",".join(found)}", or from one to another, "{found[0]}..{found[-1]}"')


def check_is_one_slice(topology: Any) -> None:
    """Raises TypeError for a topology that train cannot take."""
    check_is_text(topology, several=False)
    if is_range(topology):
        first = topology.replace(",", "..").split("..")[0].strip()
        raise TypeError(f"topology is {topology!r}, several slices; train runs one of them, "
                        f"such as {first!r}; podsim.plan takes them all")


def is_slice(text: str) -> bool:
    return _SLICE.fullmatch(text.strip().lower()) is not None


def is_range(topology: str) -> bool:
    return ".." in topology or "," in topology


def path_of(name: str, place: Any, example: str = "run") -> str:
    """Raises TypeError for what names no place."""
    if not isinstance(place, (str, os.PathLike)) or not os.fspath(place):
        raise TypeError(f"{name} is {shown(place)}; it must be a path, such as \"{example}\"")
    text = str(os.fspath(place))
    check_needs_no_shell(name, text)
    return text


_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


def check_needs_no_shell(name: str, place: str) -> None:
    """Raises TypeError for a place that a shell would make another one of."""
    if place.startswith("~"):
        raise TypeError(f"{name} is {place!r}; only a shell knows what ~ is: say "
                        f"os.path.expanduser({place!r})")
    for found in _VARIABLE.finditer(place):
        if (found[1] or found[2]) in os.environ:
            raise TypeError(f"{name} is {place!r}; only a shell knows what {found[0]} is: say "
                            f"os.path.expandvars({place!r})")


def file_of(path: str | os.PathLike[str], suffix: str, what: str) -> pathlib.Path:
    """Raises ValueError for a place where `what` cannot be written."""
    file = pathlib.Path(path_of("path", path, f"plan{suffix}"))
    if "://" in str(path):
        raise ValueError(f"path is {str(path)!r}, but the file is written on this machine: name a "
                         "place of it")
    if file.suffix != suffix:
        raise ValueError(f"path is {str(file)!r}; {what}: give a name that ends in {suffix}")
    if not file.parent.is_dir():
        raise ValueError(f"path is {str(file)!r}, but there is no folder {str(file.parent)!r}; "
                         "make it, or name a file elsewhere")
    if file.is_dir():
        raise ValueError(f"path is {str(file)!r}, but that is a folder; name a file in it")
    return file


def write_file(path: str | os.PathLike[str], suffix: str, what: str, text: str) -> pathlib.Path:
    """Writes the text there. Raises ValueError where file_of does, and PodsimError for a place
    that cannot be written."""
    file = file_of(path, suffix, what)
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PodsimError(f"path is {str(file)!r}, which cannot be written "
                          f"({error.strerror}): name a file elsewhere") from None
    return file


def folder_of(name: str, place: str | os.PathLike[str]) -> pathlib.Path:
    """As local, of a folder that is made if need be. Raises ValueError for a file."""
    folder = local(name, place)
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{name} is {str(folder)!r}, but that is a file: name a folder, which is "
                         "made if need be")
    return folder


def check_name(name: Any) -> None:
    if name is not None and (not isinstance(name, str) or not name):
        raise TypeError(f"name is {shown(name)}; it must be a str, what the model is called, such "
                        'as name="mlp"')
    check_is_printable("name", name, "mlp")


def check_is_printable(name: str, value: Any, example: str) -> None:
    """Raises ValueError for a text of several lines."""
    if isinstance(value, str) and not value.isprintable():
        raise ValueError(f"{name} is {value!r}; it must be printable, without line ends and tabs, "
                         f"such as {' '.join(filter(str.isprintable, value.split())) or example!r}")


def local(name: str, place: str | os.PathLike[str]) -> pathlib.Path:
    """A place that the package reads from when the job is done."""
    text = path_of(name, place)
    if "://" in text:
        raise TypeError(f"{name} is {text!r}, but what the run leaves there is read into "
                        "podsim.Run: name a place of this machine, or let pod_launch train "
                        "what podsim.export writes")
    return pathlib.Path(text)


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_text(each) for each in value)
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if isinstance(value, fractions.Fraction):
        return repr(float(value))
    if isinstance(value, float):
        return repr(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def flags(settings: Mapping[str, Any]) -> list[str]:
    """Of a command line. None: not given; a switch is given if it is True."""
    check_names(settings)
    line = []
    for name, value in settings.items():
        value = bool(value) if isinstance(value, np.bool_) else value
        if value is None or value is False and not SETTINGS[name].type:
            continue
        line.append(f"--{name}" if value is True and not SETTINGS[name].type
                    else f"--{name}={_text(value)}")
    return line


def flags_of_plan(settings: Mapping[str, Any]) -> list[str]:
    """The same for pod_plan: what it has a flag for. The others (seed, shuffle, threads,
    ...) change nothing that a slice's plan says."""
    known = {each["flag"] for each in
             json.loads(_programs.run("pod_plan", ["--help=json"]))["settings"]}
    return flags({name: value for name, value in settings.items() if name in known})


def examples_of(settings: Mapping[str, Any]) -> int | None:
    """How many examples the job consumes; None: it does not say its steps."""
    if settings.get("train_steps") is None:
        return None
    says = ("topology", "train_steps", "train_batch_size", "batch_per_core",
            "reference_topology", "reference_batch_size", "learning_rate",
            "base_learning_rate", "hardware")
    plan = json.loads(_programs.run("pod_plan", [
        "--json", *flags({name: settings.get(name) for name in says})]))
    rows = [row for row in plan["results"] if "refused" not in row]
    if not rows:
        raise PodsimError(in_python(plan["results"][0]["refused"]))
    return max(int(row["train_steps"] * row["global_batch"]) for row in rows)
