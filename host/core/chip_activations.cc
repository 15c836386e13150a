#include "host/core/chip_activations.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "host/core/made_again.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

constexpr int kNever = -1;

struct Lifetime {
  int first = kNever;
  int last = kNever;
};

bool IsActivation(const ProgramTensor& tensor) {
  return tensor.storage == Storage::kBatched ||
         tensor.storage == Storage::kPerCore ||
         tensor.storage == Storage::kScratch ||
         tensor.storage == Storage::kOutput;
}

std::vector<const Instruction*> StepOf(const Program& program) {
  std::vector<const Instruction*> step;
  const auto entry = program.entries.find(EntryPoint::kTrainMicrobatch);
  if (entry == program.entries.end()) return step;
  for (const Segment& segment : entry->second)
    for (const Instruction& instruction : segment.instructions)
      step.push_back(&instruction);
  return step;
}

using Held = std::vector<std::vector<TensorId>>;

bool IsHeld(const Program& program, const Held& held, TensorId id) {
  return held[id] == std::vector{program.root(id)};
}

// An element-wise op's operand that is read there for the last time makes room
// for what is written.
void ShareRoom(const Program& program, const Held& held,
               const Instruction& instruction, int at,
               std::vector<Lifetime>& lifetimes) {
  const TensorId output = instruction.outputs[0];
  if (!EntryOf(instruction.op).is_element_wise ||
      !IsHeld(program, held, output))
    return;
  for (const TensorId input : instruction.inputs) {
    if (held[input].size() != 1) continue;
    Lifetime& lifetime = lifetimes[held[input][0]];
    const bool same = program.tensor(held[input][0]).places() ==
                      program.tensor(output).places();
    if (!same || lifetime.last != at || lifetime.first == at) continue;
    --lifetime.last;
    return;
  }
}

// From the first op that writes a tensor to the last that reads it, or what is
// made of it again.
std::vector<Lifetime> Lifetimes(const Program& program,
                                const std::vector<const Instruction*>& step) {
  const Held held = HeldFor(program, step);
  std::vector<Lifetime> lifetimes(program.tensors.size());
  const auto count = static_cast<int>(step.size());
  for (int at = 0; at < count; ++at) {
    for (const TensorId output : step[at]->outputs) {
      if (!IsHeld(program, held, output)) continue;
      Lifetime& lifetime = lifetimes[program.root(output)];
      if (lifetime.first == kNever) lifetime.first = at;
      const bool result = program.tensor(output).storage == Storage::kOutput;
      lifetime.last = std::max(lifetime.last, result ? count : at);
    }
    for (const TensorId input : step[at]->inputs)
      for (const TensorId id : held[input])
        lifetimes[id].last = std::max(lifetimes[id].last, at);
  }
  for (int at = 0; at < count; ++at)
    ShareRoom(program, held, *step[at], at, lifetimes);
  return lifetimes;
}

}  // namespace

ChipActivations ActivationsOf(const Program& program) {
  const std::vector<const Instruction*> step = StepOf(program);
  const std::vector<Lifetime> lifetimes = Lifetimes(program, step);
  ChipActivations most;
  for (int at = 0; at < static_cast<int>(step.size()); ++at) {
    ChipActivations now;
    for (std::size_t i = 0; i < lifetimes.size(); ++i) {
      const ProgramTensor& tensor = program.tensors[i];
      const Lifetime& lifetime = lifetimes[i];
      if (!IsActivation(tensor) || lifetime.first == kNever ||
          at < lifetime.first || at > lifetime.last)
        continue;
      (tensor.batched() ? now.elements_per_row : now.elements) +=
          tensor.places();
    }
    most.elements = std::max(most.elements, now.elements);
    most.elements_per_row =
        std::max(most.elements_per_row, now.elements_per_row);
  }
  return most;
}

}  // namespace podsim
