// What a step whose numbers are not finite is told: the core, and the example
// or the op that did it. Nothing here runs while all is finite.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "host/checkpoint/divergence.h"
#include "host/core/first_not_finite.h"
#include "host/core/inspect_pass.h"
#include "host/train/bad_examples.h"
#include "host/train/trainer_impl.h"
#include "models/ops/op_table.h"

namespace podsim {

// A step of the hosts that this process plays, looked at again.
class Trainer::Impl::BadStep {
 public:
  BadStep(Impl& impl, std::int64_t step, std::span<const HostRows> runs)
      : impl_(impl), step_(step), runs_(runs) {}

  absl::Status Loss(const CoreRows& rows, float loss) {
    PODSIM_ASSIGN_OR_RETURN(const Cause cause,
                            CauseOf(rows, impl_.program.loss));
    const bool is_first = step_ == 1;
    const std::string what = absl::StrCat(
        is_first ? "loss is " : "loss became ",
        std::isnan(loss) ? "nan" : "infinite", " at step ", step_,
        OnCore(cause.rows),
        is_first ? " with the initial weights, before any update" : "");
    if (cause.is_example)
      return Failure(cause.rows, absl::StrCat(what, "; ", cause.text));
    return Failure(
        cause.rows,
        absl::StrCat(what, is_first ? OfStream(CoreOf(cause.rows)) : "", "; ",
                     cause.text, is_first ? "" : "; ",
                     is_first ? "" : Advice()));
  }

  absl::Status Gradient(int local, TensorId gradient, TensorId variable) {
    PODSIM_ASSIGN_OR_RETURN(const Cause cause, CauseOf({local, 0}, gradient));
    return Failure(
        cause.rows,
        absl::StrCat("the gradient of ", impl_.program.tensor(variable).name,
                     " is not finite at step ", step_, OnCore(cause.rows),
                     ", before any update, though the loss is; ", cause.text));
  }

 private:
  // Why a value of some rows is not finite.
  struct BadOp {
    CoreRows rows;
    SeenTensors seen;
    FirstNotFinite found;
    // It may be another core's doing.
    bool joins_cores() const {
      return found.op != nullptr && EntryOf(found.op->op).joins_cores;
    }
  };
  struct Cause {
    CoreRows rows;
    std::string text;
    bool is_example = false;
  };
  // A core's batch: where its rows are in the data set; what is bad in them.
  struct CoreExamples {
    std::vector<std::int64_t> examples;  // empty: cannot be read again
    std::string bad;
  };

  absl::StatusOr<Cause> CauseOf(const CoreRows& first, TensorId of) {
    CoreExamples examples = ExamplesOf(CoreOf(first));
    if (!examples.bad.empty())
      return Cause{first, examples.bad, /*is_example=*/true};
    impl_.setup.progress->Enter(step_, "looking for the op that is not finite");
    PODSIM_ASSIGN_OR_RETURN(const std::optional<BadOp> found, Find(first, of));
    impl_.setup.progress->Enter(step_, "compute");
    if (!found) return Cause{first, "computed again, op by op, it is finite"};
    if (found->rows != first) examples = ExamplesOf(CoreOf(found->rows));
    if (!examples.bad.empty())
      return Cause{found->rows, examples.bad, /*is_example=*/true};
    return Cause{found->rows, TextOf(*found, examples)};
  }

  // Of the first rows, if it is their own doing; else of others that may have
  // given it to them: the host's, and where cores are joined other hosts'.
  absl::StatusOr<std::optional<BadOp>> Find(const CoreRows& first,
                                            TensorId of) {
    std::optional<BadOp> best;
    for (const CoreRows& rows : Candidates(first)) {
      PODSIM_ASSIGN_OR_RETURN(auto found, Inspect(rows, of));
      if (!found || (best && found->joins_cores())) continue;
      best = std::move(found);
      if (!best->joins_cores()) break;
    }
    return best;
  }

  std::vector<CoreRows> Candidates(const CoreRows& first) const {
    std::vector<CoreRows> candidates = {first};
    const std::int64_t of_host = impl_.bits.cores_per_host() *
                                 impl_.bits.batch_per_core() /
                                 impl_.RowsOfCore();
    for (const HostRows& run : runs_)
      for (std::int64_t number = 0; number < of_host; ++number)
        if (const CoreRows rows = {run.local, number};
            rows != first &&
            (run.local == first.local || !impl_.exchanges.empty()))
          candidates.push_back(rows);
    return candidates;
  }

  // Runs the rows' pass again. Nothing: `of` is finite.
  absl::StatusOr<std::optional<BadOp>> Inspect(const CoreRows& rows,
                                               TensorId of) {
    PODSIM_RETURN_IF_ERROR(impl_.CheckAbort());
    const HostRows& run = runs_[static_cast<std::size_t>(rows.local)];
    const std::int64_t count = impl_.RowsOfCore();
    Arena& arena = impl_.ArenaOf(rows.local, 0);
    CoreBuffers buffers = impl_.BuffersFor(
        *run.batch, run.first_row + rows.number * count, count, count, arena);
    // The host's own are being sent.
    std::vector<float> gradients(
        static_cast<std::size_t>(impl_.program.gradient_elements));
    buffers.gradients = gradients;
    const auto join = [&](std::size_t number) {
      impl_.TakeJoined(number, rows, arena);
    };
    PODSIM_ASSIGN_OR_RETURN(SeenTensors seen,
                            InspectPass({.program = impl_.program,
                                         .rows = count,
                                         .panels = impl_.panels,
                                         .kernels = *impl_.setup.kernels,
                                         .parallel = impl_.parallel,
                                         .buffers = buffers,
                                         .join = join},
                                        of));
    const auto found = FindFirstNotFinite(impl_.program, seen, of);
    if (!found) return std::nullopt;
    return BadOp{rows, std::move(seen), *found};
  }

  int HostOf(const CoreRows& rows) const { return impl_.hosts[rows.local]; }
  int CoreOf(const CoreRows& rows) const {
    return HostOf(rows) * impl_.bits.cores_per_host() +
           static_cast<int>(rows.number * impl_.RowsOfCore() /
                            impl_.bits.batch_per_core());
  }
  std::string OnCore(const CoreRows& rows) const {
    return absl::StrCat(" on core ", CoreOf(rows), " (host ", HostOf(rows),
                        ")");
  }
  absl::Status Failure(const CoreRows& rows, const std::string& what) const {
    return absl::InvalidArgumentError(
        absl::StrCat("host ", HostOf(rows), ": ", what));
  }

  BatchPlace PlaceOf(int core) const {
    BatchPlace place = impl_.FirstPlace();
    place.consumed += (step_ - 1 - impl_.setup.start.step) * place.global_batch;
    place.first_core = core;
    place.cores = 1;
    return place;
  }

  std::string OfStream(int core) const {
    const BatchPlace place = PlaceOf(core);
    const std::int64_t first = place.consumed + core * place.batch_per_core;
    return absl::StrCat(", of examples ", first, " to ",
                        first + place.batch_per_core - 1, " of the stream");
  }

  CoreExamples ExamplesOf(int core) const {
    const Dataset& dataset = *impl_.setup.dataset;
    Batch batch;
    CoreExamples of;
    if (!FillTrainBatch(dataset, impl_.bits.seed(), PlaceOf(core), batch,
                        &of.examples)
             .ok())
      return {};
    of.bad = BadExampleText(impl_.program, dataset.config(), impl_.input_fields,
                            batch, of.examples);
    return of;
  }

  std::string TextOf(const BadOp& bad, const CoreExamples& examples) const {
    std::string where;
    if (bad.found.row >= 0) {
      const std::int64_t of_core =
          (bad.rows.number * impl_.RowsOfCore() + bad.found.row) %
          impl_.bits.batch_per_core();
      where = examples.examples.empty()
                  ? absl::StrCat("in row ", of_core, " of the core's batch")
                  : absl::StrCat("in example ", examples.examples[of_core],
                                 " of the data set");
    }
    return absl::StrCat(
        "first not finite: ",
        NotFiniteText(impl_.program, bad.seen, bad.found, where));
  }

  std::string Advice() const {
    const TrainerSetup& setup = impl_.setup;
    return DivergenceAdvice(setup.plan.spec().model_dir(),
                            setup.saver != nullptr && setup.saver->CanGoBack());
  }

  Impl& impl_;
  const std::int64_t step_;
  const std::span<const HostRows> runs_;
};

void Trainer::Impl::NoteBadGradient(int local, int bucket,
                                    std::span<const float> values) {
  if (bad_gradient.local >= 0) return;
  const GradientBucket& range = program.buckets[bucket];
  for (std::size_t i = 0; i < range.gradients.size(); ++i) {
    const ProgramTensor& gradient = program.tensor(range.gradients[i]);
    const auto own = values.subspan(gradient.offset - range.begin,
                                    gradient.shape.elements());
    if (std::all_of(own.begin(), own.end(),
                    [](float value) { return std::isfinite(value); }))
      continue;
    bad_gradient = {local, range.gradients[i], range.variables[i]};
    return;
  }
}

absl::Status Trainer::Impl::BadLoss(std::int64_t step,
                                    std::span<const HostRows> runs,
                                    const CoreRows& rows, float loss) {
  return BadStep(*this, step, runs).Loss(rows, loss);
}

absl::Status Trainer::Impl::BadGradient(std::int64_t step,
                                        std::span<const HostRows> runs) {
  return BadStep(*this, step, runs)
      .Gradient(bad_gradient.local, bad_gradient.gradient,
                bad_gradient.variable);
}

}  // namespace podsim
