// A process of the pod and what it says: the last lines are kept, all go to its
// log if there is one, and those that are for people are shown.
#ifndef PODSIM_RUNTIME_POD_CHILD_H_
#define PODSIM_RUNTIME_POD_CHILD_H_

#include <deque>
#include <string>

#include "absl/status/statusor.h"
#include "base/unique_fd.h"
#include "runtime/pod/line_splitter.h"
#include "runtime/pod/process.h"
#include "runtime/report/console.h"

namespace podsim {

class Child {
 public:
  // The log is <name>.log in the directory `log_dir`, after what that file
  // holds if `append`; empty: there is none.
  // Errors: the log cannot be written; those of Process::Start.
  static absl::StatusOr<Child> Start(const ProcessSpec& spec,
                                     const std::string& log_dir, bool append);

  Process& process() { return process_; }
  const Process& process() const { return process_; }
  // The newest last.
  const std::deque<std::string>& last_lines() const { return last_lines_; }

  // Takes what it has said by now. Ordinary lines of its log are not shown.
  void ReadOutput(Console& console, bool show);

 private:
  Child(std::string name, Process process, UniqueFd log);
  void TakeLine(const std::string& line, Console& console, bool show);

  std::string name_;
  Process process_;
  UniqueFd log_;  // invalid without a log directory
  LineSplitter splitter_;
  std::deque<std::string> last_lines_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_CHILD_H_
