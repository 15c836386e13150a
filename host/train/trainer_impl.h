// The trainer's parts, for the files that make them up: trainer.cc (the loop),
// trainer_step.cc (a step), trainer_exchange.cc (a step whose cores depend on
// one another), trainer_finite.cc (a step whose numbers are not finite),
// trainer_eval.cc (an evaluation), trainer_audit.cc.
#ifndef PODSIM_HOST_TRAIN_TRAINER_IMPL_H_
#define PODSIM_HOST_TRAIN_TRAINER_IMPL_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "host/core/core.h"
#include "host/core/tree_sum.h"
#include "host/input/stream.h"
#include "host/train/counting_parallel_for.h"
#include "host/train/pass_memory.h"
#include "host/train/step_times.h"
#include "host/train/tally.h"
#include "host/train/trainer.h"
#include "job/metrics.h"
#include "models/graph/buckets.h"
#include "models/graph/exchanges.h"

namespace podsim {

struct Trainer::Impl {
  static Reducer::Options Completed(Reducer::Options options,
                                    std::shared_ptr<const void> memory,
                                    Tracer* tracer) {
    options.memory = std::move(memory);
    options.tracer = tracer;
    return options;
  }

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
        last_step(setup.last_step),
        travel_order(TravelOrder(program)),
        exchanges(ExchangesOf(program)),
        joined(exchanges.size()),
        tree(program.gradient_elements, PassesPerStep()),
        packed(program, *setup.kernels),
        fusions(program, *setup.kernels),
        step_times(setup.clock->Now()),
        reducer(*setup.transport, *setup.clock, setup.plan, *setup.progress,
                Completed(setup.reducer, reduced_memory, setup.tracer)) {}

  // Of those that run at once in training, one core's.
  std::int64_t RowsOfCore() const {
    return std::min<std::int64_t>(bits.batch_per_core(), rows_at_once);
  }

  // Times that a host runs the program in a step: once for all of its rows, or
  // once per microbatch.
  std::int64_t PassesPerStep() const {
    return bits.cores_per_host() * bits.batch_per_core() / rows_at_once;
  }

  // trainer.cc
  absl::Status Train();
  BatchPlace FirstPlace() const;
  InfeedOptions InputOptions() const;
  absl::Status NextStep(std::int64_t step, Infeed& infeed);
  StepGate::Next After(std::int64_t step) const;
  absl::Status Finish(std::int64_t step, const StepGate::Next& next);

  // A span of all local hosts, or of one.
  TracedSpan Traced(SpanKind kind) {
    return TracedSpan(setup.tracer, kind, hosts.front(),
                      static_cast<int>(hosts.size()));
  }
  TracedSpan TracedOf(int local, SpanKind kind) {
    return TracedSpan(setup.tracer, kind, hosts[local]);
  }
  absl::Status TracedStep(std::int64_t step, Infeed& infeed,
                          StepGate::Next& next);

  absl::Status StrikeAt(std::int64_t step, std::string_view phase) const {
    return setup.faults == nullptr ? absl::OkStatus()
                                   : setup.faults->At(step, phase);
  }

  // trainer_step.cc
  absl::Status TrainStep(std::int64_t step, const Batch& batch);
  absl::Status Compute(std::int64_t step, const Batch& batch);
  // A host's rows of a batch, and the place of its gradient.
  struct HostRows {
    const Batch* batch = nullptr;
    std::int64_t first_row = 0;
    int local = 0;
  };
  // Pass after pass, without exchanges; each(pass) behind each.
  absl::Status ComputeAlone(std::int64_t step, const HostRows& run,
                            const std::function<void(std::int64_t pass)>& each);
  absl::Status ReportHost(std::int64_t step, std::span<const HostRows> runs,
                          int local, const Tally& tally);
  void CountPass(const HostRows& run, std::int64_t pass, Tally& tally);
  absl::Status ComputeRows(std::int64_t step, std::span<const Segment> segments,
                           const HostRows& run, std::int64_t pass);
  absl::Status RunTraced(const Segment& segment, const HostRows& run,
                         std::int64_t pass, CoreBuffers& buffers);
  absl::Status StartBucket(std::int64_t step, int local, int bucket,
                           std::span<float> pass_gradients, std::int64_t leaf);
  // Of the collectives of a step: buckets, and exchanges behind them.
  std::uint64_t SequenceOf(std::int64_t step, int index) const {
    const std::size_t each = program.buckets.size() + exchanges.size();
    return static_cast<std::uint64_t>(step - 1 - setup.start.step) * each +
           static_cast<std::uint64_t>(index);
  }
  // A step that begins to reduce when all is computed: what the overlap of the
  // others is measured against. The first step pays for the start.
  bool IsSerial(std::int64_t step) const {
    const std::int64_t every = setup.plan.spec().overlap_probe();
    return every > 0 && step > 1 && step % every == 0;
  }
  absl::Status Await(std::int64_t step, int bucket);
  absl::Status AwaitAll(std::int64_t step);
  absl::Status RunUpdate(std::size_t segment);
  absl::Status BeginUpdate(std::int64_t step);
  absl::Status Update(int bucket);
  absl::Status ReduceAndUpdate(std::int64_t step);
  void Enter(StepPhase phase) { step_times.Enter(phase, setup.clock->Now()); }
  // All hosts are together now, or were when the last bucket was reduced.
  void EndStep();
  void ReportTimes(std::int64_t step, StepReport& report) const;
  void ReportInput(StepReport& report) const;
  void Report(std::int64_t step);
  // Seconds of this step, with the threads side by side.
  double SecondsOf(Work work) const {
    return times.seconds(work) / parallel.threads();
  }
  void HashGradients(int bucket);
  std::vector<std::uint64_t> WeightsHashes() const;
  std::span<const float> ValuesOf(TensorId id,
                                  std::span<const float> arena) const;

  // trainer_finite.cc: what a step whose numbers are not finite is told.
  // Rows of a local host that run at once and are one core's.
  struct CoreRows {
    int local = 0;
    std::int64_t number = 0;  // of so many rows of the host
    bool operator==(const CoreRows&) const = default;
  };
  class BadStep;
  absl::Status BadLoss(std::int64_t step, std::span<const HostRows> runs,
                       const CoreRows& rows, float loss);
  absl::Status BadGradient(std::int64_t step, std::span<const HostRows> runs);
  // Of a host's first step: its own gradients of a bucket.
  void NoteBadGradient(int local, int bucket, std::span<const float> values);

  // trainer_exchange.cc
  using Arena = PassArena;
  Arena& ArenaOf(int local, std::int64_t pass);
  // Of a per-core tensor, for each of the host's cores.
  std::vector<std::span<float>> ValuesOfCores(TensorId id, int local);
  // What the cores of a host have in common that ran in several passes.
  void JoinPasses(const Segment& segment, int local);
  absl::Status JoinHosts(std::int64_t step, std::size_t number);
  void KeepJoined(std::size_t number);
  // Puts into the arena what exchange `number` gave a core of `rows`.
  void TakeJoined(std::size_t number, const CoreRows& rows, Arena& arena);
  absl::Status ComputeTogether(std::int64_t step,
                               std::span<const HostRows> runs);

  // trainer_audit.cc: other hosts compute a host's gradient again.
  int AuditSlot() const;
  void HashBucket(int local, std::span<const float> values);
  absl::Status Audit(std::int64_t step);
  absl::Status ComputeAgain(std::int64_t step, int host);

  // trainer_eval.cc
  absl::Status Evaluate(std::int64_t step);
  BatchPlace EvalPlace(int local) const;  // of a host's first batch
  absl::Status EvaluateHost(std::int64_t step, const BatchPlace& place,
                            int local, const RowsPassed& passed,
                            EvalReport& report);
  // Rows of eval_batch, `rows_of_core` of them a core's.
  absl::Status EvaluateRows(std::int64_t first_row, std::int64_t rows,
                            std::int64_t rows_of_core, Tally& tally);

  // `rows_of_core`: how many of them are one core's.
  CoreBuffers BuffersFor(const Batch& batch, std::int64_t first_row,
                         std::int64_t rows, std::int64_t rows_of_core,
                         Arena& arena);
  // Of the `rows` rows of `batch` that ran last in the arena.
  RowResults Results(const Batch& batch, std::int64_t first_row,
                     std::int64_t rows, Arena& arena, bool of_step);
  // Of a step the loss is the sum that its gradient is of.
  MetricSums SumsOf(const Tally& tally, bool of_step) const;
  std::span<float> Output(TensorId id, std::int64_t rows, Arena& arena);
  absl::Status CheckAbort() const;
  void Allocate();

  TrainerSetup setup;
  const PlanBits& bits;
  const Program& program;
  const std::vector<int> hosts;  // local
  CountingParallelFor parallel;
  const Panels panels;
  std::vector<int> input_fields;  // as InputFields says
  // The first gradient that is not finite, in the first step.
  struct {
    int local = -1;  // none
    TensorId gradient = kNoTensor;
    TensorId variable = kNoTensor;
  } bad_gradient;
  const std::int64_t rows_at_once;
  const std::int64_t last_step;
  const std::vector<std::int32_t> travel_order;  // of the buckets
  const std::vector<const Segment*> exchanges;
  // Of this step, by exchange: what each core has, host by host.
  std::vector<std::vector<float>> joined;
  TreeSum tree;  // of one host after the other

  std::vector<float> variables;
  PackedVariables packed;
  Fusions fusions;
  Workspace workspace;
  OpTimes times;  // of this step
  // Of the sums, per variable, bucket behind bucket, in this step.
  std::vector<std::uint64_t> gradient_hashes;
  // Of what a host adds to the sum, as the buckets travel; on audited steps.
  std::vector<std::uint32_t> gradient_hash;
  const std::shared_ptr<ReducedMemory> reduced_memory =
      std::make_shared<ReducedMemory>();
  std::vector<std::vector<float>>& gradients = reduced_memory->gradients;
  std::vector<Arena>& arenas = reduced_memory->arenas;
  StepTimes step_times;
  absl::Time reduce_begun;          // the last all-reduce of this step
  absl::Time reduced;               // all of them
  absl::Duration until_begun;       // since the end of the step before
  absl::Duration last_reduce;       // from there to the end of this one
  PhaseTimes ended;                 // the step that ended last
  std::vector<StepReport> reports;  // of this step, per local host
  std::vector<std::function<void()>> postponed;  // starts, in a serial step
  InputTimes input_times;                        // of all batches made so far
  InputTimes input_reported;  // of them, what earlier reports had
  int input_threads = 1;
  StepScalars scalars;
  Batch eval_batch;
  Batch audit_batch;

  mutable Mutex mutex;
  absl::Status abort_status PODSIM_GUARDED_BY(mutex);
  std::atomic<bool> aborted{false};
  Reducer reducer;  // last: its thread borrows the gradients
};

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_TRAINER_IMPL_H_
