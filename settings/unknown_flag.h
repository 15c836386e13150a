// What is said of a flag that a program does not have. Pure.
#ifndef PODSIM_SETTINGS_UNKNOWN_FLAG_H_
#define PODSIM_SETTINGS_UNKNOWN_FLAG_H_

#include <string>

#include "absl/status/status.h"
#include "settings/program.h"

namespace podsim {

// Whether more is known of the flag `name` than that there is none.
bool IsLikeAFlag(const MainProgram& program, const std::string& name);

// `arg` as typed: "--lr=0.1". INVALID_ARGUMENT, one line: the flag and what to
// use instead (settings/advice.h, names that fields have elsewhere, flags of
// other programs, near names), else where all flags are listed.
absl::Status UnknownFlag(const MainProgram& program, const std::string& arg);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_UNKNOWN_FLAG_H_
