// What a host has heard from its coordinator, for the threads that wait for
// it: the assignment, the start, notes of faults, the end.
//
//   CoordinatorNews news("host:1234", absl::Seconds(60));
//   news.Hear(message);                        // whoever reads
//   PODSIM_RETURN_IF_ERROR(news.WaitStart());  // whoever works
#ifndef PODSIM_HOST_PROCESS_COORDINATOR_NEWS_H_
#define PODSIM_HOST_PROCESS_COORDINATOR_NEWS_H_

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "proto/coordinator.pb.h"

namespace podsim {

// Thread-safe.
class CoordinatorNews {
 public:
  // `coordinator` is its address, for errors; `timeout` the most that a wait
  // takes.
  CoordinatorNews(std::string coordinator, absl::Duration timeout);

  // Whatever nobody waits for is passed over. That the coordinator looks for
  // the start is a sign of life: waits count from the last one on.
  void Hear(const CoordinatorMessage& message);
  // The job has ended, or the line is lost: every wait fails with `why`. False
  // if that is no news, as one of both has ended before.
  bool End(const absl::Status& why);
  // Why no more will be heard, for End, where the line ended with `status`:
  // the host was turned away before it was assigned anything, or the
  // coordinator is lost.
  absl::Status EndOfLine(const absl::Status& status) const;
  // This host leaves: a line that ends from here on is no news.
  void Leave();
  // The line has ended; nothing more will be heard.
  void Close();
  bool closed() const;
  // Until Close, but no longer than `time`.
  void WaitClosed(absl::Duration time);

  // What the coordinator looks for before it assigns anything; empty: for
  // nothing, as far as is known.
  std::string looking() const;

  // Errors: DEADLINE_EXCEEDED, saying what did not come; the reason of End.
  absl::StatusOr<Assignment> WaitAssignment();
  absl::Status WaitStart();
  absl::Status WaitFaultNoted(int index);
  // As long as that takes. Errors: the reason of End.
  absl::Status WaitFinish();

 private:
  // Until `ready`, which is asked under the lock.
  absl::Status WaitUntil(const std::function<bool()>& ready,
                         absl::Duration timeout, const char* what);

  const std::string coordinator_;
  const absl::Duration timeout_;
  const SystemClock clock_;

  mutable Mutex mutex_;
  CondVar changed_;
  std::optional<Assignment> assignment_ PODSIM_GUARDED_BY(mutex_);
  std::string looking_ PODSIM_GUARDED_BY(mutex_);
  absl::Time last_sign_ PODSIM_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::set<int> faults_noted_ PODSIM_GUARDED_BY(mutex_);
  bool started_ PODSIM_GUARDED_BY(mutex_) = false;
  bool finished_ PODSIM_GUARDED_BY(mutex_) = false;
  bool closed_ PODSIM_GUARDED_BY(mutex_) = false;
  absl::Status ended_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_COORDINATOR_NEWS_H_
