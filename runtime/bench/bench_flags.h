// pod_bench's command line: nccl-tests' flags, and the pod's own. Pure.
//
//   PODSIM_ASSIGN_OR_RETURN(BenchFlags flags, ParseBenchFlags(args,
//   variables));
#ifndef PODSIM_RUNTIME_BENCH_BENCH_FLAGS_H_
#define PODSIM_RUNTIME_BENCH_BENCH_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/job.pb.h"
#include "proto/programs.pb.h"
#include "settings/environment.h"

namespace podsim {

// What was given, nothing else.
struct BenchFlags {
  JobSpec spec;  // with the bench that is to be measured
  BenchSettings settings;
  ElsewhereSettings elsewhere;
  std::string text;  // not empty: print it and stop
};

// `args` without the program's name.
// Errors: INVALID_ARGUMENT, one line (those of ParseCommandLine, CheckBench,
//   CheckCalibration and CheckElsewhere).
absl::StatusOr<BenchFlags> ParseBenchFlags(const std::vector<std::string>& args,
                                           const Variables& variables);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_BENCH_FLAGS_H_
