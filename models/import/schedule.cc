#include "models/import/schedule.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace podsim {
namespace {

// Ops of the longest chain that ends with each.
std::vector<int> Depths(const FlatFunction& function) {
  std::vector<int> depths(function.ops.size());
  for (std::size_t i = 0; i < depths.size(); ++i)
    for (const int operand : function.ops[i].operands)
      depths[i] =
          std::max(depths[i], depths[static_cast<std::size_t>(operand)] + 1);
  return depths;
}

// What `result` needs of what is not `placed` yet, in the function's order.
std::vector<int> NeededFor(const FlatFunction& function, int result,
                           std::vector<bool>& placed) {
  std::vector<int> needed;
  std::vector<int> open = {result};
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    if (placed[static_cast<std::size_t>(at)]) continue;
    placed[static_cast<std::size_t>(at)] = true;
    needed.push_back(at);
    const auto& operands = function.ops[static_cast<std::size_t>(at)].operands;
    open.insert(open.end(), operands.begin(), operands.end());
  }
  std::sort(needed.begin(), needed.end());
  return needed;
}

}  // namespace

FlatFunction Scheduled(const FlatFunction& from) {
  const std::vector<int> depths = Depths(from);
  std::vector<int> results = from.results;
  std::stable_sort(results.begin(), results.end(), [&](int a, int b) {
    return depths[static_cast<std::size_t>(a)] <
           depths[static_cast<std::size_t>(b)];
  });
  std::vector<bool> placed(from.ops.size());
  std::vector<int> order;
  for (const int parameter : from.parameters) {
    placed[static_cast<std::size_t>(parameter)] = true;
    order.push_back(parameter);
  }
  for (const int result : results) {
    const std::vector<int> needed = NeededFor(from, result, placed);
    order.insert(order.end(), needed.begin(), needed.end());
  }
  FlatFunction to;
  std::vector<int> place_of(from.ops.size(), -1);
  const auto moved = [&](std::vector<int> places) {
    for (int& place : places) place = place_of[static_cast<std::size_t>(place)];
    return places;
  };
  for (const int place : order) {
    place_of[static_cast<std::size_t>(place)] = static_cast<int>(to.ops.size());
    FlatOp op = from.ops[static_cast<std::size_t>(place)];
    op.operands = moved(std::move(op.operands));
    to.ops.push_back(std::move(op));
  }
  to.parameters = moved(from.parameters);
  to.results = moved(from.results);
  return to;
}

}  // namespace podsim
