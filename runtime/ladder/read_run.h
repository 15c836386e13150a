// A rung's run out of its metrics file (runtime/report/metrics_lines.h). Pure.
#ifndef PODSIM_RUNTIME_LADDER_READ_RUN_H_
#define PODSIM_RUNTIME_LADDER_READ_RUN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "runtime/ladder/rung.h"

namespace podsim {

// `text`: all lines of a run that was not resumed; `name` stands for them in
// messages. A run without a summary has a failure: what its failure line says,
// or that there is none. Errors: DATA_LOSS, one line (a line that is no JSON or
// lacks what such a line has).
absl::StatusOr<RungRun> ReadRun(const std::string& text,
                                const std::string& name, std::uint64_t seed);

// That a failure is one of numbers: "loss became nan at step 12".
bool IsOfNumbers(const std::string& failure);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_READ_RUN_H_
