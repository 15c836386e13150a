// What a shell needs to complete a program's flags. Pure.
#ifndef PODSIM_SETTINGS_COMPLETION_H_
#define PODSIM_SETTINGS_COMPLETION_H_

#include <map>
#include <string>
#include <vector>

#include "settings/program.h"

namespace podsim {

// By flag, without dashes.
using OfferedNames = std::map<std::string, std::vector<std::string>>;

// A bash script, for a file of the program's name in
// share/bash-completion/completions: flags, the words that a flag takes, the
// names that are `offered` for it, files and directories.
std::string FormatBashCompletion(const MainProgram& program,
                                 const OfferedNames& offered = {});

}  // namespace podsim

#endif  // PODSIM_SETTINGS_COMPLETION_H_
