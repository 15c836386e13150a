// The failure block as text; see failure.h.
#include "runtime/report/failure.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"

namespace podsim {
namespace {

constexpr char kRule[] =
    "----------------------------------------------------------------\n";

std::string Row(const char* name, const std::string& value) {
  return absl::StrFormat("  %-12s %s\n", name, PrintableLine(value));
}

std::string Doing(const FailureReport& failure) {
  if (failure.step == 0) {
    return failure.phase.empty()
               ? "before the first step"
               : absl::StrCat("before the first step, ", failure.phase);
  }
  return failure.phase.empty()
             ? absl::StrCat("after step ", failure.step)
             : absl::StrCat("step ", failure.step, ", ", failure.phase);
}

}  // namespace

std::string FormatFailure(const FailureReport& failure) {
  std::string who = failure.name;
  if (failure.pid > 0) absl::StrAppend(&who, " (pid ", failure.pid, ")");
  if (!failure.how.empty()) absl::StrAppend(&who, " ", failure.how);
  std::string text =
      absl::StrCat(kRule, "FAILED: ", who, "\n", Row("doing", Doing(failure)));
  if (!failure.message.empty()) {
    absl::StrAppend(&text, Row("reason", failure.message));
  }
  absl::StrAppend(
      &text, Row("time", absl::FormatTime("%Y-%m-%d %H:%M:%E3S", failure.when,
                                          absl::LocalTimeZone())));
  if (!failure.hint.empty()) absl::StrAppend(&text, Row("hint", failure.hint));
  if (failure.last_lines.empty()) {
    absl::StrAppend(&text, Row("last output", "(none)"));
  } else {
    absl::StrAppend(&text, "  last output of ", failure.name, ":\n");
    for (const std::string& line : failure.last_lines) {
      absl::StrAppend(&text, "    | ", line, "\n");
    }
  }
  if (!failure.others.empty()) {
    absl::StrAppend(&text, "  after that:\n");
    for (const std::string& line : failure.others) {
      absl::StrAppend(&text, "    ", line, "\n");
    }
  }
  if (!failure.keep.empty()) absl::StrAppend(&text, Row("work", failure.keep));
  if (!failure.log_dir.empty()) {
    absl::StrAppend(&text, Row("logs", failure.log_dir));
  }
  absl::StrAppend(&text, Row("exit code", absl::StrCat(failure.exit_code)),
                  kRule);
  return text;
}

std::string DescribeSignal(int signal) {
  const char* name = sigabbrev_np(signal);
  if (name == nullptr) return absl::StrCat("signal ", signal);
  return absl::StrCat("signal ", signal, " (SIG", name, ")");
}

}  // namespace podsim
