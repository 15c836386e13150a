#include "runtime/ladder/what_to_change.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"

namespace podsim {
namespace {

// The learning rate follows the batch by the linear rule.
bool IsLinear(const RungPlan& first, const RungPlan& here) {
  constexpr double kNear = 1e-6;
  if (first.learning_rate <= 0 || here.global_batch <= first.global_batch)
    return false;
  const double batches = static_cast<double>(here.global_batch) /
                         static_cast<double>(first.global_batch);
  return std::abs(here.learning_rate / first.learning_rate / batches - 1) <
         kNear;
}

// The same global batch on all rungs.
bool IsStrong(const RungPlan& first, const RungPlan& here) {
  return first.slice != here.slice && first.global_batch == here.global_batch;
}

double FallOf(const Rung& rung) {
  double fall = 0;
  for (const RungRun& run : rung.runs) fall += run.first_loss - run.last_loss;
  return fall / static_cast<double>(rung.runs.size());
}

std::string StepsText(const RungPlan& plan) {
  return absl::StrCat(FormatCount(plan.steps), " steps of ",
                      FormatCount(plan.global_batch), " examples");
}

std::string BatchAdvice(const RungPlan& first, const RungPlan& here) {
  if (IsStrong(first, here))
    return absl::StrCat("--train_batch_size: ", here.global_batch,
                        "; try a smaller one, with more steps");
  if (here.batch_per_core < 2)
    return absl::StrCat("--steps: ", first.steps, " on ", first.slice,
                        " leave ", StepsText(here), " here; try ",
                        2 * first.steps);
  return absl::StrCat("--batch_per_core: ", here.batch_per_core, " leaves ",
                      StepsText(here), " here; try ", here.batch_per_core / 2,
                      ", which makes twice as many, or twice as many --steps");
}

}  // namespace

std::string RateAdvice(const RungPlan& first, const RungPlan& here) {
  std::string text =
      absl::StrFormat("--learning_rate: %.4g", first.learning_rate);
  if (here.learning_rate != first.learning_rate)
    text +=
        absl::StrFormat(" on %s is %.4g here", first.slice, here.learning_rate);
  text += absl::StrFormat("; try %.4g", first.learning_rate / 2);
  if (IsLinear(first, here)) {
    const double batches = static_cast<double>(here.global_batch) /
                           static_cast<double>(first.global_batch);
    text += absl::StrFormat(", or --lr_scaling=sqrt (%.4g here)",
                            first.learning_rate * std::sqrt(batches));
  }
  return text + ", or a longer --warmup_steps";
}

std::string LossAdvice(const Rung& first, const Rung& rung) {
  const double fall = FallOf(rung);
  if (!(fall >= FallOf(first) / 2)) return RateAdvice(first.plan, rung.plan);
  return BatchAdvice(first.plan, rung.plan);
}

std::string StepsAdvice(const RungPlan& first) {
  return absl::StrCat("--steps: ", first.steps, " on ", first.slice,
                      " learn less than they could; try ", 2 * first.steps,
                      ", or another --learning_rate");
}

std::string MemoryAdvice() {
  return "--batch_per_core (or --train_batch_size): fewer examples take less "
         "HBM";
}

std::string EfficiencyAdvice(const RungPlan& here) {
  return absl::StrCat(
      "--batch_per_core: ", here.batch_per_core, "; try ",
      2 * here.batch_per_core,
      ", which has twice the computation for the same all-reduce");
}

std::string PromiseText() {
  return "nothing of the job: a run keeps the plan's simulated step, and this "
         "one does not; please report it with the slice's metrics";
}

}  // namespace podsim
