#include "runtime/forecast/tokens.h"

#include <algorithm>
#include <map>

namespace podsim {
namespace {

constexpr OpCode kGather("gather");  // operand, indices

bool IsWholeNumber(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kUint32 ||
         dtype == DType::kUint8;
}

// By tensor: the elements of an example of the input that its whole numbers are
// made of.
using InputElements = std::map<TensorId, std::int64_t>;

InputElements ElementsOfInputs(const Program& program) {
  InputElements elements;
  for (const ProgramInput& input : program.inputs) {
    const ProgramTensor& tensor = program.tensor(input.tensor);
    const bool is_key = input.is_example_key || input.is_step_key;
    if (!is_key && IsWholeNumber(tensor.dtype) && tensor.batched() &&
        tensor.shape.rank() >= 2)
      elements[input.tensor] = tensor.shape.elements();
  }
  return elements;
}

// 0: of none.
std::int64_t ElementsOf(const Program& program, const InputElements& elements,
                        TensorId tensor) {
  const auto found = elements.find(program.root(tensor));
  return found == elements.end() ? 0 : found->second;
}

bool LooksUp(const Program& program, const Instruction& instruction) {
  return instruction.op == kGather &&
         !program.tensor(instruction.inputs[0]).batched();
}

// Passes on to the results what operands are made of.
void Follow(const Program& program, const Instruction& instruction,
            InputElements& elements) {
  std::int64_t most = 0;
  for (const TensorId input : instruction.inputs)
    most = std::max(most, ElementsOf(program, elements, input));
  if (most == 0) return;
  for (const TensorId output : instruction.outputs)
    if (IsWholeNumber(program.tensor(output).dtype))
      elements[program.root(output)] = most;
}

}  // namespace

std::int64_t TokensPerExample(const Program& program) {
  InputElements elements = ElementsOfInputs(program);
  const auto entry = program.entries.find(EntryPoint::kTrainMicrobatch);
  if (elements.empty() || entry == program.entries.end()) return 0;
  std::int64_t tokens = 0;
  for (const Segment& segment : entry->second)
    for (const Instruction& instruction : segment.instructions) {
      if (LooksUp(program, instruction))
        tokens = std::max(tokens,
                          ElementsOf(program, elements, instruction.inputs[1]));
      Follow(program, instruction, elements);
    }
  return tokens;
}

}  // namespace podsim
