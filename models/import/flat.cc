#include "models/import/flat.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hash.h"

namespace podsim {

std::string KeyOf(std::string_view op, const std::vector<int>& operands,
                  const OpAttributes& attributes) {
  std::string key = absl::StrCat(
      std::string(op), "|", absl::StrJoin(operands, ","), "|",
      ToString(attributes.shape), "|", ToString(attributes.dtype), "|",
      std::bit_cast<std::uint64_t>(attributes.value), "|", attributes.word);
  for (const auto& [name, list] : attributes.lists)
    absl::StrAppend(&key, "|", name, ":", absl::StrJoin(list, ","));
  if (attributes.data != nullptr)
    absl::StrAppend(&key, "|", Sha256Hex(*attributes.data));
  return key;
}

std::string WhereOf(const FlatOp& op) {
  if (!op.words.empty()) return op.words;
  return absl::StrCat(op.entry == nullptr ? "parameter" : op.entry->name, " (",
                      op.place, ")");
}

FlatFunction Pruned(const FlatFunction& from) {
  std::vector<bool> needed(from.ops.size());
  const auto need = [&](int place) {
    needed[static_cast<std::size_t>(place)] = true;
  };
  for (const int place : from.results) need(place);
  for (const int place : from.parameters) need(place);
  for (std::size_t i = from.ops.size(); i-- > 0;)
    if (needed[i])
      for (const int operand : from.ops[i].operands) need(operand);
  FlatFunction to;
  std::vector<int> place_of(from.ops.size(), -1);
  const auto moved = [&](std::vector<int> places) {
    for (int& place : places) place = place_of[static_cast<std::size_t>(place)];
    return places;
  };
  for (std::size_t i = 0; i < from.ops.size(); ++i) {
    if (!needed[i]) continue;
    place_of[i] = static_cast<int>(to.ops.size());
    FlatOp op = from.ops[i];
    op.operands = moved(std::move(op.operands));
    to.ops.push_back(std::move(op));
  }
  to.parameters = moved(from.parameters);
  to.results = moved(from.results);
  return to;
}

}  // namespace podsim
