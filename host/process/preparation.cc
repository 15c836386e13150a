#include "host/process/preparation.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/restore.h"
#include "host/input/fields.h"
#include "host/input/input_memory.h"
#include "job/placement.h"
#include "job/plan_program.h"

namespace podsim {

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

// What readers of the process with most hosts may keep.
std::int64_t MostHostsOfProcess(const JobPlan& plan) {
  std::int64_t hosts = 1;
  for (int process = 0; process < plan.first_host_size(); ++process) {
    const HostRange range = HostsOf(plan, process);
    hosts = std::max<std::int64_t>(hosts, range.end - range.first);
  }
  return hosts;
}

std::int64_t ReaderBytes(const JobPlan& plan) {
  const PlanBits& bits = plan.bits();
  return DivideInputMemory(
             plan.spec().input_memory(),
             BatchBytes(bits.dataset(), MostHostsOfProcess(plan) *
                                            bits.cores_per_host() *
                                            bits.batch_per_core()))
      .reader_bytes;
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenPlannedDataset(
    const JobPlan& plan, ObjectStore& store) {
  const DatasetConfig& config = plan.bits().dataset();
  PODSIM_RETURN_IF_ERROR(FieldsOf(config).status());
  DatasetRequest request = RequestOf(plan.spec());
  request.name = config.name();
  request.example_shape = {config.example_shape().begin(),
                           config.example_shape().end()};
  request.classes = config.classes();
  request.examples = config.train_examples();
  request.seed = plan.bits().seed();
  request.features = config.features();
  request.shuffle_window = config.shuffle_window();
  request.hosts_here = MostHostsOfProcess(plan);
  request.hosts = plan.bits().hosts();
  request.reader_bytes = std::max<std::int64_t>(1, ReaderBytes(plan));
  PODSIM_ASSIGN_OR_RETURN(auto dataset, OpenDataset(request, store));
  if (dataset->config().fingerprint() != config.fingerprint())
    return absl::FailedPreconditionError(absl::StrCat(
        "data set ", config.name(), " here has fingerprint ",
        dataset->config().fingerprint(), ", the plan was made for ",
        config.fingerprint(),
        ": all hosts must see the same data; copy the coordinator's data_dir ",
        "to ", HostName(), ", or mount one on all hosts"));
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
        " than the coordinator's: all hosts must see the same directory; mount "
        "one on all hosts, under the same path"));
  PODSIM_ASSIGN_OR_RETURN(
      start.variables,
      ReadVariables(store, at, program,
                    from.weights_only() ? Restored::kWeights : Restored::kAll));
  return start;
}

}  // namespace podsim
