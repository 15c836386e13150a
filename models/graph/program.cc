#include "models/graph/program.h"

namespace podsim {

TensorId Program::input(std::string_view name) const {
  for (const ProgramInput& each : inputs)
    if (tensor(each.tensor).name == name) return each.tensor;
  return kNoTensor;
}

TensorId Program::metric(std::string_view name) const {
  for (const ProgramMetric& each : metrics)
    if (each.name == name) return each.tensor;
  return kNoTensor;
}

TensorId Program::example_weight() const {
  for (const ProgramInput& each : inputs)
    if (each.is_example_weight) return each.tensor;
  return kNoTensor;
}

std::size_t Program::input_position(TensorId id) const {
  const TensorId input = root(id);
  std::size_t position = 0;
  while (position < inputs.size() && inputs[position].tensor != input)
    ++position;
  return position;
}

std::int64_t Program::input_bytes_per_row() const {
  std::int64_t bytes = 0;
  for (const ProgramInput& each : inputs)
    bytes += tensor(each.tensor).shape.elements() *
             tensor(each.tensor).element_bytes();
  return bytes;
}

}  // namespace podsim
