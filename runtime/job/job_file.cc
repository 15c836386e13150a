#include "runtime/job/job_file.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "host/storage/storage.h"
#include "runtime/job/spec_check.h"

namespace podsim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Reflection;

// A job is some dozen lines; a larger file is something else.
constexpr std::int64_t kMostFileBytes = 1 * kMiB;
constexpr std::size_t kLongestMessage = 200;

std::string Printable(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

// Keeps the first error, on one printable line.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstError(const std::string& name) : name_(name) {}

  // Protobuf counts from 0, and -1 stands for no place.
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!error_.empty()) return;
    error_ = absl::StrCat(
        name_, ":", line + 1, ":", column + 1, ": ",
        Printable(message.substr(0, kLongestMessage)),
        "; a job is written as \"train_steps: 100\", a field a line");
  }

  const std::string& error() const { return error_; }

 private:
  const std::string name_;
  std::string error_;
};

void ClearExcluded(const std::string& field, JobSpec& spec) {
  const auto clear = [&spec](const char* name) {
    spec.GetReflection()->ClearField(
        &spec, JobSpec::descriptor()->FindFieldByName(name));
  };
  for (const ExclusiveFields& pair : ExclusivePairsOfSpec()) {
    if (field == pair.first) clear(pair.second);
    if (field == pair.second) clear(pair.first);
  }
}

}  // namespace

absl::StatusOr<JobSpec> ParseJob(const std::string& text,
                                 const std::string& name) {
  FirstError collector(name);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  JobSpec spec;
  if (parser.ParseFromString(text, &spec)) return spec;
  return absl::InvalidArgumentError(collector.error());
}

absl::StatusOr<JobSpec> ReadJobFile(const std::string& path) {
  const auto store = NewLocalStore();
  const auto size = store->Size(path);
  if (!size.ok()) return Annotate(size.status(), "job file");
  if (*size > kMostFileBytes)
    return absl::InvalidArgumentError(
        absl::StrCat("job file ", path, " has ", FormatBytes(*size),
                     "; a job has at most ", FormatBytes(kMostFileBytes)));
  const auto text = store->ReadRange(path, 0, kMostFileBytes);
  if (!text.ok()) return Annotate(text.status(), "job file");
  return ParseJob(*text, path);
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
    ClearExcluded(field->name(), merged);
  }
  merged.MergeFrom(flags);
  return merged;
}

}  // namespace podsim
