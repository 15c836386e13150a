// Where settings were said that no flag gave, for messages about them. Pure.
//
//   origins["threads"] = "PODSIM_THREADS";
//   WithOrigin(status, origins)  // "threads is -1; ... (from PODSIM_THREADS)"
#ifndef PODSIM_SETTINGS_ORIGINS_H_
#define PODSIM_SETTINGS_ORIGINS_H_

#include <google/protobuf/descriptor.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace podsim {

// By the flag's name: a variable of the environment, a line of a file.
using Origins = std::map<std::string, std::string>;

// "threads" of "threads is -1; allowed: ..."; empty: the message does not begin
// with what is wrong with one setting.
std::string SettingIn(absl::string_view message);

// Of settings that their variables gave.
Origins OriginsOf(
    const std::vector<const google::protobuf::FieldDescriptor*>& variables);

// A status whose message begins with a setting, as in "threads is -1; ...",
// "topology: ..." or "train_batch_size 100 does not ...", with the place that
// it was read from.
absl::Status WithOrigin(const absl::Status& status, const Origins& origins);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_ORIGINS_H_
