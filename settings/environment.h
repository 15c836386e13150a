// The environment of a process, as data.
#ifndef PODSIM_SETTINGS_ENVIRONMENT_H_
#define PODSIM_SETTINGS_ENVIRONMENT_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace podsim {

using Variables = std::map<std::string, std::string>;

// This process's.
Variables ProcessVariables();

std::optional<std::string> Find(const Variables& variables,
                                const std::string& name);

// A line for each PODSIM_ variable that no program of podsim knows and that is
// no mistyped name, with the one that may be meant. Pure.
std::vector<std::string> UnknownVariables(const Variables& variables);

// Errors: INVALID_ARGUMENT: a PODSIM_ variable that no program knows, with the
// mistyped name of a setting: it would be without effect. Pure.
absl::Status CheckVariableNames(const Variables& variables);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_ENVIRONMENT_H_
