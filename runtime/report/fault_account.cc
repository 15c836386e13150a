#include "runtime/report/fault_account.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "job/placement.h"
#include "runtime/job/fault_rules.h"

namespace podsim {
namespace {

// Of the time that a fault takes, what a step must show: the clock of a step
// starts a little before or after that of the fault.
constexpr double kVisible = 0.5;

// A job goes on under these.
bool IsLivedWith(const Fault& fault) {
  return fault.kind() == Fault::SLOW || fault.kind() == Fault::DELAY;
}

}  // namespace

void FaultMeter::OnEvent(const JobEvent& event) {
  switch (event.event_case()) {
    case JobEvent::kFormed:
      return OnFormed(event.formed());
    case JobEvent::kFault:
      return OnStruck(event.fault(), event.wall_time());
    case JobEvent::kStep:
      return OnStep(event.step());
    case JobEvent::kFailed:
      return OnFailure(&event.failed(), event.failed().message());
    case JobEvent::kRestarting:
      return OnFailure(nullptr, event.restarting().reason());
    case JobEvent::kDone:
      return OnDone(event.wall_time());
    default:
      return;
  }
}

void FaultMeter::OnFormed(const PodFormed& formed) {
  const std::int64_t start = formed.start().step();
  if (!formed_) {
    plan_ = formed.plan();
    first_step_ = start;
    last_step_ = start;
  }
  formed_ = true;
  down_ = false;
  steps_lost_ += std::max<std::int64_t>(0, last_step_ - start);
  last_step_ = std::min(last_step_, start);
  for (Struck& struck : struck_) struck.restarted = struck.detected;
}

void FaultMeter::OnStruck(const FaultStruck& event, double wall_time) {
  const Struck struck = {.index = event.index(),
                         .fault = event.fault(),
                         .step = event.step(),
                         .wall_time = wall_time};
  ComplainOfStruck(struck);
  struck_.push_back(struck);
}

void FaultMeter::ComplainOfStruck(const Struck& struck) {
  const std::string name = NameOf(struck.index, struck.fault);
  if (struck.index < 0 || struck.index >= plan_.faults_size()) {
    complaints_.push_back(name + " struck and was not planned");
  }
  for (const Struck& other : struck_) {
    if (other.index != struck.index) continue;
    complaints_.push_back(name + " struck twice");
    return;
  }
}

void FaultMeter::OnStep(const StepDone& step) {
  last_step_ = std::max(last_step_, step.step());
  for (Struck& struck : struck_) {
    if (IsLivedWith(struck.fault) && step.step() >= struck.step) {
      // One that strikes at the end of a step delays the next.
      struck.detected |= step.step() <= struck.step + 1 &&
                         step.seconds() >= kVisible * struck.fault.seconds();
      struck.recovered |= struck.detected;
    }
    struck.recovered |= struck.restarted && step.step() >= struck.step;
  }
}

bool FaultMeter::Explains(const Struck& struck, const JobFailed* failed) const {
  if (IsLivedWith(struck.fault)) return false;
  const bool corruption =
      failed != nullptr &&
      failed->code() == static_cast<int>(absl::StatusCode::kDataLoss);
  switch (struck.fault.kind()) {
    case Fault::CORRUPT_GRADIENT:
      return corruption && failed->step() == struck.step;
    case Fault::CORRUPT_WEIGHTS:
      return corruption && failed->step() >= struck.step &&
             failed->process() == ProcessOf(plan_, struck.fault.host());
    case Fault::FLIP:
      return corruption && failed->step() <= struck.step + 1;
    default:
      return !corruption;
  }
}

void FaultMeter::OnFailure(const JobFailed* failed, const std::string& why) {
  // A failure and the restart after it are one.
  const bool news = !std::exchange(down_, true);
  if (!news) return;
  bool explained = false;
  for (Struck& struck : struck_) {
    if (struck.detected || !Explains(struck, failed)) continue;
    explained = struck.detected = true;
  }
  if (!explained) {
    complaints_.push_back(
        absl::StrCat("the pod failed and no fault explains it: ", why));
  }
}

void FaultMeter::OnDone(double wall_time) {
  done_ = true;
  for (Struck& struck : struck_) {
    // After the last step no other is delayed, but the end of the job.
    struck.detected |=
        IsLivedWith(struck.fault) && struck.step >= last_step_ &&
        wall_time - struck.wall_time >= kVisible * struck.fault.seconds();
    struck.recovered |= struck.detected;
  }
}

std::string FaultMeter::NameOf(int index, const Fault& fault) const {
  return absl::StrCat("fault ", index, " (", DescribeFault(fault), ")");
}

FaultAccount FaultMeter::Account() const {
  FaultAccount account = {.planned = plan_.faults_size(),
                          .injected = static_cast<int>(struck_.size()),
                          .steps_lost = steps_lost_,
                          .complaints = complaints_};
  std::vector<bool> known(plan_.faults_size(), false);
  const auto know = [&](int index) {
    if (index >= 0 && index < plan_.faults_size()) known[index] = true;
  };
  for (const int index : plan_.spec().faults_done()) know(index);
  for (const Struck& struck : struck_) {
    know(struck.index);
    account.detected += struck.detected;
    account.recovered += struck.recovered;
    if (done_ && !struck.detected) {
      account.complaints.push_back(NameOf(struck.index, struck.fault) +
                                   " struck and nobody noticed");
    }
  }
  for (int index = 0; done_ && index < plan_.faults_size(); ++index) {
    const Fault& fault = plan_.faults(index);
    if (known[index] || fault.step() <= first_step_ ||
        fault.step() > last_step_) {
      continue;
    }
    account.complaints.push_back(NameOf(index, fault) + " did not strike");
  }
  return account;
}

std::string FormatFaults(const FaultAccount& account) {
  return absl::StrCat("injected ", account.injected, ", detected ",
                      account.detected, ", recovered ", account.recovered,
                      ", steps lost ", account.steps_lost);
}

}  // namespace podsim
