#include "job/traced_steps.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {
namespace {

absl::Status Refused(const std::string& text, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("trace_steps is '", PrintableLine(text.substr(0, 32)),
                   "': ", why, ", such as 20:25"));
}

}  // namespace

absl::StatusOr<StepRange> ParseStepRange(const std::string& text) {
  const std::vector<std::string> parts = absl::StrSplit(text, ':');
  StepRange range;
  if (parts.size() > 2 || !absl::SimpleAtoi(parts.front(), &range.first) ||
      !absl::SimpleAtoi(parts.back(), &range.last) || range.first < 1)
    return Refused(text, "must be a first and a last step, from 1 on");
  if (range.empty()) return Refused(text, "the last step is before the first");
  // No sum that could overflow.
  if (range.last - range.first >= kMostTracedSteps)
    return Refused(
        text, absl::StrCat("must be at most ", kMostTracedSteps, " steps"));
  return range;
}

absl::Status CheckTraceSettings(const JobSpec& spec) {
  if (spec.has_trace_steps()) {
    if (!IsTraced(spec))
      return absl::InvalidArgumentError(
          "trace_steps says which steps are traced, but no file for them: add "
          "--trace=FILE or --profile_dir=DIR");
    PODSIM_RETURN_IF_ERROR(ParseStepRange(spec.trace_steps()).status());
  }
  if (IsTraced(spec) && (spec.mode() == words::Mode::eval || spec.has_bench()))
    return absl::InvalidArgumentError(
        "--trace and --profile_dir are of training steps, and this job makes "
        "none: leave them out, or train");
  return absl::OkStatus();
}

StepRange TracedSteps(const JobSpec& spec, std::int64_t start,
                      std::int64_t last) {
  if (!IsTraced(spec)) return {};
  StepRange range = {.first = start + 2, .last = start + 4};
  if (start + 1 == last) range.first = last;
  if (spec.has_trace_steps()) {
    const absl::StatusOr<StepRange> asked = ParseStepRange(spec.trace_steps());
    PODSIM_CHECK(asked.ok());
    range = *asked;
  }
  return {.first = std::max(range.first, start + 1),
          .last = std::min(range.last, last)};
}

absl::Status CheckTracedSteps(const JobSpec& spec, std::int64_t start,
                              std::int64_t last) {
  if (!IsTraced(spec)) return absl::OkStatus();
  if (start >= last)
    return absl::InvalidArgumentError(absl::StrCat(
        "trace: the run begins after step ", start, " of ", last,
        " and makes no step to trace: leave --trace and --profile_dir out, or "
        "train longer"));
  if (!spec.has_trace_steps()) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const StepRange asked,
                          ParseStepRange(spec.trace_steps()));
  if (asked.first > start && asked.last <= last) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "trace_steps is '", spec.trace_steps(), "', but the run makes steps ",
      start + 1, " to ", last, ": name steps among these"));
}

}  // namespace podsim
