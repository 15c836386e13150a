// scatter by anything but add, as scatters that add: what replaces, multiplies
// or compares is put in a zero array first, beside the count of what was put,
// where no two places are the same. Extremes of places that may be the same are
// in scatter_extremes.cc.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/import/counts.h"
#include "models/import/opcode_attributes.h"

namespace podsim {
namespace {

constexpr char kReplaces[] = "second";

absl::StatusOr<int> ConvertedTo(FlatBuilder& builder, int place, DType dtype) {
  if (builder.type(place).dtype == dtype) return place;
  OpAttributes attributes;
  attributes.dtype = dtype;
  return builder.Emit("convert", {place}, std::move(attributes));
}

OpAttributes Adding(const HloUse& use) {
  OpAttributes attributes;
  SetScatter(use, attributes);
  attributes.word = "add";
  return attributes;
}

// Sums of bools are not made.
DType SummedAs(DType dtype) {
  return dtype == DType::kBool ? DType::kInt32 : dtype;
}

// Of the indices, one vector of them after the other.
bool AreDifferent(const std::vector<double>& numbers, std::size_t length) {
  std::vector<std::vector<double>> vectors;
  for (std::size_t i = 0; i + length <= numbers.size(); i += length)
    vectors.emplace_back(
        numbers.begin() + static_cast<std::ptrdiff_t>(i),
        numbers.begin() + static_cast<std::ptrdiff_t>(i + length));
  std::sort(vectors.begin(), vectors.end());
  return std::adjacent_find(vectors.begin(), vectors.end()) == vectors.end();
}

// Whether an index of each vector counts along each dimension of the indices,
// as x[arange(B), i] has it: then no two vectors are equal.
bool CountAllDims(const FlatBuilder& builder, int indices,
                  std::int64_t vector_dim) {
  const FlatOp& op = builder.op(indices);
  const bool joins =
      op.Is("concatenate") && op.attributes.Int("dimension", -1) == vector_dim;
  const std::vector<int> parts = joins ? op.operands : std::vector{indices};
  std::set<int> counted;
  for (const int part : parts) counted.insert(CountedDim(builder, part));
  const Shape& shape = op.type.shape;
  for (int dim = 0; dim < shape.rank(); ++dim)
    if (dim != vector_dim && shape.dims[static_cast<std::size_t>(dim)] != 1 &&
        !counted.contains(dim))
      return false;
  return true;
}

// Whether all windows are of one element in the dimensions that they index, and
// no two begin at the same place: by known numbers, or by what they count.
bool AreApart(const FlatBuilder& builder, const HloUse& use) {
  const auto& dims = use.from.scatter_dimension_numbers();
  const Shape& shape = builder.type(use.operands[1]).shape;
  const auto rank = static_cast<std::int64_t>(shape.dims.size());
  const bool last = dims.index_vector_dim() == rank - 1;
  const auto inserted = dims.inserted_window_dims();
  for (const std::int64_t dim : dims.scatter_dims_to_operand_dims())
    if (std::find(inserted.begin(), inserted.end(), dim) == inserted.end())
      return false;
  if ((!last && dims.index_vector_dim() != rank) ||
      !dims.input_batching_dims().empty())
    return false;
  if (CountAllDims(builder, use.operands[1], dims.index_vector_dim()))
    return true;
  const auto numbers = builder.NumbersOf(use.operands[1]);
  const auto length = last ? static_cast<std::size_t>(shape.dims.back()) : 1;
  return numbers && AreDifferent(*numbers, length);
}

absl::StatusOr<int> Splat(FlatBuilder& builder, const Shape& shape, DType dtype,
                          double value) {
  return builder.Constant({dtype, shape}, {value});
}

// Where the windows put nothing, the operand; elsewhere what they put there, by
// itself or with the operand.
absl::StatusOr<int> Put(FlatBuilder& builder, const HloUse& use) {
  const Shape shape = builder.type(use.operands[0]).shape;
  const Shape windows = builder.type(use.operands[2]).shape;
  const DType dtype = use.type.dtype;
  const DType sum = SummedAs(dtype);
  const auto scattered = [&](int updates, DType type) -> absl::StatusOr<int> {
    PODSIM_ASSIGN_OR_RETURN(const int zeros, Splat(builder, shape, type, 0));
    return builder.Emit("scatter", {zeros, use.operands[1], updates},
                        Adding(use));
  };
  PODSIM_ASSIGN_OR_RETURN(const int ones,
                          Splat(builder, windows, DType::kInt32, 1));
  PODSIM_ASSIGN_OR_RETURN(const int count, scattered(ones, DType::kInt32));
  PODSIM_ASSIGN_OR_RETURN(const int none,
                          Splat(builder, shape, DType::kInt32, 0));
  OpAttributes differs;
  differs.word = "NE";
  PODSIM_ASSIGN_OR_RETURN(
      const int is_put,
      builder.Emit("compare", {count, none}, std::move(differs)));
  PODSIM_ASSIGN_OR_RETURN(const int updates,
                          ConvertedTo(builder, use.operands[2], sum));
  PODSIM_ASSIGN_OR_RETURN(const int wide, scattered(updates, sum));
  PODSIM_ASSIGN_OR_RETURN(int put, ConvertedTo(builder, wide, dtype));
  if (use.word() != kReplaces) {
    PODSIM_ASSIGN_OR_RETURN(put,
                            builder.Emit(use.word(), {use.operands[0], put}));
  }
  return builder.Emit("select", {is_put, put, use.operands[0]});
}

absl::StatusOr<int> AddedTo(FlatBuilder& builder, const HloUse& use,
                            int updates) {
  if (use.type.dtype == DType::kBool)
    return absl::UnimplementedError(
        "its type is bool, of which podsim makes no sums; convert to int32 "
        "first (x.astype(jnp.int32))");
  return builder.Emit("scatter", {use.operands[0], use.operands[1], updates},
                      Adding(use));
}

}  // namespace

absl::StatusOr<int> EmitScatter(FlatBuilder& builder, const HloUse& use) {
  if (use.operands.size() != 3)
    return absl::UnimplementedError(
        "it scatters into several arrays at once; write one after the other");
  const std::string word = use.word();
  if (word == "add") return AddedTo(builder, use, use.operands[2]);
  if (word == "subtract") {
    PODSIM_ASSIGN_OR_RETURN(const int less,
                            builder.Emit("negate", {use.operands[2]}));
    return AddedTo(builder, use, less);
  }
  if (word.empty())
    return absl::UnimplementedError(
        "what it scatters by is more than one operation; use .at[...].add, "
        "subtract, max, min or set");
  if (use.from.unique_indices() || AreApart(builder, use))
    return Put(builder, use);
  if (word == "maximum" || word == "minimum") return EmitExtremes(builder, use);
  return absl::UnimplementedError(absl::StrCat(
      "it ", word == kReplaces ? "sets" : "changes by " + word,
      " places of which some may be the same; pass unique_indices=True "
      "to .at[...] if they are not, or use .add"));
}

}  // namespace podsim
