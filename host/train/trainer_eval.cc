// An evaluation: every host its share of the held-out examples.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "host/train/trainer_impl.h"

namespace podsim {

absl::Status Trainer::Impl::EvaluateRows(std::int64_t first_row,
                                         std::int64_t rows,
                                         std::int64_t rows_of_core,
                                         Tally& tally) {
  if (rows == 0) return absl::OkStatus();
  const CoreBuffers buffers =
      BuffersFor(eval_batch, first_row, rows, rows_of_core, arenas[0]);
  for (const Segment& segment : program.entries.at(EntryPoint::kEval)) {
    PODSIM_RETURN_IF_ERROR(CheckAbort());
    PODSIM_RETURN_IF_ERROR(RunSegment(program, segment, rows, panels, scalars,
                                      *setup.kernels, parallel, buffers));
  }
  tally.Count(
      Results(eval_batch, first_row, rows, arenas[0], /*of_step=*/false),
      first_row);
  return absl::OkStatus();
}

BatchPlace Trainer::Impl::EvalPlace(int local) const {
  const std::int64_t batch_per_core = setup.plan.eval_batch_per_core();
  const std::int64_t cores = bits.cores_per_host();
  return {.batch_per_core = batch_per_core,
          .first_core = hosts[local] * cores,
          .cores = cores,
          .global_batch = bits.hosts() * cores * batch_per_core};
}

absl::Status Trainer::Impl::EvaluateHost(std::int64_t step,
                                         const BatchPlace& place, int local,
                                         const RowsPassed& passed,
                                         EvalReport& report) {
  const std::int64_t batch_per_core = place.batch_per_core;
  const std::int64_t rows = place.cores * batch_per_core;
  PODSIM_RETURN_IF_ERROR(Annotate(
      FillEvalBatch(*setup.dataset, place, eval_batch, &parallel, passed),
      "evaluation's input"));
  // Rows beyond the end come last.
  const auto filled = std::find(eval_batch.weights.begin(),
                                eval_batch.weights.begin() + rows, 0.0F) -
                      eval_batch.weights.begin();
  Tally tally;
  if (program.mixes_in_eval) {
    // Nothing but examples: the last core that has any may have fewer.
    const std::int64_t rest = filled % batch_per_core;
    PODSIM_RETURN_IF_ERROR(
        EvaluateRows(0, filled - rest, batch_per_core, tally));
    PODSIM_RETURN_IF_ERROR(EvaluateRows(filled - rest, rest, rest, tally));
  } else if (filled > 0) {
    PODSIM_RETURN_IF_ERROR(EvaluateRows(0, rows, batch_per_core, tally));
  }
  if (tally.bad_row >= 0)
    return absl::InvalidArgumentError(absl::StrCat(
        "evaluation loss is not finite after step ", step, " on core ",
        std::int64_t{hosts[local]} * bits.cores_per_host() +
            tally.bad_row / batch_per_core,
        "; look at the eval split's examples, or train with a lower "
        "--learning_rate"));
  AddMetrics(SumsOf(tally, /*of_step=*/false), *report.mutable_metrics());
  report.set_examples(report.examples() + tally.examples);
  return absl::OkStatus();
}

absl::Status Trainer::Impl::Evaluate(std::int64_t step) {
  setup.progress->Enter(step, "evaluation");
  const TracedSpan traced = Traced(SpanKind::kEvaluation);
  for (int local = 0; local < static_cast<int>(hosts.size()); ++local) {
    EvalReport report;
    report.set_host(hosts[local]);
    report.set_step(step);
    BatchPlace place = EvalPlace(local);
    const auto ahead = setup.dataset->Ahead(
        Split::kEval, EvalRowsInOrder(*setup.dataset, place));
    std::int64_t rows = 0;
    for (; place.consumed < setup.dataset->size(Split::kEval);
         place.consumed += place.global_batch) {
      RowsPassed passed;
      if (ahead != nullptr)
        passed = [&, before = rows](std::int64_t of_batch) {
          ahead->Passed(before + of_batch);
        };
      PODSIM_RETURN_IF_ERROR(EvaluateHost(step, place, local, passed, report));
      rows += place.cores * place.batch_per_core;
    }
    setup.reports->OnEval(report);
  }
  return absl::OkStatus();
}

}  // namespace podsim
