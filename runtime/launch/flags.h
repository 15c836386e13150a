// pod_launch's command line: arguments and environment to a JobSpec and the
// launcher's own options. Pure.
//
//   PODSIM_ASSIGN_OR_RETURN(ParsedFlags flags, ParseFlags(args, lookup));
//   JobSpec spec = MergeSpecs(file_spec, flags.spec);
#ifndef PODSIM_RUNTIME_LAUNCH_FLAGS_H_
#define PODSIM_RUNTIME_LAUNCH_FLAGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/job.pb.h"
#include "runtime/pod/job_runner.h"
#include "runtime/pod/main_context.h"

namespace podsim {

enum class LaunchAction : std::uint8_t {
  kTrain,
  kDryRun,        // print the plan
  kPrintJob,      // print the merged JobSpec
  kDescribe,      // explain a slice
  kPrintCompose,  // a slice as containers
  kSelfTest,      // compare with real chips
  kText,          // print ParsedFlags::text (help, version)
};

struct LaunchOptions : PodOptions {
  LaunchAction action = LaunchAction::kTrain;
  std::string job_file;       // text JobSpec; empty: none
  std::string faults_file;    // what is to go wrong; empty: nothing
  std::string choices_file;   // table that "auto" goes by; empty: none
  std::string describe;       // slice to explain
  std::string print_compose;  // slice to write a compose file for
  bool quiet = false;         // no plan and no progress
};

struct ParsedFlags {
  JobSpec spec;  // what flags and environment say, nothing else
  LaunchOptions options;
  std::string text;
};

// `args` without the program's name. A flag X may also be given as PODSIM_X in
// the environment; the command line wins. '-' and '_' in flag names are equal.
// Errors: INVALID_ARGUMENT, one line (unknown flag, naming the nearest ones; a
//   value that does not parse or is not allowed; flags that exclude each
//   other).
absl::StatusOr<ParsedFlags> ParseFlags(const std::vector<std::string>& args,
                                       const EnvironmentLookup& environment);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LAUNCH_FLAGS_H_
