// Tells now and then what a host process is at, in its log: "step 120,
// all-reduce #3 (bucket 1)", and before that, what it waits for.
#ifndef PODSIM_HOST_PROCESS_LIFE_LOG_H_
#define PODSIM_HOST_PROCESS_LIFE_LOG_H_

#include <functional>
#include <string>
#include <thread>

#include "absl/time/time.h"
#include "host/board/progress.h"

namespace podsim {

// "step 120, all-reduce #3; waits 2s for host 1: chunk 4". Pure.
std::string LifeText(const Progress::Snapshot& now);

struct LongWait {
  std::string what;  // "still calling node-a:8476"
  // When it is given up; zero: it never is.
  absl::Duration most = absl::ZeroDuration();
  // What stands in the way by now, empty or giving an empty text: that is not
  // known. Called from a thread of the log.
  std::function<std::string()> why = nullptr;
};

// "still calling node-a:8476, 15 s of 60 s: nobody listens there".
std::string WaitText(const LongWait& waiting, absl::Duration waited);

class LifeLog {
 public:
  // `progress` must outlive the log. `write` is called from a thread of the
  // log, every `interval`.
  LifeLog(const Progress& progress, absl::Duration interval,
          std::function<void(const std::string&)> write);

 private:
  std::jthread thread_;
};

// Tells now and then what is waited for, as long as it lives.
class WaitLog {
 public:
  // `write` is called from a thread of the log, after `first` and then every
  // `interval`.
  WaitLog(LongWait waiting, absl::Duration first, absl::Duration interval,
          std::function<void(const std::string&)> write);

 private:
  std::jthread thread_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_LIFE_LOG_H_
