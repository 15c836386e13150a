// results.jsonl of a --ladder_dir: what a ladder measured, so that it goes on
// there. JSON, a line for the job and one for each rung that ended. Pure but
// for ReadResults and WriteResults.
//
//   {"ladder":1,"build":"...","settings":{"model":"mlp",...}}
//   {"slice":"v3-8","verdict":"passed","plan":{...},"runs":[{...},...]}
#ifndef PODSIM_RUNTIME_LADDER_RESULTS_FILE_H_
#define PODSIM_RUNTIME_LADDER_RESULTS_FILE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/job.pb.h"
#include "runtime/ladder/rung.h"

namespace podsim {

// By the flag's name, as a flag takes it.
using LadderSettingTexts = std::map<std::string, std::string>;

struct LadderResults {
  LadderSettingTexts settings;
  std::vector<Rung> rungs;  // that ended, in their order
  // Parallel to rungs: how each was judged, for people alone.
  std::vector<std::string> verdicts;
};

// The settings of `job` that have a say in a result or in a forecast, but for
// the slice and for paths: processes, threads and time limits have none.
LadderSettingTexts TextsOfJob(const JobSpec& job);

// "learning_rate is 0.1, and was 0.06 there; seed is 2, and was not given
// there": all; empty: they are equal.
std::string DifferenceOf(const LadderSettingTexts& now,
                         const LadderSettingTexts& then);

std::string FormatResults(const LadderResults& results);
// Errors: DATA_LOSS, one line that names the line of `name` and what to do.
absl::StatusOr<LadderResults> ParseResults(const std::string& text,
                                           const std::string& name);

// Errors: NOT_FOUND; those of ParseResults.
absl::StatusOr<LadderResults> ReadResults(const std::string& path);
// In one step: a ladder that is killed leaves the file before or after it.
absl::Status WriteResults(const std::string& path,
                          const LadderResults& results);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_RESULTS_FILE_H_
