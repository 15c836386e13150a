#include "settings/advice.h"

#include <string_view>

#include "absl/strings/str_split.h"

namespace podsim {
namespace {

// What users of pandas, AutoML and scikit-learn say of a CSV file.
constexpr char kColumnNames[] =
    "label labels label_column label_col label_name label_key target targets "
    "target_column target_col target_name y x class_column feature_names "
    "column_names usecols input_columns";
constexpr char kColumns[] =
    "--features says which columns are what, as in --features "
    "'features=height..weight:float32[2], labels=species:int64'; without it "
    "the column label, labels, target or class of a CSV file is the label, "
    "else the last one";
constexpr char kHeaderNames[] =
    "header has_header no_header skip_header skip_rows skiprows header_row "
    "index_col";
constexpr char kHeader[] =
    "a CSV file's first line is a header if a cell of it is no number: leave "
    "it out; without one columns are numbers from 0, as in --features "
    "'features=1..784:float32[784], labels=0:int64'";
constexpr char kDelimiterNames[] = "sep separator delimiter delim field_sep";
constexpr char kDelimiter[] =
    "a CSV file has commas between its columns: write it so, and leave it out";

// A command line is read by all users of a machine.
constexpr char kTokenNames[] = "token auth_token secret password api_key";
constexpr char kToken[] =
    "the pod's token is read from the variable PODSIM_TOKEN alone: export it, "
    "and leave the flag out";

// What frameworks that partition a model call it.
constexpr char kParallelNames[] =
    "ici_tensor_parallelism ici_fsdp_parallelism ici_data_parallelism "
    "dcn_data_parallelism tensor_parallelism tp fsdp dp pp "
    "tensor_model_parallel_size pipeline_model_parallel_size "
    "distribution_strategy strategy mesh_shape mesh model_parallelism "
    "pipeline_parallelism num_partitions";
constexpr char kParallel[] =
    "training is data-parallel, every core holds the whole model: leave it out";

constexpr Advice kAdvice[] = {
    {"pod_launch", kParallelNames, kParallel},
    {"pod_plan", kParallelNames, kParallel},
    {"pod_ladder", kParallelNames, kParallel},
    {"pod_launch", kColumnNames, kColumns},
    {"pod_plan", kColumnNames, kColumns},
    {"pod_data", kColumnNames, kColumns},
    {"pod_launch", kHeaderNames, kHeader},
    {"pod_plan", kHeaderNames, kHeader},
    {"pod_data", kHeaderNames, kHeader},
    {"pod_launch", kDelimiterNames, kDelimiter},
    {"pod_plan", kDelimiterNames, kDelimiter},
    {"pod_data", kDelimiterNames, kDelimiter},
    {"pod_launch", "warmup_epochs",
     "--warmup_steps gives the warm-up in steps: epochs x examples / batch"},
    {"pod_launch",
     "warmup_ratio warmup_proportion warmup_steps_fraction warmup_fraction",
     "--warmup_steps gives the warm-up in steps: ratio x --train_steps, such "
     "as 100 for 0.1 of 1000 steps"},
    {"pod_launch",
     "gpus num_gpus n_gpu nnodes nodes num_nodes hosts num_hosts world_size "
     "num_cores num_shards num_slices compile_topology_num_slices",
     "--topology says how many hosts, chips and cores there are: v3-32 is 4 "
     "hosts with 8 cores each"},
    {"pod_launch",
     "gradient_accumulation_steps accum_steps grad_accum update_freq",
     "gradients are not accumulated over steps: --train_batch_size is the "
     "batch of one update"},
    {"pod_launch",
     "iterations_per_loop steps_per_execution compile jit use_tpu use_xla "
     "tpu_zone_project gcp_project project",
     "it has no meaning here: leave it out"},
    {"pod_launch",
     "master_addr master_port rdzv_endpoint rdzv_backend coordinator_address "
     "coordinator port",
     "hosts on other machines join with --external_hosts --listen ADDR here "
     "and pod_host --coordinator ADDR there"},
    {"pod_launch", "fp16 half float16 bf16 fp32 use_bfloat16 amp",
     "--precision is bfloat16 or float32"},
    {"pod_launch", "do_eval eval_only evaluate eval",
     "--mode eval evaluates a checkpoint of --model_dir"},
    {"pod_launch", "do_train train",
     "--mode train is the default: leave it out"},
    {"pod_launch", "resume auto_resume continue",
     "a run goes on in its --model_dir by itself: leave it out; --restore "
     "DIR begins with another checkpoint"},
    {"pod_launch", "overwrite_output_dir overwrite force clean",
     "a run goes on in its --model_dir: name a new folder to start again"},
    {"pod_launch", "csv",
     "a CSV file is trained with --dataset csv --data_dir PLACE"},
    {"pod_launch", "json logging_steps log_period log_every report_to",
     "--metrics_file FILE writes a JSON line per step"},
    {"pod_launch", "log_file logfile",
     "--log_dir DIR keeps the whole output of each process, --metrics_file "
     "FILE a JSON line per step"},
    {"pod_launch", "debug log_level loglevel logging_level verbosity",
     "--verbose prints the whole plan and summary, --quiet only warnings, "
     "failures and the summary"},
    {"pod_launch", "collective all_reduce",
     "pod_bench all_reduce measures collectives, pod_plan --collective "
     "prices them"},
    {"pod_launch", "list_models models list_datasets datasets",
     "docs/models.md and docs/data.md list them; --describe NAME explains a "
     "slice"},
    {"pod_launch", "profiler",
     "--profile_dir is for XProf, --trace for Perfetto; --metrics_file has the "
     "parts of each step's time"},
    {"pod_data", "split splits",
     "the first records of both splits are shown, --examples N of them: "
     "leave it out"},
    {"pod_plan", "n",
     "a price is computed once and needs no iterations: leave it out"},
    {"pod_plan", "dry_run",
     "pod_plan starts nothing, all it does is a dry run: leave it out"},
    {"pod_plan", "csv tsv yaml format output_format",
     "--json prints the results as one JSON object"},
    {"pod_plan", "output output_file out save",
     "the table goes to standard output: > FILE keeps it, --json makes it "
     "JSON, --plot FILE.svg draws it"},
    {"pod_plan", "warmup_epochs",
     "--warmup_steps gives the warm-up in steps: epochs x examples / batch"},
    {"pod_plan",
     "warmup_ratio warmup_proportion warmup_steps_fraction warmup_fraction",
     "--warmup_steps gives the warm-up in steps: ratio x --train_steps, such "
     "as 100 for 0.1 of 1000 steps"},
    {"pod_plan", "currency",
     "--price_per_chip_hour X is in any currency; the files of --chip_prices "
     "and --prices name theirs, as in currency: \"EUR\""},
    {"pod_plan", "debug log_level loglevel logging_level verbosity",
     "--verbose prints all columns and every warning"},
    {"pod_plan",
     "gpus num_gpus nnodes nodes hosts num_hosts chips num_chips cores "
     "num_cores world_size",
     "--topology says how many there are: v3-8..v3-128 is a range of slices"},
    {"pod_bench", "csv tsv report_csv",
     "--output_file FILE writes all results as JSON"},
    {"pod_bench", "dry_run price plan",
     "pod_plan --collective all_reduce prices a collective without running it"},
    {"pod_bench",
     "nnodes nodes gpus num_gpus hosts num_hosts nranks world_size",
     "--topology says how many hosts there are, --ranks what counts as a "
     "rank: v3-64 is 8 hosts"},
    {"pod_bench", "size bytes message_size buffer_size sizes",
     "--minbytes and --maxbytes (-b and -e) give the sizes: -b 1M -e 1M is "
     "one size"},
    {"pod_bench", "parallel_init cudagraph graph local_register G R C p",
     "it has no meaning here: leave it out"},
    {"pod_bench",
     "all_reduce_perf allreduce_perf all_gather_perf reduce_scatter_perf "
     "broadcast_perf alltoall_perf",
     "a collective is named without _perf, as in pod_bench all_reduce"},
    {"pod_bench", "bcast", "it is called broadcast: pod_bench broadcast"},
    {"pod_bench", "all2all a2a alltoallv all_to_allv",
     "it is called all_to_all: pod_bench all_to_all"},
    {"pod_bench", "sendrecv send_recv gather scatter hypercube ppermute",
     "it is not measured here"},
    {"pod_bench", "F", "-J FILE writes all results as JSON"},
    {"pod_ckpt", "model_dir dir path checkpoint checkpoint_dir ckpt_dir ckpt",
     "the folder is an argument without a flag: pod_ckpt ls DIR, or DIR/STEP "
     "for one checkpoint"},
    {"pod_ckpt", "step global_step checkpoint_step ckpt_step",
     "the step is part of the folder, which is an argument without a flag: "
     "pod_ckpt show DIR/STEP"},
    {"pod_ckpt", "json csv",
     "each checkpoint's manifest.json is JSON: read that"},
    {"pod_ckpt", "delete rm remove prune",
     "no checkpoint is deleted here: pod_launch --keep N keeps the newest N"},
    {"pod_ckpt", "list", "pod_ckpt ls DIR lists them"},
    {"pod_ckpt", "export convert save dump",
     "a checkpoint's weights are safetensors files already, in its folder: "
     "pod_ckpt show DIR/STEP says what they hold"},
    {"pod_ckpt", "info describe explain print cat inspect",
     "pod_ckpt show DIR explains one"},
    {"pod_ckpt", "check validate test", "pod_ckpt verify DIR reads every byte"},
    {"pod_ckpt", "compare cmp", "pod_ckpt diff DIR DIR compares two"},
    {"pod_program", "model model_file file path program input",
     "the file is an argument without a flag: pod_program show FILE"},
    {"pod_program", "info describe explain print inspect",
     "pod_program show FILE explains a model"},
    {"pod_program", "check validate test",
     "pod_program verify FILE checks a model"},
    {"pod_program", "load convert",
     "pod_program import FILE --output FILE makes a model of functions"},
    {"pod_program", "execute eval predict infer",
     "pod_program run FILE --values FILE --output FILE computes it"},
    {"pod_data", "data_dir path dir input file files data",
     "the place is an argument without a flag: pod_data show PLACE, pod_data "
     "convert PLACE --output DIR"},
    {"pod_data", "download fetch pull",
     "nothing is fetched: get the files first, docs/data.md says which each "
     "data set has"},
    {"pod_data", "list ls info describe inspect print cat stats summary",
     "pod_data show PLACE says what a data set holds"},
    {"pod_data", "check validate test",
     "pod_data verify PLACE reads every example"},
    {"pod_data", "write create export make generate",
     "pod_data convert PLACE --output DIR writes shards"},
    {"pod_report", "model_dir dir metrics_file metrics run runs input log_dir",
     "the file is an argument without a flag: pod_report FILE, or DIR with "
     "the metrics files of several runs"},
    {"pod_report", "open show serve port",
     "open the page that --output names in a browser: it needs no server"},
    {"pod_host", "topology tpu model job hosts world_size nnodes",
     "the coordinator tells a host what to run: leave it out"},
    {"pod_launch", kTokenNames, kToken},
    {"pod_bench", kTokenNames, kToken},
    {"pod_host", kTokenNames, kToken},
    {"pod_coordinator", kTokenNames, kToken},
    {"pod_top", kTokenNames, kToken},
};

}  // namespace

std::span<const Advice> AllAdvice() { return kAdvice; }

std::string AdviceFor(const MainProgram& program, const std::string& typed) {
  for (const Advice& advice : AllAdvice()) {
    if (std::string_view(advice.program) != program.name) continue;
    for (const absl::string_view name : absl::StrSplit(advice.typed, ' '))
      if (name == typed) return advice.text;
  }
  return "";
}

}  // namespace podsim
