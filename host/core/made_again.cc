#include "host/core/made_again.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "models/ops/op_table.h"

namespace podsim {
namespace {

using Tensors = std::vector<TensorId>;

// How a tensor is read, directly or through views.
struct Readers {
  int last = -1;
  int count = 0;
  bool in_passing = true;  // all of them
};

class Holding {
 public:
  Holding(const Program& program, std::span<const Instruction* const> step)
      : program_(program), step_(step), readers_(program.tensors.size()) {
    held_.resize(program.tensors.size());
    FindReaders();
  }

  std::vector<Tensors> Run() {
    last_.resize(readers_.size());
    for (std::size_t i = 0; i < last_.size(); ++i) last_[i] = readers_[i].last;
    for (const Instruction* instruction : step_) Decide(*instruction);
    return std::move(held_);
  }

 private:
  std::size_t Root(TensorId id) const {
    return static_cast<std::size_t>(program_.root(id));
  }

  // Backwards, so that what reads a view is known before its owner.
  void FindReaders() {
    for (std::size_t at = step_.size(); at-- > 0;) {
      const Instruction& instruction = *step_[at];
      const OpEntry& entry = EntryOf(instruction.op);
      for (const TensorId input : instruction.inputs) {
        Readers& readers = readers_[Root(input)];
        if (entry.makes_no_copy) {
          const Readers& through = readers_[Root(instruction.outputs[0])];
          readers.last = std::max(readers.last, through.last);
          readers.count += through.count;
          readers.in_passing = readers.in_passing && through.in_passing;
          continue;
        }
        readers.last = std::max(readers.last, static_cast<int>(at));
        ++readers.count;
        readers.in_passing = readers.in_passing &&
                             (entry.is_element_wise || entry.reads_in_passing);
      }
    }
  }

  void Decide(const Instruction& instruction) {
    const OpEntry& entry = EntryOf(instruction.op);
    if (entry.makes_no_copy || MadeAgain(instruction)) {
      Tensors from = OperandsOf(instruction);
      const int last = readers_[Root(instruction.outputs[0])].last;
      for (const TensorId id : from)
        last_[Root(id)] = std::max(last_[Root(id)], last);
      held_[Root(instruction.outputs[0])] = std::move(from);
      return;
    }
    for (const TensorId output : instruction.outputs)
      held_[Root(output)] = {program_.root(output)};
  }

  // What is held for the operands, each tensor once.
  Tensors OperandsOf(const Instruction& instruction) const {
    Tensors all;
    for (const TensorId input : instruction.inputs) {
      const Tensors& held = held_[Root(input)];
      all.insert(all.end(), held.begin(), held.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  bool MadeAgain(const Instruction& instruction) const {
    const OpEntry& entry = EntryOf(instruction.op);
    const ProgramTensor& result = program_.tensor(instruction.outputs[0]);
    const Readers& readers = readers_[Root(instruction.outputs[0])];
    if (!entry.is_element_wise || !result.batched() ||
        result.storage == Storage::kOutput || readers.count == 0 ||
        !readers.in_passing)
      return false;
    if (entry.scalar.transcendentals > 0 && readers.count > 1) return false;
    std::int64_t longer = 0;
    for (const TensorId id : OperandsOf(instruction))
      if (program_.tensor(id).batched() && last_[Root(id)] < readers.last)
        longer += program_.tensor(id).places();
    return longer < result.places();
  }

  const Program& program_;
  const std::span<const Instruction* const> step_;
  std::vector<Readers> readers_;  // by root
  std::vector<int> last_;         // reader of what is held, so far
  std::vector<Tensors> held_;     // by root
};

}  // namespace

std::vector<std::vector<TensorId>> HeldFor(
    const Program& program, std::span<const Instruction* const> step) {
  std::vector<Tensors> held = Holding(program, step).Run();
  for (std::size_t i = 0; i < held.size(); ++i)
    held[i] =
        held[static_cast<std::size_t>(program.root(static_cast<TensorId>(i)))];
  return held;
}

}  // namespace podsim
