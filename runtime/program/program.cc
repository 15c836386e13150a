#include "runtime/program/program.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/checkpoint/safetensors.h"
#include "host/storage/bounded_read.h"
#include "host/storage/file_kind.h"
#include "host/storage/no_file.h"
#include "host/storage/uri_store.h"
#include "models/graph/serialize_model.h"
#include "models/graph/wire_scan.h"
#include "models/import/import.h"
#include "proto/import.pb.h"
#include "proto/programs.pb.h"
#include "runtime/files/model_file.h"
#include "runtime/files/output_clash.h"
#include "runtime/files/output_files.h"
#include "runtime/program/program_text.h"
#include "runtime/program/run_model.h"
#include "settings/check.h"
#include "settings/command_line.h"
#include "settings/pasted.h"
#include "settings/programs.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr int kDamaged = 1;
constexpr int kRefused = 2;

// Of the message alone: its modules are bytes to it.
constexpr WireLimits kImportLimits = {.messages = std::int64_t{1} << 20,
                                      .numbers = std::int64_t{1} << 20};

// `what`: of a file that is not there.
absl::StatusOr<std::string> ReadOf(const std::string& path, const char* what) {
  const auto store = NewUriStore();
  absl::StatusOr<std::string> bytes =
      ReadAtMost(*store, path, kMostModelBytes * 8);
  if (absl::IsOutOfRange(bytes.status()))
    return absl::InvalidArgumentError(bytes.status().message());
  if (absl::IsNotFound(bytes.status())) return NoFile(*store, path, what);
  return bytes;
}

// `flags`: all that the command takes, as in an example.
absl::Status NeedFile(const ProgramSettings& settings, const std::string& path,
                      const char* flag, const char* flags) {
  if (!path.empty()) return CheckServed(path);
  const std::string& command = WordOf(settings.command());
  return absl::InvalidArgumentError(
      absl::StrCat(command, " needs ", flag, "=FILE, as in pod_program ",
                   command, " ", settings.path(), " ", flags));
}

// "input/features, variable/dense/kernel ..." of a file that may be any.
std::string NamesText(const SafetensorsHeader& header) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> names;
  for (const SafetensorsEntry& entry : header.tensors)
    if (names.size() < kMostNamed) names.push_back(PrintableLine(entry.name));
  return absl::StrCat(absl::StrJoin(names, ", "),
                      header.tensors.size() > kMostNamed ? " ..." : "");
}

// What run reads: a safetensors file with examples.
absl::Status CheckValues(const std::string& path, const std::string& bytes) {
  constexpr char kWanted[] =
      "give a safetensors file with tensors input/NAME (examples along the "
      "first axis) and variable/NAME; pod_program show lists both";
  const auto refused = [&](const std::string& why) {
    return absl::InvalidArgumentError(
        absl::StrCat("--values=", path, ": ", why, kWanted));
  };
  const auto header = ParseSafetensors(bytes);
  if (!header.ok())
    return refused(
        InPlaceOf(path, bytes, std::string(header.status().message())));
  const bool has_input =
      std::any_of(header->tensors.begin(), header->tensors.end(),
                  [](const SafetensorsEntry& entry) {
                    return absl::StartsWith(entry.name, "input/");
                  });
  if (has_input) return absl::OkStatus();
  return refused(absl::StrCat(
      "it has no tensor input/..., but ",
      header->tensors.empty() ? "none" : NamesText(*header), "; "));
}

// Functions, or what lies in their place; `result`: its exit code.
absl::StatusOr<ImportProto> FunctionsIn(const std::string& path,
                                        const std::string& bytes,
                                        ProgramResult& result) {
  ImportProto from;
  absl::Status status =
      ScanWire(bytes, *ImportProto::descriptor(), kImportLimits);
  if (status.ok() && !from.ParseFromString(bytes))
    status = absl::InvalidArgumentError("it is damaged");
  if (status.ok() && from.training().lowerings().empty())
    status = absl::InvalidArgumentError("it has no function");
  if (status.ok()) return from;
  if (const auto model = ParseModel(bytes); model.ok()) {
    const bool trains = model->stage() == ModelProto::MODEL;
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is a ", trains ? "model" : "Program",
        " already: pod_program show ", path, " says what it holds",
        trains ? absl::StrCat(", pod_launch --model_file=", path, " trains it")
               : ""));
  }
  result.exit_code = kDamaged;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": ", InPlaceOf(path, bytes, std::string(status.message())),
      "import takes functions in XLA's HLO, as the Python package writes "
      "them; podsim.export in Python writes a model in one go"));
}

// A file of another kind is said before an --output that is missing.
absl::Status ImportTo(const ProgramSettings& settings, ProgramResult& result) {
  const absl::StatusOr<std::string> read =
      ReadOf(settings.path(), "file of functions");
  ImportProto from;
  if (read.ok()) {
    PODSIM_ASSIGN_OR_RETURN(from, FunctionsIn(settings.path(), *read, result));
  }
  PODSIM_RETURN_IF_ERROR(
      NeedFile(settings, settings.output(), "--output", "--output=mine.model"));
  if (!read.ok())
    return absl::Status(
        read.status().code(),
        absl::StrCat(read.status().message(),
                     "; podsim.export in Python makes a model of a function "
                     "in JAX, other frameworks' models do not come in"));
  std::vector<std::string> warnings;
  const absl::StatusOr<ModelProto> model = Import(from, &warnings);
  if (!model.ok()) {
    result.exit_code = kDamaged;
    return model.status();
  }
  for (const std::string& warning : warnings)
    absl::StrAppend(&result.text, "warning: ", warning, "\n");
  return WriteModelFile(settings.output(), *model);
}

absl::Status RunTo(const ProgramSettings& settings, const ModelProto& model) {
  constexpr char kFlags[] = "--values=in.safetensors --output=out.safetensors";
  PODSIM_RETURN_IF_ERROR(
      NeedFile(settings, settings.values(), "--values", kFlags));
  PODSIM_RETURN_IF_ERROR(
      NeedFile(settings, settings.output(), "--output", kFlags));
  PODSIM_ASSIGN_OR_RETURN(const std::string values,
                          ReadOf(settings.values(), "values file"));
  PODSIM_RETURN_IF_ERROR(CheckValues(settings.values(), values));
  PODSIM_ASSIGN_OR_RETURN(
      const std::string results,
      RunModel(model, settings.precision() == words::Precision::bfloat16,
               values));
  return NewUriStore()->Write(settings.output(), results);
}

absl::Status Run(const ProgramSettings& settings, ProgramResult& result) {
  PODSIM_RETURN_IF_ERROR(CheckCommandReads(WordOf(settings.command()), settings,
                                           {{"output", {"import", "run"}},
                                            {"values", {"run"}},
                                            {"precision", {"run"}}}));
  PODSIM_RETURN_IF_ERROR(CheckOutputFiles(settings));
  PODSIM_RETURN_IF_ERROR(CheckOutputsApart(FilesIn({&settings})));
  if (settings.command() == words::ProgramCommand::import)
    return ImportTo(settings, result);
  absl::StatusOr<ModelProto> model = ReadModelFile(settings.path());
  if (!model.ok()) {
    if (absl::IsInvalidArgument(model.status())) result.exit_code = kDamaged;
    return model.status();
  }
  if (settings.command() == words::ProgramCommand::run)
    return RunTo(settings, *model);
  if (settings.command() == words::ProgramCommand::verify) {
    result.text = absl::StrCat(
        settings.path(), ": good, ",
        model->stage() == ModelProto::MODEL ? "model " : "Program ",
        model->name(), ", ",
        FormatBytes(static_cast<std::int64_t>(ModelBytes(*model).size())),
        ", hash ", ModelHash(*model), "\n");
    return absl::OkStatus();
  }
  PODSIM_ASSIGN_OR_RETURN(result.text, Explain(*model));
  return absl::OkStatus();
}

}  // namespace

ProgramResult RunProgram(const std::vector<std::string>& args) {
  ProgramResult result;
  ProgramSettings settings;
  absl::StatusOr<CommandLine> line =
      ParseCommandLine(PodProgram(), args, /*variables=*/{}, {&settings});
  absl::Status status = line.status();
  if (status.ok() && !line->text.empty()) {
    result.text = std::move(line->text);
    return result;
  }
  if (status.ok()) status = CheckServed(settings.path());
  if (status.ok()) status = Run(settings, result);
  if (!status.ok()) {
    if (result.exit_code == 0) result.exit_code = kRefused;
    result.error =
        std::string(NamePasted(status, PodProgram(), args).message());
  }
  return result;
}

}  // namespace podsim
