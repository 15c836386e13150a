#include "runtime/program/program.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"
#include "host/storage/uri_store.h"
#include "models/graph/serialize_model.h"
#include "proto/programs.pb.h"
#include "runtime/files/model_file.h"
#include "runtime/program/program_text.h"
#include "settings/command_line.h"
#include "settings/programs.h"

namespace podsim {
namespace {

constexpr int kDamaged = 1;
constexpr int kRefused = 2;

absl::Status Run(const ProgramSettings& settings, ProgramResult& result) {
  absl::StatusOr<ModelProto> model = ReadModelFile(settings.path());
  if (!model.ok()) {
    if (absl::IsInvalidArgument(model.status())) result.exit_code = kDamaged;
    return model.status();
  }
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
    result.error = std::string(status.message());
  }
  return result;
}

}  // namespace podsim
