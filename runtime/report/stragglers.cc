#include "runtime/report/stragglers.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "job/phases.h"
#include "job/placement.h"
#include "runtime/report/format.h"

namespace podsim {
namespace {

// How much of `behind` comes from one phase in which `last` took longer.
double PartOf(double behind, double last, double other) {
  return std::clamp(last - other, 0.0, behind);
}

}  // namespace

std::optional<Lateness> LatenessOf(const StepDone& step) {
  const auto& waited = step.process_seconds_waited();
  const auto& input = ByProcess(step, kInputPhase);
  const auto& compute = ByProcess(step, kComputePhase);
  const int processes = waited.size();
  const int last = step.last_process();
  if (processes < 2 || last < 0 || last >= processes ||
      input.size() != processes || compute.size() != processes)
    return std::nullopt;
  std::vector<int> others;
  for (int process = 0; process < processes; ++process)
    if (process != last) others.push_back(process);
  // The longer one waited, the earlier it came.
  const auto middle =
      others.begin() + static_cast<std::ptrdiff_t>((others.size() - 1) / 2);
  std::nth_element(others.begin(), middle, others.end(),
                   [&](int a, int b) { return waited[a] < waited[b]; });
  const double behind = std::max(0.0F, waited[*middle]);
  return Lateness{
      .process = last,
      .behind = behind,
      .by_input = PartOf(behind, input[last], input[*middle]),
      .by_compute = PartOf(behind, compute[last], compute[*middle])};
}

void StragglerMeter::OnStep(const StepDone& step) {
  const std::optional<Lateness> late = LatenessOf(step);
  if (!late.has_value()) return;
  of_process_.resize(
      std::max(of_process_.size(),
               static_cast<std::size_t>(step.process_seconds_waited_size())));
  Total& total = of_process_[static_cast<std::size_t>(late->process)];
  ++total.count;
  total.behind += late->behind;
  total.by_input += late->by_input;
  total.by_compute += late->by_compute;
  ++steps_;
  seconds_ += step.seconds();
}

std::optional<Straggler> StragglerMeter::Measured() const {
  if (steps_ == 0) return std::nullopt;
  const auto worst = std::max_element(
      of_process_.begin(), of_process_.end(),
      [](const Total& a, const Total& b) { return a.behind < b.behind; });
  // Nobody was behind anybody.
  if (worst->count == 0) return std::nullopt;
  const auto count = static_cast<double>(worst->count);
  return Straggler{.process = static_cast<int>(worst - of_process_.begin()),
                   .came_last = worst->count,
                   .steps = steps_,
                   .behind = worst->behind / count,
                   .by_input = worst->by_input / count,
                   .by_compute = worst->by_compute / count,
                   .of_time = seconds_ > 0 ? worst->behind / seconds_ : 0};
}

std::vector<std::int64_t> StragglerMeter::came_last() const {
  std::vector<std::int64_t> counts;
  counts.reserve(of_process_.size());
  for (const Total& total : of_process_) counts.push_back(total.count);
  return counts;
}

std::string FormatStraggler(const Straggler& straggler, const JobPlan& plan) {
  const auto is_most = [&](double part) { return part > straggler.behind / 2; };
  return absl::StrFormat(
      "%s came last in %.0f%% of steps, %s behind the %s%s: %.1f%% of the "
      "time",
      DescribeHosts(HostsOf(plan, straggler.process)),
      100.0 * static_cast<double>(straggler.came_last) /
          static_cast<double>(straggler.steps),
      FormatWallTime(absl::Seconds(straggler.behind)),
      plan.spec().processes() == 2 ? "other" : "median",
      is_most(straggler.by_input)     ? ", most of it input"
      : is_most(straggler.by_compute) ? ", most of it compute"
                                      : "",
      100 * straggler.of_time);
}

}  // namespace podsim
