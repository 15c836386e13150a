"""Runs programs that start further processes, and ends them all."""

import glob
import os
import signal
import subprocess
import tempfile
import time

from machine import CannotMeasure

TIMEOUT = 600  # of one run, seconds
LOOK_EVERY = 0.01


def execute(command, environment=None, watch=None):
    """What it wrote to stdout. `watch`, if given, is called with its process
    id every 10 ms. Whatever happens, nothing of its process group is left.
    """
    with tempfile.TemporaryFile("w+") as output, \
            tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command, stdout=output, stderr=errors, start_new_session=True,
            env={**os.environ, **(environment or {})})
        try:
            if watch is None:
                process.wait(TIMEOUT)
            else:
                watch_until_end(process, watch)
        finally:
            end_group(process)
        for file in (output, errors):
            file.seek(0)
        if process.returncode != 0:
            raise CannotMeasure(f"{' '.join(command)}\nended with "
                                f"{process.returncode}: "
                                f"{(errors.read() or output.read()).strip()}")
        return output.read()


def watch_until_end(process, watch):
    deadline = time.monotonic() + TIMEOUT
    while process.poll() is None:
        watch(process.pid)
        time.sleep(LOOK_EVERY)
        if time.monotonic() > deadline:
            raise subprocess.TimeoutExpired(process.args, TIMEOUT)


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def processes_named(name, parent):
    """Ids of the parent's children of that name."""
    found = []
    for listing in glob.glob(f"/proc/{parent}/task/*/children"):
        for child in text_of(listing).split():
            if text_of(f"/proc/{child}/comm").strip() == name:
                found.append(int(child))
    return found


def text_of(path):
    """"" once the process has ended."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def memory_kib(pid):
    """{"VmHWM": ..., "RssFile": ...} in KiB; {} when it has ended."""
    fields = (line.split() for line in text_of(f"/proc/{pid}/status")
              .splitlines())
    return {field[0].rstrip(":"): int(field[1]) for field in fields
            if field[0] in ("VmHWM:", "RssFile:")}
