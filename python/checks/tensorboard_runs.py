"""TensorBoard's files of two jobs on v3-8, read back with the tensorboard package: they have the
tags that are expected and no others, and each tag the steps and the values of the metrics file, of
a job that is left alone and of one whose launcher is killed and that is started again; nothing is
there twice. By line of the metrics file: `step` and `eval` have a value for each of their tags,
`plan` those of memory, `summary` those of goodput; per_device_tflops_per_sec is model_flops of
`forecast` over a step's seconds, and a simulated step has the phases of `forecast`.

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
# By tag what the forecast's line calls it.
SIM_PHASES = {"input": "simulated_seconds_input", "compute": "simulated_seconds_compute",
              "reduce": "simulated_seconds_exposed_all_reduce",
              "update": "simulated_seconds_update", "fixed": "simulated_seconds_fixed"}
MEMORY = ("hbm_bytes_per_core", "hbm_bytes_available")
TEXTS = {"plan", "_hparams_/session_start_info", "_hparams_/session_end_info"}
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


def values(lines, name):
    """Of each line, by step; name: a key, or what computes it of the line."""
    return {step: name(line) if callable(name) else line[name] for step, line in lines.items()}


def unlike(reader, tag, wanted):
    """What differs from these values by step; of an event that was replaced the last one."""
    read = [(each.step, np.float32(each.value)) for each in reader.Scalars(tag)]
    if read != [(step, np.float32(value)) for step, value in sorted(wanted.items())]:
        yield f"{tag}: {read} instead of {wanted}"


def tflops(forecast, seconds):
    return lambda line: forecast["model_flops"] / line[seconds] / 1e12


def simulated_phase(forecast, phase):
    """What a step's line gives for it. The faults of this job slow down what a core computes: a
    step that takes longer than the forecast's computes for so much longer. Times are whole
    picoseconds."""
    def picoseconds(seconds):
        return round(1e12 * seconds)

    def seconds(line):
        longer = (picoseconds(line["simulated_seconds"])
                  - picoseconds(forecast["simulated_step_seconds"])) * (phase == "compute")
        return (picoseconds(forecast[SIM_PHASES[phase]]) + longer) * 1e-12
    return seconds


def goodput_tags(summary):
    """The categories that took time; `fraction` and PRODUCTIVE always."""
    goodput = summary["goodput"]
    return {"goodput/fraction": goodput["fraction"],
            "goodput/PRODUCTIVE": goodput["seconds_productive"],
            **{f"goodput/{name}": seconds for name, seconds in goodput.items()
               if name.isupper() and seconds > 0}}


def by_step(steps, evaluations, plan, forecast):
    """The values by tag and step that each run has."""
    evaluated = {tag: values(evaluations, name) for tag, name in EVAL.items()}
    wall = {**WALL, "perf/per_device_tflops_per_sec": tflops(forecast, "seconds")}
    sim = {**SIM, "perf/per_device_tflops_per_sec": tflops(forecast, "simulated_seconds"),
           "perf/examples_per_second":
               lambda line: plan["global_batch"] / line["simulated_seconds"],
           **{f"phases/{phase}_seconds": simulated_phase(forecast, phase)
              for phase in SIM_PHASES}}
    return {run: {**{tag: values(steps, name) for tag, name in tags.items()}, **evaluated}
            for run, tags in (("wall", wall), ("sim", sim))}


def problems_of_scalars(reader, each_step, last):
    """each_step: values by tag and step; last: by tag the last value, before which there may be
    others."""
    differing = set(reader.Tags()["scalars"]) ^ (each_step.keys() | last.keys())
    if differing:
        yield f"tags too many, or too few: {sorted(differing)}"
        return
    for tag, wanted in each_step.items():
        yield from unlike(reader, tag, wanted)
    for tag, value in last.items():
        if reader.Scalars(tag)[-1].value != np.float32(value):
            yield f"{tag} is {reader.Scalars(tag)[-1]} instead of {value}"


def problems_of(folder):
    metrics, board = folder / "metrics.jsonl", folder / "run" / "tensorboard"
    lines = whole_lines(metrics)
    steps, evaluations = lines_of(metrics, "step"), lines_of(metrics, "eval")
    plan, forecast = (next(line for line in lines if line["event"] == event)
                      for event in ("plan", "forecast"))
    if list(steps) != list(range(1, STEPS + 1)) or not evaluations:
        yield f"the metrics file has the steps {list(steps)}, and evaluations {evaluations}"
    wall, sim = opened(board / "wall"), opened(board / "sim")
    wanted = by_step(steps, evaluations, plan, forecast)
    yield from problems_of_scalars(wall, wanted["wall"], goodput_tags(lines[-1]))
    yield from problems_of_scalars(sim, wanted["sim"],
                                   {f"memory/{name}": plan[name] for name in MEMORY})
    if wall.Scalars("goodput/fraction")[-1].step != STEPS:
        yield f"goodput is {wall.Scalars('goodput/fraction')}"
    yield from problems_of_texts(wall, plan)


def problems_of_texts(wall, plan):
    if set(wall.Tags()["tensors"]) != TEXTS:
        yield f"the texts are {wall.Tags()['tensors']}"
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
