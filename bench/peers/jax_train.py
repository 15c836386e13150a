"""JAX's data-parallel training on the common work, float32.

    python3 bench/peers/jax_train.py --devices 32 --steps 60
    python3 bench/peers/jax_train.py --processes 4 --steps 60

Every device takes its share of the rows under shard_map, and psum adds up the
gradients: 32 emulated devices in one process, or one device in each of several
processes with Gloo between them. Prints one line of JSON.
"""

import argparse
import os
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
import training_work as work
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

AXIS = "cores"


def loss_of(weights, features, labels):
    """This device's share of the mean over all rows of the step."""
    value = features
    for kernel, bias in weights[:-1]:
        value = jax.nn.relu(value @ kernel + bias)
    kernel, bias = weights[-1]
    logs = jax.nn.log_softmax(value @ kernel + bias)
    taken = jnp.take_along_axis(logs, labels[:, None], axis=1)
    return -jnp.sum(taken) / work.ROWS


def local_step(weights, features, labels):
    loss, gradients = jax.value_and_grad(loss_of)(weights, features, labels)
    loss, gradients = jax.lax.psum((loss, gradients), AXIS)
    updated = jax.tree.map(lambda w, g: w - work.LEARNING_RATE * g,
                           weights, gradients)
    return updated, loss


def make_step(mesh):
    # Without the check psum is a plain sum, and gradients are each device's.
    step = jax.shard_map(local_step, mesh=mesh,
                         in_specs=(P(), P(AXIS), P(AXIS)),
                         out_specs=(P(), P()), check_vma=False)
    return jax.jit(step, donate_argnums=0)


def train(arguments, rank):
    """(seconds of the timed steps, loss of every step)"""
    mesh = Mesh(np.array(jax.devices()), (AXIS,))
    split = NamedSharding(mesh, P(AXIS))
    rows = work.ROWS // arguments.processes
    batches = [tuple(jax.make_array_from_process_local_data(split, part)
                     for part in (features, labels.astype(np.int32)))
               for features, labels in work.batches(arguments.seed, rank, rows)]
    weights = jax.device_put(work.weights(arguments.seed),
                             NamedSharding(mesh, P()))
    step = make_step(mesh)
    seconds, losses = [], []
    for number in range(work.WARM_UP + arguments.steps):
        begin = time.perf_counter()
        weights, loss = step(weights, *batches[number % len(batches)])
        losses.append(float(loss))
        seconds.append(time.perf_counter() - begin)
    return seconds[work.WARM_UP:], losses


def run_rank(arguments, rank):
    jax.config.update("jax_num_cpu_devices",
                      arguments.devices // arguments.processes)
    if arguments.processes > 1:
        jax.config.update("jax_cpu_collectives_implementation", "gloo")
        jax.distributed.initialize(f"127.0.0.1:{arguments.port}",
                                   arguments.processes, rank)
    seconds, losses = train(arguments, rank)
    if rank == 0:
        work.report(seconds, losses, version="jax " + jax.__version__)


def start_ranks(arguments):
    """One process per rank; the exit code of one that failed."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    ranks = [subprocess.Popen([sys.executable, *sys.argv, f"--port={port}",
                               f"--rank={rank}"],
                              stdout=subprocess.DEVNULL if rank else None)
             for rank in range(arguments.processes)]
    while True:  # a lost rank leaves the others waiting
        codes = [rank.poll() for rank in ranks]
        failed = [code for code in codes if code]
        if failed:
            for rank in ranks:
                rank.kill()
        if failed or None not in codes:
            return failed[0] if failed else 0
        time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--devices", type=int, help="in all; one per process")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rank", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.devices = arguments.devices or arguments.processes
    if arguments.processes > 1 and arguments.rank is None:
        return start_ranks(arguments)
    run_rank(arguments, arguments.rank or 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
