#include "host/process/preparation.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/restore.h"
#include "job/plan_program.h"

namespace podsim {

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenPlannedDataset(
    const JobPlan& plan, ObjectStore& store) {
  const DatasetConfig& config = plan.bits().dataset();
  PODSIM_ASSIGN_OR_RETURN(
      auto dataset,
      OpenDataset({.name = config.name(),
                   .data_dir = plan.spec().data_dir(),
                   .example_shape = {config.example_shape().begin(),
                                     config.example_shape().end()},
                   .classes = config.classes(),
                   .examples = config.train_examples(),
                   .seed = plan.bits().seed()},
                  store));
  if (dataset->config().fingerprint() != config.fingerprint())
    return absl::FailedPreconditionError(absl::StrCat(
        "data set ", config.name(), " here has fingerprint ",
        dataset->config().fingerprint(), ", the plan was made for ",
        config.fingerprint(), ": all hosts must see the same data"));
  return dataset;
}

absl::StatusOr<std::shared_ptr<const Program>> PlannedProgram(
    const JobPlan& plan) {
  PODSIM_ASSIGN_OR_RETURN(Program program, ProgramOf(plan));
  return std::make_shared<const Program>(std::move(program));
}

// A directory of that name may be there without being the coordinator's.
absl::Status CheckShared(ObjectStore& store, const Assignment& assignment) {
  const std::string& witness = assignment.start().witness();
  if (witness.empty()) return absl::OkStatus();
  const std::string& dir = assignment.plan().spec().model_dir();
  const absl::Status seen =
      store.Size(absl::StrCat(dir, "/", witness)).status();
  if (!absl::IsNotFound(seen)) return seen;
  return absl::FailedPreconditionError(absl::StrCat(
      "--model_dir ", dir, " is not shared: on ", HostName(),
      " it lacks what the coordinator wrote there; mount one directory on all "
      "hosts, under the same path"));
}

absl::StatusOr<StartState> Restore(ObjectStore& store, const StartPoint& from,
                                   const Program& program) {
  StartState start = {.step = from.step(),
                      .examples_consumed = from.examples_consumed()};
  if (from.checkpoint().empty()) return start;
  PODSIM_ASSIGN_OR_RETURN(const CheckpointAt at,
                          ReadManifest(store, from.checkpoint()));
  if (at.manifest_sha256 != from.manifest_sha256())
    return absl::FailedPreconditionError(absl::StrCat(
        from.checkpoint(), " is another checkpoint on ", HostName(),
        " than the coordinator's: all hosts must see the same directory"));
  PODSIM_ASSIGN_OR_RETURN(
      start.variables,
      ReadVariables(store, at, program,
                    from.weights_only() ? Restored::kWeights : Restored::kAll));
  return start;
}

}  // namespace podsim
