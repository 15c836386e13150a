// From what the user asked (JobSpec) to what is done (JobPlan): pure functions.
#ifndef PODSIM_RUNTIME_JOB_PLANNER_H_
#define PODSIM_RUNTIME_JOB_PLANNER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"
#include "proto/model.pb.h"
#include "runtime/job/compiled_models.h"

namespace podsim {

// What the planner may know of the world; everything else is in the spec.
struct PlanInputs {
  DatasetConfig dataset;  // of the spec's data set, opened or described
  std::string isa;        // the pod's common level
  int cpus = 1;           // of this machine; 0: hosts run elsewhere
  // Of this machine, for a benchmark's buffers and for a program of the
  // caller's own, which runs in this process; 0: not checked. Other training is
  // planned without: its run asks AdmitToMachine (fit.h).
  std::int64_t memory_bytes = 0;
  // What spec.model_file holds; null: the job names a model.
  std::shared_ptr<const ModelProto> model = nullptr;
  // What the store says of where buckets are, of those it was asked about
  // (BucketsOf(spec), geography.h): "gs://b" to "EUROPE-WEST4".
  std::map<std::string, std::string> bucket_locations = {};
  // What opening the data set decided (Dataset::notes), for people.
  std::vector<std::string> dataset_notes = {};
  // For callers who plan one model many times: each is compiled once. null:
  // every plan compiles its own.
  std::shared_ptr<CompiledModels> compiled = nullptr;
};

// The spec with the recipe's and the general defaults filled in where the user
// said nothing. Errors: INVALID_ARGUMENT (unknown model or slice; flags that
// exclude each other).
absl::StatusOr<JobSpec> ApplyRecipe(const JobSpec& asked);

// The whole plan, hash included, for a spec (ApplyRecipe is part of it).
// The model is compiled here and nowhere else: the plan carries its Program.
// Errors: INVALID_ARGUMENT (a batch that does not divide, with both numbers; a
//   model that cannot be compiled, or reads what the data set does not offer;
//   a zone or a bucket that FillGeography refuses),
//   RESOURCE_EXHAUSTED (HBM table; a benchmark beyond this machine's memory).
absl::StatusOr<JobPlan> PlanJob(const JobSpec& asked, const PlanInputs& inputs);

// The plan for a program of the caller's own, which runs as a pod in one
// process (host/process/in_process_pod.h). What such a pod does not do
// (checkpoints, restarts, metrics files) is refused when it is set. It has no
// recipe: the spec must say topology, batch, train_steps or epochs, and the
// learning rate (which, without a reference, is for this slice's batch).
// Momentum is the program's; the spec's (default 0) is what the plan records.
// Errors: those of PlanJob; INVALID_ARGUMENT naming what is missing, what is
//   set and not done, or an input that the data set does not offer;
//   RESOURCE_EXHAUSTED (beyond this machine's memory).
absl::StatusOr<JobPlan> PlanJob(const JobSpec& asked, const Program& program,
                                const PlanInputs& inputs);

// SHA-256 hex of the deterministic serialisation of `bits`.
std::string HashOf(const PlanBits& bits);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_PLANNER_H_
