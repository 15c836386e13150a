// Intervals between events, each given to what it was spent on; see goodput.h.
#include "runtime/report/goodput.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "job/phases.h"
#include "runtime/report/format.h"
#include "runtime/report/stragglers.h"

namespace podsim {
namespace {

// Neither a number that is none nor a negative one moves time about.
double AtMost(double seconds, double limit) {
  return seconds > 0 ? std::min(seconds, limit) : 0;
}

// What is not its input, which counts as that.
double StragglerTime(const StepDone& step) {
  const std::optional<Lateness> late = LatenessOf(step);
  return late.has_value() ? late->behind - late->by_input : 0;
}

}  // namespace

const char* NameOf(LostTo category) {
  switch (category) {
    case LostTo::kTpuInitialization:
      return "TPU_INITIALIZATION";
    case LostTo::kTrainingPrep:
      return "TRAINING_PREP";
    case LostTo::kProgramStartup:
      return "PROGRAM_STARTUP";
    case LostTo::kDataLoadingSync:
      return "DATA_LOADING_SYNC";
    case LostTo::kDataLoadingAsync:
      return "DATA_LOADING_ASYNC";
    case LostTo::kStraggler:
      return "WAITING_FOR_STRAGGLER";
    case LostTo::kCheckpointSave:
      return "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME";
    case LostTo::kCheckpointRestore:
      return "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME";
    case LostTo::kWastedProgress:
      return "WASTED_PROGRESS_FROM_DISRUPTION";
    case LostTo::kInfrastructureRecovery:
      return "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION";
    case LostTo::kOther:
      return "OTHER";
  }
  return "";
}

GoodputMeter::GoodputMeter(absl::Time command_start)
    : begin_(absl::ToDoubleSeconds(command_start - absl::UnixEpoch())),
      now_(begin_) {}

void GoodputMeter::Advance(double wall_time) {
  // The clocks of two generations' coordinators may differ a little.
  if (!std::isfinite(wall_time) || wall_time <= now_) return;
  open_ += wall_time - now_;
  now_ = wall_time;
}

double GoodputMeter::TakeOpen() {
  saving_ = 0;
  return std::exchange(open_, 0);
}

void GoodputMeter::OnEvent(const JobEvent& event) {
  Advance(event.wall_time());
  switch (event.event_case()) {
    case JobEvent::kFormed:
      OnFormed(event.formed());
      break;
    case JobEvent::kStarted:
      OnStarted();
      break;
    case JobEvent::kStep:
      OnStep(event.step());
      break;
    case JobEvent::kEval:
      TakeOpen();  // OTHER is what is left over
      break;
    case JobEvent::kSaved:
      OnSaved(event.saved());
      break;
    case JobEvent::kFailed:
    case JobEvent::kRestarting:
      OnFailure();
      break;
    case JobEvent::kDone:
      OnDone();
      break;
    case JobEvent::kBench:
    case JobEvent::kFault:
    case JobEvent::kJoined:
    case JobEvent::kRefused:
    case JobEvent::kWaiting:
    case JobEvent::kLeft:
    case JobEvent::kDeleted:
    case JobEvent::kSkipped:
    case JobEvent::EVENT_NOT_SET:
      break;
  }
}

void GoodputMeter::OnFormed(const PodFormed& formed) {
  // A coordinator that was lost said nothing of a failure.
  if (phase_ != Phase::kForming) OnFailure();
  lost_[restarted_ ? LostTo::kInfrastructureRecovery
                   : LostTo::kTpuInitialization] += TakeOpen();
  while (!steps_.empty() && steps_.back().number > formed.start().step()) {
    lost_[LostTo::kWastedProgress] += steps_.back().productive +
                                      steps_.back().input +
                                      steps_.back().straggler;
    ++lost_.steps_lost;
    steps_.pop_back();
  }
  generation_begin_ = steps_.size();
  restored_ = !formed.start().checkpoint().empty();
  phase_ = Phase::kPreparing;
}

void GoodputMeter::OnStarted() {
  lost_[restored_    ? LostTo::kCheckpointRestore
        : restarted_ ? LostTo::kInfrastructureRecovery
                     : LostTo::kTrainingPrep] += TakeOpen();
  phase_ = Phase::kTraining;
}

void GoodputMeter::OnStep(const StepDone& step) {
  const double input = AtMost(SecondsIn(step.phases(), kInputPhase), open_);
  const double straggler = AtMost(StragglerTime(step), open_ - input);
  steps_.push_back({.number = step.step(),
                    .productive = TakeOpen() - input - straggler,
                    .input = input,
                    .straggler = straggler});
  for (const auto& [after, seconds] : std::exchange(pauses_, {})) {
    TakePause(steps_.back().productive, seconds);
  }
}

void GoodputMeter::OnSaved(const CheckpointSaved& saved) {
  const std::int64_t after = saved.step();
  if (steps_.empty() || after >= steps_.back().number) {
    pauses_[after] = saved.seconds_paused();
    saving_ = open_;
    return;
  }
  // It was written beside some steps: the first of them began late.
  const auto late =
      std::find_if(steps_.rbegin(), steps_.rend(),
                   [&](const Step& step) { return step.number == after + 1; });
  if (late != steps_.rend()) {
    TakePause(late->productive, saved.seconds_paused());
  }
}

void GoodputMeter::TakePause(double& from, double seconds) {
  const double taken = AtMost(seconds, from);
  from -= taken;
  lost_[LostTo::kCheckpointSave] += taken;
}

void GoodputMeter::OnFailure() {
  EndGeneration();
  for (const auto& [after, seconds] : std::exchange(pauses_, {})) {
    TakePause(open_, seconds);
  }
  saving_ = 0;
  restarted_ = true;
  phase_ = Phase::kDown;
}

void GoodputMeter::OnDone() {
  EndGeneration();
  lost_[LostTo::kCheckpointSave] += saving_;
  pauses_.clear();  // within what was just counted
  TakeOpen();
}

void GoodputMeter::EndGeneration() {
  const std::size_t first = std::exchange(generation_begin_, steps_.size());
  if (steps_.size() < first + 2) return;
  std::vector<double> others;
  others.reserve(steps_.size() - first - 1);
  for (std::size_t i = first + 1; i < steps_.size(); ++i) {
    others.push_back(steps_[i].productive);
  }
  const auto middle =
      others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::nth_element(others.begin(), middle, others.end());
  double& productive = steps_[first].productive;
  const double excess = AtMost(productive - *middle, productive);
  productive -= excess;
  lost_[LostTo::kProgramStartup] += excess;
}

Goodput GoodputMeter::Measured() const {
  GoodputMeter ended = *this;
  ended.EndGeneration();
  Goodput result = ended.lost_;
  // Broken off: by a failure, or before there was a pod.
  if (phase_ == Phase::kDown) {
    result[LostTo::kInfrastructureRecovery] += open_;
  } else if (phase_ == Phase::kForming) {
    result[LostTo::kTpuInitialization] += open_;
  }
  for (const Step& step : ended.steps_) {
    result.productive += step.productive;
    result[LostTo::kDataLoadingSync] += step.input;
    result[LostTo::kStraggler] += step.straggler;
  }
  result.wall = now_ - begin_;
  const double named =
      std::accumulate(result.lost.begin(), result.lost.end(), 0.0);
  // Less than nothing can be left over by rounding only.
  result[LostTo::kOther] =
      std::max(0.0, result.wall - result.productive - named);
  return result;
}

std::string FormatGoodput(const Goodput& goodput) {
  return absl::StrFormat("%.1f%% of %s wall in productive steps",
                         100 * goodput.fraction(),
                         FormatWallTime(absl::Seconds(goodput.wall)));
}

std::vector<std::string> FormatLostTimes(const Goodput& goodput) {
  constexpr double kShown = 1e-3;
  std::vector<std::pair<double, const char*>> losses;
  for (int i = 0; i < kLossCategories; ++i) {
    const auto category = static_cast<LostTo>(i);
    if (goodput[category] >= kShown) {
      losses.emplace_back(goodput[category], NameOf(category));
    }
  }
  std::stable_sort(
      losses.begin(), losses.end(),
      [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> texts;
  texts.reserve(losses.size());
  for (const auto& [seconds, name] : losses) {
    texts.push_back(
        absl::StrCat(name, " ", FormatWallTime(absl::Seconds(seconds))));
  }
  return texts;
}

}  // namespace podsim
