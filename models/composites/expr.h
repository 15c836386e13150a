// Ops of a graph written as mathematics, with what shapes ask for beside it:
//
//   const Expr x(graph, value, name);
//   const Expr top = x.Reduce("maximum", {axis}).StopGradient();
//   const Expr e = (x - top.SpreadOver(x, {axis})).Apply("exponential");
//
// Errors are latched in the graph; whatever follows one is absent.
#ifndef PODSIM_MODELS_COMPOSITES_EXPR_H_
#define PODSIM_MODELS_COMPOSITES_EXPR_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/graph/graph.h"

namespace podsim {

using Dims = std::vector<std::int64_t>;

class Expr {
 public:
  // Ops are called "<name>/<op>"; without a name as the graph calls them.
  Expr(Graph& graph, Value value, std::string name)
      : graph_(&graph), value_(value), name_(std::move(name)) {}

  Value value() const { return value_; }
  bool present() const { return graph_->Owns(value_); }
  // Nothing of an absent one.
  Shape shape() const {
    return present() ? graph_->type(value_).shape : Shape{};
  }
  DType dtype() const {
    return present() ? graph_->type(value_).dtype : DType::kFloat32;
  }
  int rank() const { return shape().rank(); }

  // Result 0 of `op` on this and on `others`.
  Expr Apply(const char* op, const std::vector<Expr>& others = {},
             OpAttributes attributes = {}) const;
  // Another value under this one's name.
  Expr With(Value value) const { return {*graph_, value, name_}; }

  // `number` in each element: in this one's type, or in another one.
  Expr Splat(double number) const { return Splat(number, shape(), dtype()); }
  Expr Splat(double number, const Shape& shape, DType dtype) const;

  Expr StopGradient() const { return Apply("StopGradient"); }
  Expr Convert(DType to) const;
  // Converted unless it is of that type (Graph::Converted).
  Expr As(DType to) const { return With(graph_->Converted(value_, to)); }
  // By "add", "maximum", ...
  Expr Reduce(const char* word, const Dims& dimensions) const;
  Expr Sum(const Dims& dimensions) const { return Reduce("add", dimensions); }
  // Over dimensions without B.
  Expr Mean(const Dims& dimensions) const;
  // Dimension i becomes dimension `to[i]` of `shape`, over whose others it is
  // repeated.
  Expr Broadcast(const Shape& shape, const Dims& to) const;
  // What a reduce over `dimensions` of `of` made, repeated over them.
  Expr SpreadOver(const Expr& of, const Dims& dimensions) const;
  Expr Transpose(const Dims& permutation) const;
  // Its elements from `start` below `limit`; where B is, 0 and its factor.
  Expr Slice(const Dims& start, const Dims& limit) const;
  // Its dimensions, B included. REQUIRES: of as many elements.
  Expr Reshape(const Shape& shape) const;
  // Where this bool is true `a`, else `b`.
  Expr Select(const Expr& a, const Expr& b) const {
    return Apply("select", {a, b});
  }
  // By "EQ", "LT", ...
  Expr Compare(const char* word, const Expr& other) const;

 private:
  Graph* graph_;
  Value value_;
  std::string name_;
};

// All dimensions of `rank` but `dimensions`.
Dims OtherDims(int rank, const Dims& dimensions);

// Products over the dimensions in pairs, [batching, a's others, b's others].
struct DotPairs {
  Dims left_batching;
  Dims left_contracting;
  Dims right_batching;
  Dims right_contracting;
};
Expr Dot(const Expr& a, const Expr& b, const DotPairs& pairs);

inline Expr operator-(const Expr& a) { return a.Apply("negate"); }
inline Expr operator+(const Expr& a, const Expr& b) {
  return a.Apply("add", {b});
}
inline Expr operator-(const Expr& a, const Expr& b) {
  return a.Apply("subtract", {b});
}
inline Expr operator*(const Expr& a, const Expr& b) {
  return a.Apply("multiply", {b});
}
inline Expr operator/(const Expr& a, const Expr& b) {
  return a.Apply("divide", {b});
}
inline Expr operator+(const Expr& a, double b) { return a + a.Splat(b); }
inline Expr operator-(const Expr& a, double b) { return a - a.Splat(b); }
inline Expr operator*(const Expr& a, double b) { return a * a.Splat(b); }
inline Expr operator+(double a, const Expr& b) { return b.Splat(a) + b; }
inline Expr operator-(double a, const Expr& b) { return b.Splat(a) - b; }
inline Expr operator*(double a, const Expr& b) { return b.Splat(a) * b; }

}  // namespace podsim

#endif  // PODSIM_MODELS_COMPOSITES_EXPR_H_
