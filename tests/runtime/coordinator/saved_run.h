// A small job and checkpoints that it saved, for tests of what the coordinator
// does with them.
#ifndef PODSIM_TESTS_RUNTIME_COORDINATOR_SAVED_RUN_H_
#define PODSIM_TESTS_RUNTIME_COORDINATOR_SAVED_RUN_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/storage.h"
#include "proto/checkpoint.pb.h"
#include "proto/job.pb.h"
#include "runtime/coordinator/run_start.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"

namespace podsim::testing {

// Of the fixture's MLP: 100 steps of kBatch examples on kHosts hosts.
JobPlan SmallPlan(const std::string& model_dir);

// Writes the parts of the plan's checkpoint after `step` and gives the manifest
// that the coordinator commits: without tensors, which the committer adds.
absl::StatusOr<CheckpointManifest> WritePlannedParts(
    ObjectStore& store, const JobPlan& plan, std::int64_t step,
    std::int64_t stamp = kStamp);

// The checkpoint itself, as `build_id` (empty: this build) would commit it.
absl::Status SavePlanned(ObjectStore& store, const JobPlan& plan,
                         std::int64_t step, const std::string& build_id = "",
                         std::int64_t stamp = kStamp);

// What the coordinator does that holds the plan's model_dir (run_start.h).
absl::Status Prepare(ObjectStore& store, const JobPlan& plan,
                     std::int64_t stamp, RunStart& start);
void Leave(ObjectStore& store, const JobPlan& plan, std::int64_t stamp);

// Changes one bit of a tensor in the checkpoint after `step`.
void Damage(ObjectStore& store, const JobPlan& plan, std::int64_t step);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_COORDINATOR_SAVED_RUN_H_
