"""The stock tpu-info of PyPI beside a job on v3-8, started by `pod_top --tpu_info`: it shows four
chips and their generation, the HBM that `pod_top --json` has, and duty cycles among those that
pod_top has meanwhile; they change from one reading to the next.

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
DEADLINE = 400  # seconds, of all
STEPS = 800  # more than are made until both readings are
CHIPS = 4
CORES = 2  # of a chip: a row each
# Points that the duty cycle has to grow by before the second reading.
GROWN = 3
# Points: pod_top looks many times a step, but on a busy machine a step may pass between two looks.
NEAR = 1
SECONDS = 0.3  # of each step, in which it waits for its batch or computes


def may_mount() -> bool:
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0


def faults() -> str:
    """From step to step it waits less and computes longer: the duty cycle grows."""
    def slow(step: int, phase: str, share: float) -> str:
        return (f'faults {{ kind: SLOW host: 0 step: {step} phase: "{phase}" '
                f"seconds: {SECONDS * share:.4f} }}\n")
    return "".join(slow(step, "input", 1 - step / (STEPS + 1))
                   + slow(step, "compute", step / (STEPS + 1)) for step in range(1, STEPS + 1))


def started(folder: pathlib.Path) -> subprocess.Popen:
    (folder / "faults").write_text(faults())
    return subprocess.Popen(
        [_programs.find("pod_launch"), "--topology=v3-8", "--model=mlp", "--hidden=2048,1024",
         "--batch_per_core=1", "--learning_rate=0.01", f"--train_steps={STEPS}", "--quiet",
         f"--faults={folder / 'faults'}", f"--model_dir={folder / 'run'}", "--tensorboard_dir="],
        stdout=subprocess.DEVNULL, stderr=(folder / "log").open("w"),
        env=_programs.environment())


class Looks:
    """The job as a pod_top that looks all the time has it, with its host's duty cycle in
    percent."""

    def __init__(self, folder: pathlib.Path):
        self._file = folder / "looks"
        self._top = subprocess.Popen(
            [_programs.find("pod_top"), f"--model_dir={folder / 'run'}", "--streaming", "--json",
             "--rate=0.1"], stdout=self._file.open("w"), stderr=subprocess.DEVNULL,
            env=_programs.environment())

    def all(self) -> list[dict]:
        looks = [json.loads(line) for line in
                 self._file.read_text().rpartition("\n")[0].splitlines()]
        for look in looks:
            look["duty"] = 100 * look["hosts"][0]["duty_cycle"] if "hosts" in look else 0
        return looks

    def wait(self, until: float, holds) -> list[dict]:
        """All, once that holds for the last one."""
        while time.monotonic() < until and self._top.poll() is None:
            looks = self.all()
            if looks and holds(looks[-1]):
                return looks
            time.sleep(0.1)
        raise RuntimeError(f"pod_top ended ({self._top.poll()}), or {DEADLINE} s passed, before "
                           "the job was far enough")

    def close(self) -> None:
        self._top.kill()
        self._top.wait()


def await_place(folder: pathlib.Path, until: float) -> None:
    """Until pod_top finds the job."""
    while subprocess.run([_programs.find("pod_top"), f"--model_dir={folder / 'run'}", "--once"],
                         capture_output=True, check=False, timeout=DEADLINE,
                         env=_programs.environment()).returncode != 0:
        if time.monotonic() > until:
            raise RuntimeError(f"pod_top finds no job: {(folder / 'log').read_text()}")
        time.sleep(0.1)


def read(folder: pathlib.Path) -> str:
    """What tpu-info prints, on a screen that is wide enough for its tables."""
    environment = {**_programs.environment(), "COLUMNS": "200"}
    environment.pop("PYTHONPATH", None)  # where this file is, it hides the package of its name
    ended = subprocess.run(
        [_programs.find("pod_top"), f"--model_dir={folder / 'run'}", "--tpu_info", "--", TPU_INFO],
        check=False, capture_output=True, text=True, timeout=DEADLINE, env=environment)
    if ended.returncode != 0:
        raise RuntimeError(f"pod_top --tpu_info ended with {ended.returncode}: {ended.stderr}"
                           f"{ended.stdout}")
    return ended.stdout


def rows(text: str, pattern: str) -> list[tuple[str, ...]]:
    return [match.groups() for match in re.finditer(pattern, text)]


def problems_of_reading(text: str, meanwhile: list[dict]) -> list[str]:
    """meanwhile: looks of pod_top, the last one before and the first one behind it among them."""
    found = []
    chips = rows(text, r"(/dev/\S+) *\| *TPU (\S+) chip *\| *(\d+) *\|")
    if len({chip for chip, _, _ in chips}) != CHIPS or len(chips) != CHIPS or any(
            each[1:] != ("v3", str(CORES)) for each in chips):
        found.append(f"chips: {chips}")
    used = rows(text, r"\| *(\d+) *\| *(\S+) GiB / (\S+) GiB *\| *(\S+)% *\|")
    devices = meanwhile[-1]["hosts"][0]["devices"]
    planned = [(str(device["device"]), f"{device['hbm_used_bytes_sim'] / 2**30:.2f}",
                f"{device['hbm_total_bytes_sim'] / 2**30:.2f}") for device in devices]
    if [each[:3] for each in used] != planned or len(planned) != CHIPS * CORES:
        found.append(f"HBM: {used} instead of {planned}")
    if any(each[1] == "0.00" for each in used):
        found.append("HBM in use is too little to be seen")
    low, high = (limit(look["duty"] for look in meanwhile) for limit in (min, max))
    if not used or not all(low - NEAR <= float(each[3]) <= high + NEAR for each in used):
        found.append(f"duty cycles: {used}, and {low:.2f}% to {high:.2f}% by pod_top")
    return found


def duty_of(text: str) -> list[str]:
    return [each[0] for each in rows(text, r"GiB *\| *(\S+)% *\|")]


def check(folder: pathlib.Path) -> list[str]:
    """What is wrong; empty: nothing."""
    until = time.monotonic() + DEADLINE
    job = started(folder)
    looks = None
    found, readings, duty = [], [], 0.0
    try:
        await_place(folder, until)
        looks = Looks(folder)
        while len(readings) < 2:
            before = looks.wait(until, lambda look, least=duty: (
                look.get("step", 0) >= 12 and look["duty"] >= least))
            readings.append(read(folder))
            step = looks.all()[-1]["step"]
            after = looks.wait(until, lambda look, read_at=step: look["step"] > read_at)
            found += problems_of_reading(readings[-1], after[len(before) - 1:])
            duty = after[-1]["duty"] + GROWN
    finally:
        if looks is not None:
            looks.close()
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
