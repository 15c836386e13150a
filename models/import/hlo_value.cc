#include "models/import/hlo_value.h"

#include <algorithm>
#include <utility>

namespace podsim {

HloValue TupleValue(HloValues parts) {
  return {.array = -1,
          .parts = std::make_shared<const HloValues>(std::move(parts)),
          .refused = nullptr};
}

HloValue ArrayValue(int place) {
  return {.array = place, .parts = nullptr, .refused = nullptr};
}

HloValue RefusedValue(absl::Status why) {
  return {.array = -1,
          .parts = nullptr,
          .refused = std::make_shared<const absl::Status>(std::move(why))};
}

const HloValue* FirstRefused(const HloValues& values) {
  const auto found = std::find_if(
      values.begin(), values.end(),
      [](const HloValue& value) { return value.refused != nullptr; });
  return found == values.end() ? nullptr : &*found;
}

absl::Status BadCall(const std::string& why) {
  return absl::InvalidArgumentError(why);
}

bool HasNoElements(const hlo::Shape& shape) {
  const auto& dims = shape.dimensions();
  return shape.element_type() != hlo::TUPLE &&
         std::find(dims.begin(), dims.end(), 0) != dims.end();
}

absl::StatusOr<std::vector<int>> ArraysOf(const HloValues& operands) {
  std::vector<int> arrays;
  for (const HloValue& operand : operands) {
    if (operand.IsEmpty())
      return absl::UnimplementedError(
          "an operand is an array without elements; leave it out");
    if (operand.array < 0) return BadCall("an operand is a tuple");
    arrays.push_back(operand.array);
  }
  return arrays;
}

}  // namespace podsim
