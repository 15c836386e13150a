#include "runtime/bench/bench_flag_table.h"

namespace podsim {
namespace {

constexpr char kPod[] = "Pod";
constexpr char kSizes[] = "Sizes (K, M, G are powers of 1024)";
constexpr char kWhat[] = "What is measured";
constexpr char kHow[] = "How it is measured";
constexpr char kOutput[] = "Output";
constexpr char kElsewhere[] = "Hosts elsewhere";
constexpr char kLimits[] = "Time limits, in seconds";

constexpr BenchFlagInfo kFlags[] = {
    {"topology", "--topology,--tpu", nullptr, kPod, "NAME",
     "Slice whose hosts take part: v2-8 ... v3-2048 [v3-32]"},
    {"ranks", "--ranks", nullptr, kPod, "WHAT",
     "A rank is a host, or a core: then each host combines\n"
     "its 8 cores' buffers too: hosts or cores [hosts]"},
    {"processes", "--processes", nullptr, kPod, "N",
     "Host processes; fewer than hosts packs them [one per\n"
     "host, at most 8]"},
    {"transport", "--transport", nullptr, kPod, "HOW",
     "Between processes: shm (memory they share, beside unix\n"
     "sockets), unix sockets alone, or tcp [shm]"},
    {"chunk_bytes", "--chunk_bytes", nullptr, kPod, "BYTES",
     "Piece of a buffer that travels at a time\n[shm: 256K, else 1M]"},

    {"minbytes", "-b,--minbytes", nullptr, kSizes, "BYTES",
     "Smallest size, of one rank's buffer [32M]"},
    {"maxbytes", "-e,--maxbytes", nullptr, kSizes, "BYTES",
     "Largest size [32M]"},
    {"stepbytes", "-i,--stepbytes", nullptr, kSizes, "BYTES",
     "From one size to the next [1M]"},
    {"stepfactor", "-f,--stepfactor", nullptr, kSizes, "N",
     "Instead: the next size is N times as large [off]"},

    {"algo", "--algo", "algorithm", kWhat, "NAME",
     "auto, ring, bidir_ring, torus2d, halving_doubling,\n"
     "direct, or all: each that can, one after the other\n"
     "[auto: by size and number of hosts]"},
    {"choices", "--choices", nullptr, kWhat, "FILE",
     "Table that auto goes by, as --write_choices wrote it\n"
     "[the one that ships]"},
    {"datatype", "-d,--datatype", nullptr, kWhat, "TYPE",
     "float, bfloat16, int32 or all [float]"},
    {"op", "-o,--op", nullptr, kWhat, "OP",
     "sum, prod, min, max, avg or all [sum]"},
    {"wire_dtype", "--wire_dtype", nullptr, kWhat, "TYPE",
     "What float travels as: float32 or bfloat16 [float32]"},
    {"root", "-r,--root", nullptr, kWhat, "RANK",
     "Of a broadcast: a rank, or all in turn [0]"},

    {"iters", "-n,--iters", nullptr, kHow, "N",
     "Timed iterations per size and placement [20]"},
    {"warmup_iters", "-w,--warmup_iters", nullptr, kHow, "N",
     "Iterations before them [1]"},
    {"agg_iters", "-m,--agg_iters", nullptr, kHow, "N",
     "Collectives at once in an iteration [1]"},
    {"run_cycles", "-N,--run_cycles", nullptr, kHow, "N",
     "Times that all sizes are run; 0: until Ctrl-C [1]"},
    {"check", "-c,--check", nullptr, kHow, "N",
     "Runs before and after timing whose every element is\n"
     "verified; 0: none, #wrong is N/A [1]"},
    {"average", "-a,--average", nullptr, kHow, "N",
     "Time shown: 0 rank 0's, 1 mean over the ranks,\n"
     "2 least, 3 most [1]"},
    {"blocking", "-z,--blocking", nullptr, kHow, "N",
     "1: a timed barrier after each iteration; 0 and 2:\n"
     "none, every iteration is waited for anyhow [0]"},
    {"nthreads", "-t,--nthreads", nullptr, kHow, "N",
     "1: ranks are no threads. Hosts packed into a process\n"
     "share its threads for sums and copies from 256 KiB [1]"},
    {"ngpus", "-g,--ngpus", nullptr, kHow, "N",
     "1: --topology says how many ranks there are [1]"},

    {"output_file", "-J,--output_file", nullptr, kOutput, "FILE",
     "JSON of all results; a file that exists is kept, and\n"
     "FILE.0, FILE.1, ... is written"},
    {"write_choices", "--write_choices", nullptr, kOutput, "FILE",
     "With --algo=all: which was the fastest up to which\n"
     "size, for --choices; a file that exists is kept, as\n"
     "with -J"},
    {"report_timestamps", "-S,--report_timestamps", nullptr, kOutput, "0|1",
     "One column more: when a row was done [0]"},
    {"memory", "-M,--memory,--memory_report", nullptr, kOutput, "0|1",
     "Say how much memory the largest process took [0]"},
    {"per_iter_timing", "-I,--per_iter_timing", nullptr, kOutput, "0|1",
     "Columns of rank 0's fastest, slowest and 99th\n"
     "percentile iteration, and their variation [0]"},
    {"per_iter_skip", "-K,--per_iter_skip", nullptr, kOutput, "N",
     "Leave the first N iterations out of those [0]"},
    {"log_dir", "--log_dir", nullptr, kOutput, "DIR",
     "Keep the whole output of each process"},

    {"timeout", "-T,--timeout", nullptr, kLimits, "X",
     "For one size in both placements; 0: none [0]"},
    {"initialization_timeout", "--initialization_timeout", nullptr, kLimits,
     "X", "For the pod to form [60]"},
    {"heartbeat_timeout", "--heartbeat_timeout", nullptr, kLimits, "X",
     "Without a sign of life from a process [5]"},
    {"stall_timeout", "--stall_timeout", nullptr, kLimits, "X",
     "Without progress of a process [10]"},
    {"shutdown_timeout", "--shutdown_timeout", nullptr, kLimits, "X",
     "For processes to end after the last row [10]"},

    {"external_hosts", "--external_hosts", nullptr, kElsewhere, nullptr,
     "Start the coordinator only and wait for pod_host\n"
     "processes started elsewhere; needs PODSIM_TOKEN"},
    {"listen", "--listen", nullptr, kElsewhere, "ADDR",
     "Where the coordinator listens, such as 0.0.0.0:8476"},
    {"allow_plaintext_network", "--allow_plaintext_network", nullptr,
     kElsewhere, nullptr, "Let traffic leave this machine unencrypted"},
};

constexpr char kIntroduction[] =
    "Measures a collective among the hosts of an emulated TPU slice, and\n"
    "verifies every element, with the flags and the table of nccl-tests. All\n"
    "times are wall times of this machine.";

constexpr char kExamples[] =
    "Columns: size in bytes of a rank's (larger) buffer, elements of it (of a\n"
    "rank's share for reduce_scatter, all_gather and all_to_all), time of one\n"
    "collective, algbw = size / time, busbw = algbw x 2(n-1)/n for "
    "all_reduce,\n"
    "x 1 for broadcast, x (n-1)/n else, and elements that came out wrong; out\n"
    "of place (the input stays as it is) and in place.\n"
    "\n"
    "Flags may be written with - or _, and given as environment variables\n"
    "(--algo as PODSIM_ALGO); the command line wins. [..] is the default.\n"
    "Lists such as -d float,int32 run one after the other.\n"
    "\n"
    "Examples:\n"
    "  pod_bench all_reduce -b 1K -e 64M -f 4\n"
    "      4 hosts as 4 processes over shared memory\n"
    "  pod_bench all_reduce -b 64M -e 64M --algo=all -J result.json\n"
    "      one table row per algorithm; median, p99 and more in the file\n"
    "  pod_bench all_reduce -b 1K -e 64M -f 4 --algo=all "
    "--write_choices=x.txt\n"
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
    "Exit status: 0; 1 when an element was wrong, or the average busbw is "
    "below\n"
    "0.9 x NCCL_TESTS_MIN_BW; that of the first process that failed (128 + N\n"
    "for signal N); 2: the command line; 130: Ctrl-C.\n";

}  // namespace

std::span<const BenchFlagInfo> BenchFlagTable() { return kFlags; }
const char* BenchHelpIntroduction() { return kIntroduction; }
const char* BenchHelpExamples() { return kExamples; }

}  // namespace podsim
