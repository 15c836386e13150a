// The words of pod_launch's help; see flag_table.h.
#include "runtime/launch/flag_table.h"

namespace podsim {
namespace {

constexpr char kSlice[] = "Slice and model";
constexpr char kData[] = "Data";
constexpr char kSchedule[] = "Batch, steps and learning rate";
constexpr char kNumerics[] = "Numerics";
constexpr char kMachine[] = "This machine";
constexpr char kLimits[] = "Time limits, in seconds";
constexpr char kSurvival[] = "Checkpoints and failures";
constexpr char kOutput[] = "Output";

constexpr FlagInfo kSpecFlags[] = {
    {"topology", kSlice, "NAME",
     "Slice to emulate, named by its cores: v2-8 ...\n"
     "v2-512, v3-8 ... v3-2048. Also --tpu [v3-32]"},
    {"model", kSlice, "NAME", "Model to train; brings its recipe [mlp]"},
    {"hidden", kSlice, "N,N,...", "Widths of the hidden layers"},
    {"wrap", kSlice, "HOW",
     "Whether grid axes wrap: auto, torus or mesh [auto]"},

    {"dataset", kData, "NAME",
     "digits (built in, 8x8), mnist (IDX files) or\n"
     "synthetic (seeded, any shape) [digits]"},
    {"data_dir", kData, "DIR", "Where mnist's files are, plain or .gz"},
    {"example_shape", kData, "N,N,...", "synthetic: shape of an example"},
    {"classes", kData, "N", "synthetic: number of classes"},
    {"synthetic_examples", kData, "N", "synthetic: number of examples"},

    {"train_steps", kSchedule, "N",
     "Steps of the reference, scaled so that the number of\n"
     "examples stays the same; as typed without one"},
    {"epochs", kSchedule, "X",
     "Instead of --train_steps: passes over the data,\n"
     "never scaled"},
    {"train_batch_size", kSchedule, "N", "Global batch on this slice"},
    {"batch_per_core", kSchedule, "N",
     "Instead of --train_batch_size: examples per core"},
    {"reference_topology", kSchedule, "NAME",
     "Slice that steps, rate and warm-up are for; the batch\n"
     "per core stays the same. This slice: nothing is scaled\n"
     "[the recipe's, unless steps and rate are both given]"},
    {"reference_batch_size", kSchedule, "N",
     "Global batch that they are for; with a slice it says\n"
     "the batch per core too: 1024 on v2-8 is 4096 on v2-32"},
    {"learning_rate", kSchedule, "X", "Learning rate of the reference batch"},
    {"base_learning_rate", kSchedule, "X",
     "Instead of --learning_rate: per 256 examples"},
    {"lr_scaling", kSchedule, "RULE",
     "How the rate follows the batch: linear, sqrt or\n"
     "none [linear]"},
    {"warmup_steps", kSchedule, "N",
     "Steps of the reference over which the rate rises from 0"},
    {"momentum", kSchedule, "X", "Momentum of SGD"},
    {"seed", kSchedule, "N", "Seed of weights and of the data's order"},
    {"eval_batch_size", kSchedule, "N", "Global batch of an evaluation"},
    {"steps_per_eval", kSchedule, "N",
     "Evaluate every N steps; 0: only at the end"},

    {"precision", kNumerics, "TYPE",
     "Matrix products in bfloat16 (as on TPU) or float32\n"
     "[bfloat16]"},
    {"isa", kNumerics, "LEVEL",
     "Kernels to use: v2, v3 (AVX2), v4 (AVX-512), bf16 or amx\n"
     "(v4 and bfloat16 products by AVX512-BF16 or AMX)\n"
     "[best that all processes run]"},
    {"algo", kNumerics, "NAME",
     "How gradients are summed over hosts: auto (by size), ring,\n"
     "bidir_ring, torus2d, halving_doubling or direct"},
    {"wire_dtype", kNumerics, "TYPE",
     "How gradients travel: float32, or bfloat16: half the bytes,\n"
     "sums rounded at every host"},
    {"reduction", kNumerics, "HOW",
     "fused: a host's rows in one product; tree: microbatch by\n"
     "microbatch, for the same bits on every slice [fused]"},
    {"microbatch_size", kNumerics, "N",
     "Rows of a microbatch for --reduction=tree; a core's batch\n"
     "holds a power of two of them"},
    {"bucket_bytes", kNumerics, "BYTES",
     "Gradient bucket that is summed at a time (K, M, G)"},

    {"processes", kMachine, "N",
     "Host processes; fewer than hosts packs them.\n"
     "Results do not change [one per host, at most 8]"},
    {"threads", kMachine, "N",
     "Threads per process; 0: a fair share of the CPUs"},
    {"transport", kMachine, "HOW",
     "Between processes: shm (memory they share, beside unix\n"
     "sockets), unix sockets alone, or tcp [shm]"},
    {"chunk_bytes", kMachine, "BYTES",
     "Piece of a bucket that travels at a time (K, M, G)\n"
     "[shm: 256K, else 1M]"},
    {"link_latency", kMachine, "X",
     "Seconds that a frame takes from a host to another, one\n"
     "frame after the other, on top of this machine's time [0]"},
    {"overlap_probe", kMachine, "N",
     "Every Nth step reduces only when all is computed: what\n"
     "the summary's overlap is measured against; 0: none [10]"},
    {"host_memory_bytes", kMachine, "BYTES",
     "Memory the job may use (K, M, G); 0: what this\n"
     "machine has"},

    {"model_dir", kSurvival, "DIR",
     "Where checkpoints go, shared by all hosts; the same\n"
     "command again goes on from the newest good one"},
    {"checkpoint_every", kSurvival, "N",
     "Save every N steps; one is always saved at the end"},
    {"checkpoint_every_seconds", kSurvival, "X",
     "Save every X seconds [600, unless --checkpoint_every]"},
    {"keep", kSurvival, "N", "Checkpoints to keep; 0: all [0]"},
    {"restore", kSurvival, "DIR",
     "Begin with this checkpoint instead, of any slice; its\n"
     "tensors must be the model's"},
    {"mode", kSurvival, "MODE",
     "train, or eval: evaluate a checkpoint and stop [train]"},
    {"max_restarts", kSurvival, "N",
     "Start the pod again when a host is lost, from the\n"
     "newest checkpoint, up to N times [0]"},
    {"weights_check_every", kSurvival, "N",
     "Compare hashes of all processes' weights every N\n"
     "steps; 0: only at the end [100]"},
    {"audit_every", kSurvival, "N",
     "Every N steps let other hosts compute a host's\n"
     "gradient again and compare the bits; 0: never [0]"},
    {"on_corruption", kSurvival, "WHAT",
     "When hashes differ: stop, or restore the newest\n"
     "checkpoint, as a restart [stop]"},

    {"initialization_timeout", kLimits, "X", "For the pod to form"},
    {"heartbeat_timeout", kLimits, "X",
     "Without a sign of life from a process"},
    {"stall_timeout", kLimits, "X", "Without progress of a process"},
    {"shutdown_timeout", kLimits, "X", "For processes to end after the job"},

    {"metrics_file", kOutput, "FILE",
     "Write JSON lines: plan, each step, evaluations,\n"
     "summary"},
    {"log_dir", kOutput, "DIR", "Keep the whole output of each process"},
};

constexpr char kHelpIntroduction[] =
    "Trains a model on an emulated TPU slice: one process per TPU host, real\n"
    "gradients over the pod's rings, the arithmetic of a TPU's matrix unit.";

constexpr char kHelpExamples[] =
    "Flags may be written with - or _, and given as environment variables\n"
    "(--log-dir as PODSIM_LOG_DIR) or in a job file; the command line wins,\n"
    "then the environment, then the file. [..] is the default; what has none\n"
    "comes from the model's recipe, as --dry_run shows.\n"
    "\n"
    "Examples:\n"
    "  pod_launch --topology v3-32 --model mlp\n"
    "      trains the built-in digits on 4 hosts\n"
    "  pod_launch --topology v3-128 --dry_run\n"
    "      what batch, steps and learning rate become on a larger slice\n"
    "  pod_launch --topology v3-32 --reference_batch_size 1000 "
    "--train_steps 100 \\\n"
    "      --train_batch_size 4000\n"
    "      the same 100,000 examples in 25 steps\n"
    "  pod_launch --topology v3-2048 --processes 4 --dataset synthetic \\\n"
    "      --example_shape 28,28 --classes 10 --hidden 512,512\n"
    "      256 hosts in 4 processes\n"
    "  pod_launch --dataset mnist --data_dir ~/mnist --epochs 5 \\\n"
    "      --metrics_file run.jsonl --log_dir logs\n"
    "  pod_launch --describe v3-32\n"
    "\n"
    "Exit status: 0, or that of the first process that failed (128 + N for\n"
    "signal N); 2: the command line; 130: Ctrl-C.\n";

}  // namespace

std::span<const FlagInfo> SpecFlags() { return kSpecFlags; }
const char* HelpIntroduction() { return kHelpIntroduction; }
const char* HelpExamples() { return kHelpExamples; }

}  // namespace podsim
