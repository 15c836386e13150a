// A step: forward and backward host by host with each bucket's all-reduce
// started as soon as it is ready, then bucket by bucket, in the same order, the
// wait and the update.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "host/train/trainer_impl.h"
#include "job/audit_plan.h"
#include "job/phases.h"
#include "models/optimizer/learning_rate.h"

namespace podsim {
namespace {

MetricSum::Combine CombineOf(MetricCombine combine) {
  switch (combine) {
    case MetricCombine::kMean:
      return MetricSum::WEIGHTED_MEAN;
    case MetricCombine::kSum:
      return MetricSum::SUM;
    case MetricCombine::kMax:
      return MetricSum::MAXIMUM;
  }
  return MetricSum::WEIGHTED_MEAN;
}

// Whether a step, or an evaluation, computes it.
bool IsOf(const ProgramMetric& metric, bool of_step) {
  return of_step ? metric.is_trained() : metric.is_evaluated();
}

// What a segment is known by: the tensor that it makes last.
std::string LastResult(const Program& program, const Segment& segment) {
  if (segment.instructions.empty() ||
      segment.instructions.back().outputs.empty())
    return "segment";
  return program.tensor(segment.instructions.back().outputs.front()).name;
}

bool IsOfEvalLoss(const Program& program, const ProgramMetric& metric) {
  if (!program.eval_loss.has_value()) return false;
  const auto& sums = program.eval_loss->sums();
  return std::find(sums.begin(), sums.end(), metric.name) != sums.end();
}

}  // namespace

// An audit's host is none of this process: its segments have no core here.
absl::Status Trainer::Impl::RunTraced(const Segment& segment,
                                      const HostRows& run, std::int64_t pass,
                                      CoreBuffers& buffers) {
  TracedSpan traced(run.local < AuditSlot() ? setup.tracer : nullptr,
                    SpanKind::kCompute,
                    run.local < AuditSlot() ? hosts[run.local] : 0);
  if (traced.on()) {
    traced->core =
        static_cast<int>(pass * rows_at_once / bits.batch_per_core());
    traced->cores = static_cast<int>(rows_at_once / RowsOfCore());
    traced->name = LastResult(program, segment);
  }
  return RunSegment(program, segment, rows_at_once, panels, scalars,
                    *setup.kernels, parallel, buffers);
}

// The gradients of the pass's rows, and the all-reduces that they complete.
absl::Status Trainer::Impl::ComputeRows(std::int64_t step,
                                        std::span<const Segment> segments,
                                        const HostRows& run,
                                        std::int64_t pass) {
  Arena& arena = ArenaOf(run.local, pass);
  CoreBuffers buffers =
      BuffersFor(*run.batch, run.first_row + pass * rows_at_once, rows_at_once,
                 RowsOfCore(), arena);
  buffers.gradients =
      arena.gradients.empty() ? gradients[run.local] : arena.gradients;
  for (const Segment& segment : segments) {
    PODSIM_RETURN_IF_ERROR(CheckAbort());
    if (segment.kind == SegmentKind::kCompute) {
      PODSIM_RETURN_IF_ERROR(RunTraced(segment, run, pass, buffers));
    } else {
      PODSIM_RETURN_IF_ERROR(StartBucket(step, run.local, segment.bucket,
                                         buffers.gradients, pass));
    }
  }
  return absl::OkStatus();
}

absl::Status Trainer::Impl::StartBucket(std::int64_t step, int local,
                                        int bucket,
                                        std::span<float> pass_gradients,
                                        std::int64_t leaf) {
  const GradientBucket& range = program.buckets[bucket];
  const std::span<float> values =
      pass_gradients.subspan(range.begin, range.count);
  {
    const TimedWork timed(&times, Work::kSums);
    tree.Add(leaf, range.begin, values);
  }
  if (leaf + 1 < PassesPerStep()) return absl::OkStatus();
  if (setup.faults != nullptr && local < AuditSlot())
    PODSIM_RETURN_IF_ERROR(
        setup.faults->CorruptGradient(step, hosts[local], values));
  if (step == 1) NoteBadGradient(local, bucket, values);
  if (AuditedHost(setup.plan, step)) HashBucket(local, values);
  if (local == AuditSlot()) return absl::OkStatus();
  const std::uint64_t sequence = SequenceOf(step, bucket);
  const auto start = [this, local, bucket, sequence, values] {
    reduce_begun = setup.clock->Now();
    reducer.Start(local, bucket, sequence, values);
  };
  // In the first step no gradient leaves a host whose loss is not finite: the
  // others would fail with it.
  if (IsSerial(step) || step == 1) {
    postponed.emplace_back(start);
  } else {
    start();
  }
  return absl::OkStatus();
}

RowResults Trainer::Impl::Results(const Batch& batch, std::int64_t first_row,
                                  std::int64_t rows, Arena& arena,
                                  bool of_step) {
  RowResults results = {
      .loss = {},
      .weights = std::span(batch.weights).subspan(first_row, rows),
      .metrics = {}};
  for (const ProgramMetric& metric : program.metrics) {
    if (!IsOf(metric, of_step)) continue;
    const auto values = Output(metric.tensor, rows, arena);
    if (metric.tensor == program.loss) results.loss = values;
    results.metrics.push_back(
        {values, metric.combine, !of_step && IsOfEvalLoss(program, metric)});
  }
  return results;
}

MetricSums Trainer::Impl::SumsOf(const Tally& tally, bool of_step) const {
  MetricSums sums;
  std::size_t i = 0;
  for (const ProgramMetric& metric : program.metrics) {
    if (!IsOf(metric, of_step) || i == tally.metrics.size()) continue;
    MetricSum& sum = *sums.Add();
    sum.set_name(metric.name);
    sum.set_combine(of_step && metric.tensor == program.loss
                        ? MetricSum::SUM
                        : CombineOf(metric.combine));
    sum.set_percent(metric.percent);
    sum.set_total(tally.metrics[i].total);
    sum.set_weight(tally.metrics[i].weight);
    ++i;
  }
  if (!of_step && program.eval_loss.has_value())
    TakeFormula(*program.eval_loss, sums);
  return sums;
}

absl::Status Trainer::Impl::ComputeAlone(
    std::int64_t step, const HostRows& run,
    const std::function<void(std::int64_t pass)>& each) {
  for (std::int64_t pass = 0; pass < PassesPerStep(); ++pass) {
    PODSIM_RETURN_IF_ERROR(ComputeRows(
        step, program.entries.at(EntryPoint::kTrainMicrobatch), run, pass));
    if (each != nullptr) each(pass);
  }
  return absl::OkStatus();
}

void Trainer::Impl::CountPass(const HostRows& run, std::int64_t pass,
                              Tally& tally) {
  const std::int64_t row = pass * rows_at_once;
  tally.Count(Results(*run.batch, run.first_row + row, rows_at_once,
                      ArenaOf(run.local, pass), /*of_step=*/true),
              row);
}

absl::Status Trainer::Impl::ReportHost(std::int64_t step,
                                       std::span<const HostRows> runs,
                                       int local, const Tally& tally) {
  if (tally.bad_row >= 0)
    return BadLoss(step, runs, {local, tally.bad_row / RowsOfCore()},
                   tally.bad_loss);
  if (bad_gradient.local == local) return BadGradient(step, runs);
  StepReport& report = reports[local];
  *report.mutable_metrics() = SumsOf(tally, /*of_step=*/true);
  report.set_examples(tally.examples);
  return absl::OkStatus();
}

absl::Status Trainer::Impl::Compute(std::int64_t step, const Batch& batch) {
  setup.progress->Enter(step, "compute");
  const TracedSpan traced = Traced(SpanKind::kCompute);
  PODSIM_RETURN_IF_ERROR(StrikeAt(step, "compute"));
  std::vector<HostRows> runs;
  runs.reserve(hosts.size());
  for (int local = 0; local < static_cast<int>(hosts.size()); ++local)
    runs.push_back({.batch = &batch,
                    .first_row = std::int64_t{local} * bits.cores_per_host() *
                                 bits.batch_per_core(),
                    .local = local});
  std::fill(gradient_hash.begin(), gradient_hash.end(), 0);
  if (!exchanges.empty()) PODSIM_RETURN_IF_ERROR(ComputeTogether(step, runs));
  for (const HostRows& run : runs) {
    const std::string who = absl::StrCat("host ", hosts[run.local]);
    Tally tally;
    if (exchanges.empty()) {
      PODSIM_RETURN_IF_ERROR(Annotate(
          ComputeAlone(step, run,
                       [&](std::int64_t pass) { CountPass(run, pass, tally); }),
          who));
    } else {
      for (std::int64_t pass = 0; pass < PassesPerStep(); ++pass)
        CountPass(run, pass, tally);
    }
    PODSIM_RETURN_IF_ERROR(ReportHost(step, runs, run.local, tally));
  }
  return absl::OkStatus();
}

absl::Status Trainer::Impl::Await(std::int64_t step, int bucket) {
  const std::string what = absl::StrCat("all-reduce of bucket ", bucket);
  setup.progress->Enter(step, what);
  Enter(StepPhase::kReduce);
  TracedSpan wait = Traced(SpanKind::kWait);
  const absl::StatusOr<absl::Time> since = reducer.Wait(bucket);
  PODSIM_RETURN_IF_ERROR(Annotate(since.status(), what));
  if (wait.on()) {
    wait->name = what;
    wait->peer = reducer.awaited(bucket);
  }
  // Until this thread woke up, the host was waiting for nobody else.
  step_times.Enter(StepPhase::kUpdate, *since);
  reduced = std::max(reduced, *since);
  return absl::OkStatus();
}

absl::Status Trainer::Impl::AwaitAll(std::int64_t step) {
  for (const std::int32_t bucket : travel_order)
    PODSIM_RETURN_IF_ERROR(Await(step, bucket));
  return absl::OkStatus();
}

// REQUIRES: what the segment reads is reduced.
absl::Status Trainer::Impl::RunUpdate(std::size_t segment) {
  CoreBuffers buffers;
  buffers.variables = variables;
  buffers.gradients = gradients[0];
  buffers.scratch = arenas[0].scratch;
  return RunSegment(program, program.entries.at(EntryPoint::kUpdate)[segment],
                    0, panels, scalars, *setup.kernels, parallel, buffers);
}

// Before the first bucket's. REQUIRES: as of RunUpdate.
absl::Status Trainer::Impl::BeginUpdate(std::int64_t step) {
  PODSIM_RETURN_IF_ERROR(StrikeAt(step, "update"));
  return program.update_needs_all ? RunUpdate(0) : absl::OkStatus();
}

absl::Status Trainer::Impl::Update(int bucket) {
  {
    TracedSpan traced = Traced(SpanKind::kUpdate);
    if (traced.on()) traced->name = absl::StrCat("update of bucket ", bucket);
    PODSIM_RETURN_IF_ERROR(
        RunUpdate(bucket + (program.update_needs_all ? 1 : 0)));
  }
  TracedSpan traced = Traced(SpanKind::kPacking);
  if (traced.on()) traced->name = absl::StrCat("packing of bucket ", bucket);
  packed.Pack(program, program.buckets[bucket].variables, variables,
              panels.columns, parallel, &times);
  return absl::OkStatus();
}

void Trainer::Impl::EndStep() {
  until_begun = reduce_begun - step_times.begin();
  last_reduce = reduced - reduce_begun;
  ended = step_times.EndStep(reduced);
}

absl::Status Trainer::Impl::ReduceAndUpdate(std::int64_t step) {
  for (const auto& start : std::exchange(postponed, {})) start();
  // In a serial step no update runs beside an all-reduce either.
  if (IsSerial(step)) PODSIM_RETURN_IF_ERROR(AwaitAll(step));
  for (const std::int32_t bucket : travel_order) {
    PODSIM_RETURN_IF_ERROR(Await(step, bucket));
    if (bucket == travel_order.back()) EndStep();
    HashGradients(bucket);
    if (program.update_needs_all) continue;
    if (bucket == travel_order.front())
      PODSIM_RETURN_IF_ERROR(BeginUpdate(step));
    PODSIM_RETURN_IF_ERROR(Update(bucket));
  }
  if (program.update_needs_all) {
    PODSIM_RETURN_IF_ERROR(BeginUpdate(step));
    for (const std::int32_t bucket : travel_order)
      PODSIM_RETURN_IF_ERROR(Update(bucket));
  }
  if (setup.faults != nullptr) {
    for (const int host : hosts)
      PODSIM_RETURN_IF_ERROR(
          setup.faults->CorruptWeights(step, host, variables));
    packed.Pack(program, variables, panels.columns, parallel);
  }
  return absl::OkStatus();
}

absl::Status Trainer::Impl::TrainStep(std::int64_t step, const Batch& batch) {
  Enter(StepPhase::kCompute);
  times.Clear();
  scalars.step = step;
  scalars.rate =
      RateAt(bits.learning_rate(),
             setup.start.examples_consumed +
                 (step - 1 - setup.start.step) * setup.plan.global_batch(),
             setup.plan.global_batch());
  PODSIM_RETURN_IF_ERROR(Compute(step, batch));
  Enter(StepPhase::kOther);
  PODSIM_RETURN_IF_ERROR(Audit(step));
  PODSIM_RETURN_IF_ERROR(StrikeAt(step, "all-reduce"));
  PODSIM_RETURN_IF_ERROR(ReduceAndUpdate(step));
  Enter(StepPhase::kOther);
  Report(step);
  return absl::OkStatus();
}

// Per variable of the buckets, so that a difference has a name; before the
// update, which may write over gradients.
void Trainer::Impl::HashGradients(int bucket) {
  std::size_t place = 0;
  for (int before = 0; before < bucket; ++before)
    place += program.buckets[before].gradients.size();
  const std::vector<TensorId>& ids = program.buckets[bucket].gradients;
  if (gradient_hashes.size() < place + ids.size())
    gradient_hashes.resize(place + ids.size());
  for (const TensorId id : ids)
    gradient_hashes[place++] =
        Crc32c(std::as_bytes(ValuesOf(id, gradients[0])));
}

std::vector<std::uint64_t> Trainer::Impl::WeightsHashes() const {
  std::vector<std::uint64_t> hashes;
  for (const GradientBucket& bucket : program.buckets)
    for (const TensorId id : bucket.variables)
      hashes.push_back(Crc32c(std::as_bytes(ValuesOf(id, variables))));
  return hashes;
}

std::span<const float> Trainer::Impl::ValuesOf(
    TensorId id, std::span<const float> arena) const {
  const ProgramTensor& tensor = program.tensor(id);
  return arena.subspan(tensor.offset, tensor.shape.elements());
}

void Trainer::Impl::ReportTimes(std::int64_t step, StepReport& report) const {
  report.set_seconds(absl::ToDoubleSeconds(ended.total));
  static_assert(kPhaseNames.size() == kStepPhases);
  for (std::size_t i = 0; i < kStepPhases; ++i)
    AddSeconds(kPhaseNames[i], absl::ToDoubleSeconds(ended.phases[i]),
               *report.mutable_phases());
  // The first step begins when the coordinator's word arrives, here earlier
  // than there.
  if (step > setup.start.step + 1)
    report.set_seconds_until_reduce(absl::ToDoubleSeconds(until_begun));
  report.set_seconds_last_reduce(absl::ToDoubleSeconds(last_reduce));
  static_assert(kWorkNames.size() == kWorkKinds);
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    const auto work = static_cast<Work>(i);
    // One thread makes the sums over microbatches.
    AddSeconds(kWorkNames[i],
               work == Work::kSums ? times.seconds(work) : SecondsOf(work),
               *report.mutable_work());
  }
}

void Trainer::Impl::ReportInput(StepReport& report) const {
  // Of data in memory there is nothing but the copy to tell, and step reports
  // are many.
  if (setup.dataset->in_memory()) return;
  const auto seconds = [this](InputPart part) {
    return (input_times[part] - input_reported[part]) /
           std::max(1, input_threads);
  };
  static_assert(kInputNames.size() == kInputParts);
  for (std::size_t i = 0; i < kInputNames.size(); ++i)
    AddSeconds(kInputNames[i], seconds(static_cast<InputPart>(i)),
               *report.mutable_input());
}

void Trainer::Impl::Report(std::int64_t step) {
  const std::int64_t every = setup.plan.spec().weights_check_every();
  std::vector<std::uint64_t> weights_hashes;
  if (every > 0 && step % every == 0) weights_hashes = WeightsHashes();
  for (std::size_t local = 0; local < hosts.size(); ++local) {
    StepReport& report = reports[local];
    report.set_host(hosts[local]);
    report.set_step(step);
    ReportTimes(step, report);
    ReportInput(report);
    report.mutable_gradient_hashes()->Assign(gradient_hashes.begin(),
                                             gradient_hashes.end());
    report.mutable_weights_hashes()->Assign(weights_hashes.begin(),
                                            weights_hashes.end());
    report.set_serial(IsSerial(step));
    setup.reports->OnStep(report);
  }
  input_reported = input_times;
}

}  // namespace podsim
