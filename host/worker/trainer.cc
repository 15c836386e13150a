// One step, in the order of docs/architecture.md: input, segments host by host
// with each bucket's all-reduce started as soon as it is ready, then bucket by
// bucket the wait and the update.
#include "host/worker/trainer.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "host/board/thread_pool.h"
#include "host/core/core.h"
#include "host/core/tree_sum.h"
#include "host/input/stream.h"
#include "host/worker/tally.h"
#include "models/optimizer/learning_rate.h"

namespace podsim {
namespace {

// Runs panels on the board's threads and counts them as progress.
class CountingParallelFor final : public ParallelFor {
 public:
  CountingParallelFor(int threads, Progress& progress)
      : pool_(threads), progress_(progress) {}
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    pool_.Run(count, [&](std::int64_t index) {
      fn(index);
      progress_.Count(1);
    });
  }

 private:
  ThreadPool pool_;
  Progress& progress_;
};

// The planner's rule, against plans of other builds.
absl::Status CheckMicrobatches(const PlanBits& bits) {
  const std::int64_t rows = bits.cores_per_host() * bits.batch_per_core();
  const std::int64_t size = bits.microbatch_size();
  if (size == 0) return absl::OkStatus();
  if (size > 0 && rows % size == 0 &&
      std::has_single_bit(static_cast<std::uint64_t>(rows / size)))
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the plan has microbatches of ", size, " rows, a host has ",
                   rows, ": no power of two of them"));
}

absl::Status NotFinite(std::int64_t step, int core, int host, float loss) {
  return absl::InvalidArgumentError(
      absl::StrCat("loss became ", std::isnan(loss) ? "nan" : "infinite",
                   " at step ", step, " on core ", core, " (host ", host,
                   "); lower --learning_rate or lengthen --warmup_steps"));
}

}  // namespace

struct Trainer::Impl {
  explicit Impl(TrainerSetup given)
      : setup(std::move(given)),
        bits(setup.plan.bits()),
        program(*setup.program),
        hosts(setup.transport->local_hosts()),
        parallel(setup.threads, *setup.progress),
        panels{.rows = bits.panel_rows(),
               .columns = bits.panel_columns(),
               .k_block = bits.k_block()},
        rows_at_once(bits.microbatch_size() > 0
                         ? bits.microbatch_size()
                         : bits.cores_per_host() * bits.batch_per_core()),
        tree(program.gradient_elements, PassesPerStep()),
        reducer(*setup.transport, *setup.clock, setup.plan, *setup.progress,
                setup.reducer) {}

  // Times that a host runs the program in a step: once for all of its rows, or
  // once per microbatch.
  std::int64_t PassesPerStep() const {
    return bits.cores_per_host() * bits.batch_per_core() / rows_at_once;
  }

  absl::Status TrainStep(std::int64_t step, const Batch& batch);
  absl::Status Compute(std::int64_t step, const Batch& batch);
  absl::Status ComputeHost(std::int64_t step, const Batch& batch, int local);
  absl::Status ComputeRows(std::int64_t step, const CoreBuffers& buffers,
                           int local, std::int64_t leaf);
  void StartBucket(std::int64_t step, int local, int bucket, std::int64_t leaf);
  // A step that begins to reduce when all is computed: what the overlap of the
  // others is measured against. The first step pays for the start.
  bool IsSerial(std::int64_t step) const {
    const std::int64_t every = setup.plan.overlap_probe();
    return every > 0 && step > 1 && step % every == 0;
  }
  absl::Status Await(std::int64_t step, int bucket, absl::Duration& waited);
  absl::Status AwaitAll(std::int64_t step, absl::Duration& waited);
  absl::Status ReduceAndUpdate(std::int64_t step);
  absl::Status Evaluate(std::int64_t step);
  absl::Status EvaluateHost(std::int64_t step, std::int64_t first_example,
                            int local, EvalReport& report);
  CoreBuffers BuffersFor(const Batch& batch, std::int64_t first_row,
                         std::int64_t rows, int local);
  RowResults Results(const CoreBuffers& buffers);
  std::span<float> Output(TensorId id, std::int64_t rows);
  absl::Status CheckAbort() const;
  void Allocate();

  TrainerSetup setup;
  const PlanBits& bits;
  const Program& program;
  const std::vector<int> hosts;  // local
  CountingParallelFor parallel;
  const Panels panels;
  const std::int64_t rows_at_once;
  TreeSum tree;  // of one host after the other

  std::vector<float> variables;
  std::vector<float> rounded;
  std::vector<std::vector<float>> gradients;  // per local host
  std::vector<float> batched;
  std::vector<float> scratch;
  std::vector<float> outputs;
  std::vector<StepReport> reports;               // of this step, per local host
  std::vector<std::function<void()>> postponed;  // starts, in a serial step
  StepScalars scalars;
  Batch eval_batch;

  mutable Mutex mutex;
  absl::Status abort_status PODSIM_GUARDED_BY(mutex);
  std::atomic<bool> aborted{false};
  Reducer reducer;  // last: its thread borrows the gradients
};

void Trainer::Impl::Allocate() {
  const std::int64_t rows = std::max(
      rows_at_once, bits.cores_per_host() * setup.plan.eval_batch_per_core());
  variables.resize(program.variable_elements);
  rounded.resize(program.bfloat16_products ? variables.size() : 0);
  gradients.resize(hosts.size());
  for (auto& of_host : gradients) of_host.resize(program.gradient_elements);
  batched.resize(program.batched_elements_per_row * rows);
  scratch.resize(program.scratch_elements);
  outputs.resize(program.output_elements_per_row * rows);
}

CoreBuffers Trainer::Impl::BuffersFor(const Batch& batch,
                                      std::int64_t first_row, std::int64_t rows,
                                      int local) {
  const auto features =
      static_cast<std::int64_t>(batch.features.size()) / batch.rows;
  return {
      .variables = variables,
      .rounded = rounded,
      .gradients = gradients[local],
      .batched = batched,
      .scratch = scratch,
      .outputs = outputs,
      .features = std::span(batch.features)
                      .subspan(first_row * features, rows * features),
      .labels = std::span(batch.labels).subspan(first_row, rows),
      .weights = std::span(batch.weights).subspan(first_row, rows),
  };
}

std::span<float> Trainer::Impl::Output(TensorId id, std::int64_t rows) {
  return std::span(outputs).subspan(program.tensor(id).offset * rows, rows);
}

absl::Status Trainer::Impl::CheckAbort() const {
  if (!aborted.load(std::memory_order_acquire)) return absl::OkStatus();
  MutexLock lock(mutex);
  return abort_status;
}

// The gradients of the pass's rows, and the all-reduces that they complete.
absl::Status Trainer::Impl::ComputeRows(std::int64_t step,
                                        const CoreBuffers& buffers, int local,
                                        std::int64_t leaf) {
  for (const Segment& segment :
       program.entries.at(EntryPoint::kTrainMicrobatch)) {
    PODSIM_RETURN_IF_ERROR(CheckAbort());
    if (segment.kind == SegmentKind::kCompute) {
      PODSIM_RETURN_IF_ERROR(RunSegment(program, segment, rows_at_once, panels,
                                        scalars, *setup.kernels, parallel,
                                        buffers));
    } else {
      StartBucket(step, local, segment.bucket, leaf);
    }
  }
  return absl::OkStatus();
}

void Trainer::Impl::StartBucket(std::int64_t step, int local, int bucket,
                                std::int64_t leaf) {
  const GradientBucket& range = program.buckets[bucket];
  const std::span<float> values =
      std::span(gradients[local]).subspan(range.begin, range.count);
  tree.Add(leaf, range.begin, values);
  if (leaf + 1 < PassesPerStep()) return;
  const auto buckets = static_cast<std::uint64_t>(program.buckets.size());
  const std::uint64_t sequence = (step - 1) * buckets + bucket;
  if (!IsSerial(step)) return reducer.Start(local, bucket, sequence, values);
  postponed.push_back([this, local, bucket, sequence, values] {
    reducer.Start(local, bucket, sequence, values);
  });
}

RowResults Trainer::Impl::Results(const CoreBuffers& buffers) {
  const auto rows = static_cast<std::int64_t>(buffers.weights.size());
  return {.loss = Output(program.loss, rows),
          .correct = Output(program.correct, rows),
          .weights = buffers.weights};
}

absl::Status Trainer::Impl::ComputeHost(std::int64_t step, const Batch& batch,
                                        int local) {
  const std::int64_t first_row =
      local * bits.cores_per_host() * bits.batch_per_core();
  Tally tally;
  for (std::int64_t pass = 0; pass < PassesPerStep(); ++pass) {
    const std::int64_t row = pass * rows_at_once;
    const CoreBuffers buffers =
        BuffersFor(batch, first_row + row, rows_at_once, local);
    PODSIM_RETURN_IF_ERROR(ComputeRows(step, buffers, local, pass));
    tally.Count(Results(buffers), row);
  }
  if (tally.bad_row >= 0)
    return NotFinite(
        step,
        hosts[local] * bits.cores_per_host() +
            static_cast<int>(tally.bad_row / bits.batch_per_core()),
        hosts[local], tally.bad_loss);
  StepReport& report = reports[local];
  report.set_loss(tally.loss);
  report.set_correct(tally.correct);
  report.set_examples(tally.examples);
  return absl::OkStatus();
}

absl::Status Trainer::Impl::Compute(std::int64_t step, const Batch& batch) {
  Span span(*setup.tracer, "compute");
  setup.progress->Enter(step, "compute");
  for (int local = 0; local < static_cast<int>(hosts.size()); ++local)
    PODSIM_RETURN_IF_ERROR(Annotate(ComputeHost(step, batch, local),
                                    absl::StrCat("host ", hosts[local])));
  return absl::OkStatus();
}

// Adds to `waited` how long that took.
absl::Status Trainer::Impl::Await(std::int64_t step, int bucket,
                                  absl::Duration& waited) {
  const std::string what = absl::StrCat("all-reduce of bucket ", bucket);
  setup.progress->Enter(step, what);
  const absl::Time begin = setup.clock->Now();
  Span span(*setup.tracer, "all-reduce");
  PODSIM_RETURN_IF_ERROR(Annotate(reducer.Wait(bucket), what));
  waited += setup.clock->Now() - begin;
  return absl::OkStatus();
}

absl::Status Trainer::Impl::AwaitAll(std::int64_t step,
                                     absl::Duration& waited) {
  for (int bucket = 0; bucket < bits.buckets_size(); ++bucket)
    PODSIM_RETURN_IF_ERROR(Await(step, bucket, waited));
  return absl::OkStatus();
}

absl::Status Trainer::Impl::ReduceAndUpdate(std::int64_t step) {
  const std::vector<Segment>& updates = program.entries.at(EntryPoint::kUpdate);
  const absl::Time begin = setup.clock->Now();
  for (const auto& start : std::exchange(postponed, {})) start();
  absl::Duration waited;
  // In a serial step no update runs beside an all-reduce either.
  if (IsSerial(step)) PODSIM_RETURN_IF_ERROR(AwaitAll(step, waited));
  for (int bucket = 0; bucket < static_cast<int>(program.buckets.size());
       ++bucket) {
    PODSIM_RETURN_IF_ERROR(Await(step, bucket, waited));
    Span span(*setup.tracer, "update");
    CoreBuffers buffers;
    buffers.variables = variables;
    buffers.rounded = rounded;
    buffers.gradients = gradients[0];
    buffers.scratch = scratch;
    PODSIM_RETURN_IF_ERROR(RunSegment(program, updates[bucket], 0, panels,
                                      scalars, *setup.kernels, parallel,
                                      buffers));
  }
  RoundVariables(program, *setup.kernels, variables, rounded);
  const absl::Duration update = setup.clock->Now() - begin - waited;
  for (StepReport& report : reports) {
    report.set_seconds_reduce(absl::ToDoubleSeconds(waited));
    report.set_seconds_update(absl::ToDoubleSeconds(update));
  }
  return absl::OkStatus();
}

absl::Status Trainer::Impl::TrainStep(std::int64_t step, const Batch& batch) {
  const absl::Time begin = setup.clock->Now();
  scalars.learning_rate = static_cast<float>(RateAt(
      bits.learning_rate(),
      setup.start.examples_consumed + (step - 1) * setup.plan.global_batch(),
      setup.plan.global_batch()));
  PODSIM_RETURN_IF_ERROR(Compute(step, batch));
  const double computed = absl::ToDoubleSeconds(setup.clock->Now() - begin);
  PODSIM_RETURN_IF_ERROR(ReduceAndUpdate(step));
  const std::uint64_t hash = Crc32c(std::as_bytes(std::span(gradients[0])));
  for (std::size_t local = 0; local < hosts.size(); ++local) {
    StepReport& report = reports[local];
    report.set_host(hosts[local]);
    report.set_step(step);
    report.set_seconds_compute(computed);
    report.set_gradient_hash(hash);
    report.set_serial(IsSerial(step));
    setup.reports->OnStep(report);
  }
  return absl::OkStatus();
}

absl::Status Trainer::Impl::EvaluateHost(std::int64_t step,
                                         std::int64_t first_example, int local,
                                         EvalReport& report) {
  const std::int64_t batch_per_core = setup.plan.eval_batch_per_core();
  const std::int64_t rows = bits.cores_per_host() * batch_per_core;
  FillEvalBatch(*setup.dataset,
                {.consumed = first_example,
                 .batch_per_core = batch_per_core,
                 .first_core = hosts[local] * bits.cores_per_host(),
                 .cores = bits.cores_per_host(),
                 .global_batch = bits.hosts() * rows},
                eval_batch);
  if (eval_batch.weights[0] == 0)
    return absl::OkStatus();  // all beyond the end
  const CoreBuffers buffers = BuffersFor(eval_batch, 0, rows, local);
  for (const Segment& segment : program.entries.at(EntryPoint::kEval)) {
    PODSIM_RETURN_IF_ERROR(CheckAbort());
    PODSIM_RETURN_IF_ERROR(RunSegment(program, segment, rows, panels, scalars,
                                      *setup.kernels, parallel, buffers));
  }
  Tally tally;
  tally.Count(Results(buffers), 0);
  if (tally.bad_row >= 0)
    return absl::InvalidArgumentError(absl::StrCat(
        "evaluation loss is not finite after step ", step, " on core ",
        hosts[local] * bits.cores_per_host() + tally.bad_row / batch_per_core));
  report.set_loss(report.loss() + tally.loss);
  report.set_correct(report.correct() + tally.correct);
  report.set_examples(report.examples() + tally.examples);
  return absl::OkStatus();
}

absl::Status Trainer::Impl::Evaluate(std::int64_t step) {
  Span span(*setup.tracer, "evaluation");
  setup.progress->Enter(step, "evaluation");
  const std::int64_t global =
      setup.plan.eval_batch_per_core() * bits.cores_per_host() * bits.hosts();
  for (std::size_t local = 0; local < hosts.size(); ++local) {
    EvalReport report;
    report.set_host(hosts[local]);
    report.set_step(step);
    for (std::int64_t first = 0; first < setup.dataset->size(Split::kEval);
         first += global)
      PODSIM_RETURN_IF_ERROR(
          EvaluateHost(step, first, static_cast<int>(local), report));
    setup.reports->OnEval(report);
  }
  return absl::OkStatus();
}

Trainer::Trainer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Trainer::~Trainer() = default;

absl::StatusOr<std::unique_ptr<Trainer>> Trainer::Create(TrainerSetup setup) {
  const Program& program = *setup.program;
  const PlanBits& bits = setup.plan.bits();
  PODSIM_RETURN_IF_ERROR(CheckMicrobatches(bits));
  if (static_cast<int>(program.buckets.size()) != bits.buckets_size())
    return absl::InvalidArgumentError(
        absl::StrCat("the plan has ", bits.buckets_size(),
                     " gradient buckets, the compiled model has ",
                     program.buckets.size(), ": another build made the plan"));
  for (int bucket = 0; bucket < bits.buckets_size(); ++bucket)
    if (program.buckets[bucket].begin != bits.buckets(bucket).begin() ||
        program.buckets[bucket].count != bits.buckets(bucket).count())
      return absl::InvalidArgumentError(absl::StrCat(
          "gradient bucket ", bucket,
          " differs from the plan's: another build made the plan"));
  const std::size_t given = setup.start.variables.size();
  if (given != 0 &&
      given != static_cast<std::size_t>(program.variable_elements))
    return absl::InvalidArgumentError(absl::StrCat("the start has ", given,
                                                   " values, the model has ",
                                                   program.variable_elements));
  auto impl = std::make_unique<Impl>(std::move(setup));
  impl->Allocate();
  if (given != 0)
    impl->variables = impl->setup.start.variables;
  else
    InitVariables(impl->program, impl->bits.seed(), impl->variables);
  RoundVariables(impl->program, *impl->setup.kernels, impl->variables,
                 impl->rounded);
  return std::unique_ptr<Trainer>(new Trainer(std::move(impl)));
}

absl::Status Trainer::Run() {
  Impl& impl = *impl_;
  const JobPlan& plan = impl.setup.plan;
  Infeed infeed(impl.setup.dataset, impl.bits.seed(),
                {.consumed = impl.setup.start.examples_consumed,
                 .batch_per_core = impl.bits.batch_per_core(),
                 .first_core = impl.hosts.front() * impl.bits.cores_per_host(),
                 .cores = static_cast<std::int64_t>(impl.hosts.size()) *
                          impl.bits.cores_per_host(),
                 .global_batch = plan.global_batch()},
                plan.train_steps());
  for (std::int64_t step = 1; step <= plan.train_steps(); ++step) {
    PODSIM_RETURN_IF_ERROR(impl.CheckAbort());
    impl.setup.progress->Enter(step, "input");
    const absl::Time begin = impl.setup.clock->Now();
    const Batch* batch = nullptr;
    {
      Span span(*impl.setup.tracer, "input");
      batch = &infeed.Next();
    }
    impl.reports.assign(impl.hosts.size(), StepReport());
    const double input = absl::ToDoubleSeconds(impl.setup.clock->Now() - begin);
    for (StepReport& report : impl.reports) report.set_seconds_input(input);
    PODSIM_RETURN_IF_ERROR(impl.TrainStep(step, *batch));
    const bool last = step == plan.train_steps();
    if (last ||
        (plan.steps_per_eval() > 0 && step % plan.steps_per_eval() == 0))
      PODSIM_RETURN_IF_ERROR(impl.Evaluate(step));
  }
  impl.setup.progress->Enter(plan.train_steps(), "finished");
  return absl::OkStatus();
}

void Trainer::Abort(const absl::Status& why) {
  {
    MutexLock lock(impl_->mutex);
    if (impl_->abort_status.ok()) impl_->abort_status = why;
  }
  impl_->aborted.store(true, std::memory_order_release);
  impl_->reducer.Abort(why);
}

Waiting Trainer::waiting() const { return impl_->reducer.waiting(); }

std::span<const float> Trainer::variables() const { return impl_->variables; }

std::string Trainer::WeightsHash() const {
  Sha256 hash;
  for (const ProgramVariable& variable : impl_->program.variables) {
    if (variable.is_slot) continue;
    const ProgramTensor& tensor = impl_->program.tensor(variable.tensor);
    hash.Update(absl::StrCat(tensor.name, " ", ToString(tensor.shape), "\n"));
    hash.Update(std::as_bytes(
        variables().subspan(tensor.offset, tensor.shape.elements())));
  }
  return hash.HexDigest();
}

}  // namespace podsim
