#include "runtime/pod/child.h"

#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/status.h"
#include "base/write_error.h"
#include "runtime/pod/pipe.h"

namespace podsim {
namespace {

constexpr std::size_t kLastLines = 20;
constexpr std::size_t kMaxOutputLine = 64 << 10;

// Ordinary log lines are for the files; all else is for people to see.
bool IsInfo(const std::string& line) { return absl::StartsWith(line, "I "); }

}  // namespace

Child::Child(std::string name, Process process, UniqueFd log)
    : name_(std::move(name)),
      process_(std::move(process)),
      log_(std::move(log)),
      splitter_(kMaxOutputLine) {}

absl::StatusOr<Child> Child::Start(const ProcessSpec& spec,
                                   const std::string& log_dir, bool append) {
  UniqueFd log;
  if (!log_dir.empty()) {
    PODSIM_ASSIGN_OR_RETURN(
        log, OpenOutput(absl::StrCat(log_dir, "/", spec.name, ".log"),
                        append ? OutputStart::kAppend : OutputStart::kEmpty));
  }
  PODSIM_ASSIGN_OR_RETURN(Process process, Process::Start(spec));
  return Child(spec.name, std::move(process), std::move(log));
}

void Child::ReadOutput(Console& console, bool show) {
  if (process_.output_fd() < 0) return;
  for (const std::string& line :
       splitter_.Feed(ReadAvailable(process_.output()))) {
    TakeLine(line, console, show);
  }
  if (process_.output_fd() >= 0) return;
  const std::string rest = splitter_.TakeRest();
  if (!rest.empty()) TakeLine(rest, console, show);
}

void Child::TakeLine(const std::string& line, Console& console, bool show) {
  last_lines_.push_back(line);
  if (last_lines_.size() > kLastLines) last_lines_.pop_front();
  const std::string prefixed = absl::StrCat("[", name_, "] ", line);
  if (log_.valid()) {
    if (const int error = WriteFully(log_.get(), prefixed + "\n"); error != 0) {
      console.Error(absl::StrCat("warning: the log of ", name_,
                                 " ends here: ", WriteErrorText(error)));
      log_.Reset();
    }
  }
  if (show && !line.empty() && !IsInfo(line)) console.Error(prefixed);
}

}  // namespace podsim
