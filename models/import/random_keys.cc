#include "models/import/random_keys.h"

#include <string_view>
#include <utility>

namespace podsim {
namespace {

constexpr std::string_view kRandomBits = "podsim_random_bits";

struct KeyFunction {
  std::string_view name;
  const char* text;
};

constexpr KeyFunction kFunctions[] = {
    {kRandomBits, "a draw of jax.random"},
    {"podsim_split", "jax.random.split"},
    {"podsim_fold_in", "jax.random.fold_in"},
};

}  // namespace

std::string KeyFunctionOf(const std::string& computation) {
  for (const KeyFunction& function : kFunctions)
    if (computation.rfind(function.name, 0) == 0)
      return std::string(function.name);
  return "";
}

absl::StatusOr<int> EmitKeyFunction(FlatBuilder& builder,
                                    const std::string& name,
                                    const std::vector<int>& operands,
                                    const ValueType& type) {
  if (operands.empty() || type.dtype != DType::kUint32)
    return absl::InvalidArgumentError(
        "it draws from no key, or other than numbers of 32 bits; draw with "
        "jax.random from the key that the function is given");
  FlatOp op{.operands = operands, .type = type};
  op.attributes.word = name;
  return builder.Opaque(std::move(op));
}

bool IsKeyFunction(const FlatOp& op) {
  return op.entry == nullptr && !op.operands.empty();
}

bool IsDraw(const FlatOp& op) {
  return IsKeyFunction(op) && op.attributes.word == kRandomBits;
}

std::string KeyFunctionText(const FlatOp& op) {
  for (const KeyFunction& function : kFunctions)
    if (op.attributes.word == function.name) return function.text;
  return "";
}

}  // namespace podsim
