// What a benchmark of collectives may be asked, by pod_bench and by pod_plan.
// Pure.
#ifndef PODSIM_RUNTIME_JOB_BENCH_SETTINGS_H_
#define PODSIM_RUNTIME_JOB_BENCH_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "proto/bench.pb.h"

namespace podsim {

// -b and -e. Errors: INVALID_ARGUMENT, one line.
absl::Status CheckSizeOrder(std::int64_t smallest, std::int64_t largest,
                            bool largest_is_given = true);

// -b, in whole elements. Errors: INVALID_ARGUMENT, one line.
absl::Status CheckElementSizes(std::int64_t smallest,
                               std::int64_t element_bytes);

// A line for each setting that `given` has and its collective does not read:
// "--root is not used: all_reduce has no root".
std::vector<std::string> UnusedBenchSettings(const BenchSpec& given);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_BENCH_SETTINGS_H_
