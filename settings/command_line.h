// A program's command line and environment to the messages that hold its
// settings. Pure.
//
//   JobSpec spec;
//   LaunchSettings settings;
//   PODSIM_ASSIGN_OR_RETURN(
//       const CommandLine line,
//       ParseCommandLine(PodLaunch(), args, variables, {&spec, &settings}));
#ifndef PODSIM_SETTINGS_COMMAND_LINE_H_
#define PODSIM_SETTINGS_COMMAND_LINE_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "settings/environment.h"
#include "settings/program.h"

namespace podsim {

struct CommandLine {
  std::string text;  // not empty: help or version, to be printed instead
  // What no flag gave, but its variable.
  std::vector<const google::protobuf::FieldDescriptor*> from_environment = {};
};

// `args` without the program's name. Sets in `messages` (one per part of the
// program, in order) what was given, nothing else. A flag X may also be given
// as PODSIM_X; the command line wins, also over what its flags exclude. '-' and
// '_' in flag names are equal.
// Errors: INVALID_ARGUMENT, one line (unknown flag, naming the nearest ones; a
//   value that does not parse or is not allowed; flags, or variables, that
//   exclude each other; what is missing).
absl::StatusOr<CommandLine> ParseCommandLine(
    const MainProgram& program, const std::vector<std::string>& args,
    const Variables& variables,
    const std::vector<google::protobuf::Message*>& messages);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_COMMAND_LINE_H_
