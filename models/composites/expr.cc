#include "models/composites/expr.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace podsim {

Expr Expr::Apply(const char* op, const std::vector<Expr>& others,
                 OpAttributes attributes) const {
  std::vector<Value> inputs = {value_};
  for (const Expr& other : others) inputs.push_back(other.value_);
  return With(
      graph_->Apply(OpCode(op), std::move(inputs), std::move(attributes),
                    name_.empty() ? "" : absl::StrCat(name_, "/", op))[0]);
}

Expr Expr::Splat(double number, const Shape& shape, DType dtype) const {
  if (!present()) return With(kNone);
  OpAttributes attributes;
  attributes.shape = shape;
  attributes.dtype = dtype;
  attributes.value = number;
  return With(
      graph_->Apply(OpCode::kConstant, {}, std::move(attributes),
                    name_.empty() ? "" : absl::StrCat(name_, "/constant"))[0]);
}

Expr Expr::Convert(DType to) const {
  OpAttributes attributes;
  attributes.dtype = to;
  return Apply("convert", {}, std::move(attributes));
}

Expr Expr::Reduce(const char* word, const Dims& dimensions) const {
  OpAttributes attributes;
  attributes.word = word;
  attributes.lists["dimensions"] = dimensions;
  return Apply("reduce", {}, std::move(attributes));
}

Expr Expr::Mean(const Dims& dimensions) const {
  const Expr sum = Sum(dimensions);
  if (!sum.present()) return sum;
  const Shape of = shape();
  double count = 1;
  for (const std::int64_t dim : dimensions)
    count *= static_cast<double>(of.dims[static_cast<std::size_t>(dim)]);
  return sum * (1 / count);
}

Expr Expr::Broadcast(const Shape& shape, const Dims& to) const {
  OpAttributes attributes;
  attributes.shape = shape;
  attributes.lists["broadcast_dimensions"] = to;
  return Apply("broadcast_in_dim", {}, std::move(attributes));
}

Expr Expr::SpreadOver(const Expr& of, const Dims& dimensions) const {
  return Broadcast(of.shape(), OtherDims(of.rank(), dimensions));
}

Expr Expr::Transpose(const Dims& permutation) const {
  OpAttributes attributes;
  attributes.lists["permutation"] = permutation;
  return Apply("transpose", {}, std::move(attributes));
}

Expr Expr::Slice(const Dims& start, const Dims& limit) const {
  OpAttributes attributes;
  attributes.lists = {{"start_indices", start},
                      {"limit_indices", limit},
                      {"strides", Dims(start.size(), 1)}};
  return Apply("slice", {}, std::move(attributes));
}

Expr Expr::Reshape(const Shape& shape) const {
  if (!present()) return *this;
  return With(graph_->Reshape(
      value_, shape, name_.empty() ? "" : absl::StrCat(name_, "/reshape")));
}

Expr Expr::Compare(const char* word, const Expr& other) const {
  OpAttributes attributes;
  attributes.word = word;
  return Apply("compare", {other}, std::move(attributes));
}

Dims OtherDims(int rank, const Dims& dimensions) {
  Dims others;
  for (std::int64_t dim = 0; dim < rank; ++dim)
    if (std::find(dimensions.begin(), dimensions.end(), dim) ==
        dimensions.end())
      others.push_back(dim);
  return others;
}

Expr Dot(const Expr& a, const Expr& b, const DotPairs& pairs) {
  OpAttributes attributes;
  attributes.lists = {{"lhs_batching_dimensions", pairs.left_batching},
                      {"lhs_contracting_dimensions", pairs.left_contracting},
                      {"rhs_batching_dimensions", pairs.right_batching},
                      {"rhs_contracting_dimensions", pairs.right_contracting}};
  return a.Apply("dot_general", {b}, std::move(attributes));
}

}  // namespace podsim
