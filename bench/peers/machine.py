"""The machine that is measured: what it is, and whether it has other work."""

import os
import platform
import resource
import subprocess
import sys
import time

ATTEMPTS = 4  # at a sample that others disturb


class CannotMeasure(Exception):
    """One line for the user: what is in the way."""


def output_of(*command):
    """First line of what a command prints; "" when it cannot be run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return ""
    return (done.stdout.splitlines() or [""])[0] if done.returncode == 0 else ""


def cpu_name():
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def cpu_flags():
    """What the CPU says it can: {"avx2", "amx_tile", ...}; empty: unknown."""
    with open("/proc/cpuinfo") as info:
        for line in info:
            if line.startswith("flags"):
                return set(line.split(":", 1)[1].split())
    return set()


def facts(root, packages):
    """What a figure means nothing without; `packages`: {name: Debian's}."""
    git = ("git", "-C", root)
    changed = output_of(*git, "status", "--porcelain", "--untracked-files=no")
    versions = {
        name: output_of("dpkg-query", "-W", "-f", "${Version}", package)
        for name, package in packages.items()
    }
    return {
        "cpu": cpu_name(),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "commit": output_of(*git, "rev-parse", "--short", "HEAD")
                  + (" (changed)" if changed else ""),
        "versions": versions,
        "time": time.strftime("%Y-%m-%d %H:%M:%S %z"),
    }


def busy_seconds():
    """CPU time of all processes since boot, and what the hypervisor took.

    Interrupts are left out: those of our own traffic would look foreign.
    """
    with open("/proc/stat") as stat:
        user, nice, system, _, _, _, _, steal = map(
            int, stat.readline().split()[1:9])
    return (user + nice + system + steal) / os.sysconf("SC_CLK_TCK")


def child_seconds():
    """CPU time of the children that have been waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class ForeignLoad:
    """Share of the machine that others used while the block ran.

    with ForeignLoad() as load: subprocess.run(...)
    load.share  # 0.0 .. 1.0
    """

    def __enter__(self):
        self.begin = (time.monotonic(), busy_seconds(), child_seconds())
        return self

    def __exit__(self, *_):
        begin, busy, children = self.begin
        others = (busy_seconds() - busy) - (child_seconds() - children)
        cores = len(os.sched_getaffinity(0))
        elapsed = max(time.monotonic() - begin, 1e-3)
        self.share = min(1.0, max(0.0, others / (elapsed * cores)))


def wait_until_idle(limit, patience):
    """Returns once others use at most `limit` of the machine for a second.

    Says what it waits for. Raises CannotMeasure after `patience` seconds.
    """
    begin = time.monotonic()
    told = False
    while True:
        with ForeignLoad() as load:
            time.sleep(1)
        if load.share <= limit:
            return
        if not told:
            told = True
            busiest = subprocess.run(
                ["ps", "-eo", "pcpu,args", "--sort=-pcpu", "--no-headers"],
                capture_output=True, text=True).stdout.splitlines()
            print(f"# waiting: others use {load.share:.0%} of the machine, "
                  f"first of all {busiest[0].strip()[:60]}",
                  file=sys.stderr, flush=True)
        if time.monotonic() - begin > patience:
            raise CannotMeasure(
                f"the machine was busy for {patience} s; end what runs, or "
                "accept it with --foreign-load=1")


def undisturbed(run, limit, patience):
    """What run() returns, a dict, with "foreign_load" added.

    Again while others were busy meanwhile; the calmest attempt counts, but a
    wrong result counts at once.
    """
    attempts = []
    while len(attempts) < ATTEMPTS:
        with ForeignLoad() as load:
            sample = run()
        attempts.append({**sample, "foreign_load": round(load.share, 3)})
        if sample["wrong"] or load.share <= limit:
            return attempts[-1]
        wait_until_idle(limit, patience)
    return min(attempts, key=lambda sample: sample["foreign_load"])
