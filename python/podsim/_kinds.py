"""What a setting takes, by the type that pod_launch gives it."""

from __future__ import annotations

import os
from typing import Any, Mapping

import numpy as np

from ._numbers import is_number
from ._said import shown, with_kind
from ._settings import SETTINGS

_NUMBERS = {"N": "a whole number", "X": "a number", "BYTES": "a number of bytes"}
_PLACES = {"FILE": "the path of a file", "DIR": "the path of a folder"}

# Of settings whose default is no example.
_EXAMPLES = {
    "train_steps": "1000", "epochs": "3", "train_batch_size": "256", "batch_per_core": "8",
    "reference_batch_size": "256", "learning_rate": "0.1", "base_learning_rate": "0.1",
    "warmup_steps": "100", "warmup_init": "0.01", "lr_schedule": '"cosine"',
    "lr_decay_at": "[0.3, 0.6, 0.9]", "eval_batch_size": "256", "steps_per_eval": "100",
    "momentum": "0.9", "weight_decay": "1e-4", "weight_decay_exclude": '["bias", "norm"]',
    "clip_norm": "1", "bucket_bytes": '"1M"', "input_memory": '"256M"', "chunk_bytes": '"256K"',
    "sim_combine_bytes": '"120M"',
    "host_memory_bytes": '"8G"', "checkpoint_every": "100", "checkpoint_every_seconds": "600",
    "epsilon": "1e-8", "optimizer": '"adamw"', "microbatch_size": "2", "processes": "4",
    "input_threads": "2", "shuffle_window": "4096", "isa": '"v3"', "zone": '"europe-west4-a"',
    "bucket_location": '"eur4"', "run_name": '"first"', "shuffle": "False",
    "reference_topology": '"v3-8"', "data_dir": '"data"', "log_dir": '"logs"',
    "restore": '"run/120"', "trace_steps": '"20:25"', "faults": '"faults.textproto"',
    "trace": '"trace.json"', "metrics_file": '"metrics.jsonl"', "tensorboard_dir": '"tensorboard"'}

# Texts for which nothing is a value of its own.
_MAY_BE_EMPTY = ("metrics_file", "tensorboard_dir")


def _example(name: str) -> str:
    kind, default = SETTINGS[name].type, SETTINGS[name].default
    if name in _EXAMPLES:
        return _EXAMPLES[name]
    if kind in _NUMBERS:
        return default if default[:1].isdigit() and default != "0" else "10"
    if "," in kind:
        return f"[{default.replace(',', ', ')}]" if default[:1].isdigit() else "[10, 20]"
    return f'"{default}"' if default.isidentifier() else ""


def wanted(name: str) -> str:
    """What a setting takes, for a message: "a whole number, such as batch_per_core=8"."""
    kind = SETTINGS[name].type
    if not kind:
        return "True or False"
    one = _NUMBERS.get(kind.split(",")[0], "text")
    what = (f"a list of {'numbers' if one != 'text' else 'texts'}" if "," in kind else
            _NUMBERS.get(kind) or _PLACES.get(kind) or "a text")
    example = _example(name)
    return f"{what}, such as {name}={example}" if example else what


def _fits_one(kind: str, value: Any) -> bool:
    if isinstance(value, (list, tuple)) and len(value) == 1:  # a flag says it likewise
        value = value[0]
    if kind in _NUMBERS:
        whole = kind == "X" or not is_number(value) or (
            getattr(getattr(value, "dtype", None), "kind", "i" if isinstance(value, int) else "f")
            in "iu")
        return isinstance(value, str) or is_number(value) and whole
    if kind in _PLACES:
        return isinstance(value, (str, os.PathLike)) and bool(os.fspath(value))
    return isinstance(value, (str, os.PathLike, bool, np.bool_)) or is_number(value)


def _fits(name: str, value: Any) -> bool:
    kind = SETTINGS[name].type
    if not kind:
        return isinstance(value, (bool, np.bool_))
    if name in _MAY_BE_EMPTY and isinstance(value, str) and not value:
        return True
    if "," not in kind:
        return _fits_one(kind, value)
    each = value if isinstance(value, (list, tuple)) else [value]
    return all(_fits_one(kind.split(",")[0], one) for one in each)


def _more(name: str, value: Any) -> str:
    """What else to do with a value of this kind there; or nothing."""
    if callable(value) and name.startswith("lr_"):
        return "; a schedule of optax belongs into the optimizer: optimizer=optax.sgd(schedule)"
    if (callable(value) or isinstance(value, Mapping)) and name == "weight_decay_exclude":
        return "; a mask is for optax: optimizer=optax.adamw(..., mask=mask)"
    if name == "prices":
        return "; what a chip costs is podsim.plan(..., price_per_chip_hour=2.2)"
    if type(value).__name__ == "Run" and name == "restore":
        return '; give the folder of its checkpoint: run.model_dir / str(run.summary["steps"])'
    if isinstance(value, Mapping) and name == "restore":
        return "; weights that training begins with are params, the second argument"
    if hasattr(value, "write") and isinstance(getattr(value, "name", None), str):
        return f"; the path of this file is {value.name!r}"
    if (SETTINGS[name].type in _NUMBERS and isinstance(value, (list, tuple)) and len(value) > 1
            and not hasattr(value, "_fields")):
        return f": one for all; call it once for each of {shown(value)}"
    if type(value).__name__ == "timedelta" and hasattr(value, "total_seconds"):
        return f": say {name}={value.total_seconds():g}, .total_seconds() of it"
    if "," in SETTINGS[name].type and hasattr(value, "tolist"):
        return "; of an array say .tolist()"
    return ""


def _is_whole(name: str, value: Any) -> bool:
    """Whether a float could be said as an int."""
    return (SETTINGS[name].type in _NUMBERS and is_number(value) and np.isfinite(value)
            and float(value).is_integer())


_BITS = {"seed": 64}  # of whole numbers that programs read; others have 63


def _check_size(name: str, value: Any) -> None:
    """Raises ValueError for a whole number of which the programs would say that it is none."""
    bits = _BITS.get(name, 63)
    if SETTINGS[name].type == "N" and isinstance(value, int) and value >= 1 << bits:
        raise ValueError(f"{name} is {shown(value)}, which is too large; give a whole number below "
                         f"2**{bits}, such as {name}={_example(name)}")


def check_kind(name: str, value: Any) -> None:
    """Raises TypeError for a value of a type that the setting cannot have."""
    if value is None or _fits(name, value):
        _check_size(name, value)
        return
    said = shown(value) if isinstance(value, str) else with_kind(value)
    if _is_whole(name, value):
        raise TypeError(f"{name} is {said}; it takes {_NUMBERS[SETTINGS[name].type]}: say "
                        f"{name}={int(value)}")
    raise TypeError(f"{name} is {said}; it takes {wanted(name)}{_more(name, value)}")
