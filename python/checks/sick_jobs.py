"""Sick jobs, told by pod_report alone: five sicknesses are planted by --faults, by data that is
slow to read or by settings, at three seeds each. The first sentence must name the host, the phase
or the link, and the flag; of the mended job nothing stands out. In none of 15 healthy runs, six of
them beside busy loops and six shorter than their recipe, may it name one: nothing stands out.

    PODSIM_BIN=build/release/bin python python/checks/sick_jobs.py [--keep FOLDER] [ONLY ...]

--keep leaves the metrics files there. ONLY: words of the first column."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass, field

from podsim import _programs

DEADLINE = 120  # seconds
SEEDS = (1, 2, 3)
POD = ("--topology=v3-32", "--processes=4", "--reference_topology=v3-32", "--model=mlp",
       "--dataset=digits")
SICK_STEPS = 40  # of a sick job; a mended one has as many as its recipe says
WELL = "nothing stands out"


@dataclass
class Job:
    """A run and what the report's first sentence must be."""
    name: str
    flags: tuple[str, ...]
    kind: str = "none"
    sentence: str = re.escape(WELL)  # a regular expression
    flag: str = ""  # what the flag begins with
    faults: list[str] = field(default_factory=list)
    loops: int = 0  # busy loops beside it


def changed(flags, **others):
    """Flags of which some have other values; None: without it."""
    kept = [flag for flag in flags if flag[2:].partition("=")[0] not in others]
    return (*kept, *(f"--{name}={value}" for name, value in others.items() if value is not None))


def slow(host, step, phase, seconds):
    return f'faults {{ kind: SLOW host: {host} step: {step} phase: "{phase}" seconds: {seconds} }}'


def slow_host(seed):
    host, seconds = random.Random(seed).randrange(4), (0.15, 0.03, 0.06)[seed % 3]
    phase = ("compute", "input", "compute")[seed % 3]
    flags = changed(POD, seed=seed)
    yield Job("slow host", changed(flags, train_steps=SICK_STEPS), "slow_host", rf"host {host} is slow: .*most of it {phase}",
              "--faults", [slow(host, step, phase, seconds) for step in range(1, SICK_STEPS + 1)])
    yield Job("mended", flags)


def write_png(path, side, draw):
    """Noise of three channels, which is slow to unpack."""
    rows = b"".join(b"\0" + draw.randbytes(3 * side) for _ in range(side))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)),
             (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts))


def images(folder, seed, side):
    draw = random.Random(seed)
    for number in range(48):
        place = folder / "train" / "ab"[number % 2]
        place.mkdir(parents=True, exist_ok=True)
        write_png(place / f"{number}.png", side, draw)
    return folder


def input_bound(seed, folder):
    """Large images for a small model; mended: the same in the size that the model sees."""
    pod, processes = (("v3-8", 1), ("v3-8", 1), ("v3-32", 2))[seed % 3]
    flags = (f"--topology={pod}", f"--processes={processes}", f"--reference_topology={pod}",
             "--model=mlp", "--hidden=16", "--dataset=images", f"--batch_per_core={1 + seed % 2}",
             "--features=features=image:image[16,16,3]/255,labels=label:int64",
             "--learning_rate=0.01", "--train_steps=20", "--input_threads=1", f"--seed={seed}")
    yield Job("input-bound", changed(flags, data_dir=images(folder / "large", seed, 480)),
              "input_bound", r"input-bound: \d+% of the step waits for decode",
              "--input_threads 2")
    yield Job("mended", changed(flags, data_dir=images(folder / "small", seed, 16)))


def batch_that_does_not_scale(seed):
    topology, batch = (("v3-32", 1), ("v3-32", 2), ("v3-128", 1))[seed % 3]
    flags = (f"--topology={topology}", "--processes=2", "--model=mlp", "--dataset=digits",
             f"--seed={seed}")
    yield Job("batch", changed(flags, batch_per_core=batch), "batch_no_longer_scales",
              rf"the batch no longer scales: with {batch} examples? per core", "--batch_per_core 8")
    yield Job("mended", changed(flags, batch_per_core=8))


def slow_link(seed):
    """Of the first axis; along the other one pass gradients that are summed over the first axis
    already, and a slow link there costs a step less than what is named."""
    link, hidden = (("(1,0)-(2,0)", 1024), ("(0,2)-(1,2)", 1024), ("(2,3)-(3,3)", 1536))[seed % 3]
    flags = changed(POD, seed=seed, ici_algorithm="torus", hidden=hidden)
    yield Job("slow link", changed(flags, ici_fault=f"link:{link}:0.25"), "slow_link",
              rf"link {re.escape(link)} at 0\.25 of its rate: ", "--ici_fault")
    yield Job("mended", flags)


def checkpoint_that_stalls(seed, folder):
    host, seconds = random.Random(seed).randrange(4), (0.5, 0.2, 1.0)[seed % 3]
    flags = changed(POD, seed=seed, tensorboard_dir="")
    yield Job("checkpoint", changed(flags, model_dir=folder / "sick", checkpoint_every=10,
                                    train_steps=SICK_STEPS),
              "checkpoint_stalls",
              rf"checkpoints stall training: .*host {host} comes last then", "--faults",
              [slow(host, step, "checkpoint", seconds) for step in (10, 20, 30)])
    yield Job("mended", changed(flags, model_dir=folder / "well", checkpoint_every=100))


def sick_jobs(folder):
    for seed in SEEDS:
        own = folder / str(seed)
        for jobs in (slow_host(seed), input_bound(seed, own), batch_that_does_not_scale(seed),
                     slow_link(seed), checkpoint_that_stalls(seed, own)):
            sick, mended = jobs
            mended.name = f"{sick.name}, mended"
            for job in (sick, mended):
                job.name += f" ({seed})"
                yield job


def healthy_jobs():
    """Models, slices, processes, busy loops. A job that is cut short is not sick, though it misses
    its recipe's accuracy."""
    models = [("mlp",), ("mlp", "--hidden=1024"), ("mlp", "--hidden=256,256", "--optimizer=adam",
                                                   "--learning_rate=0.002"),
              ("lenet5", "--train_steps=40"), ("encoder", "--train_steps=20")]
    pods = [("v3-8", 1, 0), ("v3-32", 4, 0), ("v3-32", 2, 2)]
    for number, (model, *more) in enumerate(models):
        for topology, processes, loops in pods:
            if number == 0 and processes == 4:
                loops = 4
            yield Job(f"healthy {model} {topology} {processes}{' busy' if loops else ''} ({number})",
                      (f"--topology={topology}", f"--processes={processes}", f"--model={model}",
                       f"--reference_topology={topology}", "--dataset=digits", f"--seed={number}",
                       *more), loops=loops)


@contextlib.contextmanager
def busy_loops(count):
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def first_finding(job, metrics):
    """Runs the job; what its report begins with."""
    command = [os.fspath(_programs.find("pod_launch")), *job.flags, "--quiet",
               f"--metrics_file={metrics}"]
    if job.faults:
        faults = metrics.with_suffix(".faults")
        faults.write_text("\n".join(job.faults) + "\n")
        command.append(f"--faults={faults}")
    with busy_loops(job.loops):
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              env=_programs.environment(), timeout=DEADLINE)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    report = json.loads(_programs.run("pod_report", [metrics, "--json"]))["runs"][0]
    findings = report["findings"]
    return findings[0] if findings else {"kind": "none", "flag": "", "sentence": report["verdict"]}


def is_as_wanted(job, first):
    return (first["kind"] == job.kind and re.match(job.sentence, first["sentence"]) is not None
            and first["flag"].startswith(job.flag) and (bool(job.flag) == bool(first["flag"])))


def check(folder, data, only):
    wrong = count = 0
    for job in (*sick_jobs(data), *healthy_jobs()):
        if only and not any(word in job.name for word in only):
            continue
        count += 1
        name = re.sub(r"\W+", "_", job.name).strip("_")
        metrics = folder / f"{name}.jsonl"
        metrics.unlink(missing_ok=True)
        first = first_finding(job, metrics)
        good = is_as_wanted(job, first)
        wrong += not good
        print(f"{job.name:32} {'ok   ' if good else 'WRONG'}  {first['sentence']}", flush=True)
    print(f"{count - wrong} of {count} jobs are told as they are")
    return wrong == 0 and count > 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("only", nargs="*")
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        data = pathlib.Path(temporary)  # images and checkpoints
        folder = settings.keep or data
        folder.mkdir(parents=True, exist_ok=True)
        return 0 if check(folder, data, settings.only) else 1


if __name__ == "__main__":
    sys.exit(main())
