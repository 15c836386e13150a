#include "runtime/job/scaling.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"

namespace podsim {
namespace {

constexpr std::int64_t kMostExamples = std::int64_t{1} << 62;
// Up to here a double holds every whole number.
constexpr double kMostEpochExamples = 9007199254740992.0;
// epochs * D is off by at most half a unit in the last place, and `epochs` as
// typed by another half: two parts in 2^53. Anything nearer to a whole number
// than this is that number.
constexpr double kProductRounding = 4.0 / kMostEpochExamples;

}  // namespace

absl::StatusOr<std::int64_t> ExamplesOf(std::int64_t steps,
                                        std::int64_t batch) {
  std::int64_t examples = 0;
  if (__builtin_mul_overflow(steps, batch, &examples) ||
      examples > kMostExamples)
    return absl::InvalidArgumentError(absl::StrCat(
        FormatCount(steps), " steps of ", FormatCount(batch),
        " examples are more than this program counts (2^62 "
        "examples); give up to ",
        FormatCount(kMostExamples / batch), " steps, or a smaller batch"));
  return examples;
}

ScaledSteps StepsFor(std::int64_t examples, std::int64_t batch) {
  PODSIM_CHECK(examples >= 0 && examples <= kMostExamples && batch >= 1);
  const std::int64_t rest = examples % batch;
  if (rest == 0) return {.steps = examples / batch, .overshoot_examples = 0};
  return {.steps = examples / batch + 1, .overshoot_examples = batch - rest};
}

absl::StatusOr<ScaledSteps> ScaleSteps(std::int64_t reference_steps,
                                       std::int64_t reference_batch,
                                       std::int64_t batch) {
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t examples,
                          ExamplesOf(reference_steps, reference_batch));
  return StepsFor(examples, batch);
}

absl::StatusOr<ScaledSteps> StepsForEpochs(double epochs,
                                           std::int64_t dataset_size,
                                           std::int64_t batch) {
  const double product = epochs * static_cast<double>(dataset_size);
  if (!(product <= kMostEpochExamples))
    return absl::InvalidArgumentError(absl::StrCat(
        epochs, " epochs of ", FormatCount(dataset_size),
        " examples are more than this program counts; give up to ",
        FormatCount(static_cast<std::int64_t>(
            kMostEpochExamples / static_cast<double>(dataset_size))),
        " epochs"));
  double examples = std::round(product);
  if (std::abs(product - examples) > product * kProductRounding)
    examples = std::ceil(product);
  return StepsFor(static_cast<std::int64_t>(examples), batch);
}

double ScaleRate(double rate, std::int64_t reference_batch, std::int64_t batch,
                 words::RateScaling::Word rule) {
  const double factor =
      static_cast<double>(batch) / static_cast<double>(reference_batch);
  if (rule == words::RateScaling::linear) return rate * factor;
  return rule == words::RateScaling::sqrt ? rate * std::sqrt(factor) : rate;
}

absl::StatusOr<std::int64_t> BatchPerCore(const std::string& what,
                                          std::int64_t batch, int cores,
                                          const std::string& replica) {
  if (batch % cores == 0 && batch > 0) return batch / cores;
  const std::int64_t below = batch / cores;
  std::string nearest =
      absl::StrCat(FormatCount((below + 1) * cores), " (",
                   FormatCount(below + 1), " per ", replica, ")");
  if (below > 0)
    nearest = absl::StrCat(FormatCount(below * cores), " (", FormatCount(below),
                           " per ", replica, ") and ", nearest);
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", FormatCount(batch), " does not divide by the ",
                   FormatCount(cores), " ", replica,
                   "s of the slice; nearest that do: ", nearest));
}

}  // namespace podsim
