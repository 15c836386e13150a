#include "models/ops/reference.h"

#include <cmath>
#include <cstddef>

#include "base/status.h"
#include "models/ops/op_table.h"
#include "models/ops/rules.h"
#include "models/ops/whole_numbers.h"

namespace podsim {
namespace {

// Results to fill in: zeros of the inferred types.
std::vector<Tensor> Results(const OpEntry& entry,
                            std::span<const Tensor> inputs,
                            const OpAttributes& attributes,
                            std::int64_t batch_rows) {
  std::vector<ValueType> types;
  for (const Tensor& input : inputs) {
    types.push_back(input.type);
    if (input.type.batched()) batch_rows = input.rows;
  }
  const auto inferred = InferTypes(CodeOf(entry), types, attributes);
  PODSIM_CHECK(inferred.ok());
  std::vector<Tensor> results;
  for (const ValueType& type : *inferred)
    results.emplace_back(type, batch_rows);
  return results;
}

void MapElements(const ScalarFunction& function, std::span<const Tensor> inputs,
                 Tensor& result) {
  std::vector<double> x(inputs.size());
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    for (std::size_t input = 0; input < inputs.size(); ++input)
      x[input] = inputs[input].values[i];
    const double value = function.value(x.data());
    result.values[i] = result.type.dtype == DType::kBFloat16
                           ? RoundToBFloat16(static_cast<float>(value))
                           : value;
  }
}

void MapWholeElements(const ScalarFunction& function,
                      std::span<const Tensor> inputs, Tensor& result) {
  std::vector<std::int64_t> x(inputs.size());
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    for (std::size_t input = 0; input < inputs.size(); ++input)
      x[input] = static_cast<std::int64_t>(inputs[input].values[i]);
    result.values[i] = static_cast<double>(
        Wrapped(function.whole(x.data()), result.type.dtype));
  }
}

}  // namespace

std::vector<Tensor> Evaluate(const OpEntry& entry,
                             std::span<const Tensor> inputs,
                             const OpAttributes& attributes,
                             std::int64_t batch_rows) {
  std::vector<Tensor> results = Results(entry, inputs, attributes, batch_rows);
  if (entry.scalar.value != nullptr && IsWhole(results[0].type.dtype)) {
    MapWholeElements(entry.scalar, inputs, results[0]);
  } else if (entry.scalar.value != nullptr) {
    MapElements(entry.scalar, inputs, results[0]);
  } else {
    PODSIM_CHECK(entry.reference != nullptr);
    entry.reference(inputs, attributes, results);
  }
  return results;
}

std::vector<Tensor> ErrorBounds(const OpEntry& entry,
                                std::span<const Tensor> inputs,
                                const OpAttributes& attributes,
                                std::span<const Tensor> outputs,
                                std::int64_t batch_rows) {
  std::vector<Tensor> bounds = Results(entry, inputs, attributes, batch_rows);
  if (entry.error != nullptr) entry.error(inputs, attributes, outputs, bounds);
  const double units = entry.scalar.error_units;
  const DType dtype = bounds[0].type.dtype;
  if (entry.scalar.value == nullptr || units == 0 || IsWhole(dtype))
    return bounds;
  // What is next to the middle of two bfloat16 may become either.
  const double share = dtype == DType::kBFloat16 ? 0x1p-7 : units * kRoundoff;
  for (std::size_t i = 0; i < bounds[0].values.size(); ++i)
    bounds[0].values[i] = share * std::fabs(outputs[0].values[i]) + kTiny;
  return bounds;
}

void RoundSums(Tensor& sums) {
  if (sums.type.dtype != DType::kBFloat16) return;
  for (double& sum : sums.values) sum = RoundToBFloat16(sum);
}

// Rounding to 8 bits moves a number x by at most u |x|, u = 2^-8. A sum s and
// one that is off by e are then within e + u |s + e| + u |s| <= (1 + u) e +
// 2u |s| of each other, and of s is known what it was rounded to, at least
// (1 - u) |s|.
void AddRounding(const Tensor& sums, Tensor& bounds) {
  if (sums.type.dtype != DType::kBFloat16) return;
  constexpr double kUnit = 0x1p-8;
  for (std::size_t i = 0; i < bounds.values.size(); ++i)
    bounds.values[i] = (1 + kUnit) * bounds.values[i] +
                       2 * kUnit / (1 - kUnit) * std::fabs(sums.values[i]) +
                       kTiny;
}

}  // namespace podsim
