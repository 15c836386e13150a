// The block that ends a failed run: the first failure, in the words a person
// needs to look further. Pure.
#ifndef PODSIM_RUNTIME_REPORT_FAILURE_H_
#define PODSIM_RUNTIME_REPORT_FAILURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace podsim {

struct FailureReport {
  absl::Time when;
  std::string name;       // "host2", "hosts 4-7", "coordinator"
  std::int64_t pid = 0;   // 0: not a process of this machine
  std::string how;        // "was killed by signal 9 (SIGKILL)"; may be empty
  std::int64_t step = 0;  // 0: before the first step
  // What it did in that step: "all-reduce #12 (bucket 0)". Empty: not known,
  // and `step` is the last that was finished.
  std::string phase;
  std::string message;  // what it or the coordinator said; may be empty
  std::string hint;     // what to do about it; may be empty
  std::string keep;     // what keeps the work another time; may be empty
  std::vector<std::string> last_lines;  // of its output
  std::vector<std::string> others;      // later failures, one line each
  std::string log_dir;  // where whole outputs are kept; may be empty
  int exit_code = 1;
};

std::string FormatFailure(const FailureReport& failure);

// "signal 9 (SIGKILL)".
std::string DescribeSignal(int signal);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_FAILURE_H_
