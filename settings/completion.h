// What a shell needs to complete a program's flags. Pure.
#ifndef PODSIM_SETTINGS_COMPLETION_H_
#define PODSIM_SETTINGS_COMPLETION_H_

#include <string>

#include "settings/program.h"

namespace podsim {

// A bash script, for a file of the program's name in
// share/bash-completion/completions: flags, the words that a flag takes, files
// and directories.
std::string FormatBashCompletion(const MainProgram& program);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_COMPLETION_H_
