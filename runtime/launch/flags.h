// pod_launch's command line: arguments and environment to a JobSpec and the
// launcher's own settings. Pure.
//
//   PODSIM_ASSIGN_OR_RETURN(ParsedFlags flags, ParseFlags(args, variables));
//   JobSpec spec = MergeSpecs(file_spec, flags.spec);
#ifndef PODSIM_RUNTIME_LAUNCH_FLAGS_H_
#define PODSIM_RUNTIME_LAUNCH_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/job.pb.h"
#include "proto/programs.pb.h"
#include "settings/environment.h"
#include "settings/origins.h"

namespace podsim {

enum class LaunchAction : std::uint8_t {
  kTrain,
  kDryRun,         // print the plan
  kPrintJob,       // print the JobSpec, its defaults as comments
  kDescribe,       // explain a slice
  kPrintHardware,  // a generation as a file
  kPrintCompose,   // a slice as containers
  kSelfTest,       // compare with real chips
  kWriteModel,     // the named model as a file
  kText,           // print ParsedFlags::text (help, version)
};

// What was given, nothing else.
struct ParsedFlags {
  JobSpec spec;
  LaunchSettings settings;
  ElsewhereSettings elsewhere;
  MonitorSettings monitor;
  Origins origins;  // of what variables gave
  LaunchAction action = LaunchAction::kTrain;
  std::string text;
};

// `args` without the program's name. An action that is typed wins over those in
// the environment, any action over a PODSIM_QUIET.
// Errors: INVALID_ARGUMENT, one line (those of ParseCommandLine; actions that
//   exclude each other; those of CheckElsewhere and CheckMonitor).
absl::StatusOr<ParsedFlags> ParseFlags(const std::vector<std::string>& args,
                                       const Variables& variables);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_FLAGS_H_
