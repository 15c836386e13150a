// A golden run as a job of an in-process pod.
#ifndef PODSIM_TESTS_GOLDEN_GOLDEN_SETUP_H_
#define PODSIM_TESTS_GOLDEN_GOLDEN_SETUP_H_

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "host/process/in_process_pod.h"
#include "tests/golden/golden_file.h"

namespace podsim::testing {

struct GoldenSlice {
  const char* name;
  int hosts;
  int cores_per_host;
  // Rows that run at a time, summed in one tree; 0: a host's all at once.
  int microbatch = 0;
};

// Float32, the golden weights as its start, the golden examples as its data
// set, the batch split over the slice's cores.
// Errors: INVALID_ARGUMENT (the zoo's variables are not the golden ones, by
//   name or shape).
absl::StatusOr<PodSetup> GoldenSetup(const GoldenModel& model,
                                     const GoldenCase& golden,
                                     const GoldenSlice& slice);

// Of a variable or slot; empty if there is none of that name.
std::span<const float> FindVariable(const Program& program,
                                    std::span<const float> variables,
                                    const std::string& name);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_GOLDEN_GOLDEN_SETUP_H_
