#include "runtime/files/fault_file.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "google/protobuf/text_format.h"
#include "runtime/files/json_text.h"
#include "runtime/files/text_file.h"

namespace podsim {
namespace {

constexpr TextKind kFaultsText = {
    .name = "fault plan",
    .example = "faults { kind: KILL host: 2 step: 20 }, a fault a line"};

// Of each fault, counted from 1; empty: that is not known.
std::vector<int> FaultLines(const std::string& text) {
  if (IsJson(text)) return {};
  FaultPlan plan;
  google::protobuf::TextFormat::ParseInfoTree places;
  google::protobuf::TextFormat::Parser parser;
  parser.WriteLocationsTo(&places);
  if (!parser.ParseFromString(text, &plan)) return {};
  const auto* const field = plan.GetDescriptor()->FindFieldByName("faults");
  std::vector<int> lines;
  for (int i = 0; i < plan.faults_size(); ++i)
    lines.push_back(places.GetLocation(field, i).line + 1);
  return lines;
}

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

absl::Status InFaultFile(const absl::Status& refused, std::optional<int> fault,
                         const std::string& path) {
  const auto text = ReadText(path, kFaultsText);
  const std::vector<int> lines =
      text.ok() ? FaultLines(*text) : std::vector<int>();
  if (!fault || *fault < 0 || *fault >= static_cast<int>(lines.size()))
    return Annotate(refused, path);
  const int line = lines[static_cast<std::size_t>(*fault)];
  std::string why(refused.message());
  const std::size_t behind = why.find(": ");  // "fault 2 (KILL)"
  if (std::ranges::count(lines, line) == 1 && behind != why.npos)
    why = why.substr(behind + 2);
  return {refused.code(), absl::StrCat(path, ":", line, ": ", why)};
}

}  // namespace podsim
