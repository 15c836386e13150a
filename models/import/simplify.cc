#include "models/import/simplify.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/import/flat_builder.h"
#include "models/import/patterns.h"

namespace podsim {
namespace {

constexpr int kMostRewrites = 4;

std::optional<absl::StatusOr<int>> OneRewrite(FlatBuilder& builder,
                                              const FlatOp& op) {
  for (const Pattern pattern : Patterns())
    if (auto result = pattern(builder, op)) return result;
  return std::nullopt;
}

// What one pattern made another one may know.
absl::StatusOr<int> Rewritten(FlatBuilder& builder, const FlatOp& op) {
  auto known = OneRewrite(builder, op);
  if (!known) return builder.Add(op);
  for (int more = 0; more < kMostRewrites && known->ok(); ++more) {
    const FlatOp made = builder.op(**known);  // the function grows
    auto next = OneRewrite(builder, made);
    if (!next) break;
    known = std::move(next);
  }
  return *std::move(known);
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
    builder.SetPlace(op.place, op.words);
    auto place = Rewritten(builder, op);
    if (!place.ok())
      return absl::Status(place.status().code(),
                          absl::StrCat(WhereOf(op), ": ",
                                       std::string(place.status().message())));
    place_of.push_back(*place);
  }
  builder.function().parameters = moved(from.parameters);
  builder.function().results = moved(from.results);
  return Pruned(builder.function());
}

}  // namespace podsim
