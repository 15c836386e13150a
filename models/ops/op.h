// Which operations there are, by name. What each one means stands in its
// family's file beside this one (shapes, gradient, cost, reference), how it is
// computed on a host in host/core/op_kernels.cc.
#ifndef PODSIM_MODELS_OPS_OP_H_
#define PODSIM_MODELS_OPS_OP_H_

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/ops/shape.h"

namespace podsim {

// An op, by its name in the op table. Those that code asks for are spelled out
// here; others are as good: FindOp("tanh"). Compared by name.
class OpCode {
 public:
  constexpr OpCode() = default;  // no op
  // `name` must live as long as the process.
  explicit constexpr OpCode(std::string_view name) : name_(name) {}
  constexpr std::string_view name() const { return name_; }

  friend constexpr bool operator==(OpCode, OpCode) = default;
  friend constexpr auto operator<=>(OpCode, OpCode) = default;

  static const OpCode kMatMul;
  static const OpCode kMatMulGradInput;
  static const OpCode kMatMulGradWeight;
  static const OpCode kAddBias;
  static const OpCode kBiasGrad;
  static const OpCode kRelu;
  static const OpCode kReluGrad;
  static const OpCode kAdd;
  static const OpCode kConstant;
  static const OpCode kReshape;
  static const OpCode kCoreSum;
  static const OpCode kScale;
  static const OpCode kAllReduce;
  static const OpCode kSoftmaxXent;
  static const OpCode kSoftmaxXentGrad;
  static const OpCode kRoundBFloat16;
  static const OpCode kClip;
  static const OpCode kUpdate;
  static const OpCode kAssign;

 private:
  std::string_view name_;
};

inline constexpr OpCode OpCode::kMatMul("MatMul");
inline constexpr OpCode OpCode::kMatMulGradInput("MatMulGradInput");
inline constexpr OpCode OpCode::kMatMulGradWeight("MatMulGradWeight");
inline constexpr OpCode OpCode::kAddBias("AddBias");
inline constexpr OpCode OpCode::kBiasGrad("BiasGrad");
inline constexpr OpCode OpCode::kRelu("Relu");
inline constexpr OpCode OpCode::kReluGrad("ReluGrad");
inline constexpr OpCode OpCode::kAdd("add");
inline constexpr OpCode OpCode::kConstant("constant");
inline constexpr OpCode OpCode::kReshape("Reshape");
inline constexpr OpCode OpCode::kCoreSum("CoreSum");
inline constexpr OpCode OpCode::kScale("Scale");
inline constexpr OpCode OpCode::kAllReduce("all_reduce");
inline constexpr OpCode OpCode::kSoftmaxXent("SoftmaxXent");
inline constexpr OpCode OpCode::kSoftmaxXentGrad("SoftmaxXentGrad");
inline constexpr OpCode OpCode::kRoundBFloat16("RoundBFloat16");
inline constexpr OpCode OpCode::kClip("Clip");
inline constexpr OpCode OpCode::kUpdate("Update");
inline constexpr OpCode OpCode::kAssign("Assign");

inline std::string ToString(OpCode op) { return std::string(op.name()); }

// What a use of an op says beside its operands. What an op reads of it is its
// own business; nothing here belongs to one op alone but the first four.
struct OpAttributes {
  // Products: both operands are read rounded to bfloat16, the left side from a
  // rounded copy, the right side as it is packed. Set by Compile.
  bool rounded_operands = false;
  // Update: the rule's number (models/rules/update_rules.h), and whether weight
  // decay and the trust ratio apply to this variable.
  std::int32_t rule = 0;
  bool decays = false;
  bool trusts = false;

  // Of the result, where the operands do not say.
  Shape shape;
  DType dtype = DType::kFloat32;
  double value = 0;  // a constant's, in each element
  // An enum as StableHLO spells it: "LT", "add".
  std::string word;
  // Whole numbers by StableHLO's names: "permutation", "window_strides".
  std::map<std::string, std::vector<std::int64_t>, std::less<>> lists;
  // A constant's elements, row-major, little-endian; null: `value` in each.
  std::shared_ptr<const std::string> data;

  // Empty if it is not given.
  std::span<const std::int64_t> List(std::string_view name) const {
    const auto found = lists.find(name);
    if (found == lists.end()) return {};
    return found->second;
  }
  // A list of one number.
  std::int64_t Int(std::string_view name, std::int64_t otherwise) const {
    const auto list = List(name);
    return list.empty() ? otherwise : list[0];
  }
};

// Products: a list of one number, 1: neither operand is rounded, whatever the
// job's precision.
inline constexpr char kFullPrecision[] = "full_precision";

// SoftmaxXent's word: where a row has +infinity, all its probabilities and its
// loss are NaN, as of JAX's log_softmax; else as of its logsumexp.
inline constexpr char kInfinityIsNan[] = "infinity_is_nan";

// all_reduce: so many neighbouring cores of the slice sum together; 0, which is
// what an absent one means: all of them.
inline constexpr char kGroupSize[] = "group_size";
inline std::int64_t GroupSizeOf(const OpAttributes& attributes) {
  return attributes.Int(kGroupSize, 0);
}

}  // namespace podsim

#endif  // PODSIM_MODELS_OPS_OP_H_
