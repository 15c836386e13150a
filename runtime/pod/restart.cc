#include "runtime/pod/restart.h"

#include "absl/strings/str_cat.h"
#include "settings/words.h"

namespace podsim {
namespace {

std::string ReasonOf(const FailureReport& failure) {
  std::string reason = failure.name;
  if (!failure.how.empty()) absl::StrAppend(&reason, " ", failure.how);
  if (!failure.message.empty())
    absl::StrAppend(&reason, failure.how.empty() ? ": " : "; ",
                    failure.message);
  return reason;
}

}  // namespace

void Restarts::OnEvent(const JobEvent& event) {
  if (event.has_fault()) faults_.insert(event.fault().index());
  if (event.has_saved()) saved_ = true;
  if (event.has_formed()) isa_ = event.formed().plan().bits().isa();
}

JobSpec Restarts::SpecFor(const JobSpec& spec) const {
  JobSpec next = spec;
  next.mutable_faults_done()->Assign(faults_.begin(), faults_.end());
  if (saved_) {
    next.clear_restore();
    next.clear_restore_weights_only();
  }
  // Other bits than those of the generation before would be another job's.
  if (const auto isa = WordNamed<words::Isa::Word>(isa_)) next.set_isa(*isa);
  return next;
}

std::optional<JobRestarting> Restarts::Next(const Outcome& outcome) {
  if (left_ == 0 || outcome.stop_signal != 0 || !outcome.failure.has_value() ||
      !outcome.recoverable)
    return std::nullopt;
  --left_;
  ++generation_;
  JobRestarting event;
  event.set_generation(generation_);
  event.set_reason(ReasonOf(*outcome.failure));
  event.set_restarts_left(left_);
  return event;
}

}  // namespace podsim
