#include "tests/models/ops/sample_operands.h"

#include <cstddef>

#include "base/random.h"
#include "models/ops/op_table.h"
#include "models/ops/reference.h"

namespace podsim::testing {
namespace {

double Draw(const OpSample& sample, const ValueType& type, float uniform) {
  if (type.dtype == DType::kBool) return uniform < 0.5F ? 0 : 1;
  if (type.dtype != DType::kFloat32 && type.dtype != DType::kBFloat16)
    return static_cast<std::int32_t>(static_cast<float>(sample.classes) *
                                     uniform) +
           (type.dtype == DType::kInt32 ? sample.least : 0);
  const auto drawn =
      static_cast<float>(sample.low + (sample.high - sample.low) * uniform);
  return type.dtype == DType::kBFloat16 ? RoundToBFloat16(drawn) : drawn;
}

}  // namespace

std::vector<Tensor> DrawOperands(const OpSample& sample,
                                 std::int64_t batch_rows, std::uint64_t batch) {
  std::vector<Tensor> operands;
  for (const ValueType& type : sample.inputs) {
    const std::string name = "operand " + std::to_string(operands.size());
    const std::uint64_t key = RandomKey(
        sample.seed + (type.batched() || type.per_core ? batch : 0), name);
    Tensor& operand = operands.emplace_back(type, batch_rows);
    for (std::size_t i = 0; i < operand.values.size(); ++i)
      operand.values[i] = Draw(sample, type, UniformFloat(key, i));
  }
  if (sample.attributes.rounded_operands)
    for (double& value : operands[0].values) value = RoundToBFloat16(value);
  return operands;
}

std::vector<const OpEntry*> EveryOp(
    const std::function<bool(const OpEntry&)>& wanted) {
  std::vector<const OpEntry*> ops;
  for (const OpEntry* entry : AllOps())
    if (wanted(*entry)) ops.push_back(entry);
  return ops;
}

}  // namespace podsim::testing
