// A step: forward and backward host by host with each bucket's all-reduce
// started as soon as it is ready, then bucket by bucket the wait and the
// update.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "host/train/trainer_impl.h"
#include "job/audit_plan.h"
#include "models/optimizer/learning_rate.h"

namespace podsim {
namespace {

absl::Status NotFinite(std::int64_t step, int core, int host, float loss,
                       const std::string& model_dir) {
  return absl::InvalidArgumentError(absl::StrCat(
      "loss became ", std::isnan(loss) ? "nan" : "infinite", " at step ", step,
      " on core ", core, " (host ", host,
      "); lower --learning_rate or lengthen --warmup_steps",
      model_dir.empty()
          ? ""
          : absl::StrCat(", perhaps from an earlier checkpoint (--restore=",
                         model_dir, "/STEP)")));
}

}  // namespace

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
      PODSIM_RETURN_IF_ERROR(StartBucket(step, local, segment.bucket, leaf));
    }
  }
  return absl::OkStatus();
}

absl::Status Trainer::Impl::StartBucket(std::int64_t step, int local,
                                        int bucket, std::int64_t leaf) {
  const GradientBucket& range = program.buckets[bucket];
  const std::span<float> values =
      std::span(gradients[local]).subspan(range.begin, range.count);
  {
    const TimedWork timed(&times, Work::kSums);
    tree.Add(leaf, range.begin, values);
  }
  if (leaf + 1 < PassesPerStep()) return absl::OkStatus();
  if (setup.faults != nullptr && local < AuditSlot())
    PODSIM_RETURN_IF_ERROR(
        setup.faults->CorruptGradient(step, hosts[local], values));
  if (AuditedHost(setup.plan, step)) HashBucket(local, values);
  if (local == AuditSlot()) return absl::OkStatus();
  const auto buckets = static_cast<std::uint64_t>(program.buckets.size());
  const std::uint64_t sequence =
      (step - 1 - setup.start.step) * buckets + bucket;
  const auto start = [this, local, bucket, sequence, values] {
    reducer.Start(local, bucket, sequence, values);
  };
  if (IsSerial(step)) {
    postponed.emplace_back(start);
  } else {
    start();
  }
  return absl::OkStatus();
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
      std::int64_t{local} * bits.cores_per_host() * bits.batch_per_core();
  gradient_hash[local] = 0;
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
        hosts[local], tally.bad_loss, setup.plan.model_dir());
  StepReport& report = reports[local];
  report.set_loss(tally.loss);
  report.set_correct(tally.correct);
  report.set_examples(tally.examples);
  return absl::OkStatus();
}

absl::Status Trainer::Impl::Compute(std::int64_t step, const Batch& batch) {
  setup.progress->Enter(step, "compute");
  PODSIM_RETURN_IF_ERROR(StrikeAt(step, "compute"));
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
  const absl::Duration packed_before = absl::Seconds(SecondsOf(Work::kPacking));
  for (const auto& start : std::exchange(postponed, {})) start();
  absl::Duration waited;
  // In a serial step no update runs beside an all-reduce either.
  if (IsSerial(step)) PODSIM_RETURN_IF_ERROR(AwaitAll(step, waited));
  for (int bucket = 0; bucket < static_cast<int>(program.buckets.size());
       ++bucket) {
    PODSIM_RETURN_IF_ERROR(Await(step, bucket, waited));
    if (bucket == 0) PODSIM_RETURN_IF_ERROR(StrikeAt(step, "update"));
    CoreBuffers buffers;
    buffers.variables = variables;
    buffers.gradients = gradients[0];
    buffers.scratch = scratch;
    PODSIM_RETURN_IF_ERROR(RunSegment(program, updates[bucket], 0, panels,
                                      scalars, *setup.kernels, parallel,
                                      buffers));
    packed.Pack(program, program.buckets[bucket].variables, variables,
                panels.columns, parallel, &times);
  }
  if (setup.faults != nullptr) {
    for (const int host : hosts)
      PODSIM_RETURN_IF_ERROR(
          setup.faults->CorruptWeights(step, host, variables));
    packed.Pack(program, variables, panels.columns, parallel);
  }
  const absl::Duration update = setup.clock->Now() - begin - waited -
                                absl::Seconds(SecondsOf(Work::kPacking)) +
                                packed_before;
  for (StepReport& report : reports) {
    report.set_seconds_reduce(absl::ToDoubleSeconds(waited));
    report.set_seconds_update(absl::ToDoubleSeconds(update));
  }
  return absl::OkStatus();
}

absl::Status Trainer::Impl::TrainStep(std::int64_t step, const Batch& batch) {
  const absl::Time begin = setup.clock->Now();
  times.Clear();
  scalars.learning_rate = static_cast<float>(
      RateAt(bits.learning_rate(),
             setup.start.examples_consumed +
                 (step - 1 - setup.start.step) * setup.plan.global_batch(),
             setup.plan.global_batch()));
  PODSIM_RETURN_IF_ERROR(Compute(step, batch));
  const double computed = absl::ToDoubleSeconds(setup.clock->Now() - begin);
  PODSIM_RETURN_IF_ERROR(Audit(step));
  PODSIM_RETURN_IF_ERROR(StrikeAt(step, "all-reduce"));
  PODSIM_RETURN_IF_ERROR(ReduceAndUpdate(step));
  Report(step, computed);
  return absl::OkStatus();
}

// Per variable of the buckets, so that a difference has a name.
std::vector<std::uint64_t> Trainer::Impl::GradientHashes() const {
  std::vector<std::uint64_t> hashes;
  for (const GradientBucket& bucket : program.buckets)
    for (const TensorId id : bucket.gradients)
      hashes.push_back(Crc32c(std::as_bytes(ValuesOf(id, gradients[0]))));
  return hashes;
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

void Trainer::Impl::Report(std::int64_t step, double computed) {
  const std::vector<std::uint64_t> gradient_hashes = GradientHashes();
  const std::int64_t every = setup.plan.weights_check_every();
  std::vector<std::uint64_t> weights_hashes;
  if (every > 0 && step % every == 0) weights_hashes = WeightsHashes();
  for (std::size_t local = 0; local < hosts.size(); ++local) {
    StepReport& report = reports[local];
    report.set_host(hosts[local]);
    report.set_step(step);
    report.set_seconds_compute(computed);
    report.set_seconds_products(SecondsOf(Work::kProducts));
    report.set_seconds_packing(SecondsOf(Work::kPacking));
    report.set_seconds_elementwise(SecondsOf(Work::kElementwise));
    report.set_seconds_sums(times.seconds(Work::kSums));
    report.mutable_gradient_hashes()->Assign(gradient_hashes.begin(),
                                             gradient_hashes.end());
    report.mutable_weights_hashes()->Assign(weights_hashes.begin(),
                                            weights_hashes.end());
    report.set_serial(IsSerial(step));
    setup.reports->OnStep(report);
  }
}

}  // namespace podsim
