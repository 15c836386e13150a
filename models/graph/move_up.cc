#include "models/graph/move_up.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace podsim {
namespace {

// By instruction: how many of the first `first` must have run before it may, or
// with it, if it is one of them.
std::vector<std::size_t> TurnsOf(const Program& program,
                                 const std::vector<Instruction>& instructions,
                                 std::size_t first) {
  std::map<TensorId, std::size_t> made;  // what is not there beforehand
  std::vector<std::size_t> turns(instructions.size());
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (i < first) {
      turns[i] = i + 1;
    } else {
      for (const TensorId id : instructions[i].inputs)
        if (const auto at = made.find(program.root(id)); at != made.end())
          turns[i] = std::max(turns[i], at->second);
    }
    for (const TensorId id : instructions[i].outputs) made[id] = turns[i];
  }
  return turns;
}

}  // namespace

std::vector<Instruction> MoveUp(const Program& program,
                                std::vector<Instruction> instructions,
                                std::size_t first) {
  const std::vector<std::size_t> turns = TurnsOf(program, instructions, first);
  std::vector<std::size_t> order(instructions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The one that the others of its turn wait for comes first among them.
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::size_t a, std::size_t b) { return turns[a] < turns[b]; });
  std::vector<Instruction> moved;
  moved.reserve(order.size());
  for (const std::size_t i : order) moved.push_back(std::move(instructions[i]));
  return moved;
}

}  // namespace podsim
