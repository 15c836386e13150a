// pod_bench's command line: nccl-tests' flags, and the pod's own. Pure.
//
//   PODSIM_ASSIGN_OR_RETURN(BenchFlags flags, ParseBenchFlags(args, lookup));
#ifndef PODSIM_RUNTIME_BENCH_BENCH_FLAGS_H_
#define PODSIM_RUNTIME_BENCH_BENCH_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/job.pb.h"
#include "runtime/launch/flags.h"

namespace podsim {

struct BenchFlags {
  JobSpec spec;              // what is to be measured: only what was given
  LaunchOptions options;     // external hosts, where to listen
  std::string json_file;     // empty: none
  std::string choices_file;  // to write; empty: none
  bool timestamps = false;
  bool memory = false;
  std::string text;  // not empty: print it and stop
};

// `args` without the program's name. A flag X may also be given as PODSIM_X in
// the environment; the command line wins. '-' and '_' in names are equal.
// Errors: INVALID_ARGUMENT, one line (unknown flag, naming the nearest ones; a
//   value that does not parse; no collective, or one that is not known).
absl::StatusOr<BenchFlags> ParseBenchFlags(
    const std::vector<std::string>& args, const EnvironmentLookup& environment);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_BENCH_BENCH_FLAGS_H_
