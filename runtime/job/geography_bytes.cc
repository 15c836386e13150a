#include "runtime/job/geography_bytes.h"

#include <algorithm>

#include "base/status.h"
#include "host/input/fields.h"
#include "runtime/job/geography.h"

namespace podsim {
namespace {

// Beyond any disk, and countable.
constexpr double kMostBytes = 1e18;

// Bytes of an example as the data set's files have it: mnist's pixels and
// label are bytes, arrays' elements are as they are.
std::int64_t ExampleBytes(const DatasetConfig& dataset) {
  if (dataset.name() == "mnist") {
    std::int64_t pixels = 1;
    for (const std::int32_t side : dataset.example_shape()) pixels *= side;
    return pixels + 1;
  }
  const auto fields = FieldsOf(dataset);
  PODSIM_CHECK(fields.ok());  // the plan's data set was opened
  std::int64_t bytes = 0;
  for (const DataField& field : *fields)
    bytes += SizeOf(field.type.dtype) * field.type.shape.elements();
  return bytes;
}

// Every N of the run's steps and at its end; 0: at the end alone.
std::int64_t Times(std::int64_t steps, std::int64_t every) {
  if (every == 0) return 1;
  return steps / every + (steps % every != 0 ? 1 : 0);
}

// Examples of a run that only evaluates are those held out.
std::int64_t ReadBytes(const JobSpec& spec, const JobPlan& plan,
                       std::int64_t example_bytes) {
  const bool trains = spec.mode() != words::Mode::eval;
  const std::int64_t evaluations =
      trains ? Times(plan.train_steps(), spec.steps_per_eval()) : 1;
  const double examples =
      static_cast<double>(plan.bits().dataset().eval_examples()) *
          static_cast<double>(evaluations) +
      (trains ? static_cast<double>(plan.total_examples()) : 0);
  return static_cast<std::int64_t>(
      std::min(kMostBytes, examples * static_cast<double>(example_bytes)));
}

}  // namespace

void FillGeographyBytes(const JobSpec& spec, const JobPlan& plan,
                        JobGeography& geography) {
  const bool trains = spec.mode() != words::Mode::eval;
  if (PlaceOf(geography, "data_dir") != nullptr) {
    geography.set_example_bytes(ExampleBytes(plan.bits().dataset()));
    geography.set_read_bytes(ReadBytes(spec, plan, geography.example_bytes()));
  }
  const std::int64_t checkpoint =
      plan.core_memory().parameters() + plan.core_memory().slots();
  if (trains && PlaceOf(geography, "model_dir") != nullptr) {
    geography.set_checkpoint_bytes(checkpoint);
    // The clock may have a say in how many there are.
    if (spec.checkpoint_every_seconds() <= 0)
      geography.set_checkpoints(
          Times(plan.train_steps(), spec.checkpoint_every()));
  }
  const char* from = spec.has_restore() || trains ? "restore" : "model_dir";
  if (PlaceOf(geography, from) != nullptr)
    geography.set_restore_bytes(checkpoint);
}

double HostStepBytes(const JobPlan& plan) {
  return static_cast<double>(plan.geography().example_bytes()) *
         static_cast<double>(plan.bits().batch_per_core()) *
         plan.bits().cores_per_host();
}

double WriteRate(const BucketPlace& place, int hosts) {
  PODSIM_CHECK(HasLink(place) && hosts >= 1);
  return std::min(place.host_bytes_per_second().value(),
                  place.bucket_bytes_per_second().value() / hosts);
}

double ReadRate(const BucketPlace& place, int hosts) {
  return std::min(WriteRate(place, hosts),
                  static_cast<double>(kReadsInFlight * kReadBytes) /
                      place.round_trip_seconds().value());
}

}  // namespace podsim
