#include "models/graph/graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/graph/op_precision.h"
#include "models/ops/rules.h"

namespace podsim {
namespace {

std::string Describe(const GraphValue& input) {
  return absl::StrCat(ToString(input.type),
                      input.is_example_weight ? " (the examples' weight)"
                      : input.is_example_key  ? " (the examples' keys)"
                      : input.is_step_key     ? " (the step's key)"
                                              : "");
}

}  // namespace

const GraphValue& Graph::value(Value value) const {
  PODSIM_CHECK(Owns(value));
  return values_[static_cast<std::size_t>(value.id)];
}

void Graph::Fail(const absl::Status& error) {
  if (status_.ok()) status_ = Annotate(error, absl::StrCat("model ", name_));
}

Value Graph::AddValue(GraphValue value) {
  values_.push_back(std::move(value));
  return {static_cast<std::int32_t>(values_.size()) - 1};
}

bool Graph::CheckShape(const std::string& what, const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t dim : shape.dims) {
    if (dim < 1 || dim > kMostShapeElements / elements) {
      Fail(absl::InvalidArgumentError(absl::StrCat(
          what, " has shape ", ToString(shape),
          ": dimensions must be positive and hold at most 2^40 elements")));
      return false;
    }
    elements *= dim;
  }
  return true;
}

Value Graph::AddInput(GraphValue input) {
  if (input.name.empty()) {
    Fail(absl::InvalidArgumentError("an input needs a name"));
    return kNone;
  }
  for (std::size_t id = 0; id < values_.size(); ++id) {
    const GraphValue& known = values_[id];
    if (known.kind != ValueKind::kInput || known.name != input.name) continue;
    if (known.type == input.type &&
        known.is_example_weight == input.is_example_weight &&
        known.is_example_key == input.is_example_key &&
        known.is_step_key == input.is_step_key)
      return {static_cast<std::int32_t>(id)};
    Fail(absl::InvalidArgumentError(
        absl::StrCat("input ", input.name, " cannot be both ", Describe(known),
                     " and ", Describe(input))));
    return kNone;
  }
  if (!CheckShape("input " + input.name, input.type.shape)) return kNone;
  return AddValue(std::move(input));
}

Value Graph::Input(const std::string& name, DType dtype, const Shape& shape) {
  if (shape.batched()) {
    Fail(absl::InvalidArgumentError(
        absl::StrCat("input ", name, " has shape ", ToString(shape),
                     ": give one example's, without B")));
    return kNone;
  }
  return AddInput({name, {dtype, WithBatch(shape)}, ValueKind::kInput});
}

Value Graph::ExampleWeights() {
  return AddInput({.name = "weights",
                   .type = {DType::kFloat32, WithBatch({})},
                   .kind = ValueKind::kInput,
                   .is_example_weight = true});
}

Value Graph::ExampleKeys() {
  return AddInput({.name = "keys",
                   .type = {DType::kUint32, WithBatch({{2}})},
                   .kind = ValueKind::kInput,
                   .is_example_key = true});
}

Value Graph::StepKeys() {
  return AddInput({.name = "step_keys",
                   .type = {DType::kUint32, WithBatch({{2}})},
                   .kind = ValueKind::kInput,
                   .is_step_key = true});
}

Value Graph::Features(const Shape& shape) {
  return Input("features", DType::kFloat32, shape);
}

Value Graph::Labels() { return Input("labels", DType::kInt32, {}); }

Value Graph::Variable(const std::string& name, const Shape& shape,
                      Initializer initializer) {
  return AddVariable({.name = name,
                      .type = {DType::kFloat32, shape},
                      .kind = ValueKind::kVariable,
                      .initializer = initializer});
}

Value Graph::StateVariable(const std::string& name, const Shape& shape,
                           Initializer initializer) {
  return AddVariable({.name = name,
                      .type = {DType::kFloat32, shape},
                      .kind = ValueKind::kVariable,
                      .initializer = initializer,
                      .is_state = true});
}

void Graph::SetInitial(Value variable, std::string data) {
  if (!Owns(variable)) return;  // an error is latched
  GraphValue& to = values_[static_cast<std::size_t>(variable.id)];
  const std::int64_t wanted = to.type.shape.elements() * SizeOf(to.type.dtype);
  if (to.kind != ValueKind::kVariable ||
      to.initializer != Initializer::kZeros ||
      static_cast<std::int64_t>(data.size()) != wanted) {
    Fail(absl::InvalidArgumentError(absl::StrCat(
        "what ", to.name, " begins with has ", data.size(), " bytes, its type ",
        ToString(to.type), " takes ", wanted)));
    return;
  }
  to.initial = std::make_shared<const std::string>(std::move(data));
}

Value Graph::AddVariable(GraphValue variable) {
  const std::string name = variable.name;
  if (!CheckShape(absl::StrCat("variable ", name), variable.type.shape))
    return kNone;
  if (second_pass_) return KnownVariable(variable);
  if (variables_.contains(name)) {
    Fail(absl::InvalidArgumentError(
        absl::StrCat("two variables are called ", name,
                     "; initial weights follow names, "
                     "so each needs its own")));
    return kNone;
  }
  const Value added = AddValue(std::move(variable));
  variables_.emplace(name, added);
  return added;
}

Value Graph::KnownVariable(const GraphValue& variable) {
  const auto known = variables_.find(variable.name);
  const bool is_there = known != variables_.end();
  if (is_there && type(known->second) == variable.type &&
      value(known->second).is_state == variable.is_state)
    return known->second;
  Fail(absl::InvalidArgumentError(absl::StrCat(
      "the second pass has a variable ", variable.name, " ",
      ToString(variable.type.shape), variable.is_state ? ", a state" : "",
      is_there
          ? ", in the first one it is " + ToString(type(known->second).shape) +
                (value(known->second).is_state ? ", a state" : "")
          : ", the first one has none of this name")));
  return kNone;
}

std::vector<Value> Graph::Apply(OpCode op, std::vector<Value> inputs,
                                OpAttributes attributes,
                                const std::string& name) {
  const bool converts = computes_in_ == DType::kBFloat16 && status_.ok() &&
                        std::all_of(inputs.begin(), inputs.end(),
                                    [&](Value input) { return Owns(input); });
  return converts ? AppendConverting(op, std::move(inputs),
                                     std::move(attributes), name)
                  : Append(op, std::move(inputs), std::move(attributes), name);
}

std::vector<Value> Graph::AppendConverting(OpCode op, std::vector<Value> inputs,
                                           OpAttributes attributes,
                                           const std::string& name) {
  const OpPrecision precision = PrecisionOf(EntryOf(op), attributes);
  std::vector<ValueType> types;
  for (const Value input : inputs) types.push_back(type(input));
  const std::optional<DType> to = OperandType(precision, types);
  const bool multiplies = precision == OpPrecision::kProduct;
  for (Value& input : inputs) {
    if (!to || !IsFloat(type(input).dtype)) continue;
    input = Converted(input, *to);
    // Each product's own: what it asks of its operand is rounded before it is
    // added to what others ask for.
    if (multiplies) input = Convert(input, DType::kFloat32);
  }
  std::vector<Value> outputs =
      Append(op, std::move(inputs), std::move(attributes), name);
  if (multiplies && status_.ok())
    outputs[0] = Convert(outputs[0], DType::kBFloat16);
  return outputs;
}

Value Graph::Converted(Value value, DType dtype) {
  if (!Owns(value) || type(value).dtype == dtype) return value;
  Value& known = conversions_[{value.id, dtype}];
  if (!known.present()) known = Convert(value, dtype);
  return known;
}

Value Graph::Convert(Value value, DType dtype) {
  OpAttributes attributes;
  attributes.dtype = dtype;
  return Append(OpCode("convert"), {value}, std::move(attributes),
                absl::StrCat(this->value(value).name, "/", ToString(dtype)))[0];
}

std::vector<Value> Graph::Append(OpCode op, std::vector<Value> inputs,
                                 OpAttributes attributes,
                                 const std::string& name) {
  // Every op has at most three results; callers index into them.
  std::vector<Value> absent(3, kNone);
  if (!status_.ok()) return absent;
  const std::string node_name =
      name.empty() ? absl::StrCat(absl::AsciiStrToLower(ToString(op)), "_",
                                  nodes_.size())
                   : std::string(name);
  std::vector<ValueType> input_types;
  for (const Value input : inputs) {
    if (!Owns(input)) {
      Fail(absl::InvalidArgumentError(
          absl::StrCat(node_name, ": an operand of ", ToString(op),
                       " is absent or of another graph")));
      return absent;
    }
    input_types.push_back(type(input));
  }
  const auto types = InferTypes(op, input_types, attributes);
  if (!types.ok()) {
    Fail(Annotate(types.status(), node_name));
    return absent;
  }
  std::vector<Value> outputs;
  for (std::size_t i = 0; i < types->size(); ++i)
    outputs.push_back(AddValue(
        {i == 0 ? node_name : absl::StrCat(node_name, ":", i), (*types)[i]}));
  nodes_.push_back({op, std::move(inputs), outputs, std::move(attributes)});
  return outputs;
}

Value Graph::ApplyOne(OpCode op, std::vector<Value> inputs,
                      const std::string& name, OpAttributes attributes) {
  return Apply(op, std::move(inputs), std::move(attributes), name)[0];
}

Value Graph::MatMul(Value x, Value w, const std::string& name) {
  return ApplyOne(OpCode::kMatMul, {x, w}, name);
}

Value Graph::AddBias(Value x, Value bias, const std::string& name) {
  return ApplyOne(OpCode::kAddBias, {x, bias}, name);
}

Value Graph::Relu(Value x, const std::string& name) {
  return ApplyOne(OpCode::kRelu, {x}, name);
}

Value Graph::Add(Value a, Value b, const std::string& name) {
  return ApplyOne(OpCode::kAdd, {a, b}, name);
}

Value Graph::Reshape(Value x, const Shape& shape, const std::string& name) {
  if (!CheckShape("a reshape", shape)) return kNone;
  OpAttributes attributes;
  const bool for_examples = Owns(x) && type(x).batched() && !shape.batched();
  attributes.shape = for_examples ? WithBatch(shape) : shape;
  return ApplyOne(OpCode::kReshape, {x}, name, std::move(attributes));
}

Graph::SoftmaxXentValues Graph::SoftmaxXent(Value logits, Value labels,
                                            const std::string& name) {
  const std::vector<Value> outputs =
      Apply(OpCode::kSoftmaxXent, {logits, labels}, {}, name);
  return {outputs[0], outputs[1], outputs[2]};
}

}  // namespace podsim
