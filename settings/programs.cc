#include "settings/programs.h"

#include "proto/bench.pb.h"
#include "proto/job.pb.h"
#include "proto/plan.pb.h"
#include "proto/programs.pb.h"

namespace podsim {
namespace {

constexpr char kLaunchIntroduction[] =
    "Trains a model on an emulated TPU slice: one process per TPU host, real\n"
    "gradients over the pod's rings, the arithmetic of a TPU's matrix unit.\n";

constexpr char kLaunchClosing[] =
    "Flags may be written with - or _, and given as environment variables\n"
    "(--log-dir as PODSIM_LOG_DIR) or in a job file; the command line wins,\n"
    "then the environment, then the file. [..] is the default; what has none\n"
    "comes from the model's recipe, as --dry_run shows. BYTES take K, M and "
    "G.\n"
    "\n"
    "Examples:\n"
    "  pod_launch --topology v3-32 --model mlp\n"
    "      trains the built-in digits on 4 hosts\n"
    "  pod_launch --topology v3-128 --dry_run\n"
    "      what batch, steps and learning rate become on a larger slice\n"
    "  pod_launch --topology v3-32 --reference_batch_size 1000 \\\n"
    "      --train_steps 100 --train_batch_size 4000\n"
    "      the same 100,000 examples in 25 steps\n"
    "  pod_launch --topology v3-2048 --processes 4 --dataset synthetic \\\n"
    "      --example_shape 28,28 --classes 10 --hidden 512,512\n"
    "      256 hosts in 4 processes\n"
    "  pod_launch --dataset mnist --data_dir ~/mnist --epochs 5 \\\n"
    "      --metrics_file run.jsonl --log_dir logs\n"
    "  pod_launch --describe v3-32\n"
    "\n"
    "Exit status: 0, or that of the first process that failed (128 + N for\n"
    "signal N); 2: the command line; 75: told to end, and saved (143 without\n"
    "model_dir); 130: Ctrl-C.\n";

constexpr char kBenchIntroduction[] =
    "Measures a collective among the hosts of an emulated TPU slice, and\n"
    "verifies every element, with the flags and the table of nccl-tests. All\n"
    "times are wall times of this machine.\n";

constexpr char kBenchClosing[] =
    "Columns: size in bytes of a rank's (larger) buffer, elements of it (of a\n"
    "rank's share for reduce_scatter, all_gather and all_to_all), time of one\n"
    "collective, algbw = size / time, busbw = algbw x 2(n-1)/n for "
    "all_reduce,\n"
    "x 1 for broadcast, x (n-1)/n else, and elements that came out wrong; out\n"
    "of place (the input stays as it is) and in place.\n"
    "\n"
    "Flags may be written with - or _, and given as environment variables\n"
    "(--algo as PODSIM_ALGO); the command line wins. [..] is the default.\n"
    "Lists such as -d float,int32 run one after the other. BYTES take K, M "
    "and\n"
    "G, powers of 1024.\n"
    "\n"
    "Examples:\n"
    "  pod_bench all_reduce -b 1K -e 64M -f 4\n"
    "      4 hosts as 4 processes over shared memory\n"
    "  pod_bench all_reduce -b 64M -e 64M --algo=all -J result.json\n"
    "      one table row per algorithm; median, p99 and more in the file\n"
    "  pod_bench all_reduce -b 1K -e 64M -f 4 --algo=all \\\n"
    "      --write_choices=x.txt\n"
    "  pod_launch --topology v3-32 --choices=x.txt\n"
    "      measures which algorithm is best at which size; auto goes by it\n"
    "  pod_bench all_reduce --topology v3-128 --ranks=cores -b 1M -e 1M\n"
    "      128 ranks: 16 hosts that sum the buffers of 8 cores each\n"
    "  PODSIM_TOKEN=... pod_bench all_reduce --external_hosts \\\n"
    "      --listen=0.0.0.0:8476 --allow_plaintext_network\n"
    "      hosts that run elsewhere: start pod_host there as for training, "
    "with\n"
    "      --coordinator=THIS_MACHINE:8476 and the same token\n"
    "  docker compose -f docker/compose.yaml -f docker/compose.bench.yaml up\n"
    "      the same with the pod in containers\n"
    "\n"
    "Exit status: 0; 1 when an element was wrong, or the average busbw is\n"
    "below 0.9 x NCCL_TESTS_MIN_BW; that of the first process that failed\n"
    "(128 + N for signal N); 2: the command line; 130: Ctrl-C.\n";

constexpr char kPlanIntroduction[] =
    "Says what training would take on TPU slices, slice by slice, or what a\n"
    "collective among the chips of one would: its plan is run over the\n"
    "slice's links. Nothing is started; all times are sim: computed, not\n"
    "measured.\n";

constexpr char kPlanClosing[] =
    "Columns of a job: its batch, steps and learning rate on each slice, as\n"
    "pod_launch --dry_run has them; what a core holds in HBM; one step, low\n"
    "and high: that step if what is not published is at the ends of its\n"
    "range; eff: the examples/s of a core against those on the first slice of\n"
    "its generation; all steps one after the other, and the hours of a chip\n"
    "that they are; what bounds a step, and ! where a warning is below. The\n"
    "batch per core stays the same; with --train_batch_size it is shared out.\n"
    "\n"
    "Columns of a collective: size in bytes of a rank's (larger) buffer,\n"
    "elements of it, time of one collective, algbw = size / time, busbw =\n"
    "algbw x 2(n-1)/n for all_reduce, x 1 for broadcast, x (n-1)/n else, the\n"
    "algorithm, what no algorithm can beat (bytes through a chip's links,\n"
    "through the middle of the slice, or hops from corner to corner), how "
    "near\n"
    "the time comes to it, and low and high as above. docs/timing-model.md "
    "has\n"
    "the equations, docs/hardware.md the figures.\n"
    "\n"
    "Examples:\n"
    "  pod_plan --model mlp --topology v3-8..v3-2048\n"
    "  pod_plan --model encoder --topology v3-8..v3-128,v5litepod-16 \\\n"
    "      --price_per_chip_hour 1.1 --plot ladder.svg\n"
    "  pod_plan --collective all_reduce --topology v3-32 -b 1M -e 256M -f 4\n"
    "  pod_plan --collective all_reduce --topology v3-8..v3-2048 -b 32M \\\n"
    "      -e 32M\n"
    "  pod_plan --collective all_to_all --topology v4-256 --twist --links\n"
    "  pod_plan --collective all_reduce --ici_algorithm all -b 10M -e 10M\n"
    "  pod_plan --collective all_reduce --ici_fault 'link:(0,0)-(1,0):0.25'\n"
    "\n"
    "Exit status: 0; 2 refused as given.\n";

constexpr char kCkptIntroduction[] =
    "Lists, explains, checks and compares the checkpoints of pod_launch.\n"
    "\n"
    "A model_dir (pod_launch --model_dir=DIR) holds one directory per\n"
    "checkpoint, named after its step. In it, manifest.json says what was\n"
    "trained and how far, model-*.safetensors hold weights and optimizer\n"
    "slots (Python's safetensors package reads them), and SHA256SUMS the\n"
    "hash of each file: `sha256sum -c SHA256SUMS` checks them as well.\n"
    "Nothing is changed by any of these commands.\n";

constexpr char kCkptClosing[] =
    "Examples:\n"
    "  pod_ckpt ls runs/a                 what there is\n"
    "  pod_ckpt show runs/a               its newest good one\n"
    "  pod_ckpt show runs/a/200           that one\n"
    "  pod_ckpt verify runs/a             every byte of every one\n"
    "  pod_ckpt diff runs/a/100 runs/a/200\n"
    "  pod_ckpt diff runs/a runs/b        two runs' newest good ones\n"
    "\n"
    "Exit status: 0 done, and to verify good, to diff equal; 1 damaged,\n"
    "unfinished or different; 2 refused as given (no such directory or\n"
    "command).\n";

constexpr char kProgramIntroduction[] =
    "Explains, checks and makes models as files: what pod_launch\n"
    "--write_model=FILE and programs of your own write, and --model_file=FILE\n"
    "trains. Nothing is run but by run, whatever the size of the model.\n";

constexpr char kProgramClosing[] =
    "Examples:\n"
    "  pod_launch --model=mlp --hidden=64 --write_model=mlp.model\n"
    "  pod_program show mlp.model\n"
    "  pod_program verify mlp.model\n"
    "  pod_program import mine.import --output=mine.model\n"
    "  pod_program run mine.model --values=in.safetensors \\\n"
    "      --output=out.safetensors --precision=float32\n"
    "\n"
    "Exit status: 0; 1 damaged, or not what a model can be; 2 refused as "
    "given\n"
    "(no such file or command).\n";

constexpr char kDataIntroduction[] =
    "Indexes, shows, verifies and converts the data sets that pod_launch\n"
    "trains with (docs/data.md). Nothing but convert writes beside them.\n";

constexpr char kDataClosing[] =
    "Examples:\n"
    "  pod_data convert --dataset=digits --output=shards\n"
    "  pod_data show shards --features=labels=int32\n"
    "  pod_data verify 'shards/train-*' --features=labels=int32\n"
    "  pod_data index shards --features=labels=int32\n"
    "\n"
    "Exit status: 0; 1 damaged; 2 refused as given (no such folder or\n"
    "command).\n";

constexpr char kHostIntroduction[] =
    "One host process of a pod: joins the coordinator and trains its share.\n"
    "pod_launch starts it on this machine; start it yourself on others.\n"
    "The pod's token is read from PODSIM_TOKEN.\n";

constexpr char kHostClosing[] =
    "Flags may be written with - or _, and given as environment variables\n"
    "(--ici_listen as PODSIM_ICI_LISTEN; --threads only as a flag).\n"
    "\n"
    "Exit status: 0; 1: this process failed; 2: the command line or the "
    "token;\n"
    "3: ended because others failed.\n";

constexpr char kCoordinatorIntroduction[] =
    "Forms a pod, watches it, and writes what happens to the job as one JSON\n"
    "object a line. pod_launch starts it. The pod's token is read from\n"
    "PODSIM_TOKEN.\n";

constexpr char kCoordinatorClosing[] =
    "Flags may be written with - or _; the environment has no say.\n"
    "\n"
    "Exit status: 0 done; 1 the job failed; 2 refused as given.\n";

}  // namespace

const MainProgram& PodLaunch() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_launch",
                      .introduction = kLaunchIntroduction,
                      .example = "pod_launch --model=mlp",
                      .closing = kLaunchClosing,
                      .parts = {{JobSpec::descriptor()},
                                {LaunchSettings::descriptor()},
                                {ElsewhereSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodBench() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_bench",
                      .introduction = kBenchIntroduction,
                      .example = "pod_bench all_reduce -b 1K -e 64M -f 4",
                      .closing = kBenchClosing,
                      .parts = {{JobSpec::descriptor(), Which::kShared},
                                {BenchSpec::descriptor()},
                                {BenchSettings::descriptor()},
                                {ElsewhereSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodPlan() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_plan",
                      .introduction = kPlanIntroduction,
                      .example = "pod_plan --model=mlp --topology=v3-8..v3-128",
                      .closing = kPlanClosing,
                      .environment = false,
                      .parts = {{PlanSettings::descriptor()},
                                {JobSpec::descriptor(), Which::kPlanned}}};
  return *kProgram;
}

const MainProgram& PodCkpt() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_ckpt",
                      .introduction = kCkptIntroduction,
                      .example = "pod_ckpt ls runs/a",
                      .closing = kCkptClosing,
                      .environment = false,
                      .parts = {{CkptSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodProgram() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_program",
                      .introduction = kProgramIntroduction,
                      .example = "pod_program show mlp.model",
                      .closing = kProgramClosing,
                      .environment = false,
                      .parts = {{ProgramSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodData() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_data",
                      .introduction = kDataIntroduction,
                      .example = "pod_data show data/train-*",
                      .closing = kDataClosing,
                      .environment = false,
                      .parts = {{DataSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodHost() {
  static const auto* const kProgram = new MainProgram{
      .name = "pod_host",
      .introduction = kHostIntroduction,
      .example = "pod_host --coordinator=10.0.0.1:8476 --process=0",
      .closing = kHostClosing,
      .parts = {{HostSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodCoordinator() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_coordinator",
                      .introduction = kCoordinatorIntroduction,
                      .example = "pod_coordinator --job=job.txt",
                      .closing = kCoordinatorClosing,
                      .environment = false,
                      .parts = {{CoordinatorSettings::descriptor()}}};
  return *kProgram;
}

std::vector<const MainProgram*> AllPrograms() {
  return {&PodLaunch(),  &PodBench(), &PodPlan(), &PodCkpt(),
          &PodProgram(), &PodData(),  &PodHost(), &PodCoordinator()};
}

}  // namespace podsim
