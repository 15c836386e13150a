// What the forecast says of input, batch and links; and frames that were held
// up on purpose.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/report_page/rules.h"

namespace podsim {
namespace {

// Without what a link takes away.
double SoundEfficiency(const ForecastRecord& forecast) {
  const double efficiency = forecast.efficiency.value_or(1);
  if (!forecast.sound_step || *forecast.sound_step <= 0) return efficiency;
  return efficiency * forecast.step / *forecast.sound_step;
}

// "85% of the step is exposed all-reduce": what a larger batch would spread
// over more examples.
std::string OverheadText(const ForecastRecord& forecast) {
  const bool is_fixed = forecast.fixed >= forecast.exposed;
  const double part = is_fixed ? forecast.fixed : forecast.exposed;
  return absl::StrCat(ShareText(part / forecast.step), " of the step is ",
                      is_fixed ? "its fixed cost" : "exposed all-reduce");
}

struct Delays {
  double seconds = 0;
  std::int64_t count = 0;
};

// By sender and receiver.
std::map<std::pair<int, int>, Delays> DelaysOf(const RunRecords& run) {
  std::map<std::pair<int, int>, Delays> delays;
  for (const Incident& incident : run.incidents) {
    if (incident.kind != Incident::Kind::kFault || incident.what != "DELAY")
      continue;
    Delays& link = delays[{incident.host, incident.to}];
    link.seconds += incident.seconds;
    ++link.count;
  }
  return delays;
}

double StepSeconds(const StepTable& steps) {
  double sum = 0;
  for (const double seconds : steps[StepFigure::kSeconds])
    if (std::isfinite(seconds)) sum += seconds;
  return sum;
}

}  // namespace

std::optional<Finding> SimInputBound(const RunRecords& run) {
  if (!run.forecast || run.forecast->step <= 0) return std::nullopt;
  const ForecastRecord& forecast = *run.forecast;
  const double share = forecast.input / forecast.step;
  if (share < kNamedShare) return std::nullopt;
  const bool is_store = forecast.store > 0;
  return MakeFinding(
      Sickness::kInputBound, share,
      absl::StrCat("input-bound on the pod: ", ShareText(share),
                   " of the step waits for ",
                   is_store ? "the store" : "the wire from host to chip",
                   " (sim)"),
      is_store ? "--zone" : "--features");
}

std::optional<Finding> BatchNoLongerScales(const RunRecords& run) {
  if (!run.forecast || !run.forecast->efficiency || run.forecast->step <= 0)
    return std::nullopt;
  const ForecastRecord& forecast = *run.forecast;
  const double efficiency = SoundEfficiency(forecast);
  if (efficiency >= kLeastEfficiency) return std::nullopt;
  const std::int64_t batch = run.plan.batch_per_core;
  return MakeFinding(
      Sickness::kBatch, 1 - efficiency,
      absl::StrCat(
          "the batch no longer scales: with ", batch,
          batch == 1 ? " example" : " examples", " per ", run.plan.replica,
          " a ", run.plan.replica, " does ", ShareText(efficiency),
          " of what one of ", forecast.reference_slice, " does with ",
          forecast.reference_batch, ", and ", OverheadText(forecast), " (sim)"),
      absl::StrCat("--batch_per_core ",
                   std::max(forecast.reference_batch, 2 * batch)));
}

std::optional<Finding> SlowedLink(const RunRecords& run) {
  if (!run.forecast || run.forecast->link_faults.empty() ||
      !run.forecast->sound_step)
    return std::nullopt;
  const ForecastRecord& forecast = *run.forecast;
  const double step = forecast.step - forecast.fixed;
  const double sound = *forecast.sound_step - forecast.fixed;
  if (step <= 0 || (step - sound) / step < kLinkShare) return std::nullopt;
  const double share = (step - sound) / step;
  return MakeFinding(
      Sickness::kLink, share,
      absl::StrCat(absl::StrJoin(forecast.link_faults, ", "), ": ",
                   ShareText(share),
                   " of the step without its fixed cost waits for it, ",
                   SpanText(step), " instead of ", SpanText(sound), " (sim)"),
      "--ici_fault");
}

std::optional<Finding> DelayedFrames(const RunRecords& run) {
  const auto delays = DelaysOf(run);
  const auto worst = std::max_element(
      delays.begin(), delays.end(), [](const auto& a, const auto& b) {
        return a.second.seconds < b.second.seconds;
      });
  const double whole = StepSeconds(run.steps);
  if (worst == delays.end() || whole <= 0) return std::nullopt;
  const auto& [link, delay] = *worst;
  const double share = std::min(1.0, delay.seconds / whole);
  if (share < kLinkShare) return std::nullopt;
  return MakeFinding(
      Sickness::kLink, share,
      absl::StrCat("the link from host ", link.first, " to host ", link.second,
                   " is slow: frames came ",
                   WallText(delay.seconds / static_cast<double>(delay.count)),
                   " late in ", delay.count,
                   delay.count == 1 ? " step, " : " steps, ", ShareText(share),
                   " of the steps' time"),
      "--faults");
}

}  // namespace podsim
