// Gradients written as mathematics: each operator appends an op to the builder
// of its terms.
//
//   Terms TanhGradient(const Point& at) {
//     return {at.dy * (1 - at.y * at.y)};
//   }
#ifndef PODSIM_MODELS_OPS_EXPRESSION_H_
#define PODSIM_MODELS_OPS_EXPRESSION_H_

#include <span>
#include <utility>
#include <vector>

#include "models/ops/gradient_builder.h"

namespace podsim {

class Term {
 public:
  // Absent: no gradient.
  Term() = default;
  Term(GradientBuilder& builder, Value value)
      : builder_(&builder), value_(value) {}
  Value value() const { return value_; }

  // `op` of this and of `others`.
  Term Apply(const char* op, const std::vector<Term>& others = {},
             OpAttributes attributes = {}) const {
    std::vector<Value> inputs = {value_};
    for (const Term& other : others) inputs.push_back(other.value_);
    return {*builder_, builder_->Apply(OpCode(op), std::move(inputs), "grad",
                                       std::move(attributes))};
  }

  // Bools, by "GE", "LT", ...
  Term Compare(const char* word, const Term& other) const {
    OpAttributes attributes;
    attributes.word = word;
    return Apply("compare", {other}, std::move(attributes));
  }

  // `number` in this one's type.
  Term Splat(float number) const {
    const ValueType& type = builder_->type(value_);
    OpAttributes attributes;
    attributes.shape = type.shape;
    attributes.dtype = type.dtype;
    attributes.value = number;
    return {*builder_, builder_->Apply(OpCode::kConstant, {}, "grad",
                                       std::move(attributes))};
  }

 private:
  GradientBuilder* builder_ = nullptr;  // outlives the rule that is running
  Value value_;
};

using Terms = std::vector<Term>;

inline Term operator-(const Term& a) { return a.Apply("negate"); }
inline Term operator+(const Term& a, const Term& b) {
  return a.Apply("add", {b});
}
inline Term operator-(const Term& a, const Term& b) {
  return a.Apply("subtract", {b});
}
inline Term operator*(const Term& a, const Term& b) {
  return a.Apply("multiply", {b});
}
inline Term operator/(const Term& a, const Term& b) {
  return a.Apply("divide", {b});
}
inline Term operator+(const Term& a, float b) { return a + a.Splat(b); }
inline Term operator-(const Term& a, float b) { return a - a.Splat(b); }
inline Term operator-(float a, const Term& b) { return b.Splat(a) - b; }
inline Term operator*(float a, const Term& b) { return b.Splat(a) * b; }
inline Term operator/(float a, const Term& b) { return b.Splat(a) / b; }

// dy where a > b, else 0.
inline Term Where(const Term& a, const Term& b, const Term& dy) {
  return dy.Apply("ReluGrad", {a - b});
}

// An op of one result: its operands, its result and the gradient of that.
struct Point {
  Term dy;
  Terms x;
  Term y;
};

// A gradient rule of the op table from one term per operand.
template <Terms (*kRule)(const Point& at)>
InputGradients By(GradientBuilder& builder, const OpUse& use,
                  std::span<const Value> dy) {
  Point at{{builder, dy[0]}, {}, {builder, use.outputs[0]}};
  for (const Value input : use.inputs) at.x.emplace_back(builder, input);
  std::vector<Value> gradients;
  for (const Term& term : kRule(at)) gradients.push_back(term.value());
  return gradients;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_EXPRESSION_H_
