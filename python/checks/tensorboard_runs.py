"""TensorBoard's files of two jobs on v3-8, read back with the tensorboard package: each tag has
the steps and the values of the metrics file, of a job that is left alone and of one whose
launcher is killed and that is started again; nothing is there twice.

    python python/checks/tensorboard_runs.py"""

from __future__ import annotations

import json
import logging
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.plugins.hparams import metadata

from podsim import _programs

JOB = ("--topology=v3-8", "--reference_topology=v3-8", "--model=mlp", "--hidden=16",
       "--dataset=digits", "--batch_per_core=4", "--learning_rate=0.05", "--quiet")
STEPS = 60
DEADLINE = 120  # seconds
# By tag what a step's line of the metrics file calls it.
WALL = {"loss": "loss", "learning/loss": "loss", "learning/accuracy": "accuracy",
        "learning/current_learning_rate": "learning_rate", "perf/step_time_seconds": "seconds",
        "perf/examples_per_second": "examples_per_second",
        **{f"phases/{phase}_seconds": f"seconds_{phase}"
           for phase in ("input", "compute", "reduce", "update", "other")}}
SIM = {"loss": "loss", "perf/step_time_seconds": "simulated_seconds"}
EVAL = {"eval/loss": "loss", "eval/accuracy": "accuracy"}


def whole_lines(metrics):
    """Those of a file that may still be written."""
    return [json.loads(line) for line in metrics.read_text().rpartition("\n")[0].splitlines()]


def lines_of(metrics, event):
    """By step; of a step that was made again the last line."""
    return {line["step"]: line for line in whole_lines(metrics) if line["event"] == event}


def opened(folder):
    reader = event_accumulator.EventAccumulator(str(folder), size_guidance={
        event_accumulator.SCALARS: 0, event_accumulator.TENSORS: 0})
    return reader.Reload()


def unlike(reader, names, lines):
    """What differs from the metrics file."""
    for tag, name in names.items():
        wanted = [(step, np.float32(line[name])) for step, line in sorted(lines.items())]
        read = [(each.step, np.float32(each.value)) for each in reader.Scalars(tag)]
        if read != wanted:
            yield f"{tag}: {read} instead of {wanted}"


def problems_of(folder):
    metrics, board = folder / "metrics.jsonl", folder / "run" / "tensorboard"
    steps, evaluations = lines_of(metrics, "step"), lines_of(metrics, "eval")
    plan = next(line for line in whole_lines(metrics) if line["event"] == "plan")
    summary = whole_lines(metrics)[-1]
    if list(steps) != list(range(1, STEPS + 1)) or not evaluations:
        yield f"the metrics file has the steps {list(steps)}, and evaluations {evaluations}"
    wall, sim = opened(board / "wall"), opened(board / "sim")
    yield from unlike(wall, WALL, steps)
    yield from unlike(wall, EVAL, evaluations)
    yield from unlike(sim, SIM, steps)
    yield from unlike(sim, EVAL, evaluations)
    sums = [sum(parts) for parts in zip(*(
        [each.value for each in sim.Scalars(f"phases/{phase}_seconds")]
        for phase in ("input", "compute", "reduce", "update", "fixed")))]
    if not np.allclose(sums, [line["simulated_seconds"] for _, line in sorted(steps.items())],
                       rtol=1e-6, atol=0):
        yield f"the simulated phases add up to {sums}"
    hbm = [each.value for each in sim.Scalars("memory/hbm_bytes_per_core")][-1]
    if hbm != np.float32(summary["simulated_hbm_bytes_per_core"]):
        yield f"HBM is {hbm}"
    goodput = wall.Scalars("goodput/fraction")[-1]
    if (goodput.step, goodput.value) != (STEPS, np.float32(summary["goodput"]["fraction"])):
        yield f"goodput is {goodput}"
    yield from problems_of_texts(wall, plan)


def problems_of_texts(wall, plan):
    text = wall.Tensors("plan")[0].tensor_proto.string_val[0].decode()
    if "v3-8" not in text or not text.startswith("```\n"):
        yield f"the plan is {text!r}"
    content = wall.PluginTagToContent("hparams")[metadata.SESSION_START_INFO_TAG]
    hparams = metadata.parse_session_start_info_plugin_data(content).hparams
    if (hparams["topology"].string_value, hparams["learning_rate"].number_value) != (
            plan["slice"], plan["learning_rate"]):
        yield f"hparams are {dict(hparams)}"


def command(folder):
    return [os.fspath(_programs.find("pod_launch")), *JOB, f"--train_steps={STEPS}",
            "--steps_per_eval=20", "--checkpoint_every=30", f"--model_dir={folder / 'run'}",
            f"--metrics_file={folder / 'metrics.jsonl'}"]


def run(folder):
    done = subprocess.run(command(folder), capture_output=True, text=True, check=False,
                          env=_programs.environment(), timeout=DEADLINE)
    if done.returncode != 0:
        raise RuntimeError(f"pod_launch ended with {done.returncode}: {done.stderr}")


def kill_within(folder):
    """A job that is slow enough to be killed behind its first checkpoint, whose events of the
    steps after it are in a file by then."""
    slow = folder / "faults"
    slow.write_text("".join(
        f'faults {{ kind: SLOW host: 0 step: {step} phase: "compute" seconds: 0.1 }}\n'
        for step in range(1, STEPS + 1)))
    metrics, begin = folder / "metrics.jsonl", time.monotonic()
    job = subprocess.Popen([*command(folder), f"--faults={slow}"], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env=_programs.environment())
    try:
        while not is_far_enough(folder, metrics):
            if job.poll() is not None or time.monotonic() - begin > DEADLINE:
                raise RuntimeError("the job ended before it could be killed")
            time.sleep(0.02)
    finally:
        job.send_signal(signal.SIGKILL)
        job.wait()


def is_far_enough(folder, metrics):
    """Whether events behind a checkpoint are in TensorBoard's file."""
    saved = lines_of(metrics, "checkpoint") if metrics.is_file() else {}
    wall = folder / "run" / "tensorboard" / "wall"
    if not saved or not wall.is_dir() or not any(wall.iterdir()):
        return False
    written = opened(wall)
    return ("loss" in written.Tags()["scalars"]
            and written.Scalars("loss")[-1].step > max(saved) + 2)


def problems_of_a_killed_job(folder):
    kill_within(folder)
    wall = folder / "run" / "tensorboard" / "wall"
    before = {each.step for each in opened(wall).Scalars("loss")}
    run(folder)
    resumed = next(line for line in whole_lines(folder / "metrics.jsonl")
                   if line["event"] == "resume")["step"]
    again = {step for step in before if step > resumed}
    if not again:
        yield f"no step was made again: {sorted(before)}, and it resumed from {resumed}"
    if len(list(wall.iterdir())) != 2:
        yield f"a job that was started twice left {sorted(wall.iterdir())}"
    yield from problems_of(folder)


def check():
    logging.getLogger("tensorboard").setLevel(logging.ERROR)  # it tells of dropped steps
    good = True
    for what, problems in (("a job", lambda folder: (run(folder), *problems_of(folder))[1:]),
                           ("a killed and resumed one", problems_of_a_killed_job)):
        with tempfile.TemporaryDirectory() as folder:
            found = list(problems(pathlib.Path(folder)))
        print(f"TensorBoard's files of {what}: {'as they should be' if not found else found}",
              flush=True)
        good &= not found
    return good


if __name__ == "__main__":
    sys.exit(0 if check() else 1)
