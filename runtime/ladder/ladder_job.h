// What pod_ladder is asked, as the one job that all rungs share. Pure but for
// the files that the settings name.
#ifndef PODSIM_RUNTIME_LADDER_LADDER_JOB_H_
#define PODSIM_RUNTIME_LADDER_LADDER_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "proto/plan.pb.h"
#include "runtime/ladder/judge_rung.h"
#include "runtime/plan/ladder.h"
#include "settings/origins.h"

namespace podsim {

// Steps of the first rung where neither job nor --steps says its length: the
// recipe's up to this, so that a ladder of mlp to v3-128 takes a minute on two
// CPUs; without a recipe kOwnModelSteps. podsim's own choice.
inline constexpr std::int64_t kMostDefaultSteps = 2000;
inline constexpr std::int64_t kOwnModelSteps = 200;
// Runs of the first rung, with the job's seed and those after it.
inline constexpr int kFirstRungSeeds = 3;

// The job of flags and files, without a slice. `origins`: where the job file
// says what. Errors: INVALID_ARGUMENT, one line (what the files cannot be; a
// setting of one run alone; a job that is none for a ladder).
absl::StatusOr<JobSpec> JobOfLadder(const LadderSettings& settings,
                                    const JobSpec& flags, Origins& origins);

// The slices, smallest first. Errors: INVALID_ARGUMENT (those of SlicesNamed;
// a slice twice, or one that podsim does not train on).
absl::StatusOr<std::vector<Slice>> SlicesOfLadder(
    const LadderSettings& settings, const JobSpec& job);

// `job` with the first rung as its reference, unless it names one, with its
// length, and one process unless it says how many.
// Errors: INVALID_ARGUMENT (a length that is said twice; those of ApplyRecipe).
absl::StatusOr<JobSpec> ScaledFromFirst(const LadderSettings& settings,
                                        const JobSpec& job, const Slice& first);

// "efficiency:0.8". Errors: INVALID_ARGUMENT.
absl::StatusOr<RungLimits> LimitsOf(const std::string& until);

// That every planned row trains on the first one's examples, but for the last
// batch. Errors: INVALID_ARGUMENT, one line.
absl::Status CheckExamples(const Ladder& ladder);

// What of a row the ladder keeps.
RungPlan RungPlanOf(const LadderRow& row);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_LADDER_JOB_H_
