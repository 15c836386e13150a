#include "models/import/simplify.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/import/flat_builder.h"
#include "models/import/patterns.h"

namespace podsim {
namespace {

absl::StatusOr<int> Rewritten(FlatBuilder& builder, const FlatOp& op) {
  for (const Pattern pattern : Patterns())
    if (auto result = pattern(builder, op)) return *std::move(result);
  return builder.Add(op);
}

}  // namespace

absl::StatusOr<FlatFunction> Simplified(const FlatFunction& from) {
  FlatBuilder builder(/*shares=*/true);
  std::vector<int> place_of;
  place_of.reserve(from.ops.size());
  const auto moved = [&](std::vector<int> places) {
    for (int& place : places) place = place_of[static_cast<std::size_t>(place)];
    return places;
  };
  for (const FlatOp& each : from.ops) {
    FlatOp op = each;
    op.operands = moved(std::move(op.operands));
    builder.SetPlace(op.place);
    auto place = Rewritten(builder, op);
    if (!place.ok())
      return absl::Status(place.status().code(),
                          absl::StrCat(op.entry->name, " (", op.place, "): ",
                                       std::string(place.status().message())));
    place_of.push_back(*place);
  }
  builder.function().parameters = moved(from.parameters);
  builder.function().results = moved(from.results);
  return Pruned(builder.function());
}

}  // namespace podsim
