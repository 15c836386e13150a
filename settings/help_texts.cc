#include "settings/help_texts.h"

namespace podsim {

const HelpTexts& LaunchTexts() {
  static constexpr HelpTexts kTexts = {
      .summary =
          "Trains a model on an emulated TPU slice, a process per TPU host.",
      .introduction =
          R"(Trains a model on an emulated TPU slice: one process per TPU host, real
gradients over the pod's rings, the arithmetic of a TPU's matrix unit.
)",
      .examples = R"(  pod_launch --topology v3-32 --model mlp
      trains the built-in digits on 4 hosts
  pod_launch --topology v3-128 --dry_run
      prints batch, steps, learning rate and memory on a larger slice
  pod_launch --dataset mnist --data_dir ~/mnist --epochs 5 --model_dir run
      saves checkpoints; the same command again resumes
)",
      .more_examples =
          R"(  pod_launch --topology v3-32 --reference_batch_size 1000 \
      --train_steps 100 --train_batch_size 4000
      the same 100,000 examples in 25 steps
  pod_launch --topology v3-2048 --processes 4 --dataset synthetic \
      --example_shape 28,28 --classes 10 --hidden 512,512
      256 hosts in 4 processes
  pod_launch --dataset mnist --data_dir ~/mnist --epochs 5 \
      --metrics_file run.jsonl --log_dir logs
  pod_launch --describe v3-32
)",
      .closing =
          R"(Flags may be written with - or _, and given as environment variables
(--log-dir as PODSIM_LOG_DIR) or in a job file; the command line wins,
then the environment, then the file. [..] is the default; what has none
comes from the model's recipe, as --dry_run shows. BYTES take K, M and G.

Exit status: 0, or that of the first process that failed (128 + N for
signal N); 2: the command line; 75: told to end, and saved (143 without
model_dir); 130: Ctrl-C.
)"};
  return kTexts;
}

const HelpTexts& BenchTexts() {
  static constexpr HelpTexts kTexts = {
      .summary =
          "Measures and verifies a collective among the hosts of an emulated "
          "TPU slice.",
      .introduction =
          R"(Measures a collective among the hosts of an emulated TPU slice, and
verifies every element, with the flags and the table of nccl-tests. All
times are wall times of this machine.
)",
      .examples = R"(  pod_bench all_reduce -b 1K -e 64M -f 4
      4 hosts as 4 processes over shared memory
  pod_bench all_reduce -b 64M -e 64M --algo=all -J result.json
      a row per algorithm; median, p99 and more in the file
  pod_bench all_reduce --topology v3-128 --ranks=cores -b 1M -e 1M
      128 ranks: 16 hosts that sum the buffers of 8 cores each
)",
      .more_examples = R"(  pod_bench all_reduce -b 1K -e 64M -f 4 --algo=all \
      --write_choices=x.txt
  pod_launch --topology v3-32 --choices=x.txt
      measures which algorithm is best at which size; auto goes by it
  PODSIM_TOKEN=... pod_bench all_reduce --external_hosts \
      --listen=0.0.0.0:8476 --allow_plaintext_network
      hosts that run elsewhere: start pod_host there as for training, with
      --coordinator=THIS_MACHINE:8476 and the same token
  docker compose -f docker/compose.yaml -f docker/compose.bench.yaml up
      the same with the pod in containers
)",
      .closing =
          R"(Columns: size in bytes of a rank's (larger) buffer, elements of it (of a
rank's share for reduce_scatter, all_gather and all_to_all), time of one
collective, algbw = size / time, busbw = algbw x 2(n-1)/n for all_reduce,
x 1 for broadcast, x (n-1)/n else, and elements that came out wrong; out
of place (the input stays as it is) and in place.

Flags may be written with - or _, and given as environment variables
(--algo as PODSIM_ALGO); the command line wins. [..] is the default.
Lists such as -d float,int32 run one after the other. BYTES take K, M and
G, powers of 1024.

Exit status: 0; 1 when an element was wrong, or the average busbw is
below 0.9 x NCCL_TESTS_MIN_BW; that of the first process that failed
(128 + N for signal N); 2: the command line; 130: Ctrl-C.
)"};
  return kTexts;
}

const HelpTexts& PlanTexts() {
  static constexpr HelpTexts kTexts = {
      .summary =
          "Says what training or a collective would take on TPU slices; runs "
          "nothing.",
      .introduction =
          R"(Says what training would take on TPU slices, slice by slice, or what a
collective among the chips of one would: its plan is run over the
slice's links. Nothing is started; all times are sim: computed, not
measured.
)",
      .examples = R"(  pod_plan --model mlp --topology v3-8..v3-2048
  pod_plan --model encoder --topology v3-8..v3-128 --price_per_chip_hour 1.1
  pod_plan --model resnet50 --topology v3-8 --explain
  pod_plan --collective all_reduce --topology v3-32 -b 1M -e 256M -f 4
)",
      .more_examples =
          R"(  pod_plan --model resnet50 --topology v3-8..v3-512 --deadline 4h \
      --budget 500 --chip_prices prices.txt
  pod_plan --model mlp --topology v3-8..v3-128 --measured run.jsonl
  pod_plan --collective all_reduce --topology v3-8..v3-2048 -b 32M \
      -e 32M
  pod_plan --collective all_to_all --topology v4-256 --twist --draw_links
  pod_plan --collective all_reduce --ici_algorithm all -b 10M -e 10M
  pod_plan --collective all_reduce --ici_fault 'link:(0,0)-(1,0):0.25'
)",
      .closing =
          R"(Columns of a job: its batch, steps and learning rate on each slice, as
pod_launch --dry_run has them; what a core holds in HBM, of what it has;
one step, low and high: that step if what is not published is at the ends
of its range; less fixed: the step without the fixed cost that steps on v2
and v3 have; examples/s, and tokens/s where examples are sequences; MFU:
FLOP of the model's products as a share of what the matrix units could do
in a step; the all-reduce and the part of it that is exposed; eff: the
examples/s of a core against those on the smallest slice of its
generation; recomputed: FLOP of products that are computed again for want
of HBM, as a share of the model's; run: the whole run from start to end,
with start-up, checkpoints and evaluations, and the chip-hours and the
price of that; what bounds a step, and ! where a warning is below. The
batch per core stays the same; with --train_batch_size it is shared out,
with --batch_per_core=max it is what fits each slice.

--deadline and --budget are about the whole run. Below the table they name
the cheapest slice that ends in time, the fastest that costs no more, or
with both the two of the slices that keep both; and how much of low to
high keeps them, from low on. What costs (or takes) as much to half a
percent is named too. Where no slice keeps them, they name the one that
comes nearest. In the table each row meets a limit (all of low to high is
within it), may miss it (a part is) or misses it.

--measured puts runs of pod_launch beside the forecast: step wall is the
median of the run's steps but the first, on the machine that emulated the
slice; sim of run is the step that the run simulated itself. A run counts
in the row of its slice and global batch; below the table a line names
each run that has no row, and each whose simulated step is not the row's.

Columns of --explain: time, its share of all kernels' and how many kernels
a row is of; FLOP, padding left out; bytes read from HBM and written to it;
what bounds them; a product with what is fused into it, a loop, or an op
alone; the op that it is named after, the layer or the line of the source.
Where HBM has no room for the step, the refusal is followed by what fills
it, by class.

Columns of a collective: size in bytes of a rank's (larger) buffer,
elements of it, time of one collective, algbw = size / time, busbw =
algbw x 2(n-1)/n for all_reduce, x 1 for broadcast, x (n-1)/n else, the
algorithm, what no algorithm can beat (bytes through a chip's links,
through the middle of the slice, or hops from corner to corner), how near
the time comes to it, and low and high as above. docs/timing-model.md has
the equations, docs/hardware.md the figures.

Exit status: 0; 2 refused as given.
)"};
  return kTexts;
}

const HelpTexts& LadderTexts() {
  static constexpr HelpTexts kTexts = {
      .summary =
          "Trains a job on slice after slice, and stops where it breaks.",
      .introduction =
          R"(Trains a job for real, if briefly, on slice after slice, beside what
pod_plan forecasts: the same examples on each, steps and learning rate
scaled from the first. It stops at the first slice that fails and says
which number to change.
)",
      .examples = R"(  pod_ladder --model mlp --topology v3-8..v3-128
  pod_ladder --model mlp --topology v3-8..v3-128 --steps 1000 \
      --until efficiency:0.8 --ladder_dir runs/ladder --plot ladder.svg
  pod_ladder --model mlp --steps 1000 --ladder_dir runs/ladder --resume
)",
      .more_examples =
          R"(  pod_ladder --model_file net.model --dataset digits --batch_per_core 8 \
      --learning_rate 0.05 --steps 500 --topology v3-8,v3-32
)",
      .closing =
          R"(The first slice is trained with three seeds, the others with the first of
them. A slice passes if
- its plan fits a core's HBM, its run ends well, and all numbers are finite;
- the simulated step of its run is the planned one;
- its eval loss, after as many examples, is the mean of the first slice's
  within three standard deviations of the seeds, or 5% if that is more (of a
  job that evaluates nothing: the training loss of the last tenth);
- its eval accuracy is at most one point below that mean;
- with --until, its scaling efficiency (sim) is not below that.
The wall time of a step stands beside the simulated one, and is not judged.

The first slice is the reference: --steps, --learning_rate and
--warmup_steps are for it, unless the job names another reference. One
process trains a slice unless --processes says more; results do not change.

With --ladder_dir results.jsonl has what was measured, report.html is the page
of the ladder and its runs, and a folder for each slice has its job.txt and
metrics.jsonl; --resume goes on there with the same job. The environment has
no say.

Exit status: 0 all slices passed; 1 one did not; 2 refused as given; 128 + N
stopped by signal N.
)"};
  return kTexts;
}

const HelpTexts& CkptTexts() {
  static constexpr HelpTexts kTexts = {
      .summary =
          "Lists, explains, checks and compares the checkpoints of pod_launch.",
      .introduction =
          R"(Lists, explains, checks and compares the checkpoints of pod_launch.

A model_dir (pod_launch --model_dir=DIR) holds one directory per
checkpoint, named after its step. In it, manifest.json says what was
trained and how far, model-*.safetensors hold weights and optimizer
slots (Python's safetensors package reads them), and SHA256SUMS the
hash of each file: `sha256sum -c SHA256SUMS` checks them as well.
Nothing is changed by any of these commands.
)",
      .examples = R"(  pod_ckpt ls runs/a                 what there is
  pod_ckpt show runs/a               its newest good one
  pod_ckpt show runs/a/200           that one
  pod_ckpt verify runs/a             every byte of every one
  pod_ckpt diff runs/a/100 runs/a/200
  pod_ckpt diff runs/a runs/b        two runs' newest good ones
)",
      .closing =
          R"(Exit status: 0 done, and to verify good, to diff equal; 1 damaged,
unfinished or different; 2 refused as given (no such directory or
command).
)"};
  return kTexts;
}

const HelpTexts& ProgramTexts() {
  static constexpr HelpTexts kTexts = {
      .summary = "Explains, checks, makes and runs models as files.",
      .introduction =
          R"(Explains, checks and makes models as files: what pod_launch
--write_model=FILE and programs of your own write, and --model_file=FILE
trains. Nothing is run but by run, whatever the size of the model.
)",
      .examples =
          R"(  pod_launch --model=mlp --hidden=64 --write_model=mlp.model
  pod_program show mlp.model
  pod_program verify mlp.model
  pod_program import mine.import --output=mine.model
  pod_program run mine.model --values=in.safetensors \
      --output=out.safetensors --precision=float32
)",
      .closing =
          R"(Exit status: 0; 1 damaged, or not what a model can be; 2 refused as given
(no such file or command).
)"};
  return kTexts;
}

const HelpTexts& DataTexts() {
  static constexpr HelpTexts kTexts = {
      .summary =
          "Indexes, shows, verifies and converts the data sets of pod_launch.",
      .introduction =
          R"(Indexes, shows, verifies and converts the data sets that pod_launch
trains with (docs/data.md). Nothing but convert writes beside them.
)",
      .examples = R"(  pod_data convert --dataset=digits --output=shards
  pod_data show shards --features=labels=int32
  pod_data verify 'shards/train-*' --features=labels=int32
  pod_data index shards --features=labels=int32
)",
      .closing =
          R"(Exit status: 0; 1 damaged; 2 refused as given (no such folder or
command).
)"};
  return kTexts;
}

const HelpTexts& ReportTexts() {
  static constexpr HelpTexts kTexts = {
      .summary =
          "Draws the runs of pod_launch as one page; says what is wrong.",
      .introduction =
          R"(Reads the metrics files of one or several runs and writes one page of
HTML that needs no other file and no network (docs/report.md): what is
wrong comes first, in a sentence with the flag that changes it; then loss
and metrics, throughput beside the forecast, where the time of each host
went, checkpoints, failures and memory. The file of a run that was
resumed, failed or is not over is read as well.
)",
      .examples = R"(  pod_launch --topology v3-32 --metrics_file runs/a.jsonl
  pod_report runs/a.jsonl -o report.html
  pod_report runs -o runs.html       all metrics files of a folder
  pod_report runs/a.jsonl --plot a.svg
  pod_report gs://BUCKET/runs/a.jsonl --json
  pod_report runs/a.jsonl --tensorboard_dir board
)",
      .closing =
          R"(Exit status: 0, whatever the runs are like; 1 a file that cannot be read
or written; 2 refused as given (no such file, or none of metrics).
)"};
  return kTexts;
}

const HelpTexts& TopTexts() {
  static constexpr HelpTexts kTexts = {
      .summary = "Shows a job of pod_launch while it runs, as tpu-info does.",
      .introduction =
          R"(Shows a job of pod_launch while it runs: chips with their HBM (simulated)
and duty cycle, hosts with the step they are at and what they wait for, in
the shape of tpu-info. It only reads: a job that is watched runs as one that
is not. Duty cycle, input and wait are parts of the wall time of the last ten
steps. docs/monitor.md has the other readers.
)",
      .examples =
          R"(  pod_top                            your only job on this machine
  pod_top --model_dir=runs/a         of several that one
  pod_top --once --json              for programs
  pod_top --metrics_file=runs/a.jsonl
  PODSIM_TOKEN=... pod_top --address=10.0.0.1:8476 \
      --allow_plaintext_network      a job of another machine
  pod_top --tpu_info -- tpu-info --streaming
)",
      .closing =
          R"(On a terminal it draws anew every --rate seconds until the job ends.

Exit status: 0; 1 the job failed, or could not be watched to its end; 2
refused as given, or no such job; with --tpu_info that of the command.
)"};
  return kTexts;
}

const HelpTexts& HostTexts() {
  static constexpr HelpTexts kTexts = {
      .summary =
          "One host process of a pod: joins the coordinator and trains its "
          "share.",
      .introduction =
          R"(One host process of a pod: joins the coordinator and trains its share.
pod_launch starts it on this machine; start it yourself on others.
The pod's token is read from PODSIM_TOKEN.
)",
      .examples =
          R"(  PODSIM_TOKEN=... pod_host --coordinator=10.0.0.1:8476 --process=0
      host 0 of a pod whose coordinator listens there
)",
      .closing =
          R"(Flags may be written with - or _, and given as environment variables
(--ici_listen as PODSIM_ICI_LISTEN; --threads only as a flag).

Exit status: 0; 1: this process failed; 2: the command line or the token;
3: ended because others failed.
)"};
  return kTexts;
}

const HelpTexts& CoordinatorTexts() {
  static constexpr HelpTexts kTexts = {
      .summary =
          "Forms a pod, watches it, and writes what happens as JSON lines.",
      .introduction =
          R"(Forms a pod, watches it, and writes what happens to the job as one JSON
object a line. pod_launch starts it. The pod's token is read from
PODSIM_TOKEN.
)",
      .examples =
          R"(  PODSIM_TOKEN=... pod_coordinator --job=job.txt --listen=0.0.0.0:8476 \
      --external --allow_plaintext_network
      waits for the hosts of the job, which run on other machines
)",
      .closing =
          R"(Flags may be written with - or _; the environment has no say.

Exit status: 0 done; 1 the job failed; 2 refused as given.
)"};
  return kTexts;
}

}  // namespace podsim
