// pod_top's command line. Pure.
#ifndef PODSIM_RUNTIME_TOP_TOP_FLAGS_H_
#define PODSIM_RUNTIME_TOP_TOP_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/programs.pb.h"

namespace podsim {

struct TopFlags {
  TopSettings settings;
  std::vector<std::string> command;  // behind "--"; for --tpu_info
  std::string text;                  // not empty: print it and stop
};

// `args` without the program's name.
// Errors: INVALID_ARGUMENT, one line.
absl::StatusOr<TopFlags> ParseTopFlags(const std::vector<std::string>& args);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TOP_TOP_FLAGS_H_
