"""Who takes part, how each is started and how its figures are read.

A contender's name is "who/variant", such as "limit/ring" or "openmpi/tcp".
Every run gives one sample: {"size", "us", "wrong", ...}.
"""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Callable

from machine import CannotMeasure

KIB = 1024
MIB = 1024 * KIB
SMALL = (1 * KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB)
MIDDLE = (1 * MIB, 4 * MIB)
LARGE = (16 * MIB, 64 * MIB)
ALL = SMALL + MIDDLE + LARGE
ALGORITHMS = ("ring", "bidir_ring", "torus2d", "halving_doubling", "direct")
SECONDS = 0.3  # how long a driver repeats one size
TIMEOUT = 120  # of one run


@dataclass
class Contender:
    name: str
    sizes: tuple
    run: Callable  # size -> sample

    def sample(self, size):
        return {"contender": self.name, **self.run(size)}


def execute(command):
    done = subprocess.run(command, capture_output=True, text=True,
                          timeout=TIMEOUT)
    if done.returncode != 0:
        raise CannotMeasure(f"{' '.join(command)}\nended with "
                            f"{done.returncode}: {done.stderr.strip()}")
    return done.stdout


def driver(*command):
    """One of ours: a line of JSON per size."""
    def run(size):
        lines = execute([*command, "--ranks=4", f"--sizes={size}",
                         f"--seconds={SECONDS}"]).splitlines()
        sample = json.loads(lines[-1])
        return {key: sample[key] for key in ("size", "us", "iters", "wrong")}
    return run


def limits(build, socket):
    program = os.path.join(build, "limit_all_reduce")
    sizes = {"ring": ALL, "halving_doubling": ALL, "direct": SMALL,
             "direct_two_phase": ALL}
    return [Contender(f"limit/{algo}", covered,
                      driver(program, f"--socket={socket}", f"--algo={algo}"))
            for algo, covered in sizes.items()]


def gloos(build):
    program = os.path.join(build, "gloo_all_reduce")
    return [Contender(f"gloo/{algo}", ALL, driver(program, f"--algo={algo}"))
            for algo in ("ring", "ring_chunked", "new_ring")]


def openmpis(build):
    # With four ranks on two cores a rank that spins without giving way costs
    # the others a time slice: 30 ms instead of 30 us.
    mpirun = ["mpirun", "-np", "4", "--oversubscribe", "--bind-to", "none",
              "--allow-run-as-root", "--mca", "pml", "ob1",
              "--mca", "mpi_yield_when_idle", "1"]
    program = os.path.join(build, "mpi_all_reduce")
    variants = {
        "tcp": ["--mca", "btl", "tcp,self",
                "--mca", "btl_tcp_if_include", "lo"],
        "shm": ["--mca", "btl", "vader,self"],
    }
    return [Contender(f"openmpi/{name}", ALL, driver(*mpirun, *flags, program))
            for name, flags in variants.items()]


def iterations(size):
    """About as many as SECONDS holds at 0.5 GB/s and 100 us a call."""
    return max(4, int(SECONDS / (100e-6 + size / 0.5e9)))


def pod_bench(program, *flags):
    """podsim: in-place time from the JSON file, which is nccl-tests'."""
    def run(size):
        count = iterations(size)
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "result.json")
            execute([program, "all_reduce", "--topology", "v3-32",
                     "-b", str(size), "-e", str(size), "-n", str(count),
                     "-w", "2", "-J", report, *flags])
            with open(report) as file:
                result = json.load(file)["results"][0]
        wrong = sum(int(result[way]["nwrong"])
                    for way in ("in_place", "out_of_place"))
        return {"size": size, "us": float(result["in_place"]["time"]),
                "iters": count, "wrong": wrong}
    return run


def podsims(program, socket):
    """With the transport of a pod on one machine, and over sockets alone."""
    link = f"--transport={socket}"
    through_memory = [Contender(f"podsim/{algo}", ALL,
                                pod_bench(program, f"--algo={algo}"))
                      for algo in ("auto", *ALGORITHMS)]
    over_sockets = [Contender(f"podsim/sockets-{algo}", ALL,
                              pod_bench(program, link, f"--algo={algo}"))
                    for algo in ALGORITHMS]
    return through_memory + over_sockets + [
        Contender("podsim/bfloat16", (64 * MIB,),
                  pod_bench(program, "--wire_dtype=bfloat16")),
        Contender("podsim/packed", (64 * MIB,),
                  pod_bench(program, "--processes=1")),
        Contender("podsim/sockets", ALL, pod_bench(program, link)),
        Contender("podsim/sockets-bfloat16", (64 * MIB,),
                  pod_bench(program, link, "--wire_dtype=bfloat16")),
    ]
