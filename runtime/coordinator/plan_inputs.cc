// Opens the data set as the hosts will, for its counts and fingerprint.
#include "runtime/coordinator/plan_inputs.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "host/board/cpu_share.h"
#include "host/input/dataset.h"
#include "host/storage/store_waits.h"
#include "host/storage/uri_store.h"
#include "models/kernels/kernels.h"
#include "runtime/files/model_file.h"
#include "runtime/job/geography.h"
#include "runtime/job/plan_placement.h"
#include "runtime/job/spec_check.h"

namespace podsim {

namespace {

absl::Status DescribeDataset(const JobSpec& spec, PlanInputs& inputs) {
  PODSIM_ASSIGN_OR_RETURN(const JobSpec full, ApplyRecipe(spec));
  DatasetRequest request = RequestOf(full);
  // What the slice cannot be is PlanJob's to say.
  if (const auto slice = SliceNamed(full.topology(), full); slice.ok()) {
    request.hosts_here = MostHostsOfProcess(full, slice->hosts);
    request.hosts = slice->hosts;
  }
  const auto store = NewUriStore();
  PODSIM_ASSIGN_OR_RETURN(const auto dataset, OpenDataset(request, *store));
  inputs.dataset = dataset->config();
  inputs.dataset_notes = dataset->notes();
  return absl::OkStatus();
}

// It is only for the forecast.
constexpr absl::Duration kLocationWait = absl::Seconds(5);
constexpr char kLocationWaits[] = "a bucket's place is waited for 5 s";

// What the stores say of where they are. Who may read a bucket need not be
// allowed to ask that: what is not told is not known.
std::map<std::string, std::string> AskLocations(const JobSpec& spec) {
  std::map<std::string, std::string> locations;
  const auto store = NewUriStore();
  const StoreWaits::Limit limit(ProcessStoreWaits(), kLocationWait,
                                kLocationWaits);
  for (const std::string& bucket : BucketsOf(spec)) {
    const auto location = store->Location(bucket);
    if (location.ok() && !location->empty()) locations[bucket] = *location;
  }
  return locations;
}

}  // namespace

absl::StatusOr<PlanInputs> GatherPlanInputs(const JobSpec& spec,
                                            bool one_machine) {
  PlanInputs inputs;
  if (!spec.has_bench()) {
    PODSIM_RETURN_IF_ERROR(DescribeDataset(spec, inputs));
    inputs.bucket_locations = AskLocations(spec);
    if (spec.has_model_file()) {
      PODSIM_ASSIGN_OR_RETURN(ModelProto model,
                              ReadModelFile(spec.model_file()));
      inputs.model = std::make_shared<const ModelProto>(std::move(model));
    }
  }
  PODSIM_ASSIGN_OR_RETURN(inputs.isa, BestIsa());
  inputs.cpus = 0;
  if (one_machine) {
    inputs.cpus = AvailableCpus();
    if (spec.has_bench()) {
      PODSIM_ASSIGN_OR_RETURN(inputs.memory_bytes, MachineMemoryBytes());
    }
  }
  return inputs;
}

std::function<absl::StatusOr<JobPlan>(const std::string& isa)> PlanMakerFor(
    JobSpec spec, PlanInputs inputs, JobPlan draft) {
  return [spec = std::move(spec), inputs = std::move(inputs),
          draft = std::move(draft)](
             const std::string& isa) -> absl::StatusOr<JobPlan> {
    if (isa == inputs.isa) return draft;
    PlanInputs at = inputs;
    at.isa = isa;
    return PlanJob(spec, at);
  };
}

}  // namespace podsim
