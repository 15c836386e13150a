// The arithmetic of the TPU pod training guide: batches, steps, epochs and
// learning rates as a slice grows. Pure; nothing here overflows.
//
// Letters: a reference schedule of S steps with batches of R examples becomes
// ceil(S * R / G) steps with batches of G, so that as many examples are seen:
// 1,000 x 100 becomes 4,000 x 25.
#ifndef PODSIM_RUNTIME_JOB_SCALING_H_
#define PODSIM_RUNTIME_JOB_SCALING_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "proto/words.pb.h"

namespace podsim {

struct ScaledSteps {
  std::int64_t steps = 0;
  // Examples that the last step sees beyond those asked for; less than a batch.
  std::int64_t overshoot_examples = 0;
};

// steps * batch. Errors: INVALID_ARGUMENT (more than 2^62).
absl::StatusOr<std::int64_t> ExamplesOf(std::int64_t steps, std::int64_t batch);

// The fewest steps of `batch` examples that see `examples`.
// REQUIRES: 0 <= examples <= 2^62, batch >= 1.
ScaledSteps StepsFor(std::int64_t examples, std::int64_t batch);

// A reference schedule's steps with another batch.
// REQUIRES: reference_steps >= 0, both batches >= 1.
// Errors: INVALID_ARGUMENT (more than 2^62 examples).
absl::StatusOr<ScaledSteps> ScaleSteps(std::int64_t reference_steps,
                                       std::int64_t reference_batch,
                                       std::int64_t batch);

// Steps that pass `epochs` times over `dataset_size` examples; a fraction of an
// example counts as one, an error of rounding does not.
// REQUIRES: epochs > 0, dataset_size >= 1, batch >= 1.
// Errors: INVALID_ARGUMENT (more than 2^53 examples, where doubles lose count).
absl::StatusOr<ScaledSteps> StepsForEpochs(double epochs,
                                           std::int64_t dataset_size,
                                           std::int64_t batch);

// A learning rate for batches of `reference_batch`, for batches of `batch`:
// times batch / reference_batch, its square root, or one.
double ScaleRate(double rate, std::int64_t reference_batch, std::int64_t batch,
                 words::RateScaling::Word rule);

// `batch` shared out evenly over the cores of a slice; over its chips, where
// the cores of each act as one (`replica` is "chip"). `what` names it in
// messages ("train_batch_size"). Errors: INVALID_ARGUMENT with both numbers and
// the nearest batches that divide.
absl::StatusOr<std::int64_t> BatchPerCore(const std::string& what,
                                          std::int64_t batch, int cores,
                                          const std::string& replica = "core");

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_SCALING_H_
