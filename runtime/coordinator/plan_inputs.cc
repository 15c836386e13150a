// Opens the data set as the hosts will, for its counts and fingerprint.
#include "runtime/coordinator/plan_inputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "host/board/cpu_share.h"
#include "host/input/dataset.h"
#include "host/input/fields.h"
#include "host/storage/store_waits.h"
#include "host/storage/uri_store.h"
#include "models/kernels/kernels.h"
#include "runtime/files/model_file.h"
#include "runtime/job/geography.h"
#include "runtime/job/plan_placement.h"
#include "runtime/job/spec_check.h"

namespace podsim {

namespace {

// A schema that does not fit the records most often fits none of them: found
// before a pod forms.
absl::Status ReadFirstExamples(const Dataset& dataset) {
  constexpr std::int64_t kRead = 16;  // of a split
  if (dataset.in_memory()) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const std::vector<DataField> fields,
                          FieldsOf(dataset.config()));
  std::vector<std::vector<std::byte>> values;
  values.reserve(fields.size());
  for (const DataField& field : fields)
    values.emplace_back(static_cast<std::size_t>(RowBytes(field)));
  const std::vector<std::span<std::byte>> rows(values.begin(), values.end());
  for (const Split split : {Split::kTrain, Split::kEval})
    for (std::int64_t i = 0; i < std::min(kRead, dataset.size(split)); ++i)
      PODSIM_RETURN_IF_ERROR(dataset.Read(split, i, {.in_order = true}, rows));
  return absl::OkStatus();
}

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
  if (!full.data_dir().empty() && store->CanMap(full.data_dir()))
    PODSIM_RETURN_IF_ERROR(ReadFirstExamples(*dataset));
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
    // First: a file that is not there is said before what else is missing.
    if (spec.has_model_file()) {
      PODSIM_ASSIGN_OR_RETURN(ModelProto model,
                              ReadModelFile(spec.model_file()));
      inputs.model = std::make_shared<const ModelProto>(std::move(model));
    }
    PODSIM_RETURN_IF_ERROR(DescribeDataset(spec, inputs));
    inputs.bucket_locations = AskLocations(spec);
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
