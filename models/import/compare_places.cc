// compare of indices with the places that there are, as JAX asks whether a
// window is inside: what counts the examples always is, and what the others are
// compared with does not follow the batch.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "models/import/counts.h"
#include "models/import/opcode_attributes.h"

namespace podsim {
namespace {

using Numbers = std::vector<double>;

// Of a constant that is the same everywhere else, its numbers along `dim`.
std::optional<Numbers> NumbersAlong(const FlatBuilder& builder, int place,
                                    std::size_t dim) {
  const Shape& shape = builder.type(place).shape;
  const auto size = static_cast<std::size_t>(shape.dims[dim]);
  if (const auto number = builder.NumberOf(place))
    return Numbers(size, *number);
  const FlatOp& op = builder.op(place);
  if (op.Is("broadcast_in_dim")) {
    const auto dims = op.attributes.List("broadcast_dimensions");
    const bool along =
        dims.size() == 1 && dims[0] == static_cast<std::int64_t>(dim) &&
        builder.type(op.operands[0]).shape.dims[0] == shape.dims[dim];
    return along ? builder.NumbersOf(op.operands[0]) : std::nullopt;
  }
  const auto all = builder.NumbersOf(place);
  if (!all || dim + 1 != shape.dims.size()) return std::nullopt;
  for (std::size_t i = 0; i < all->size(); ++i)
    if ((*all)[i] != (*all)[i % size]) return std::nullopt;
  return Numbers(all->begin(),
                 all->begin() + static_cast<std::ptrdiff_t>(size));
}

// Whether 0, 1, ... below `count` all compare so with `number`.
bool IsTrueOfAll(const std::string& word, std::int64_t count, double number) {
  const auto last = static_cast<double>(count - 1);
  return (word == "GE" && number <= 0) || (word == "LE" && number >= last) ||
         (word == "LT" && number > last) || (word == "GT" && number < 0);
}

// One part of the indices compared with its numbers; none if that is not known.
std::optional<absl::StatusOr<int>> ComparedPart(FlatBuilder& builder,
                                                const HloUse& use, int part,
                                                const Numbers& numbers) {
  const ValueType type = builder.type(part);
  const std::string& word = use.from.comparison_direction();
  const bool equal = std::adjacent_find(numbers.begin(), numbers.end(),
                                        std::not_equal_to<>()) == numbers.end();
  if (!equal) return std::nullopt;
  const int counted = CountedDim(builder, part);
  if (counted >= 0) {
    const std::int64_t count =
        type.shape.dims[static_cast<std::size_t>(counted)];
    if (!IsTrueOfAll(word, count, numbers[0])) return std::nullopt;
    return builder.Constant({DType::kBool, type.shape}, {1});
  }
  OpAttributes direction;
  direction.word = word;
  const int other = builder.Constant(type, {numbers[0]});
  return builder.Emit("compare", {part, other}, std::move(direction));
}

std::optional<absl::StatusOr<int>> ComparedParts(FlatBuilder& builder,
                                                 const HloUse& use) {
  const FlatOp whole = builder.op(use.operands[0]);  // the function grows
  const auto dim = static_cast<std::size_t>(
      std::max<std::int64_t>(whole.attributes.Int("dimension", 0), 0));
  const auto numbers = NumbersAlong(builder, use.operands[1], dim);
  if (!numbers) return std::nullopt;
  std::vector<int> parts;
  auto from = numbers->begin();
  for (const int part : whole.operands) {
    const std::int64_t size = builder.type(part).shape.dims[dim];
    auto compared = ComparedPart(builder, use, part, {from, from + size});
    if (!compared || !compared->ok()) return std::nullopt;
    parts.push_back(**compared);
    from += size;
  }
  return builder.Emit("concatenate", std::move(parts), whole.attributes);
}

}  // namespace

absl::StatusOr<int> EmitCompare(FlatBuilder& builder, const HloUse& use) {
  const bool fits =
      use.operands.size() == 2 && builder.type(use.operands[0]).shape ==
                                      builder.type(use.operands[1]).shape;
  if (fits && builder.op(use.operands[0]).Is("concatenate")) {
    const std::vector<int> parts = builder.op(use.operands[0]).operands;
    if (std::any_of(parts.begin(), parts.end(),
                    [&](int part) { return CountedDim(builder, part) >= 0; }))
      if (auto compared = ComparedParts(builder, use)) return *compared;
  }
  OpAttributes direction;
  SetDirection(use, direction);
  return builder.Emit("compare", use.operands, std::move(direction));
}

}  // namespace podsim
