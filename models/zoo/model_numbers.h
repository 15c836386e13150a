// The numbers of models that come in sizes: "layers=24,width=1024", as the list
// of models (zoo.cc) says them of a named size and --model_config of a job.
//
//   constexpr NumberField<Gpt2Sizes> kFields[] = {
//       {"layers", &Gpt2Sizes::layers, 1, 1024}, ...};
//   PODSIM_ASSIGN_OR_RETURN(const Gpt2Sizes sizes,
//                           SizesOf<Gpt2Sizes>(config, kFields));
//
// Pure.
#ifndef PODSIM_MODELS_ZOO_MODEL_NUMBERS_H_
#define PODSIM_MODELS_ZOO_MODEL_NUMBERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status.h"
#include "models/ops/shape.h"
#include "proto/job.pb.h"

namespace podsim {

// A number of a family of models, and its bounds.
template <typename Sizes>
struct NumberField {
  const char* name;
  std::int64_t Sizes::*value;
  std::int64_t least;
  std::int64_t most;
};

// Of "depth=50" each, by name.
// Errors: INVALID_ARGUMENT (no NAME=N; a name that is given twice).
absl::StatusOr<std::vector<ModelNumber>> ParseNumbers(
    const std::vector<std::string>& texts);

// "depth=101,layers=2": what ParseNumbers reads.
std::string NumbersText(const ModelConfig& config);

// INVALID_ARGUMENT: names those of the model that are like `name`, and all.
absl::Status UnknownNumber(const ModelConfig& config, std::string_view name,
                           const std::vector<std::string>& known);
// Errors: INVALID_ARGUMENT (beyond its bounds).
absl::Status CheckNumber(const ModelNumber& number, std::int64_t least,
                         std::int64_t most);

// Sizes() but for the numbers of the configuration.
// Errors: INVALID_ARGUMENT (a number that the family has not, or that is beyond
//   its bounds).
template <typename Sizes>
absl::StatusOr<Sizes> SizesOf(const ModelConfig& config,
                              std::span<const NumberField<Sizes>> fields) {
  Sizes sizes;
  for (const ModelNumber& number : config.numbers()) {
    const NumberField<Sizes>* found = nullptr;
    std::vector<std::string> names;
    for (const NumberField<Sizes>& field : fields) {
      if (number.name() == field.name) found = &field;
      names.emplace_back(field.name);
    }
    if (found == nullptr) return UnknownNumber(config, number.name(), names);
    PODSIM_RETURN_IF_ERROR(CheckNumber(number, found->least, found->most));
    sizes.*found->value = number.value();
  }
  return sizes;
}

// The number "activation_bytes" of models to plan: 2, they compute in bfloat16,
// with weights, gradients, statistics of norms, softmax and the loss in
// float32, as published runs do; or 4, all of it in float32.
template <typename Sizes>
constexpr NumberField<Sizes> ActivationBytes() {
  return {"activation_bytes", &Sizes::activation_bytes, 2, 4};
}

// What Graph::ComputeIn is given.
// Errors: INVALID_ARGUMENT (neither 2 nor 4).
absl::StatusOr<DType> ActivationType(std::int64_t activation_bytes);

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_MODEL_NUMBERS_H_
