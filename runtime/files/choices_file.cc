#include "runtime/files/choices_file.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "google/protobuf/text_format.h"
#include "interconnect/collectives/choice_table.h"
#include "runtime/files/text_file.h"

namespace podsim {
namespace {

constexpr TextKind kChoicesText = {
    .name = "table of algorithms",
    .example =
        "choices { collective: \"all_reduce\" algorithm: \"ring\" }, a "
        "row a line (pod_bench --algo=all --write_choices=FILE writes one)"};

}  // namespace

absl::StatusOr<google::protobuf::RepeatedPtrField<AlgorithmChoice>>
ParseChoices(const std::string& text, const std::string& name) {
  AlgorithmChoices file;
  PODSIM_RETURN_IF_ERROR(ParseText(text, name, kChoicesText, file));
  if (file.choices().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name,
                     ": a table of algorithms without a row; write one "
                     "by pod_bench --algo=all --write_choices=FILE"));
  }
  PODSIM_RETURN_IF_ERROR(Annotate(ChoiceRows(file.choices()).status(), name));
  return file.choices();
}

absl::StatusOr<google::protobuf::RepeatedPtrField<AlgorithmChoice>> ReadChoices(
    const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const std::string text, ReadText(path, kChoicesText));
  return ParseChoices(text, path);
}

std::string PrintChoices(std::span<const ChoiceRow> table) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  for (const ChoiceRow& row : table) {
    std::string fields;
    PODSIM_CHECK(printer.PrintToString(MessageOf(row), &fields));
    absl::StrAppend(&text, "choices { ", fields, "}\n");
  }
  return text;
}

}  // namespace podsim
