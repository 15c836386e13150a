// Tells now and then what a host process is at, in its log: "step 120,
// all-reduce #3 (bucket 1)".
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

class LifeLog {
 public:
  // `progress` must outlive the log. `write` is called from a thread of the
  // log, every `interval`.
  LifeLog(const Progress& progress, absl::Duration interval,
          std::function<void(const std::string&)> write);

 private:
  std::jthread thread_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_LIFE_LOG_H_
