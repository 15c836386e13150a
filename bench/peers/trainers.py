"""Who takes part in training, and how each is started.

A contender's name is "who/variant", such as "podsim/float32" or
"jax/32-devices". Every run gives one sample: {"examples_per_second", "wrong",
...}. Who cannot take part is named too, with the reason.
"""

import dataclasses
import functools
import json
import os
from dataclasses import dataclass
from typing import Callable

import children
import pod_training
import training_goals
import virtual_env

FOLDER = os.path.dirname(os.path.realpath(__file__))
BATCH_8 = "--batch_per_core=8"
BATCH_128 = "--batch_per_core=128"


@dataclass
class Contender:
    name: str
    run: Callable  # () -> sample

    def sample(self):
        return {"contender": self.name, **self.run()}


@dataclass(frozen=True)
class Setup:
    """What a line-up needs to know."""
    cpu: training_goals.Cpu
    cores: int
    steps: int
    seconds: float  # of the products alone
    pod_launch: str
    step_products: str
    python: str  # with torch and jax


def driver(*command, environment=None):
    """Ours: the last line that it prints is the sample."""
    return lambda: json.loads(
        children.execute(list(command), environment).splitlines()[-1])


def podsims(setup):
    v3_32 = ("--topology=v3-32", "--processes=4")
    run = functools.partial(functools.partial, pod_training.train,
                            setup.pod_launch)
    pinned = [("float32", "v3")] if setup.cpu.above_v3 else []
    if setup.cpu.amx:
        pinned += [("float32", "v4"), ("bfloat16", "v4")]
    taking_part = [
        Contender(f"podsim/{dtype}",
                  run(setup.steps, [*v3_32, BATCH_128, f"--precision={dtype}"]))
        for dtype in ("float32", "bfloat16")]
    taking_part += [
        Contender(name, run(setup.steps, [
            "--topology=v3-32", f"--processes={processes}", BATCH_128,
            f"--precision={dtype}"]))
        for dtype, names in training_goals.SPLITS.items()
        for name, processes in zip(names, (1, 2))]
    taking_part += [
        Contender(f"podsim/{dtype}-{isa}",
                  run(setup.steps, [*v3_32, BATCH_128, f"--precision={dtype}",
                                    f"--isa={isa}"]))
        for dtype, isa in pinned]
    return taking_part + [
        # 256 rows a step, and 16,384.
        Contender("podsim/v3-32-batch8",
                  run(4 * setup.steps,
                      [*v3_32, BATCH_8, "--precision=float32"])),
        Contender("podsim/v3-2048-batch8",
                  run(max(5, setup.steps // 6),
                      ["--topology=v3-2048", "--processes=2", BATCH_8,
                       "--precision=float32"])),
        Contender("podsim/memory", functools.partial(
            pod_training.measure_memory, setup.pod_launch, setup.steps,
            [*v3_32, BATCH_128, "--precision=float32"],
            processes=4, hosts=1, rows=1024)),
    ]


def models(setup):
    """The other models of the zoo: podsim and PyTorch, a thread each."""
    ours = [Contender(f"{model}/podsim", functools.partial(
        pod_training.train, setup.pod_launch, setup.steps,
        [f"--model={model}"], job=pod_training.MODEL_JOB))
        for model in training_goals.MODELS]
    theirs = [Contender(f"{model}/torch", driver(
        setup.python, os.path.join(FOLDER, "torch_models.py"),
        f"--model={model}", f"--steps={setup.steps}"))
        for model in training_goals.MODELS]
    return ours, theirs


def products(setup, dtype):
    # OpenMP and OpenBLAS start no threads of their own.
    alone = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    libraries = ("eigen", "openblas", "onednn")
    return [Contender(f"products/{library}-{dtype}",
                      driver(setup.step_products, f"--library={library}",
                             f"--dtype={dtype}", f"--threads={setup.cores}",
                             f"--seconds={setup.seconds}", environment=alone))
            for library in libraries
            if dtype == "float32" or library == "onednn"]


def ddp(setup, prefix, processes, dtype="float32", **more):
    rows = 4096 // processes
    name = f"{prefix}/{processes}x{rows}-{more.pop('label', dtype)}"
    python = more.pop("python", setup.python)
    return Contender(name, driver(
        python, os.path.join(FOLDER, "torch_ddp.py"),
        f"--processes={processes}", f"--dtype={dtype}",
        f"--steps={setup.steps}", **more))


def torches(setup, bfloat16):
    # Without instructions for bfloat16 a step takes forty times as long.
    few = dataclasses.replace(setup, steps=max(2, setup.steps // 20))
    return [ddp(setup if bfloat16 or dtype == "float32" else few, "torch",
                processes, dtype)
            for dtype in ("float32", "bfloat16") for processes in (4, 2)]


def old_torches(setup):
    """PyTorch 1.13 of Debian on its AVX2 path, and OpenBLAS on each of its."""
    def environment(processes, core):
        # OpenBLAS does not hear of the number of threads that PyTorch is given.
        threads = max(1, setup.cores // processes)
        return {"ATEN_CPU_CAPABILITY": "avx2", "OPENBLAS_CORETYPE": core,
                "OPENBLAS_NUM_THREADS": str(threads)}

    return [ddp(setup, "torch1.13", processes, label=core,
                python=virtual_env.DEBIAN_PYTHON,
                environment=environment(processes, core))
            for processes in (4, 2) for core in training_goals.CORETYPES]


def jaxes(setup):
    program = os.path.join(FOLDER, "jax_train.py")
    return [Contender(f"jax/{name}", driver(setup.python, program, flag,
                                            f"--steps={setup.steps}"))
            for name, flag in (("32-devices", "--devices=32"),
                               ("4-processes", "--processes=4"))]


def line_up(setup, peers_missing, debian_missing, bfloat16):
    """(contenders, {name: why it is left out}).

    peers_missing, debian_missing: why they cannot run, or None; bfloat16:
    whether the CPU multiplies it at all.
    """
    model_ours, model_theirs = models(setup)
    groups = (
        (podsims(setup) + model_ours + products(setup, "float32"), None),
        (products(setup, "bfloat16"), None if bfloat16 else
         "this CPU has neither AMX-BF16 nor AVX512-BF16"),
        (torches(setup, bfloat16) + jaxes(setup) + model_theirs,
         peers_missing),
        (old_torches(setup), debian_missing))
    taking_part, absent = [], {}
    for group, reason in groups:
        if reason is None:
            taking_part += group
        else:
            absent.update((contender.name, reason) for contender in group)
    return taking_part, absent
