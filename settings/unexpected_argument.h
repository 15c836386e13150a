// What is said of arguments without dashes that have no place. Pure.
#ifndef PODSIM_SETTINGS_UNEXPECTED_ARGUMENT_H_
#define PODSIM_SETTINGS_UNEXPECTED_ARGUMENT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "settings/program.h"

namespace podsim {

// `args`: all of the command line; `left`: the arguments in it, at least one;
// `messages`: the settings so far, one for each part of the program.
// INVALID_ARGUMENT, one line: the first, and the flag that it was meant for,
// if that is known ("v3-8" is a topology, "epochs=3" lacks its dashes), else
// how settings are given; of paths how many are taken.
absl::Status UnexpectedArgument(
    const MainProgram& program, const std::vector<Flag>& flags,
    const std::vector<std::string>& args, const std::vector<std::string>& left,
    const std::vector<google::protobuf::Message*>& messages);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_UNEXPECTED_ARGUMENT_H_
