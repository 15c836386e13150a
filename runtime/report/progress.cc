// Which steps are shown, and how; see progress.h.
#include "runtime/report/progress.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "job/metrics.h"
#include "runtime/report/format.h"
#include "runtime/report/line_parts.h"

namespace podsim {
namespace {

// "255.509", "261641", "1234567": never an exponent, which scripts trip over.
std::string PlainNumber(double value) {
  return value < 1e6 ? absl::StrFormat("%g", value)
                     : absl::StrFormat("%.0f", value);
}

// "0.0000531", "26.55", "1234": four digits or more, never an exponent.
std::string PlainSeconds(SimSum time) {
  constexpr int kDigits = 4;
  const double seconds = time.seconds();
  if (seconds <= 0) return "0";
  const int whole = static_cast<int>(std::floor(std::log10(seconds))) + 1;
  std::string text =
      absl::StrFormat("%.*f", std::max(0, kDigits - whole), seconds);
  if (text.find('.') != std::string::npos)
    text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string PodPart(const ProgressSnapshot& snapshot) {
  if (!snapshot.pod) return "";
  return absl::StrCat("sim ", SpanText(snapshot.pod->step.seconds()), "/step");
}

std::string PlainPod(const ProgressSnapshot& snapshot) {
  if (!snapshot.pod) return "";
  return absl::StrCat(", sim_step: ", PlainSeconds(snapshot.pod->step),
                      ", sim_time: ", PlainSeconds(snapshot.pod->sum));
}

}  // namespace

std::string FormatLive(const ProgressSnapshot& snapshot, int columns) {
  std::vector<LinePart> parts = {
      {.text =
           absl::StrFormat("step %d/%d", snapshot.step, snapshot.train_steps),
       .rank = 6},
      {.text = absl::StrFormat("loss %.4f", snapshot.loss), .rank = 3}};
  if (snapshot.accuracy.has_value())
    parts.push_back(
        {.text = absl::StrCat("acc ", FormatPercent(*snapshot.accuracy)),
         .rank = 1});
  parts.push_back({.text = absl::StrCat(
                       FormatRate(snapshot.examples_per_second), " examples/s"),
                   .rank = 2});
  if (const std::string pod = PodPart(snapshot); !pod.empty())
    parts.push_back({.text = pod, .rank = 5});
  parts.push_back(
      {.text = absl::StrCat("ETA ", FormatTimeLeft(snapshot.left)), .rank = 4});
  return FitParts(parts, columns);
}

std::string FormatPlain(const ProgressSnapshot& snapshot) {
  return absl::StrFormat(
      "step %d/%d, loss: %.4f%s%s, global_step/sec: %s, examples/sec: %s%s, "
      "eta: %s",
      snapshot.step, snapshot.train_steps, snapshot.loss,
      snapshot.accuracy.has_value()
          ? absl::StrFormat(", accuracy: %.4f", *snapshot.accuracy)
          : "",
      snapshot.other_metrics, PlainNumber(snapshot.steps_per_second),
      PlainNumber(snapshot.examples_per_second), PlainPod(snapshot),
      FormatTimeLeft(snapshot.left));
}

std::optional<ProgressSnapshot> ProgressMeter::OnStep(const StepDone& step,
                                                      absl::Time now) {
  const Mark mark = {now, step.step(), step.examples()};
  const bool is_first = !first_.has_value();
  if (is_first) first_ = shown_ = mark;
  const bool is_last = step.step() >= train_steps_;
  if (!is_last && now - shown_.time < interval_) return std::nullopt;

  ProgressSnapshot snapshot = {
      .step = step.step(),
      .train_steps = train_steps_,
      .loss = MetricValue(step.metrics(), kLossMetric),
      .accuracy = AccuracyOf(step.metrics()),
      .other_metrics = FormatOtherMetrics(step.metrics()),
      .steps_per_second = step.seconds() > 0 ? 1 / step.seconds() : 0,
      .examples_per_second = step.examples_per_second(),
      .left = TimeLeft(step, now)};
  // Over the span since the last shown step where there is one: one step's own
  // figures jump about.
  const double seconds = absl::ToDoubleSeconds(now - shown_.time);
  if (seconds > 0 && step.step() > shown_.step) {
    snapshot.steps_per_second =
        static_cast<double>(step.step() - shown_.step) / seconds;
    snapshot.examples_per_second =
        static_cast<double>(step.examples() - shown_.examples) / seconds;
  }
  shown_ = mark;
  return snapshot;
}

absl::Duration ProgressMeter::TimeLeft(const StepDone& step,
                                       absl::Time now) const {
  const std::int64_t remaining = train_steps_ - step.step();
  if (remaining <= 0) return absl::ZeroDuration();
  const std::int64_t done = step.step() - first_->step;
  // The first step pays for the start, so the rate counts from its end.
  if (done > 0) {
    return (now - first_->time) *
           (static_cast<double>(remaining) / static_cast<double>(done));
  }
  if (step.seconds() > 0) {
    return absl::Seconds(step.seconds()) * static_cast<double>(remaining);
  }
  return absl::InfiniteDuration();
}

}  // namespace podsim
