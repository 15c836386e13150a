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

struct FaultPlace {
  int line = 0;  // counted from 1
  // Whether the text says them: 0 is also what an unset field has.
  bool host = false;
  bool to = false;
  bool step = false;
};

// Of each fault; empty: that is not known.
std::vector<FaultPlace> FaultPlaces(const std::string& text) {
  if (IsJson(text)) return {};
  FaultPlan plan;
  google::protobuf::TextFormat::ParseInfoTree places;
  google::protobuf::TextFormat::Parser parser;
  parser.WriteLocationsTo(&places);
  if (!parser.ParseFromString(text, &plan)) return {};
  const auto* const field = plan.GetDescriptor()->FindFieldByName("faults");
  std::vector<FaultPlace> found;
  for (int i = 0; i < plan.faults_size(); ++i) {
    const auto* const fault = places.GetTreeForNested(field, i);
    const auto says = [fault](const char* name) {
      const auto* const part = Fault::descriptor()->FindFieldByName(name);
      return fault != nullptr && fault->GetLocation(part, -1).line >= 0;
    };
    found.push_back({.line = places.GetLocation(field, i).line + 1,
                     .host = says("host"),
                     .to = says("to"),
                     .step = says("step")});
  }
  return found;
}

// What a fault has to say, and this one leaves out.
std::string MissingIn(const Fault& fault, const FaultPlace& place) {
  const bool link = fault.kind() == Fault::CUT ||
                    fault.kind() == Fault::DELAY || fault.kind() == Fault::FLIP;
  const std::string kind = Fault::Kind_Name(fault.kind());
  if (fault.kind() == Fault::UNSET) return "";  // CheckFaults says so
  if (!place.host)
    return absl::StrCat(kind, " has no host; say which, as in host: 0");
  if (link && !place.to)
    return absl::StrCat(kind,
                        " has no other end of the link; say which host it "
                        "leads to, as in to: 1");
  if (!place.step)
    return absl::StrCat(kind, " has no step; say when, as in step: 20");
  return "";
}

// A host that nobody named would be host 0. Of JSON nobody knows.
absl::Status CheckSaysAll(const std::string& text, const FaultPlan& plan,
                          const std::string& path) {
  const std::vector<FaultPlace> places = FaultPlaces(text);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string missing =
        MissingIn(plan.faults(static_cast<int>(i)), places[i]);
    if (!missing.empty())
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", places[i].line, ": ", missing));
  }
  return absl::OkStatus();
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
  PODSIM_ASSIGN_OR_RETURN(FaultPlan plan, ParseFaults(text, path));
  PODSIM_RETURN_IF_ERROR(CheckSaysAll(text, plan, path));
  return plan;
}

absl::Status InFaultFile(const absl::Status& refused, std::optional<int> fault,
                         const std::string& path) {
  const auto text = ReadText(path, kFaultsText);
  const std::vector<FaultPlace> places =
      text.ok() ? FaultPlaces(*text) : std::vector<FaultPlace>();
  if (!fault || *fault < 0 || *fault >= static_cast<int>(places.size()))
    return Annotate(refused, path);
  const int line = places[static_cast<std::size_t>(*fault)].line;
  std::string why(refused.message());
  const std::size_t behind = why.find(": ");  // "fault 2 (KILL)"
  if (std::ranges::count(places, line, &FaultPlace::line) == 1 &&
      behind != why.npos)
    why = why.substr(behind + 2);
  return {refused.code(), absl::StrCat(path, ":", line, ": ", why)};
}

}  // namespace podsim
