#include "runtime/report/overlap.h"

#include <algorithm>

#include "job/phases.h"

namespace podsim {
namespace {

double Median(std::vector<double> values) {
  const auto middle =
      values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void OverlapMeter::OnStep(const StepDone& step) {
  if (step.step() == 1) return;  // it pays for the start
  (step.serial() ? serial_ : overlapped_)
      .push_back(step.seconds() - SecondsIn(step.phases(), kInputPhase));
  if (step.serial())
    communication_.push_back(SecondsIn(step.phases(), kReducePhase));
}

std::optional<Overlap> OverlapMeter::Measured() const {
  if (serial_.empty() || overlapped_.empty()) return std::nullopt;
  const Overlap overlap = {
      .serial_step = Median(serial_),
      .overlapped_step = Median(overlapped_),
      .communication = Median(communication_),
      .serial_steps = static_cast<std::int64_t>(serial_.size())};
  if (overlap.communication <= 0) return std::nullopt;
  return overlap;
}

}  // namespace podsim
