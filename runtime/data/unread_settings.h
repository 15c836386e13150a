// Settings of pod_data that a data set does not read. Pure.
#ifndef PODSIM_RUNTIME_DATA_UNREAD_SETTINGS_H_
#define PODSIM_RUNTIME_DATA_UNREAD_SETTINGS_H_

#include <string>

#include "absl/status/status.h"
#include "proto/programs.pb.h"

namespace podsim {

// `given`: what was typed, without defaults; `dataset`: the one that is opened.
// OK for one that there is not, which is others' to say.
// Errors: INVALID_ARGUMENT, naming the setting, its value and the data sets
// that
//   read it.
absl::Status CheckAreRead(const DataSettings& given,
                          const std::string& dataset);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_DATA_UNREAD_SETTINGS_H_
