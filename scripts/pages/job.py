"""A short job, for the pages that it writes."""

import subprocess
import sys

JOB = ("--topology=v3-32", "--reference_topology=v3-32", "--model=mlp", "--processes=4",
       "--train_steps=50", "--trace_steps=20:22", "--quiet")
DEADLINE = 120  # seconds


def run_in(folder, programs):
    """50 steps of v3-32: the report page, the folder of event files and the trace."""
    report, board, trace = folder / "report.html", folder / "board", folder / "run.pftrace"
    metrics = folder / "run.jsonl"
    run(programs / "pod_launch", *JOB, f"--metrics_file={metrics}", f"--tensorboard_dir={board}",
        f"--trace={trace}")
    run(programs / "pod_report", metrics, "-o", report)
    return report, board, trace


def run(program, *arguments):
    if not program.is_file():
        sys.exit(f"look: there is no {program}; ./run builds it, --build names another folder")
    try:
        done = subprocess.run([program, *arguments], check=False, capture_output=True, text=True,
                              timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        sys.exit(f"look: {program.name} did not end in {DEADLINE} s")
    if done.returncode:
        sys.exit(f"look: {program.name} failed:\n{done.stdout}{done.stderr}")
