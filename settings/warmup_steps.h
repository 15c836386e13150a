// A warm-up that was given as a part of the run, in steps. Pure.
#ifndef PODSIM_SETTINGS_WARMUP_STEPS_H_
#define PODSIM_SETTINGS_WARMUP_STEPS_H_

#include <google/protobuf/message.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace podsim {

// The refusal of an unknown flag of `args`, with "; here --warmup_steps=200"
// where the flag is a ratio of the warm-up and the steps of the run are set in
// one of `messages`; any other as it is.
absl::Status WithWarmupSteps(
    const absl::Status& refused, const std::vector<std::string>& args,
    const std::vector<google::protobuf::Message*>& messages);

}  // namespace podsim

#endif  // PODSIM_SETTINGS_WARMUP_STEPS_H_
