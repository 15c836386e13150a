// A ladder that is climbed: each rung trained and judged, from the first to the
// one that fails.
#ifndef PODSIM_RUNTIME_LADDER_CLIMB_H_
#define PODSIM_RUNTIME_LADDER_CLIMB_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/ladder/judge_rung.h"
#include "runtime/ladder/results_file.h"
#include "runtime/ladder/rung.h"

namespace podsim {

struct Climb {
  std::string job;      // "mlp on digits"
  bool strong = false;  // the same global batch on every rung
  RungLimits limits;
  std::vector<std::uint64_t> seeds;  // of the first rung; others: the first one
  std::vector<Rung> rungs;           // all, the smallest slice first
  // Of the first so many rungs; the others were not run.
  std::vector<RungVerdict> verdicts;

  bool failed() const { return !verdicts.empty() && !verdicts.back().passed(); }
  bool done() const { return failed() || verdicts.size() == rungs.size(); }
};

// Trains once. Errors: what ends the ladder without a verdict (a signal).
using TrainOnce = std::function<absl::StatusOr<RungRun>(const Rung& rung,
                                                        std::uint64_t seed)>;
// After each verdict. Errors: end the ladder.
using RungEnded = std::function<absl::Status(const Climb& climb)>;

// From the first rung without a verdict to one that fails, or to the end. A
// rung whose plan fails is not trained. Errors: those of `train` and `ended`;
// `climb` has what was judged before.
absl::Status ClimbOn(const TrainOnce& train, const RungEnded& ended,
                     Climb& climb);

// Takes from an earlier ladder the rungs that pass, by the limits of `climb`,
// up to the first that does not; ladders may end sooner or later. Pure.
// Errors: INVALID_ARGUMENT, one line, naming the difference: other slices, or
// a plan whose hash is another one (`hashes`: of each rung, as planned now).
absl::Status TakeResults(const LadderResults& results,
                         const std::vector<std::string>& hashes, Climb& climb);

// For WriteResults. `settings`: of the job.
LadderResults ResultsOf(const Climb& climb, const LadderSettingTexts& settings);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_CLIMB_H_
