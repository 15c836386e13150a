#include "models/import/draws.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/hash.h"
#include "base/status.h"
#include "models/import/flat_builder.h"
#include "models/import/random_keys.h"

namespace podsim {
namespace {

std::size_t Nth(int i) { return static_cast<std::size_t>(i); }

// What is known of each value of the function, operands before their users.
class Keys {
 public:
  explicit Keys(const FlatFunction& function) : function_(function) {
    for (const FlatOp& op : function.ops) differs_.push_back(Differs(op));
    derivation_.resize(function.ops.size());
  }

  // Whether an example's key is another one than its neighbour's.
  bool DifferByExample(int place) const { return differs_[Nth(place)]; }

  // A number of how the keys were derived. Shapes are left out, and with them
  // the number of examples.
  std::int64_t SiteOf(int place) {
    std::int64_t site = 0;
    for (const char digit : DerivationOf(place).substr(0, 8))
      site = site * 16 + (digit <= '9' ? digit - '0' : digit - 'a' + 10);
    return site & 0x7fffffff;
  }

 private:
  const FlatOp& At(int place) const { return function_.ops[Nth(place)]; }

  bool Differs(const FlatOp& op) const {
    if (!op.type.batched() || op.Is("constant")) return false;
    const bool has_batch =
        std::any_of(op.operands.begin(), op.operands.end(),
                    [&](int operand) { return At(operand).type.batched(); });
    // The batch comes in: by a split, by counting; or by repeating one value.
    if (!has_batch) return !op.Is("broadcast_in_dim");
    return std::any_of(op.operands.begin(), op.operands.end(),
                       [&](int operand) { return DifferByExample(operand); });
  }

  // A text of bounded length: of hashes.
  const std::string& DerivationOf(int place) {
    // Most values are no keys: a loop, no recursion.
    std::vector<int> stack = {place};
    while (!stack.empty()) {
      const int at = stack.back();
      const std::size_t waiting = stack.size();
      for (const int operand : At(at).operands)
        if (derivation_[Nth(operand)].empty()) stack.push_back(operand);
      if (stack.size() > waiting) continue;
      stack.pop_back();
      if (derivation_[Nth(at)].empty())
        derivation_[Nth(at)] = Sha256Hex(TextOf(at));
    }
    return derivation_[Nth(place)];
  }

  std::string TextOf(int place) const {
    const FlatOp& op = At(place);
    const bool is_parameter = op.entry == nullptr && op.operands.empty();
    std::string text = absl::StrCat(
        op.entry == nullptr ? "" : op.entry->name, "|", op.attributes.word, "|",
        std::bit_cast<std::uint64_t>(op.attributes.value), "|",
        is_parameter ? place : 0);
    for (const auto& [name, list] : op.attributes.lists)
      absl::StrAppend(&text, "|", name, ":", absl::StrJoin(list, ","));
    for (const int operand : op.operands)
      absl::StrAppend(&text, "|", derivation_[Nth(operand)]);
    if (op.attributes.data != nullptr)
      absl::StrAppend(&text, "|", Sha256Hex(*op.attributes.data));
    return text;
  }

  const FlatFunction& function_;
  std::vector<bool> differs_;
  std::vector<std::string> derivation_;  // empty: not asked for
};

OpAttributes WithShape(const Shape& shape) {
  OpAttributes attributes;
  attributes.shape = shape;
  return attributes;
}

int Draw(FlatBuilder& builder, const char* op, const Shape& shape,
         std::int64_t site) {
  FlatOp draw{.entry = FindOp(op), .type = {DType::kUint32, shape}};
  draw.attributes.shape = shape;
  draw.attributes.lists["site"] = {site};
  return builder.Opaque(std::move(draw));
}

// Each example draws its own rows; then the batch moves to where it belongs.
absl::StatusOr<int> OwnBits(FlatBuilder& builder, const Shape& shape,
                            std::int64_t site) {
  const int axis = shape.batch_axis;
  const std::int64_t rows = shape.dims[Nth(axis)];  // of each example
  Shape drawn = {{1}, 0};
  OpAttributes moved;
  std::vector<std::int64_t>& order = moved.lists["permutation"];
  for (int i = 0; i < shape.rank(); ++i) {
    if (i != axis || rows > 1) drawn.dims.push_back(shape.dims[Nth(i)]);
    order.push_back(i < axis ? i + 1 : i == axis ? 0 : i);
  }
  if (rows > 1) order.push_back(shape.rank());
  PODSIM_ASSIGN_OR_RETURN(
      const int bits,
      builder.Emit("transpose", {Draw(builder, "random_bits", drawn, site)},
                   std::move(moved)));
  return builder.Emit("Reshape", {bits}, WithShape(shape));
}

// All examples have the same bits, of a shape with or without the batch.
absl::StatusOr<int> SharedBits(FlatBuilder& builder, const Shape& shape,
                               std::int64_t site) {
  const int axis = shape.batch_axis;
  if (!shape.batched()) return Draw(builder, "shared_random_bits", shape, site);
  if (shape.dims[Nth(axis)] != 1)
    return absl::UnimplementedError(
        "it repeats one key for several rows of each example; split the key "
        "(jax.random.split), or draw once and broadcast what is drawn");
  Shape drawn;
  OpAttributes spread = WithShape(shape);
  std::vector<std::int64_t>& dims = spread.lists["broadcast_dimensions"];
  for (int i = 0; i < shape.rank(); ++i) {
    if (i == axis) continue;
    drawn.dims.push_back(shape.dims[Nth(i)]);
    dims.push_back(i);
  }
  return builder.Emit("broadcast_in_dim",
                      {Draw(builder, "shared_random_bits", drawn, site)},
                      std::move(spread));
}

absl::StatusOr<int> BitsOf(FlatBuilder& builder, const FlatFunction& from,
                           Keys& keys, const FlatOp& draw) {
  const int key = draw.operands[0];
  const bool own = from.ops[Nth(key)].type.batched() ? keys.DifferByExample(key)
                                                     : draw.type.batched();
  const std::int64_t site = keys.SiteOf(key);
  return own ? OwnBits(builder, draw.type.shape, site)
             : SharedBits(builder, draw.type.shape, site);
}

}  // namespace

absl::StatusOr<FlatFunction> WithDraws(const FlatFunction& from) {
  Keys keys(from);
  FlatBuilder builder(/*shares=*/false);
  std::vector<int> place_of;
  const auto moved = [&](std::vector<int> places) {
    for (int& place : places) place = place_of[Nth(place)];
    return places;
  };
  for (const FlatOp& each : from.ops) {
    builder.SetPlace(each.place, each.words);
    if (IsDraw(each)) {
      const auto bits = BitsOf(builder, from, keys, each);
      if (!bits.ok())
        return absl::Status(
            bits.status().code(),
            absl::StrCat(
                each.words.empty()
                    ? absl::StrCat(KeyFunctionText(each), " (", each.place, ")")
                    : each.words,
                ": ", std::string(bits.status().message())));
      place_of.push_back(*bits);
      continue;
    }
    FlatOp op = each;
    op.operands = moved(std::move(op.operands));
    place_of.push_back(builder.Opaque(std::move(op)));
  }
  builder.function().parameters = moved(from.parameters);
  builder.function().results = moved(from.results);
  return Pruned(builder.function());
}

}  // namespace podsim
