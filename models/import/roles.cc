#include "models/import/roles.h"

#include <algorithm>
#include <cstddef>

namespace podsim {

CoupledRoles RolesOf(const ImportFunction& from, const FlatFunction& function) {
  CoupledRoles roles{.loss = -1};
  for (int i = 0; i < from.arguments_size(); ++i) {
    const ImportArgument::Kind kind = from.arguments(i).kind();
    const int place = function.parameters[static_cast<std::size_t>(i)];
    if (kind == ImportArgument::INPUT) roles.examples.push_back(place);
    if (kind == ImportArgument::VARIABLE || kind == ImportArgument::STATE)
      roles.variables.push_back(place);
  }
  std::size_t next = 0;
  for (const ImportResult& result : from.results()) {
    if (result.kind() == ImportResult::UNKNOWN) continue;
    if (result.kind() == ImportResult::LOSS)
      roles.loss = function.results[next];
    ++next;
  }
  return roles;
}

std::set<std::string> NamesOfFollowers(const ImportFunction& from,
                                       const FlatFunction& function,
                                       const std::vector<int>& places) {
  std::vector<bool> follows(function.ops.size());
  for (std::size_t i = 0; i < follows.size(); ++i) {
    const std::vector<int>& operands = function.ops[i].operands;
    follows[i] =
        std::binary_search(places.begin(), places.end(), static_cast<int>(i)) ||
        std::any_of(operands.begin(), operands.end(), [&](int operand) {
          return follows[static_cast<std::size_t>(operand)];
        });
  }
  std::set<std::string> names;
  std::size_t next = 0;
  for (const ImportResult& result : from.results()) {
    if (result.kind() == ImportResult::UNKNOWN) continue;
    const int place = function.results[next++];
    if (!follows[static_cast<std::size_t>(place)]) continue;
    if (result.kind() == ImportResult::LOSS) names.insert("loss");
    if (result.kind() == ImportResult::METRIC) names.insert(result.name());
  }
  return names;
}

}  // namespace podsim
