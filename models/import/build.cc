#include "models/import/build.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "models/import/align.h"
#include "models/import/barriers.h"
#include "models/import/own_rows.h"
#include "models/ops/constant_value.h"

namespace podsim {
namespace {

std::string TypesText(const Graph& graph, const std::vector<Value>& values) {
  return absl::StrJoin(values, ", ", [&](std::string* out, Value value) {
    out->append(ToString(graph.type(value)));
  });
}

bool IsRounded(const FlatOp& op) {
  return op.type.dtype == DType::kBFloat16 ||
         !op.attributes.List(kBatchRounded).empty();
}

}  // namespace

Value GraphOfFlat::Barred(Value value) {
  const auto [known, is_new] =
      known_.try_emplace(KeyOf(kBarrier, {value.id}, OpAttributes()));
  if (is_new) {
    const auto index = static_cast<std::int32_t>(barred_.size());
    known->second.push_back({kFirstBarred + index});
    barred_.push_back(InGraph(value));
  }
  return known->second[0];
}

Value GraphOfFlat::InGraph(Value value) const {
  return value.id < kFirstBarred
             ? value
             : barred_[static_cast<std::size_t>(value.id - kFirstBarred)];
}

std::vector<Value> GraphOfFlat::InGraph(std::vector<Value> values) const {
  for (Value& value : values) value = InGraph(value);
  return values;
}

absl::StatusOr<Value> GraphOfFlat::Apply(OpCode op,
                                         const std::vector<Value>& in,
                                         OpAttributes attributes, int output) {
  std::vector<int> operands;
  operands.reserve(in.size());
  for (const Value value : in) operands.push_back(value.id);
  std::string key = KeyOf(op.name(), operands, attributes);
  const auto found = known_.find(key);
  const auto which = static_cast<std::size_t>(output);
  if (found != known_.end()) return found->second[which];
  std::vector<Value> results =
      graph_.Apply(op, InGraph(in), std::move(attributes), place_);
  PODSIM_RETURN_IF_ERROR(graph_.status());
  const Value result = results[which];
  known_.emplace(std::move(key), std::move(results));
  return result;
}

absl::StatusOr<Value> GraphOfFlat::Number(double value, DType dtype,
                                          const Shape& shape) {
  OpAttributes attributes;
  attributes.value = value;
  attributes.dtype = dtype;
  attributes.shape = shape;
  return Apply(OpCode::kConstant, {}, std::move(attributes));
}

absl::StatusOr<Value> GraphOfFlat::Converted(Value value, DType dtype) {
  if (graph_.type(value).dtype == dtype) return value;
  OpAttributes to;
  to.dtype = dtype;
  return Apply(OpCode("convert"), {value}, std::move(to));
}

absl::StatusOr<Value> GraphOfFlat::RoundedBatchNumbers(const FlatOp& op) {
  OpAttributes attributes = op.attributes;
  attributes.dtype = DType::kFloat32;
  attributes.lists.erase(kBatchRounded);
  PODSIM_ASSIGN_OR_RETURN(const Value numbers,
                          Apply(OpCode::kConstant, {}, std::move(attributes)));
  PODSIM_ASSIGN_OR_RETURN(const Value rounded,
                          Converted(numbers, DType::kBFloat16));
  return Converted(rounded, op.type.dtype);
}

absl::StatusOr<Value> GraphOfFlat::BatchNumber(const FlatOp& op) {
  OpAttributes each;
  each.value = op.attributes.value;
  each.shape = WithBatch({});
  each.lists[kBatchPower] = op.attributes.lists.at(kBatchPower);
  PODSIM_ASSIGN_OR_RETURN(const Value of_each,
                          Apply(OpCode::kConstant, {}, std::move(each)));
  OpAttributes fold;
  fold.word = "maximum";
  fold.lists["dimensions"] = {0};
  PODSIM_ASSIGN_OR_RETURN(Value number,
                          Apply(OpCode("reduce"), {of_each}, std::move(fold)));
  const Shape& shape = op.type.shape;
  if (IsRounded(op)) {
    PODSIM_ASSIGN_OR_RETURN(number, Converted(number, DType::kBFloat16));
  }
  PODSIM_ASSIGN_OR_RETURN(number, Converted(number, op.type.dtype));
  if (!op.attributes.List(kBatchOffset).empty()) {
    PODSIM_ASSIGN_OR_RETURN(
        const Value offset,
        Number(static_cast<double>(op.attributes.Int(kBatchOffset, 0)),
               op.type.dtype, {}));
    PODSIM_ASSIGN_OR_RETURN(number, Apply(OpCode::kAdd, {number, offset}, {}));
  }
  if (shape.rank() == 0) return number;
  OpAttributes spread;
  spread.shape = shape;
  spread.lists["broadcast_dimensions"] = {};
  return Apply(OpCode("broadcast_in_dim"), {number}, std::move(spread));
}

absl::StatusOr<Value> GraphOfFlat::Make(const FlatOp& op,
                                        const std::vector<Value>& in) {
  const bool follows_batch =
      op.Is("constant") && !op.attributes.List(kBatchPower).empty();
  if (follows_batch && !op.type.batched()) return BatchNumber(op);
  if (follows_batch && IsRounded(op)) return RoundedBatchNumbers(op);
  if (IsBatchIota(op))
    return absl::UnimplementedError(
        "it counts the examples, but which of a batch an example is follows "
        "the slice; x[jnp.arange(B), i] and x.at[jnp.arange(B), i] are taken, "
        "else give the numbers as an array of the data set");
  if (op.Is("random_bits"))
    return Apply(CodeOf(*op.entry), {graph_.ExampleKeys()}, op.attributes);
  if (op.Is("shared_random_bits"))
    return Apply(CodeOf(*op.entry), {graph_.StepKeys()}, op.attributes);
  for (const Value value : in)
    if (!value.present())
      return absl::UnimplementedError(
          "it computes with the numbers of a random key; draw with jax.random "
          "from the key that the function is given");
  if (op.Is(kBarrier)) return Barred(in[0]);
  PODSIM_ASSIGN_OR_RETURN(const Value value, Apply(CodeOf(*op.entry), in,
                                                   op.attributes, op.output));
  if (graph_.type(value).shape == op.type.shape) return value;
  return absl::UnimplementedError(
      absl::StrCat("of (", TypesText(graph_, InGraph(in)), ") it makes ",
                   ToString(graph_.type(value)), ", not ", ToString(op.type)));
}

absl::StatusOr<std::vector<Value>> GraphOfFlat::Build(
    const FlatFunction& function, const std::vector<Value>& arguments) {
  std::vector<Value> values(function.ops.size(), kNone);
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    values[static_cast<std::size_t>(function.parameters[i])] = arguments[i];
  const auto at = [&](const std::vector<int>& places) {
    std::vector<Value> found;
    found.reserve(places.size());
    for (const int place : places)
      found.push_back(values[static_cast<std::size_t>(place)]);
    return found;
  };
  for (std::size_t i = 0; i < function.ops.size(); ++i) {
    const FlatOp& op = function.ops[i];
    if (op.entry == nullptr) continue;
    place_ = op.place;
    auto value = Make(op, at(op.operands));
    if (!value.ok())
      return absl::Status(value.status().code(),
                          absl::StrCat(WhereOf(op), ": ",
                                       std::string(value.status().message())));
    values[i] = *value;
  }
  return InGraph(at(function.results));
}

}  // namespace podsim
