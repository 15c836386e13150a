// What a gradient rule needs to append ops to whatever holds them: a graph, or
// a test that computes each op at once (tests/models/ops).
#ifndef PODSIM_MODELS_OPS_GRADIENT_BUILDER_H_
#define PODSIM_MODELS_OPS_GRADIENT_BUILDER_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "models/ops/op.h"
#include "models/ops/value_type.h"

namespace podsim {

// A handle, meaningful only to the builder or graph that made it (and copies of
// it).
struct Value {
  std::int32_t id = -1;
  bool present() const { return id >= 0; }
  bool operator==(const Value&) const = default;
};
inline constexpr Value kNone{};

class GradientBuilder {
 public:
  virtual ~GradientBuilder() = default;

  // Result 0 of an op on `inputs`. `role`: what it is of the op that is
  // differentiated ("grad_weight"), for its name.
  virtual Value Apply(OpCode op, std::vector<Value> inputs,
                      const std::string& role, OpAttributes attributes) = 0;
  Value Apply(OpCode op, std::vector<Value> inputs, const std::string& role) {
    return Apply(op, std::move(inputs), role, {});
  }

  virtual const ValueType& type(Value value) const = 0;
};

// The op that is differentiated.
struct OpUse {
  std::span<const Value> inputs;
  std::span<const Value> outputs;
  const OpAttributes& attributes;
};

// One value per operand; kNone where it has no gradient.
using InputGradients = absl::StatusOr<std::vector<Value>>;

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_GRADIENT_BUILDER_H_
