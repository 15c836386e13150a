#include "host/process/coordinator_news.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::chrono::milliseconds kWaitSlice(100);

// What a coordinator answers a call that is not of its pod.
bool IsRefusal(const absl::Status& status) {
  return absl::IsUnauthenticated(status) ||
         absl::IsFailedPrecondition(status) || absl::IsAlreadyExists(status) ||
         absl::IsInvalidArgument(status);
}

}  // namespace

CoordinatorNews::CoordinatorNews(std::string coordinator,
                                 absl::Duration timeout)
    : coordinator_(std::move(coordinator)), timeout_(timeout) {}

void CoordinatorNews::Hear(const CoordinatorMessage& message) {
  MutexLock lock(mutex_);
  if (message.has_fault_noted())
    faults_noted_.insert(message.fault_noted().index());
  if (message.has_looking()) {
    looking_ = message.looking().what();
    last_sign_ = clock_.Now();
  }
  if (message.has_assignment()) assignment_ = message.assignment();
  if (message.has_start()) started_ = true;
  if (message.has_finish()) finished_ = true;
  changed_.NotifyAll();
}

std::string CoordinatorNews::looking() const {
  MutexLock lock(mutex_);
  return looking_;
}

bool CoordinatorNews::End(const absl::Status& why) {
  MutexLock lock(mutex_);
  if (finished_ || !ended_.ok()) return false;
  ended_ = why;
  changed_.NotifyAll();
  return true;
}

absl::Status CoordinatorNews::EndOfLine(const absl::Status& status) const {
  if (status.ok())
    return absl::UnavailableError("the coordinator closed the line");
  MutexLock lock(mutex_);
  if (!assignment_ && IsRefusal(status))
    return Annotate(status, absl::StrCat("turned away by ", coordinator_));
  return Annotate(status, "coordinator lost");
}

void CoordinatorNews::Leave() {
  MutexLock lock(mutex_);
  finished_ = true;
}

void CoordinatorNews::Close() {
  MutexLock lock(mutex_);
  closed_ = true;
  changed_.NotifyAll();
}

bool CoordinatorNews::closed() const {
  MutexLock lock(mutex_);
  return closed_;
}

void CoordinatorNews::WaitClosed(absl::Duration time) {
  const absl::Time deadline = clock_.Now() + time;
  MutexLock lock(mutex_);
  while (!closed_ && clock_.Now() < deadline)
    changed_.WaitFor(mutex_, kWaitSlice);
}

absl::Status CoordinatorNews::WaitUntil(const std::function<bool()>& ready,
                                        absl::Duration timeout,
                                        const char* what) {
  const absl::Time begin = clock_.Now();
  MutexLock lock(mutex_);
  while (!ready()) {
    if (!ended_.ok()) return ended_;
    if (clock_.Now() >= std::max(begin, last_sign_) + timeout)
      return absl::DeadlineExceededError(
          absl::StrCat("no ", what, " from ", coordinator_, " within ",
                       absl::FormatDuration(timeout)));
    changed_.WaitFor(mutex_, kWaitSlice);
  }
  return absl::OkStatus();
}

absl::StatusOr<Assignment> CoordinatorNews::WaitAssignment() {
  PODSIM_RETURN_IF_ERROR(WaitUntil(
      [&]()
          PODSIM_NO_THREAD_SAFETY_ANALYSIS { return assignment_.has_value(); },
      timeout_, "assignment"));
  MutexLock lock(mutex_);
  return *assignment_;
}

absl::Status CoordinatorNews::WaitStart() {
  return WaitUntil([&]() PODSIM_NO_THREAD_SAFETY_ANALYSIS { return started_; },
                   timeout_, "start signal");
}

absl::Status CoordinatorNews::WaitFaultNoted(int index) {
  return WaitUntil(
      [&]() PODSIM_NO_THREAD_SAFETY_ANALYSIS {
        return faults_noted_.count(index) > 0;
      },
      timeout_, "note of a fault");
}

absl::Status CoordinatorNews::WaitFinish() {
  return WaitUntil([&]() PODSIM_NO_THREAD_SAFETY_ANALYSIS { return finished_; },
                   absl::InfiniteDuration(), "end of the job");
}

}  // namespace podsim
