#include "models/graph/placement.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "models/graph/liveness.h"
#include "models/graph/row_groups.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

// When each instruction runs: those of a row group at the same moment.
std::vector<std::int32_t> Moments(
    const std::vector<Instruction>& instructions) {
  std::vector<std::int32_t> moments;
  std::int32_t moment = 0;
  for (const auto group : RowGroups(instructions))
    moments.insert(moments.end(), group.size(), moment++);
  return moments;
}

// Tensors that lie in the same memory one after the other, and until when.
class Lifetimes {
 public:
  Lifetimes(const std::vector<Instruction>& instructions, Storage storage,
            const std::vector<TensorId>& kept, const Program& program)
      : storage_(storage), kept_(kept), program_(program) {
    for (std::size_t i = 0; i < instructions.size(); ++i)
      for (const TensorId id : instructions[i].inputs)
        last_reader_[program.root(id)] = i;
    const std::vector<std::int32_t> moments = Moments(instructions);
    for (std::size_t i = 0; i < instructions.size(); ++i)
      Add(instructions[i], i, moments[i]);
    const auto end = static_cast<std::int32_t>(instructions.size());
    for (const TensorId id : kept)
      if (const auto buffer = buffer_of_.find(id); buffer != buffer_of_.end())
        uses_[buffer->second].last = end;
  }

  const std::vector<BufferUse>& uses() const { return uses_; }
  const std::map<TensorId, std::size_t>& buffer_of() const {
    return buffer_of_;
  }

 private:
  void Add(const Instruction& instruction, std::size_t index,
           std::int32_t moment) {
    for (const TensorId id : instruction.inputs)
      if (const auto buffer = buffer_of_.find(program_.root(id));
          buffer != buffer_of_.end())
        uses_[buffer->second].last = moment;
    for (std::size_t i = 0; i < instruction.outputs.size(); ++i) {
      const TensorId id = instruction.outputs[i];
      const ProgramTensor& tensor = program_.tensor(id);
      if (tensor.storage != storage_) continue;
      if (i == 0 && TakesOver(instruction, index)) {
        buffer_of_[id] = buffer_of_.at(program_.root(instruction.inputs[0]));
      } else {
        buffer_of_[id] = uses_.size();
        uses_.push_back({tensor.places(), moment, moment});
      }
    }
  }

  // Whether result 0 may have the memory of operand 0.
  bool TakesOver(const Instruction& instruction, std::size_t index) const {
    if (!EntryOf(instruction.op).works_in_place) return false;
    const TensorId from = program_.root(instruction.inputs[0]);
    const auto& inputs = instruction.inputs;
    const auto reads_it = [&](TensorId id) {
      return program_.root(id) == from;
    };
    const ProgramTensor& result = program_.tensor(instruction.outputs[0]);
    if (program_.tensor(from).element_bytes() != result.element_bytes() ||
        program_.tensor(from).places() != result.places())
      return false;
    return buffer_of_.contains(from) && last_reader_.at(from) == index &&
           std::count_if(inputs.begin(), inputs.end(), reads_it) == 1 &&
           std::find(kept_.begin(), kept_.end(), from) == kept_.end();
  }

  const Storage storage_;
  const std::vector<TensorId>& kept_;
  const Program& program_;
  std::map<TensorId, std::size_t> last_reader_;
  std::map<TensorId, std::size_t> buffer_of_;
  std::vector<BufferUse> uses_;
};

}  // namespace

std::int64_t PlaceByLiveness(const std::vector<Instruction>& instructions,
                             Storage storage, const std::vector<TensorId>& kept,
                             Program& program) {
  const Lifetimes lifetimes(instructions, storage, kept, program);
  const BufferPlacement placement = PlaceBuffers(lifetimes.uses());
  for (const auto& [id, buffer] : lifetimes.buffer_of())
    program.tensors[static_cast<std::size_t>(id)].offset =
        placement.offsets[buffer];
  for (ProgramTensor& tensor : program.tensors)
    if (tensor.view_of != kNoTensor)
      tensor.offset = program.tensor(tensor.view_of).offset;
  return placement.total;
}

}  // namespace podsim
