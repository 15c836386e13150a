"""PyTorch's DistributedDataParallel with Gloo on the common work.

    python3 bench/peers/torch_ddp.py --processes 4 --dtype bfloat16 --steps 60

Runs under torch 1.13 and 2.x. bfloat16 is autocast: products in bfloat16,
weights and updates in float32. Prints one line of JSON.
"""

import argparse
import contextlib
import os
import socket
import sys
import time

sys.dont_write_bytecode = True
import torch
import torch.distributed as dist
import training_work as work


def make_model(seed):
    layers = []
    for kernel, bias in work.weights(seed):
        linear = torch.nn.Linear(*kernel.shape)
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(kernel.T.copy()))
            linear.bias.copy_(torch.from_numpy(bias))
        layers += [linear, torch.nn.ReLU()]
    model = torch.nn.Sequential(*layers[:-1])
    return torch.nn.parallel.DistributedDataParallel(
        model, gradient_as_bucket_view=True)


def precision(dtype):
    if dtype == "float32":
        return contextlib.nullcontext()
    return torch.autocast("cpu", dtype=torch.bfloat16)


def train(rank, arguments):
    """(seconds of the timed steps, this rank's loss of every step)"""
    model = make_model(arguments.seed)
    optimizer = torch.optim.SGD(model.parameters(), lr=work.LEARNING_RATE)
    rows = work.ROWS // arguments.processes
    batches = [tuple(map(torch.from_numpy, batch))
               for batch in work.batches(arguments.seed, rank, rows)]
    seconds, losses = [], []
    for step in range(work.WARM_UP + arguments.steps):
        begin = time.perf_counter()
        features, labels = batches[step % len(batches)]
        with precision(arguments.dtype):
            loss = torch.nn.functional.cross_entropy(model(features), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        seconds.append(time.perf_counter() - begin)
    return seconds[work.WARM_UP:], losses


def run_rank(rank, arguments, port):
    threads = max(1, len(os.sched_getaffinity(0)) // arguments.processes)
    torch.set_num_threads(threads)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    dist.init_process_group("gloo", rank=rank,
                            world_size=arguments.processes)
    seconds, losses = train(rank, arguments)
    mean = torch.tensor(losses) / arguments.processes
    dist.all_reduce(mean)
    if rank == 0:
        work.report(seconds, mean.tolist(), threads=threads,
                    version="torch " + torch.__version__)
    # Ends here: taking Gloo down ends in std::terminate now and then, when the
    # machine is busy.
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--dtype", choices=("float32", "bfloat16"),
                        default="float32")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    torch.multiprocessing.spawn(run_rank, (arguments, free_port()),
                                nprocs=arguments.processes)


if __name__ == "__main__":
    main()
