"""The settings of pod_launch: each is a keyword of train, plan and job files.

Made by `print_settings python`; a test compares."""

from __future__ import annotations

import typing


class Setting(typing.NamedTuple):
    """What a setting means; a switch has no type."""

    help: str
    default: str
    type: str


SETTINGS: dict[str, Setting] = {
    "topology": Setting(
        "Slice to emulate, of v2 (v2-8 ... v2-512), v3, v4, v5e (v5litepod-16), v5p, v6e or tpu7x; --describe explains one",
        default="v3-32", type="NAME"),
    "model": Setting(
        "Model to train or to plan; brings its recipe",
        default="mlp", type="NAME"),
    "hidden": Setting(
        "Widths of the hidden layers",
        default="the recipe's", type="N,N,..."),
    "dropout": Setting(
        "encoder, bert, transformer and gpt2: part of their activations that a training step leaves out",
        default="the recipe's", type="X"),
    "batch_norm_group": Setting(
        "lenet5_bn and resnet: neighbouring cores whose examples are normalized together; a part of a host's 8, or whole hosts",
        default="1", type="N"),
    "model_config": Setting(
        "resnet, bert, transformer and gpt2: numbers that differ from the named size's, such as depth=101 or layers=4,sequence_length=128 (docs/models.md)",
        default="the named size's", type="NAME=N,..."),
    "model_file": Setting(
        "Instead of --model and --hidden: a model of your own (docs/models.md); data set, batch, length and rate must be said",
        default="", type="FILE"),
    "wrap": Setting(
        "Whether grid axes wrap: auto, torus or mesh",
        default="auto", type="HOW"),
    "twist": Setting(
        "The slice as a twisted torus, where that is offered: n x n x 2n and n x 2n x 2n chips of v4 and v5p",
        default="", type=""),
    "job": Setting(
        "File of these settings, as text or JSON (docs/messages.md); flags win",
        default="", type="FILE"),
    "hardware": Setting(
        "Figures of TPUs instead of those that ship, or a generation of your own with its slices (docs/hardware.md)",
        default="", type="FILE"),
    "dataset": Setting(
        "digits (built in, 8x8), mnist (IDX files), arrays or npz (files of NumPy), synthetic (seeded, any shape), or read as shards (docs/data.md): tfrecord, csv, cifar10, cifar100, images",
        default="digits", type="NAME"),
    "data_dir": Setting(
        "Where mnist's files are, plain or .gz, or train/FIELD.npy and eval/FIELD.npy of arrays, train.npz and eval.npz of npz; of shards a folder, or DIR/train-*",
        default="", type="DIR"),
    "features": Setting(
        "shards: the model's inputs and where each comes from, such as 'features=pixels:uint8[8,8]/16, labels=label:int64'; synthetic: the inputs that are made, such as 'tokens=int32[128]<1000'",
        default="", type="LINE"),
    "shuffle_window": Setting(
        "shards: examples among which the order is random, within a random order of shards, so that neighbours are read together; packed ones (gzip, zlib) always have a window, plain ones are shuffled as a whole unless it is given",
        default="4096 if packed", type="N"),
    "example_shape": Setting(
        "synthetic: shape of an example",
        default="28,28", type="N,N,..."),
    "classes": Setting(
        "synthetic: number of classes; shards: that labels are below",
        default="10", type="N"),
    "synthetic_examples": Setting(
        "synthetic: number of examples",
        default="60000", type="N"),
    "train_steps": Setting(
        "Steps of the reference, scaled so that the number of examples stays the same; as typed without one",
        default="the recipe's", type="N"),
    "epochs": Setting(
        "Instead of --train_steps: passes over the data, never scaled",
        default="", type="X"),
    "train_batch_size": Setting(
        "Global batch on this slice",
        default="", type="N"),
    "batch_per_core": Setting(
        "Instead of --train_batch_size: examples per core; pod_plan takes max too: the largest multiple of 8 that fits HBM on each slice with nothing recomputed (below 8 the largest)",
        default="the recipe's", type="N"),
    "reference_topology": Setting(
        "Slice that steps, rate and warm-up are for; the batch per core stays the same. This slice: nothing is scaled",
        default="the recipe's, unless steps and rate are both given", type="NAME"),
    "reference_batch_size": Setting(
        "Global batch that they are for; with a slice it says the batch per core too: 1024 on v2-8 is 4096 on v2-32",
        default="", type="N"),
    "learning_rate": Setting(
        "Learning rate of the reference batch",
        default="the recipe's", type="X"),
    "base_learning_rate": Setting(
        "Instead of --learning_rate: per 256 examples",
        default="", type="X"),
    "lr_scaling": Setting(
        "How the rate follows the batch: linear, sqrt or none",
        default="linear", type="RULE"),
    "warmup_steps": Setting(
        "Steps of the reference over which the rate rises from 0",
        default="the recipe's", type="N"),
    "warmup_init": Setting(
        "Rate of the first step, as a part of the peak, which the step after the warm-up has, as in optax; else the first step has one part of the warm-up and its last one the peak",
        default="", type="X"),
    "lr_schedule": Setting(
        "How the rate goes on after the warm-up, to the end of the run: constant, linear, cosine, polynomial or step",
        default="constant", type="SHAPE"),
    "lr_end": Setting(
        "linear, cosine and polynomial: rate at the end, as a part of the peak",
        default="0", type="X"),
    "lr_power": Setting(
        "polynomial: the power",
        default="1", type="X"),
    "lr_decay_at": Setting(
        "step: parts of the run after which the rate drops, in order, such as 0.3,0.6,0.9",
        default="", type="X,X,..."),
    "lr_decay_factor": Setting(
        "step: what the rate is multiplied with each time",
        default="0.1", type="X"),
    "seed": Setting(
        "Seed of weights and of the data's order",
        default="0", type="N"),
    "shuffle": Setting(
        "In which order an epoch has the examples: true (a new order in each epoch, from the seed) or false (the data set's own order, in each epoch)",
        default="true", type="HOW"),
    "eval_batch_size": Setting(
        "Global batch of an evaluation",
        default="as in training", type="N"),
    "steps_per_eval": Setting(
        "Evaluate every N steps; 0: only at the end",
        default="0", type="N"),
    "optimizer": Setting(
        "How weights follow gradients, as in optax: sgd, momentum, nesterov, adam, adamw, lars or lamb",
        default="the recipe's, else sgd", type="RULE"),
    "momentum": Setting(
        "Momentum of sgd (0: none), momentum, nesterov and lars",
        default="the recipe's; lars: 0.9", type="X"),
    "beta1": Setting(
        "adam, adamw and lamb: decay of the mean of gradients",
        default="0.9", type="X"),
    "beta2": Setting(
        "adam, adamw and lamb: decay of the mean of their squares",
        default="0.999", type="X"),
    "epsilon": Setting(
        "adam, adamw and lamb: added to the root",
        default="1e-08; lamb: 1e-06", type="X"),
    "weight_decay": Setting(
        "Part of the weights that is added to the gradient, with adamw and lamb to the update; adam has none",
        default="0; adamw: 0.0001", type="X"),
    "weight_decay_exclude": Setting(
        "Variables with one of these in their name, such as bias,norm, have no weight decay and, with lars and lamb, no trust ratio",
        default="", type="NAME,NAME,..."),
    "trust_coefficient": Setting(
        "lars: its trust coefficient",
        default="0.001", type="X"),
    "clip_norm": Setting(
        "Scale gradients down to this norm over all variables",
        default="", type="X"),
    "precision": Setting(
        "What matrix products are made in: bfloat16 (as on TPU) or float32",
        default="bfloat16", type="TYPE"),
    "isa": Setting(
        "Kernels to use: v2, v3 (AVX2), v4 (AVX-512), bf16 (v4 and products by AVX512-BF16) or amx (by AMX)",
        default="the best that all processes run", type="LEVEL"),
    "algo": Setting(
        "How gradients are summed over hosts: auto (by size), ring, bidir_ring, torus2d, halving_doubling or direct",
        default="auto", type="NAME"),
    "wire_dtype": Setting(
        "How gradients travel: float32 or bfloat16 (half the bytes, sums rounded at every host)",
        default="float32", type="TYPE"),
    "reduction": Setting(
        "How a host's gradients are summed: fused (a host's rows in one product) or tree (microbatch by microbatch, for the same bits on every slice)",
        default="fused", type="HOW"),
    "microbatch_size": Setting(
        "Rows of a microbatch for --reduction=tree; a core's batch holds a power of two of them",
        default="", type="N"),
    "bucket_bytes": Setting(
        "Gradient bucket that is summed at a time",
        default="1M", type="BYTES"),
    "choices": Setting(
        "Table that --algo=auto goes by, as pod_bench --write_choices wrote it",
        default="the one that ships", type="FILE"),
    "ici_algorithm": Setting(
        "How its chips would sum the gradients: the forecast's, no matter what --algo says: auto (the cheapest (sim), which is named), ring (one ring through all chips, one way), bidir_ring (half of the buffer each way round), torus (one axis after the other), torus_all (all axes at once), halving_doubling, direct or all (pod_plan --collective: each that can, one after the other)",
        default="auto", type="NAME"),
    "ici_dtype": Setting(
        "Of gradients on the links between its chips: float32 or bfloat16 (half the bytes, sums rounded at every host)",
        default="float32", type="TYPE"),
    "ici_fault": Setting(
        "A link between its chips has a part of its rate, as in link:(3,1)-(4,1):0.25; 0: it is cut. The run shows it too where it joins two hosts and is not cut",
        default="", type="LINK:RATE"),
    "remat": Setting(
        "If a step exceeds a core's HBM, as the forecast has it: auto (products run again until it fits) or none (the job is refused; jax.checkpoint still counts)",
        default="auto", type="HOW"),
    "attention": Setting(
        "How its chips compute attention, as the forecast has it: auto (fused on v5e, v5p, v6e and tpu7x), plain (as the model is written, scores in HBM) or fused (a kernel of its own, as FlashAttention)",
        default="auto", type="HOW"),
    "sim_combine_bytes": Setting(
        "Gradients that a compiler would sum at a time, as the forecast has it; --bucket_bytes is the emulator's",
        default="120M", type="BYTES"),
    "sim_sharded_update": Setting(
        "Each core updates its share of the weights, which travel back: the forecast's, the emulator's update stays as it is",
        default="", type=""),
    "processes": Setting(
        "Host processes; fewer than hosts packs them. Results do not change",
        default="one per host, at most 8", type="N"),
    "threads": Setting(
        "Threads per process; 0: a fair share of the CPUs",
        default="0", type="N"),
    "input_threads": Setting(
        "Threads per process that read, unpack and decode examples ahead of the step. Results do not change",
        default="as --threads", type="N"),
    "input_memory": Setting(
        "Memory per process for batches ahead and readers' buffers",
        default="two batches, and 256M for the buffers of shards", type="BYTES"),
    "transport": Setting(
        "Between processes: shm (memory they share, beside unix sockets), unix (sockets alone) or tcp",
        default="shm", type="HOW"),
    "chunk_bytes": Setting(
        "Piece that travels at a time, of a bucket or a buffer",
        default="shm: 128K or 256K, else 1M", type="BYTES"),
    "link_latency": Setting(
        "Seconds that a frame takes from a host to another, one frame after the other, on top of this machine's time",
        default="0", type="X"),
    "overlap_probe": Setting(
        "Every Nth step reduces only when all is computed: what the summary's overlap is measured against; 0: none",
        default="10", type="N"),
    "host_memory_bytes": Setting(
        "Memory the job may use; 0: what this machine has",
        default="0", type="BYTES"),
    "model_dir": Setting(
        "Where checkpoints go, shared by all hosts; the same command again goes on from the newest good one",
        default="", type="DIR"),
    "checkpoint_every": Setting(
        "Save every N steps; one is always saved at the end",
        default="", type="N"),
    "checkpoint_every_seconds": Setting(
        "Save every X seconds",
        default="600, unless --checkpoint_every", type="X"),
    "keep": Setting(
        "Checkpoints to keep; 0: all",
        default="0", type="N"),
    "restore": Setting(
        "Begin with this checkpoint instead, of any slice; its tensors must be the model's",
        default="the newest good one of --model_dir", type="DIR"),
    "restore_weights_only": Setting(
        "Take the weights of --restore alone and train anew with them: the first step, no optimizer slots, any data set, seed and optimizer",
        default="", type=""),
    "mode": Setting(
        "What to do: train or eval (evaluate a checkpoint and stop)",
        default="train", type="MODE"),
    "max_restarts": Setting(
        "Start the pod again when a host is lost, from the newest checkpoint, up to N times",
        default="0", type="N"),
    "weights_check_every": Setting(
        "Compare hashes of all processes' weights every N steps; 0: only at the end",
        default="100", type="N"),
    "audit_every": Setting(
        "Every N steps let other hosts compute a host's gradient again and compare the bits; 0: never",
        default="0", type="N"),
    "on_corruption": Setting(
        "When hashes differ: stop or restore (the newest checkpoint, as a restart)",
        default="stop", type="WHAT"),
    "faults": Setting(
        "What is to go wrong in this run, on purpose: hosts, links, storage (docs/reliability.md). Kinds: KILL (the host's process gets SIGKILL), FREEZE (it gets SIGSTOP), SLOW (it stands still for `seconds`), CUT (nothing passes from `host` to `to` any more), DELAY (the step's frames from `host` to `to` take `seconds` longer), FLIP (one bit of one frame from `host` to `to`), STORAGE_FAIL (the host's next write fails), STORAGE_FULL (there is no room for its next write), CORRUPT_GRADIENT (bits of its gradient before the sum) or CORRUPT_WEIGHTS (bits of its weights after the update)",
        default="", type="FILE"),
    "zone": Setting(
        "Zone of the pod, such as europe-west4-a; a bucket belongs in its region (docs/storage.md)",
        default="the first that offers the slice", type="ZONE"),
    "bucket_location": Setting(
        "Where the bucket of --data_dir and --model_dir is: a region, a dual-region (nam4, eur4, asia1, or two regions: us-central1+us-west1) or a multi-region (us, eu, asia)",
        default="as the store says", type="PLACE"),
    "require_same_region": Setting(
        "Refuse a job whose bucket is not in the pod's region, or not known to be",
        default="", type=""),
    "simulate_geography": Setting(
        "Let the run itself wait (wall) for what it reads and writes in the bucket, as long as the plan says; a plain path is taken to be in --bucket_location",
        default="", type=""),
    "links": Setting(
        "Round trips and bandwidths between regions, to reckon with (docs/storage.md)",
        default="as is assumed", type="FILE"),
    "prices": Setting(
        "What a GiB that leaves a region costs; without it nothing is said of money (docs/storage.md)",
        default="", type="FILE"),
    "initialization_timeout": Setting(
        "For the pod to form",
        default="60", type="X"),
    "heartbeat_timeout": Setting(
        "Without a sign of life from a process",
        default="5", type="X"),
    "stall_timeout": Setting(
        "Without progress of a process",
        default="10", type="X"),
    "shutdown_timeout": Setting(
        "For processes to end after the job",
        default="10", type="X"),
    "run_name": Setting(
        "A name for the run, in the plan, the metrics and the summary",
        default="", type="NAME"),
    "metrics_file": Setting(
        "Write JSON lines: plan, each step, evaluations, summary; --metrics_file= writes none",
        default="metrics.jsonl in a --model_dir of this machine", type="FILE"),
    "tensorboard_dir": Setting(
        "Write event files of TensorBoard there, in the runs wall and sim; --tensorboard_dir= writes none",
        default="tensorboard in --model_dir", type="DIR"),
    "log_dir": Setting(
        "Keep the whole output of each process",
        default="", type="DIR"),
    "trace": Setting(
        "Write where the traced steps of all hosts went (wall) beside the simulated ones (sim), for ui.perfetto.dev (docs/trace.md)",
        default="", type="FILE"),
    "profile_dir": Setting(
        "Write the same for XProf, TensorBoard's profile page: a run of the hosts (wall) and one of the simulated chips (sim), made if need be (docs/trace.md)",
        default="", type="DIR"),
    "trace_steps": Setting(
        "Steps to trace: the first and the last, such as 20:25, or one, such as 20",
        default="the second to the fourth of the run", type="A:B"),
    "quiet": Setting(
        "No plan and no progress: only warnings, failures and the summary",
        default="", type=""),
    "verbose": Setting(
        "The whole plan and the whole summary, not only what fits a screen",
        default="", type=""),
    "dry_run": Setting(
        "Print the plan and stop",
        default="", type=""),
    "print_job": Setting(
        "Print the job as a file for --job, defaults as comments",
        default="", type=""),
    "selftest": Setting(
        "Print known outputs of real TPUs beside ours; fails when they differ. --isa chooses the kernels",
        default="", type=""),
    "describe": Setting(
        "Explain a slice: grid, ring, each host's environment",
        default="", type="NAME"),
    "print_hardware": Setting(
        "Print a generation such as v4, its figures with their sources and its slices, as a file for --hardware",
        default="", type="NAME"),
    "write_model": Setting(
        "Write the model that --model names as a file, for --model_file and pod_program; a file that is there is replaced",
        default="", type="FILE"),
    "print_compose": Setting(
        "Print a slice as containers: the compose file of a coordinator and its hosts, for docker/",
        default="", type="NAME"),
    "external_hosts": Setting(
        "Start the coordinator only and wait for pod_host processes started elsewhere; needs PODSIM_TOKEN",
        default="", type=""),
    "listen": Setting(
        "Where the coordinator listens, such as 0.0.0.0:8476",
        default="", type="ADDR"),
    "allow_plaintext_network": Setting(
        "Let traffic leave this machine unencrypted",
        default="", type=""),
    "metrics_port": Setting(
        "Port of a page for Prometheus, /metrics, with the job's step, loss, rates, times and restarts (docs/monitor.md); 0: any free one",
        default="there is no page", type="N"),
    "metrics_host": Setting(
        "Address of this machine that the page is at. Beyond this machine it wants --allow_plaintext_network, and of each request the pod's token as bearer token",
        default="127.0.0.1", type="HOST"),
    "tpu_metrics_port": Setting(
        "Serve what libtpu tells tpu-info: host 0 at this port of this machine, host 1 at the next, and so on; 8431 is libtpu's",
        default="nothing is served", type="N"),
}
