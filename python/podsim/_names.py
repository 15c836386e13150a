"""Names that somebody meant, where one was not found."""

from __future__ import annotations

import difflib
import re
from typing import Any, Iterable, Mapping

from ._errors import IDLE
from ._said import shown
from ._settings import SETTINGS

# What other libraries call a setting, and what says it here.
_MEANT = {
    **dict.fromkeys(("lr", "step_size", "base_lr", "max_lr", "peak_lr"),
                    "the learning rate: optimizer=podsim.adamw(1e-3), or learning_rate="),
    **dict.fromkeys(("batch_size", "global_batch_size", "total_batch_size"),
                    "train_batch_size=, of the whole pod, or batch_per_core="),
    **dict.fromkeys(("bs", "per_core_batch_size", "per_device_batch_size", "device_batch_size",
                     "local_batch_size", "per_device_train_batch_size", "micro_batch_size"),
                    "batch_per_core=, or train_batch_size= of the whole pod"),
    **dict.fromkeys(("num_epochs", "n_epochs", "epoch", "max_epochs", "nb_epochs",
                     "num_train_epochs"), "epochs="),
    **dict.fromkeys(("steps", "num_steps", "n_steps", "max_steps", "num_train_steps",
                     "iterations", "total_steps", "training_steps", "n_iters", "num_iters"),
                    "train_steps="),
    **dict.fromkeys(("wd", "decay", "l2"),
                    "optimizer=podsim.adamw(1e-3, weight_decay=1e-4), or weight_decay="),
    **dict.fromkeys(("grad_clip", "max_grad_norm", "clip", "gradient_clip_norm", "clip_grad",
                     "gradient_clip_val"), "clip_norm="),
    "betas": "optimizer=podsim.adamw(1e-3, b1=0.9, b2=0.999), or beta1= and beta2=",
    "b1": "optimizer=podsim.adamw(1e-3, b1=0.9), or beta1=",
    "b2": "optimizer=podsim.adamw(1e-3, b2=0.999), or beta2=",
    "eps": "optimizer=podsim.adamw(1e-3, eps=1e-8), or epsilon=",
    "nesterov": "optimizer=podsim.sgd(0.1, momentum=0.9, nesterov=True)",
    **dict.fromkeys(("warmup", "num_warmup_steps", "lr_warmup_steps"), "warmup_steps="),
    **dict.fromkeys(("warmup_ratio", "warmup_epochs", "warmup_fraction", "warmup_proportion"),
                    "warmup_steps=N, a number of steps"),
    **dict.fromkeys(("scheduler", "schedule", "lr_scheduler", "lr_scheduler_type",
                     "learning_rate_schedule"),
                    'lr_schedule="cosine", or a schedule of optax in optimizer='),
    **dict.fromkeys(("ckpt_dir", "checkpoint_dir", "output_dir", "save_dir", "workdir",
                     "logdir"), "model_dir="),
    **dict.fromkeys(("tensorboard", "tensorboard_log_dir", "tb_dir"), "tensorboard_dir="),
    **dict.fromkeys(("save_steps", "save_every", "checkpoint_steps", "ckpt_every"),
                    "checkpoint_every="),
    **dict.fromkeys(("eval_every", "eval_steps", "eval_interval", "eval_freq"),
                    "steps_per_eval="),
    **dict.fromkeys(("slice", "tpu", "tpu_type", "accelerator_type", "accelerator", "pod"),
                    'topology="v3-32"'),
    "silent": "progress=False",
    **dict.fromkeys(("loss", "loss_function", "criterion", "objective"),
                    "loss_fn, the first argument, a function (params, batch) -> loss"),
    **dict.fromkeys(("weights", "parameters", "init_params", "initial_params", "variables"),
                    "params, the second argument"),
    **dict.fromkeys(("data", "train_data", "train_dataset"), "dataset, the third argument"),
    **dict.fromkeys(("eval_data", "val_data", "validation_data", "test_data", "val_dataset"),
                    "eval_dataset="),
    **dict.fromkeys(("validation_split", "val_split", "test_size", "test_split"), "eval_dataset="
                    "(x[:n], y[:n]), with the others, (x[n:], y[n:]), as the data set"),
    **dict.fromkeys(("devices", "num_devices", "n_devices", "num_cores", "cores"),
                    'topology="v3-8" for 8 cores, "v3-32" for 32: the slice has them'),
    **dict.fromkeys(("label_column", "label_col", "label_name", "target_column", "target_col",
                     "columns", "column_names", "feature_columns", "feature_names", "usecols"),
                    'features="features=height..weight:float32[2], labels=label:int64", which '
                    "names the columns of a CSV file"),
    **dict.fromkeys(("label", "target", "labels", "targets", "y", "x", "images", "inputs"),
                    "the arrays as one data set, the third argument: (x, y)"),
    "optimiser": "optimizer=",
    "plot": "podsim.plan(...).plot(path)",
    **dict.fromkeys(("explain", "profile", "profiler"), "podsim.plan(...).explain()"),
    **dict.fromkeys(("output", "json"), "podsim.plan(...).to_json(), or podsim.export"),
    **dict.fromkeys(("price", "price_per_hour", "chip_price", "cost", "cost_per_chip_hour",
                     "price_per_chip_hour"), "podsim.plan(..., price_per_chip_hour=2.2)"),
    **dict.fromkeys(("deadline", "time_limit", "max_hours"), 'podsim.plan(..., deadline="4h")'),
    **dict.fromkeys(("budget", "max_cost"), "podsim.plan(..., budget=500, "
                    "price_per_chip_hour=2.2)"),
    **dict.fromkeys(("chip_prices", "price_list"), 'podsim.plan(..., chip_prices={"v3": 2.2})'),
    **dict.fromkeys(("random_seed", "rng", "rng_seed"), "seed="),
    **dict.fromkeys(("dtype", "mixed_precision", "bf16", "fp16", "use_bfloat16"),
                    'precision="float32" or precision="bfloat16"'),
    **dict.fromkeys(("resume", "resume_from", "resume_from_checkpoint", "load", "init_from"),
                    "model_dir= (the same call goes on from there), or restore="),
}

# What other libraries have and podsim has not, and why.
_NOT_HERE = {
    **dict.fromkeys(("num_hosts", "hosts", "num_nodes", "nodes", "world_size", "num_shards",
                     "num_replicas", "gpus", "num_gpus"),
                    'the topology says how many hosts, chips and cores there are: "v3-8" has one '
                    'host of 8 cores, "v3-32" four: topology="v3-32"'),
    **dict.fromkeys(("mesh", "sharding", "shardings", "in_shardings", "out_shardings", "axis_name",
                     "partition_spec", "strategy", "fsdp", "distribution_strategy", "mesh_shape",
                     "model_parallelism", "tensor_parallelism", "pipeline_parallelism",
                     "num_partitions"),
                    "training is data-parallel, podsim divides each batch among the cores of "
                    "topology=: leave it out"),
    **dict.fromkeys(("gradient_accumulation_steps", "accum_steps", "grad_accum", "grad_accum_steps",
                     "accumulate_grad_batches", "every_k_schedule"),
                    "gradients are not added up over steps: train_batch_size= is the batch of one "
                    "update"),
    **dict.fromkeys(("callbacks", "callback", "hooks", "early_stopping", "patience", "on_step",
                     "on_step_end", "on_epoch_end", "step_fn", "on_eval"),
                    "nothing of yours runs during training: run.metrics has every step, "
                    "checkpoint_every= and model_dir= keep the weights of many"),
    **dict.fromkeys(("jit", "compile", "donate", "donate_argnums", "static_argnums", "backend",
                     "platform", "device", "use_tpu"),
                    "it has no meaning here: leave it out"),
    **dict.fromkeys(("num_classes", "n_classes", "input_shape", "image_size"),
                    "the loss function and the arrays say it: leave it out"),
    **dict.fromkeys(("num_workers", "workers", "prefetch", "pin_memory"),
                    "hosts read the data set from memory, without workers: leave it out"),
    **dict.fromkeys(("shuffle_buffer", "buffer_size", "drop_last", "drop_remainder"),
                    "arrays are shuffled whole, and each batch is full: leave it out"),
    "has_aux": "a loss function that returns (loss, metrics) is taken as it is: leave it out",
    "metrics": ('leave it out; give eval_dataset= and eval_fn=, which returns {"accuracy": ...}, '
                "and the loss function may return (loss, metrics)"),
    **dict.fromkeys(("log_every", "log_every_n_steps", "logger", "report_to", "wandb"),
                    "run.metrics has a record for each step, metrics_file= keeps them as JSON"),
}

# Arguments of train and plan that are no settings.
ARGUMENTS = ("optimizer", "eval_fn", "eval_dataset", "examples", "eval_examples", "batch",
              "state", "name", "progress", "topology", "model_dir")


def near(name: str, known: Iterable[str], most: int = 3) -> str:
    """"; did you mean a, b?", or nothing."""
    spelt = {each.lower(): each for each in known}
    if name.lower() in spelt:
        return f"; did you mean {spelt[name.lower()]}?"
    found = [spelt[each] for each in difflib.get_close_matches(name.lower(), list(spelt), most)]
    return f"; did you mean {' or '.join(found)}?" if found else ""


def instead(name: str, known: Iterable[str], most: int = 12) -> str:
    """"; did you mean a?", or what there is: "; it has a, b and 3 more"."""
    names = list(known)
    parts = [each for each in names if len(each) > 3 and f"_{each}_" in f"_{name}_"][:1]
    parts = parts or [each for each in names if len(name) > 2 and f"_{name}" in f"_{each}"][:3]
    words = {each for each in name.split("_") if len(each) > 3}
    parts = parts or [each for each in names if words & set(each.split("_"))][:3]
    meant = near(name, names) or (f"; did you mean {' or '.join(parts)}?" if parts else "")
    more = len(names) - most
    return meant or (f"; it has {', '.join(names[:most])}" if names else "") + (
        f" and {more} more" if more > 0 else "")


def _with_value(way: str, value: Any) -> str:
    """The way, with the number or the place that was given where it names an argument alone:
    "epochs=" is "epochs=3"."""
    kinds = ("DIR",) if isinstance(value, str) else ("N", "X")
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        kinds = ()
    if kinds and not isinstance(value, str):
        way = way.replace("price_per_chip_hour=2.2", f"price_per_chip_hour={shown(value)}")
    return re.sub(r"(\w+)=(?=$|,? )", lambda found: found[0] + shown(value) * (
        found[1] in SETTINGS and SETTINGS[found[1]].type in kinds), way)


def _advice(name: str, value: Any) -> str:
    if name == "betas" and isinstance(value, (list, tuple)) and len(value) == 2:
        return (f": say optimizer=podsim.adamw(1e-3, b1={shown(value[0])}, b2={shown(value[1])}), "
                f"or beta1={shown(value[0])}, beta2={shown(value[1])}")
    if name.lower() in _MEANT:
        return f": say {_with_value(_MEANT[name.lower()], value)}"
    if name.lower() in _NOT_HERE:
        return f": {_NOT_HERE[name.lower()]}"
    known = [each for each in dict.fromkeys([*SETTINGS, *ARGUMENTS]) if each not in IDLE]
    return near(name, known) or ("; nothing like it is a setting: leave it out; "
                                 "`pod_launch --help=all` lists all")


def check_names(settings: Mapping[str, Any]) -> None:
    """Raises TypeError for a keyword that no setting has, naming what says it."""
    for name, value in settings.items():
        if name not in SETTINGS:
            raise TypeError(f"there is no setting {name!r}{_advice(name, value)}")
