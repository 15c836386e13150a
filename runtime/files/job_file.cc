#include "runtime/files/job_file.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "google/protobuf/text_format.h"
#include "runtime/files/text_file.h"
#include "settings/check.h"
#include "settings/setting.h"

namespace podsim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

constexpr TextKind kJobText = {
    .name = "job", .example = "\"train_steps: 100\", a field a line"};

}  // namespace

absl::StatusOr<JobSpec> ParseJob(const std::string& text,
                                 const std::string& name) {
  JobSpec spec;
  PODSIM_RETURN_IF_ERROR(ParseText(text, name, kJobText, spec));
  return spec;
}

absl::StatusOr<JobSpec> ReadJobFile(const std::string& path) {
  Origins unused;
  return ReadJobFile(path, unused);
}

absl::StatusOr<JobSpec> ReadJobFile(const std::string& path, Origins& lines) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text, ReadText(path, kJobText));
  JobSpec spec;
  PODSIM_RETURN_IF_ERROR(ParseText(text, path, kJobText, spec, lines));
  std::vector<const FieldDescriptor*> given;
  spec.GetReflection()->ListFields(spec, &given);
  // Somebody who says why means the default job; an empty file is likely lost.
  if (!given.empty() || text.find('#') != text.npos) return spec;
  return absl::InvalidArgumentError(absl::StrCat(
      "job file ", path, " sets no field; a ", kJobText.name, " is written as ",
      kJobText.example, ", and the default job needs no file"));
}

std::string PrintJob(const JobSpec& spec) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  PODSIM_CHECK(printer.PrintToString(spec, &text));
  return text;
}

JobSpec MergeSpecs(const JobSpec& file, const JobSpec& flags) {
  JobSpec merged = file;
  const Reflection& reflection = *flags.GetReflection();
  std::vector<const FieldDescriptor*> given;
  reflection.ListFields(flags, &given);
  for (const FieldDescriptor* field : given) {
    reflection.ClearField(&merged, field);
    ClearExcluded(*field, merged);
  }
  merged.MergeFrom(flags);
  return merged;
}

Origins MergeOrigins(Origins lines, const JobSpec& flags,
                     const Origins& variables) {
  std::vector<const FieldDescriptor*> given;
  flags.GetReflection()->ListFields(flags, &given);
  for (const FieldDescriptor* field : given) lines.erase(FlagOf(*field));
  for (const auto& [name, variable] : variables) lines[name] = variable;
  return lines;
}

}  // namespace podsim
