// Specs from text and the inputs of a plan, for this folder's tests.
#ifndef PODSIM_TESTS_RUNTIME_JOB_JOB_FIXTURE_H_
#define PODSIM_TESTS_RUNTIME_JOB_JOB_FIXTURE_H_

#include <string>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "runtime/files/job_file.h"
#include "runtime/job/planner.h"

namespace podsim::testing {

inline JobSpec Spec(const std::string& text) {
  const auto spec = ParseJob(text, "test");
  PODSIM_CHECK(spec.ok());
  return *spec;
}

inline DatasetConfig Digits() {
  DatasetConfig config;
  config.set_name("digits");
  config.add_example_shape(8);
  config.add_example_shape(8);
  config.set_classes(10);
  config.set_train_examples(1498);
  config.set_eval_examples(299);
  config.set_fingerprint("digits");
  return config;
}

inline DatasetConfig Mnist() {
  DatasetConfig config;
  config.set_name("mnist");
  config.add_example_shape(28);
  config.add_example_shape(28);
  config.set_classes(10);
  config.set_train_examples(60'000);
  config.set_eval_examples(10'000);
  config.set_fingerprint("mnist");
  return config;
}

inline DatasetConfig Synthetic() {
  DatasetConfig config;
  config.set_name("synthetic");
  config.add_example_shape(28);
  config.add_example_shape(28);
  config.set_classes(10);
  config.set_train_examples(60'000);
  config.set_eval_examples(10'000);
  config.set_fingerprint("synthetic");
  return config;
}

inline PlanInputs Inputs(const DatasetConfig& dataset) {
  return {.dataset = dataset, .isa = "v3", .cpus = 256, .memory_bytes = 0};
}

// Of a job on its data set.
inline absl::StatusOr<JobPlan> PlanOf(const std::string& text) {
  const JobSpec spec = Spec(text);
  return PlanJob(
      spec, Inputs(spec.dataset() == "synthetic" ? Synthetic() : Digits()));
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_JOB_JOB_FIXTURE_H_
