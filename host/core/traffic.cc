#include "host/core/traffic.h"

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "models/graph/row_groups.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

// Instructions that run together.
using Group = std::span<const Instruction>;

std::vector<Group> GroupsOf(const Program& program) {
  std::vector<Group> groups;
  for (const EntryPoint entry :
       {EntryPoint::kTrainMicrobatch, EntryPoint::kUpdate}) {
    const auto segments = program.entries.find(entry);
    if (segments == program.entries.end()) continue;
    for (const Segment& segment : segments->second)
      for (const Group group : RowGroups(segment.instructions))
        groups.push_back(group);
  }
  return groups;
}

class Traffic {
 public:
  Traffic(const Program& program, std::int64_t rows)
      : program_(program), rows_(rows) {}

  StepTraffic Of(const std::vector<Group>& groups) {
    for (std::size_t i = 0; i < groups.size(); ++i)
      for (const Instruction& instruction : groups[i])
        for (const TensorId id : instruction.inputs)
          last_reader_[program_.root(id)] = i;
    for (std::size_t i = 0; i < groups.size(); ++i) Count(groups[i], i);
    for (const TensorId id : read_) result_.least += BytesOf(id);
    for (const TensorId id : written_) result_.least += BytesOf(id);
    return result_;
  }

 private:
  std::int64_t BytesOf(TensorId id) const {
    const ProgramTensor& tensor = program_.tensor(id);
    return tensor.shape.elements() * (tensor.batched() ? rows_ : 1) *
           tensor.element_bytes();
  }

  // Whether anybody outside of group `index` wants what it wrote.
  bool Outlives(TensorId id, std::size_t index) const {
    const auto reader = last_reader_.find(id);
    return program_.tensor(id).storage != Storage::kBatched ||
           (reader != last_reader_.end() && reader->second > index);
  }

  void Count(Group group, std::size_t index) {
    std::set<TensorId> inside;
    std::set<TensorId> reads;
    std::set<TensorId> writes;
    for (const Instruction& instruction : group) {
      for (const TensorId id : instruction.inputs)
        if (!inside.contains(program_.root(id)))
          reads.insert(program_.root(id));
      for (const TensorId id : instruction.outputs) {
        inside.insert(id);
        if (Outlives(id, index)) writes.insert(id);
      }
      CountPacking(instruction);
    }
    for (const TensorId id : reads) result_.touched += BytesOf(id);
    for (const TensorId id : writes) result_.touched += BytesOf(id);
    read_.insert(reads.begin(), reads.end());
    written_.insert(writes.begin(), writes.end());
  }

  // A right side is read and written again before its product reads it.
  void CountPacking(const Instruction& instruction) {
    if (EntryOf(instruction.op).is_product())
      result_.touched += 2 * BytesOf(instruction.inputs[1]);
  }

  const Program& program_;
  const std::int64_t rows_;
  std::map<TensorId, std::size_t> last_reader_;
  std::set<TensorId> read_;
  std::set<TensorId> written_;
  StepTraffic result_;
};

}  // namespace

StepTraffic TrafficOf(const Program& program, std::int64_t rows) {
  return Traffic(program, rows).Of(GroupsOf(program));
}

}  // namespace podsim
