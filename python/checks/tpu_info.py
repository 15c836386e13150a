"""The stock tpu-info of PyPI beside a job on v3-8, started by `pod_top --tpu_info`: it shows four
chips and their generation, the HBM that `pod_top --json` has, and duty cycles between those that
pod_top had before and behind it; they change from one reading to the next.

    python python/checks/tpu_info.py

Needs root with CAP_SYS_ADMIN, for a /sys of the command's own; elsewhere a line says that nothing
was run. Exit code 1 where something is wrong."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
if "PODSIM_BIN" not in os.environ:
    sys.path.insert(0, str(ROOT / "python"))

from podsim import _programs  # noqa: E402

TPU_INFO = pathlib.Path(sys.executable).with_name("tpu-info")
DEADLINE = 300  # seconds, of all
STEPS = 2000  # more than are made until both readings are
CHIPS = 4
CORES = 2  # of a chip: a row each
# Points: what tpu-info shows may lie so far outside what pod_top had before and behind it, since a
# busy machine makes single steps longer.
NEAR = 5
# Points that the duty cycle has to grow by before the second reading.
GROWN = 5
SECONDS_INPUT = 0.05  # that each step waits for its batch
SECONDS_MORE = 0.0005  # that each step computes longer than the one before


def may_mount() -> bool:
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0


def faults() -> str:
    """They make the duty cycle grow from step to step."""
    return "".join(
        f'faults {{ kind: SLOW host: 0 step: {step} phase: "input" seconds: {SECONDS_INPUT} }}\n'
        f'faults {{ kind: SLOW host: 0 step: {step} phase: "compute" '
        f"seconds: {step * SECONDS_MORE:.4f} }}\n" for step in range(1, STEPS + 1))


def started(folder: pathlib.Path) -> subprocess.Popen:
    (folder / "faults").write_text(faults())
    return subprocess.Popen(
        [_programs.find("pod_launch"), "--topology=v3-8", "--model=mlp", "--hidden=4096,2048",
         "--batch_per_core=1", "--learning_rate=0.01", f"--train_steps={STEPS}", "--quiet",
         f"--faults={folder / 'faults'}", f"--model_dir={folder / 'run'}", "--tensorboard_dir="],
        stdout=subprocess.DEVNULL, env=_programs.environment())


def pod_top(folder: pathlib.Path, *flags: str) -> str:
    return subprocess.run(
        [_programs.find("pod_top"), f"--model_dir={folder / 'run'}", *flags],
        check=True, capture_output=True, text=True, timeout=DEADLINE,
        env={**_programs.environment(), "COLUMNS": "200"}).stdout


def shown(folder: pathlib.Path) -> dict:
    """The job as pod_top has it, and its host's duty cycle in percent."""
    state = json.loads(pod_top(folder, "--once", "--json"))
    if "hosts" in state:
        state["duty"] = 100 * state["hosts"][0].get("duty_cycle", 0)
    return state


def await_state(folder: pathlib.Path, job: subprocess.Popen, until: float, holds) -> dict:
    while time.monotonic() < until and job.poll() is None:
        try:
            state = shown(folder)
        except subprocess.CalledProcessError:
            state = {}  # it has not begun
        if holds(state):
            return state
        time.sleep(0.2)
    raise RuntimeError(f"the job ended ({job.poll()}), or {DEADLINE} s passed, before it was "
                       "far enough")


def rows(text: str, pattern: str) -> list[tuple[str, ...]]:
    return [match.groups() for match in re.finditer(pattern, text)]


def problems_of_reading(text: str, before: dict, after: dict) -> list[str]:
    found = []
    chips = rows(text, r"(/dev/\S+) *\| *TPU (\S+) chip *\| *(\d+) *\|")
    if len({chip for chip, _, _ in chips}) != CHIPS or len(chips) != CHIPS or any(
            each[1:] != ("v3", str(CORES)) for each in chips):
        found.append(f"chips: {chips}")
    used = rows(text, r"\| *(\d+) *\| *(\S+) GiB / (\S+) GiB *\| *(\S+)% *\|")
    devices = after["hosts"][0]["devices"]
    planned = [(str(device["device"]), f"{device['hbm_used_bytes_sim'] / 2**30:.2f}",
                f"{device['hbm_total_bytes_sim'] / 2**30:.2f}") for device in devices]
    if [each[:3] for each in used] != planned or len(planned) != CHIPS * CORES:
        found.append(f"HBM: {used} instead of {planned}")
    if any(each[1] == "0.00" for each in used):
        found.append("HBM in use is too little to be seen")
    low, high = (limit(before["duty"], after["duty"]) for limit in (min, max))
    if not used or not all(low - NEAR <= float(each[3]) <= high + NEAR for each in used):
        found.append(f"duty cycles: {used}, and {low:.2f}% to {high:.2f}% by pod_top")
    return found


def duty_of(text: str) -> list[str]:
    return [each[0] for each in rows(text, r"GiB *\| *(\S+)% *\|")]


def check(folder: pathlib.Path) -> list[str]:
    """What is wrong; empty: nothing."""
    until = time.monotonic() + DEADLINE
    job = started(folder)
    found, readings = [], []
    try:
        before = await_state(folder, job, until, lambda state: state.get("step", 0) >= 12)
        while len(readings) < 2:
            readings.append(pod_top(folder, "--tpu_info", "--", str(TPU_INFO)))
            after = shown(folder)
            found += problems_of_reading(readings[-1], before, after)
            if len(readings) < 2:
                before = await_state(folder, job, until,
                                     lambda state: state["duty"] >= after["duty"] + GROWN)
    finally:
        job.terminate()
        try:
            job.wait(timeout=30)
        except subprocess.TimeoutExpired:
            job.kill()
            job.wait()
    first, second = map(duty_of, readings)
    if not all(float(a) < float(b) for a, b in zip(first, second)):
        found.append(f"duty cycles did not grow: {first}, then {second}")
    print(f"tpu-info beside a job on v3-8: {CHIPS} chips, duty cycles {first[::CORES]}, then "
          f"{second[::CORES]}")
    return found


def main() -> int:
    if not may_mount():
        print("tpu-info beside a job on v3-8: NOT RUN, it needs root with CAP_SYS_ADMIN (a /sys of "
              "its own)")
        return 0
    if not TPU_INFO.is_file():
        print(f"there is no {TPU_INFO}: pip install tpu-info", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        found = check(pathlib.Path(folder))
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
