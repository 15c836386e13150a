#include "host/core/chip_activations.h"

#include <algorithm>
#include <cstddef>
#include <vector>

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

// Which tensor's bytes each one is, but for views.
std::vector<TensorId> Owners(const Program& program,
                             const std::vector<const Instruction*>& step) {
  std::vector<TensorId> owners(program.tensors.size());
  for (std::size_t i = 0; i < owners.size(); ++i)
    owners[i] = static_cast<TensorId>(i);
  for (const Instruction* instruction : step)
    if (EntryOf(instruction->op).makes_no_copy)
      owners[instruction->outputs[0]] =
          owners[program.root(instruction->inputs[0])];
  return owners;
}

// From the first op that writes a tensor to the last that reads it.
std::vector<Lifetime> Lifetimes(const Program& program,
                                const std::vector<const Instruction*>& step) {
  const std::vector<TensorId> owners = Owners(program, step);
  const auto owner = [&](TensorId id) { return owners[program.root(id)]; };
  std::vector<Lifetime> lifetimes(program.tensors.size());
  for (int at = 0; at < static_cast<int>(step.size()); ++at) {
    for (const TensorId output : step[at]->outputs) {
      Lifetime& lifetime = lifetimes[owner(output)];
      if (lifetime.first == kNever) lifetime.first = at;
      const bool result = program.tensor(output).storage == Storage::kOutput;
      lifetime.last =
          std::max(lifetime.last, result ? static_cast<int>(step.size()) : at);
    }
    for (const TensorId input : step[at]->inputs) {
      Lifetime& lifetime = lifetimes[owner(input)];
      lifetime.last = std::max(lifetime.last, at);
    }
  }
  // An operand that is read for the last time makes room for what is written.
  for (int at = 0; at < static_cast<int>(step.size()); ++at) {
    if (!EntryOf(step[at]->op).is_element_wise) continue;
    for (const TensorId input : step[at]->inputs) {
      Lifetime& lifetime = lifetimes[owner(input)];
      const bool same = program.tensor(input).places() ==
                        program.tensor(step[at]->outputs[0]).places();
      if (!same || lifetime.last != at || lifetime.first == at) continue;
      --lifetime.last;
      break;
    }
  }
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
