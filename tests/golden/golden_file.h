// The files of golden runs: <model>.json says what was run and how far JAX's
// float32 was from float64, <model>_<rule>.safetensors has the float64 results.
#ifndef PODSIM_TESTS_GOLDEN_GOLDEN_FILE_H_
#define PODSIM_TESTS_GOLDEN_GOLDEN_FILE_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/job.pb.h"
#include "tests/golden/golden_draws.h"

namespace podsim::testing {

struct GoldenTensor {
  std::vector<std::int64_t> shape;  // of `values`
  std::vector<double> values;       // after the last step
  // values[i] is element i; with a stride, element (i * stride) mod the number
  // of elements.
  std::int64_t stride = 0;
  std::vector<double> distances;  // of JAX's float32 runs from `values`

  // 4 times the largest distance, those under 2e-7 counting as 2e-7.
  double allowed() const;
  // |part - values| / |values|, where `part` is what is stored of a tensor.
  double DistanceOf(std::span<const double> part) const;
  // What is stored of a tensor.
  std::vector<double> PartOf(std::span<const float> tensor) const;
};

inline constexpr char kGoldenLosses[] = "losses";

struct GoldenCase {
  PlanBits bits;  // the model, the rule with its numbers, and the rate
  // Weights and slots as the Program names them, and the losses of the steps.
  std::map<std::string, GoldenTensor> tensors;
};

struct GoldenModel {
  std::uint64_t seed = 0;  // of weights and examples
  std::int64_t steps = 0;
  std::int64_t batch = 0;           // of all cores
  std::vector<std::string> inputs;  // that the model reads
  std::vector<GoldenVariable> variables;
  // SHA-256 of the first weights in this order; of the inputs in theirs.
  std::string weights_sha256;
  std::string inputs_sha256;
  std::map<std::string, GoldenCase> cases;  // by rule
};

// Errors: NOT_FOUND, DATA_LOSS. A JSON file without what is looked for in it
// throws.
absl::StatusOr<GoldenModel> ReadGolden(const std::string& model);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_GOLDEN_GOLDEN_FILE_H_
