// What is said of a flag that a program does not have. Pure.
#ifndef PODSIM_SETTINGS_UNKNOWN_FLAG_H_
#define PODSIM_SETTINGS_UNKNOWN_FLAG_H_

#include <string>

#include "absl/status/status.h"
#include "settings/program.h"

namespace podsim {

// What is known of a name that other programs give a flag, and this one does
// not: "did you mean --train_steps?". Empty: no more than that there is none.
std::string KnownOfName(const MainProgram& program, const std::string& name);

// `arg` as typed: "--lr=0.1". INVALID_ARGUMENT, one line: the flag and what to
// use instead (settings/advice.h, names that fields have elsewhere, flags of
// other programs, near names), else to leave it out and where all are listed.
absl::Status UnknownFlag(const MainProgram& program, const std::string& arg);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_UNKNOWN_FLAG_H_
