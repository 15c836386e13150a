#include "runtime/files/fault_file.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/files/text_file.h"

namespace podsim {
namespace {

constexpr TextKind kFaultsText = {
    .name = "fault plan",
    .example = "faults { kind: KILL host: 2 step: 20 }, a fault a line"};

}  // namespace

absl::StatusOr<FaultPlan> ParseFaults(const std::string& text,
                                      const std::string& name) {
  FaultPlan plan;
  PODSIM_RETURN_IF_ERROR(ParseText(text, name, kFaultsText, plan));
  if (plan.faults().empty() && !plan.has_random()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": a fault plan without a fault; one is written as ",
                     kFaultsText.example));
  }
  return plan;
}

absl::StatusOr<FaultPlan> ReadFaults(const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text, ReadText(path, kFaultsText));
  return ParseFaults(text, path);
}

}  // namespace podsim
