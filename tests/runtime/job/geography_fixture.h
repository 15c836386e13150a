// Plans of jobs whose data set and checkpoints lie in buckets, for tests of
// what follows: the plan of plain paths, with the paths then said otherwise.
#ifndef PODSIM_TESTS_RUNTIME_JOB_GEOGRAPHY_FIXTURE_H_
#define PODSIM_TESTS_RUNTIME_JOB_GEOGRAPHY_FIXTURE_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "runtime/job/geography.h"
#include "runtime/job/spec_check.h"
#include "tests/runtime/job/job_fixture.h"

namespace podsim::testing {

// 785 bytes an example; 101,770 weights and as many slots: 814,160 bytes a
// checkpoint. A host's part of a step is 8 x 128 examples, 803,840 bytes.
inline constexpr char kBucketJob[] =
    "dataset: 'mnist' data_dir: '/d' model_dir: '/m' hidden: [128]"
    " batch_per_core: 128 train_steps: 100 learning_rate: 0.1"
    " checkpoint_every: 25 ";

struct Paths {
  std::string data_dir = "gs://data/mnist";
  std::string model_dir = "gs://models/run";
};

// kBucketJob with what `text` says instead; its paths become `paths`.
inline absl::StatusOr<JobPlan> PlanInBuckets(
    const std::string& text, const Paths& paths = {},
    const std::map<std::string, std::string>& asked = {}) {
  JobSpec spec = Spec(kBucketJob);
  spec.MergeFrom(Spec(text));
  // Whether these may be said is FillGeography's to judge, with the buckets.
  JobSpec plain = spec;
  plain.clear_zone();
  plain.clear_bucket_location();
  plain.clear_require_same_region();
  plain.clear_simulate_geography();
  plain.clear_links();
  plain.clear_prices();
  PODSIM_ASSIGN_OR_RETURN(JobPlan plan, PlanJob(plain, Inputs(Mnist())));
  PODSIM_ASSIGN_OR_RETURN(const Slice slice,
                          SliceNamed(plan.bits().slice(), plan.spec()));
  JobSpec& planned = *plan.mutable_spec();
  if (spec.has_zone()) planned.set_zone(spec.zone());
  if (spec.has_bucket_location())
    planned.set_bucket_location(spec.bucket_location());
  if (spec.has_require_same_region())
    planned.set_require_same_region(spec.require_same_region());
  if (spec.has_simulate_geography())
    planned.set_simulate_geography(spec.simulate_geography());
  if (spec.has_links()) *planned.mutable_links() = spec.links();
  if (spec.has_prices()) *planned.mutable_prices() = spec.prices();
  planned.set_data_dir(paths.data_dir);
  planned.set_model_dir(paths.model_dir);
  PODSIM_RETURN_IF_ERROR(CheckGeographySettings(planned));
  PODSIM_RETURN_IF_ERROR(FillGeography(JobSpec(planned), slice, asked, plan));
  return plan;
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_JOB_GEOGRAPHY_FIXTURE_H_
