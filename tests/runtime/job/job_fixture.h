// Specs from text and the inputs of a plan, for this folder's tests.
#ifndef PODSIM_TESTS_RUNTIME_JOB_JOB_FIXTURE_H_
#define PODSIM_TESTS_RUNTIME_JOB_JOB_FIXTURE_H_

#include <cstdint>
#include <initializer_list>
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

// `side` x `side` examples of ten classes.
inline DatasetConfig Described(const std::string& name, int side,
                               std::int64_t train, std::int64_t eval) {
  DatasetConfig config;
  config.set_name(name);
  config.add_example_shape(side);
  config.add_example_shape(side);
  config.set_classes(10);
  config.set_train_examples(train);
  config.set_eval_examples(eval);
  config.set_fingerprint(name);
  return config;
}

inline DatasetConfig Digits() {
  DatasetConfig config = Described("digits", 8, 1498, 299);
  const auto add = [&](const char* name, const char* dtype,
                       std::initializer_list<std::int32_t> shape) {
    DataFieldConfig& field = *config.add_fields();
    field.set_name(name);
    field.set_dtype(dtype);
    field.mutable_shape()->Add(shape.begin(), shape.end());
  };
  add("features", "float32", {8, 8});
  add("labels", "int32", {});
  add("tokens", "int32", {64});
  return config;
}
inline DatasetConfig Mnist() { return Described("mnist", 28, 60'000, 10'000); }
inline DatasetConfig Synthetic() {
  return Described("synthetic", 28, 60'000, 10'000);
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
