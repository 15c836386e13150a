#include "runtime/forecast/format_forecast.h"

#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/units.h"

namespace podsim {
namespace {

constexpr double kPercent = 0.01;

std::string SpanText(SimTime time) { return podsim::SpanText(time.seconds()); }

std::string RateText(double per_second) {
  return absl::StrCat(FormatCount(std::llround(per_second)), " examples/s");
}

std::string AllReduceText(const JobForecast& forecast) {
  const SimStep& step = forecast.step;
  if (!forecast.algorithm) return "nothing to all-reduce";
  return absl::StrCat("all-reduce ", SpanText(step.communication), " by ",
                      std::string(NameOf(*forecast.algorithm)), ", ",
                      SpanText(step.exposed_communication), " of it exposed");
}

// " (35 to 55.2 us)".
std::string BandText(const JobForecast& forecast) {
  return absl::StrCat(" (", RangeText(forecast.band), ")");
}

// ", 53.1 us without the fixed cost of a step"; nothing where there is none.
std::string FixedText(const SimStep& step) {
  if (step.fixed == SimTime()) return "";
  return absl::StrCat(", ", SpanText(step.total - step.fixed),
                      " without the fixed cost of a step");
}

std::string StepText(const JobForecast& forecast) {
  const SimStep& step = forecast.step;
  return absl::StrCat(SpanText(step.total), " sim", BandText(forecast),
                      FixedText(step), ": compute ",
                      SpanText(step.compute + step.update), ", ",
                      AllReduceText(forecast), ", input ", SpanText(step.input),
                      step.store > SimTime()
                          ? absl::StrCat(", the store ", SpanText(step.store))
                          : "",
                      " meanwhile; bound by ", BoundOf(forecast));
}

std::string StepsTakeText(const JobForecast& forecast) {
  return absl::StrCat(FormatCounted(forecast.steps, "step"),
                      forecast.steps == 1 ? " takes " : " take ",
                      podsim::SpanText(forecast.seconds()));
}

std::string JobText(const JobForecast& forecast) {
  return absl::StrCat(
      RateText(forecast.examples_per_second()), "; ", StepsTakeText(forecast),
      ", ", AmountText(forecast.chip_hours()),
      forecast.saves
          ? " chip-hours with its checkpoints, without start-up and evaluation"
          : " chip-hours, without start-up, evaluation and checkpoints");
}

// "5 checkpoints: each stops the pod for 3 us and is written in 1.2 s beside
// training; ..."
std::string SavesText(const SaveForecast& saves) {
  const std::string waits =
      saves.wait_seconds > 0
          ? absl::StrCat("it waits ", podsim::SpanText(saves.wait_seconds),
                         " in all for writes that are not over, and ")
          : "";
  return absl::StrCat(
      FormatCounted(saves.count, "checkpoint"), " of ",
      FormatBytes(saves.bytes), saves.count == 1 ? ": stops" : ": each stops",
      " the pod for ", SpanText(saves.pause),
      " sim and is written beside training in ", SpanText(saves.upload),
      " sim; ", waits,
      "the end waits for the last write: ", podsim::SpanText(saves.seconds()),
      " in all");
}

bool HasBatchOf(const LadderFoot& foot, const JobForecast& forecast) {
  return forecast.global_batch == foot.batch_per_core * forecast.replicas;
}

bool IsFoot(const Slice& slice, const LadderFoot& foot,
            const JobForecast& forecast) {
  return slice.name == foot.slice && HasBatchOf(foot, forecast);
}

// Without the fixed cost of a step, there and here.
double EfficiencyLessFixed(const JobForecast& forecast,
                           const LadderFoot& foot) {
  const SimStep& step = forecast.step;
  const double rate = static_cast<double>(forecast.global_batch) /
                      (step.total - step.fixed).seconds() / forecast.replicas;
  const auto batch = static_cast<double>(foot.batch_per_core);
  const double foot_step =
      batch / foot.examples_per_second_per_replica - foot.fixed_seconds;
  return rate / (batch / foot_step);
}

// "; 18% is exposed all-reduce": of the step's time without the fixed cost,
// where what the same batch takes longer than at the foot is nothing else.
std::string ExposedText(const JobForecast& forecast, const LadderFoot& foot,
                        double efficiency) {
  const SimStep& step = forecast.step;
  const double more =
      (step.exposed_communication.seconds() - foot.exposed_seconds) /
      (step.total - step.fixed).seconds();
  const bool explains = HasBatchOf(foot, forecast) &&
                        std::abs(more - (1 - efficiency)) < kPercent / 2;
  return explains && more >= kPercent
             ? absl::StrCat("; ", PercentText(more), " is exposed all-reduce")
             : "";
}

std::string ScalingText(const JobForecast& forecast, const LadderFoot& foot,
                        const Slice& slice) {
  const double efficiency = forecast.examples_per_second_per_replica() /
                            foot.examples_per_second_per_replica;
  const double less_fixed = EfficiencyLessFixed(forecast, foot);
  const std::string batch =
      HasBatchOf(foot, forecast)
          ? ""
          : absl::StrCat(" with batch ", FormatCount(foot.batch_per_core),
                         " per ", slice.replica_name());
  const bool differs = std::abs(less_fixed - efficiency) >= kPercent / 2;
  return absl::StrCat("scaling efficiency ", PercentText(efficiency),
                      " against ", foot.slice, batch,
                      differs ? absl::StrCat(", ", PercentText(less_fixed),
                                             " without the fixed cost")
                              : "",
                      ExposedText(forecast, foot, less_fixed));
}

}  // namespace

std::string RangeText(const Band& band) {
  return RangeText(band.low.seconds(), band.high.seconds());
}

std::string RangeText(double low_seconds, double high_seconds) {
  const std::string low = SpanText(low_seconds);
  const std::string high = SpanText(high_seconds);
  const std::size_t unit = low.find(' ');
  const bool same = low.substr(unit) == high.substr(high.find(' '));
  return absl::StrCat(same ? low.substr(0, unit) : low, " to ", high);
}

std::string HowText(const JobForecast& forecast) {
  const std::string bound = absl::StrCat("bound by ", BoundOf(forecast));
  if (!forecast.algorithm) return bound;
  return absl::StrCat(std::string(NameOf(*forecast.algorithm)), ", ", bound);
}

std::string StepAndRunText(const JobForecast& forecast) {
  return absl::StrCat(SpanText(forecast.step.total), " sim", BandText(forecast),
                      FixedText(forecast.step), ", bound by ",
                      BoundOf(forecast), "; ", StepsTakeText(forecast), " sim");
}

std::string BriefForecast(const JobForecast& forecast, const LadderFoot& foot,
                          const Slice& slice) {
  return absl::StrCat(
      StepAndRunText(forecast),
      IsFoot(slice, foot, forecast)
          ? ""
          : absl::StrCat("; ", ScalingText(forecast, foot, slice)));
}

std::vector<std::string> FormatForecast(const JobForecast& forecast,
                                        const LadderFoot& foot,
                                        const Slice& slice) {
  std::vector<std::string> paragraphs = {StepText(forecast), JobText(forecast)};
  if (forecast.saves) paragraphs.push_back(SavesText(*forecast.saves));
  if (!IsFoot(slice, foot, forecast))
    paragraphs.push_back(ScalingText(forecast, foot, slice));
  if (forecast.algorithm)
    paragraphs.push_back(
        absl::StrCat("links of ", slice.generation, ": ", slice.network_note));
  return paragraphs;
}

}  // namespace podsim
