"""podsim's training runs: pod_launch, and what its metrics file says."""

import functools
import json
import math
import os
import statistics
import tempfile
import time

import children
from machine import CannotMeasure

WARM_UP = 5  # steps that are not timed, as in training_work.py
MIB = 1 << 20
JOB = ("--model=mlp", "--hidden=512,512", "--dataset=synthetic",
       "--example_shape=28,28", "--classes=10", "--momentum=0",
       "--learning_rate=0.01", "--lr_scaling=none", "--warmup_steps=0",
       "--overlap_probe=0")
LAYERS = (784, 512, 512, 10)
# Another named model, as torch_models.py has it: one thread, 256 rows a step.
MODEL_JOB = ("--dataset=digits", "--topology=v3-8", "--processes=1",
             "--threads=1", "--batch_per_core=32", "--precision=float32",
             "--optimizer=sgd", "--momentum=0", "--learning_rate=0.05",
             "--lr_scaling=none", "--warmup_steps=0", "--overlap_probe=0")


def accounted_bytes(hosts, rows):
    """What a process that plays `hosts` hosts of `rows` rows each must hold.

    float32: the weights once, a gradient per host, and of a host's stacked
    rows every layer's input and output, which backward needs; hosts of one
    process use the same memory for these in turn.
    """
    weights = sum(inputs * outputs + outputs
                  for inputs, outputs in zip(LAYERS, LAYERS[1:]))
    return 4 * (weights * (1 + hosts) + rows * sum(LAYERS))


def is_wrong(steps):
    losses = [step["loss"] for step in steps]
    # The metrics file writes what is not finite as null.
    finite = all(loss is not None and math.isfinite(loss) for loss in losses)
    return int(not (finite and losses[-1] < losses[0]))


def phases(steps):
    """{field: median} of everything that a step event says it spent."""
    return {field: statistics.median(step[field] for step in steps)
            for field in steps[0] if field.startswith("seconds")}


def summarize(events, begin):
    """A run's sample; `begin`: when the command was started."""
    of = {kind: [event for event in events if event["event"] == kind]
          for kind in ("plan", "step", "summary")}
    steps, timed = of["step"], of["step"][WARM_UP:]
    ends = [step["wall_time"] for step in steps[WARM_UP - 1:]]
    seconds = [after - before for before, after in zip(ends, ends[1:])]
    rows = of["plan"][0]["global_batch"]
    return {
        "examples_per_second": rows * len(seconds) / (ends[-1] - ends[0]),
        "steps": len(seconds),
        "step_median": statistics.median(seconds),
        "step_min": min(seconds),
        "step_max": max(seconds),
        "seconds_to_first_step": steps[0]["wall_time"] - begin,
        "phases": phases(timed),
        "isa": of["plan"][0]["isa"],
        "first_loss": steps[0]["loss"],
        "last_loss": steps[-1]["loss"],
        "weights_hash": of["summary"][0]["weights_hash"],
        "wrong": is_wrong(steps),
    }


def train(program, steps, flags, watch=None, job=JOB):
    """One run of WARM_UP + steps steps."""
    with tempfile.TemporaryDirectory() as folder:
        metrics = os.path.join(folder, "metrics.jsonl")
        begin = time.time()
        children.execute([program, *job, *flags,
                          f"--train_steps={WARM_UP + steps}",
                          f"--metrics_file={metrics}"], watch=watch)
        with open(metrics) as file:
            return summarize([json.loads(line) for line in file], begin)


def look_at_memory(peaks, launcher):
    """Keeps the newest high-water mark of every host process in `peaks`."""
    for pid in children.processes_named("pod_host", launcher):
        peaks[pid] = children.memory_kib(pid) or peaks.get(pid, {})


def measure_memory(program, steps, flags, processes, hosts, rows):
    """A run whose processes are watched: its speed is none to compare.

    The high-water mark counts pages of programs and libraries too, which
    processes share: `mib_of_files`.
    """
    peaks = {}
    run = train(program, steps, flags,
                functools.partial(look_at_memory, peaks))
    if len(peaks) != processes or not all(peaks.values()):
        raise CannotMeasure(
            f"saw the memory of {len(peaks)} pod_host processes, not of "
            f"{processes}")
    accounted = accounted_bytes(hosts, rows) / MIB
    highest = max(peak["VmHWM"] for peak in peaks.values()) / 1024
    return {
        "mib_beyond": highest - accounted,
        "mib_highest": highest,
        "mib_accounted": accounted,
        "mib_of_files": max(peak["RssFile"] for peak in peaks.values()) / 1024,
        "weights_hash": run["weights_hash"],
        "wrong": run["wrong"],
    }
