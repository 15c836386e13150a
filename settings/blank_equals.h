// Blanks around the = of a flag: the shell makes two or three arguments of
// "--topology = v3-8". Pure.
#ifndef PODSIM_SETTINGS_BLANK_EQUALS_H_
#define PODSIM_SETTINGS_BLANK_EQUALS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "settings/program.h"

namespace podsim {

// `args`: all of a command line. INVALID_ARGUMENT, one line, of the first flag
// of the program that stands so, with or without its dashes: "--topology = v3-8
// has blanks around its =; write --topology=v3-8". Of "--topology= v3-8", which
// may have lost its value, what stands behind it.
absl::Status CheckBlankEquals(const std::vector<Flag>& flags,
                              const std::vector<std::string>& args);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_BLANK_EQUALS_H_
