#include "runtime/plan/question_check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;

// A flag that was given and is not among `names`; "": none.
std::string GivenBeside(const Message& message,
                        const std::vector<std::string>& names) {
  std::vector<const FieldDescriptor*> given;
  message.GetReflection()->ListFields(message, &given);
  for (const FieldDescriptor* field : given)
    if (std::find(names.begin(), names.end(), field->name()) == names.end())
      return FlagOf(*field);
  return "";
}

// A barrier has no size.
absl::Status CheckSized(const PlanSettings& settings) {
  if (settings.collective() != words::Collective::barrier)
    return absl::OkStatus();
  const std::string size = settings.has_minbytes()     ? "minbytes"
                           : settings.has_maxbytes()   ? "maxbytes"
                           : settings.has_stepfactor() ? "stepfactor"
                                                       : "";
  if (size.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", size,
                   " is for a collective that carries data, and a barrier "
                   "carries none: leave it out"));
}

}  // namespace

absl::Status CheckQuestion(const PlanSettings& settings, const JobSpec& job,
                           LadderBatch batch) {
  if (settings.has_collective()) {
    std::string other =
        GivenBeside(job, {"wrap", "twist", "ici_dtype", "ici_fault"});
    if (batch == LadderBatch::kLargest) other = "batch_per_core";
    if (settings.has_job()) other = "job";
    if (settings.has_links()) other = "links";
    if (settings.has_prices()) other = "prices";
    if (settings.has_plot()) other = "plot";
    if (settings.has_price_per_chip_hour()) other = "price_per_chip_hour";
    if (settings.has_chip_prices()) other = "chip_prices";
    if (settings.has_deadline()) other = "deadline";
    if (settings.has_budget()) other = "budget";
    if (settings.measured_size() > 0) other = "measured";
    if (settings.has_explain()) other = "explain";
    if (other.empty()) return CheckSized(settings);
    return absl::InvalidArgumentError(absl::StrCat(
        "--", other,
        " is for a training job and goes with no --collective: "
        "leave out one of the two",
        other == "links" ? "; --draw_links draws how busy links are" : ""));
  }
  const std::string other = GivenBeside(
      settings, {"job", "topology", "hardware", "ici_algorithm", "json", "plot",
                 "price_per_chip_hour", "chip_prices", "deadline", "budget",
                 "links", "prices", "verbose", "explain", "measured"});
  if (other.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--", other,
                   " is for a collective: say which one, as in "
                   "--collective all_reduce, or leave --",
                   other, " out"));
}

}  // namespace podsim
