// Updates of variables by their gradients. Their numbers come with the Program,
// the rate with each step.
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "models/ops/families.h"
#include "models/ops/rules.h"
#include "models/rules/update_rules.h"

namespace podsim {
namespace {

Inferred InferClip(Types in, const OpAttributes&) {
  for (const ValueType& type : in)
    if (type.batched() || type.dtype != DType::kFloat32)
      return Bad("gradients have no batch and are float32");
  return std::vector<ValueType>(in.begin(), in.end());
}

Inferred InferUpdate(Types in, const OpAttributes& attributes) {
  const auto rules = UpdateRules();
  if (attributes.rule < 0 ||
      attributes.rule >= static_cast<std::int32_t>(rules.size()))
    return Bad(absl::StrCat("there is no update rule ", attributes.rule));
  const RuleInfo& rule = rules[static_cast<std::size_t>(attributes.rule)].info;
  if (static_cast<int>(in.size()) != 2 + rule.slot_count)
    return Bad(absl::StrCat(rule.name, " takes ", 2 + rule.slot_count,
                            " operands: gradient, slots and variable"));
  for (const ValueType& type : in)
    if (type != in[0] || type.batched())
      return Bad("gradient, slots and variable must have one shape");
  return std::vector<ValueType>(in.begin() + 1, in.end());
}

// Of each element: a square and a sum.
constexpr double kNormFlops = 2;

// A pass for the norm, another that divides by it and multiplies by the limit.
OpCost ClipCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.bytes_read *= 2;
  for (const ValueType& type : signature.inputs)
    cost.vector_flops += (kNormFlops + 2) * Elements(type, rows);
  return cost;
}

// With a trust ratio the update waits for norms, its own and the weights': it
// is written first, then read again together with the weights and multiplied.
OpCost UpdateCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  const OpAttributes& attributes = signature.attributes;
  const RuleWork work =
      UpdateRules()[static_cast<std::size_t>(attributes.rule)].work(
          attributes.decays);
  const double elements = Elements(signature.inputs[0], rows);
  cost.vector_flops = work.flops * elements;
  cost.transcendentals = work.roots * elements;
  if (attributes.trusts) {
    const double update = Bytes(signature.inputs.first(1), rows);
    cost.bytes_written += update;
    cost.bytes_read += update + Bytes(signature.inputs.last(1), rows);
    cost.vector_flops += (2 * kNormFlops + 1) * elements;
  }
  return cost;
}

std::vector<OpSample> ClipSamples() {
  return {
      {.inputs = {Plain({5})}, .outputs = {Plain({5})}},
      {.inputs = {Plain({5}), Plain({2, 3})},
       .outputs = {Plain({5}), Plain({2, 3})}},
  };
}

// Of every rule, with weight decay and without.
std::vector<OpSample> UpdateSamples() {
  std::vector<OpSample> samples;
  for (const UpdateRule& rule : UpdateRules())
    for (const bool decays : {false, true}) {
      const auto slots = static_cast<std::size_t>(rule.info.slot_count);
      OpSample sample;
      sample.inputs.assign(2 + slots, Plain({5}));
      sample.outputs.assign(1 + slots, Plain({5}));
      sample.attributes.rule = NumberOf(rule);
      sample.attributes.decays = decays;
      sample.attributes.trusts = rule.info.layer_wise;
      samples.push_back(sample);
    }
  return samples;
}

Inferred InferAssign(Types in, const OpAttributes&) {
  if (in[0] != in[1] || in[0].batched() || in[0].dtype != DType::kFloat32)
    return Bad("a value and a variable must be float32 of one shape");
  return std::vector{in[1]};
}

// The variable's own numbers are not read.
OpCost AssignCost(const OpSignature& signature, std::int64_t rows) {
  OpCost cost = CopyCost(signature, rows);
  cost.bytes_read = Bytes(signature.inputs.first(1), rows);
  return cost;
}

std::vector<OpSample> AssignSamples() {
  return {
      {.inputs = {Plain({2, 3}), Plain({2, 3})}, .outputs = {Plain({2, 3})}}};
}

constexpr OpEntry kUpdateOps[] = {
    // v, w -> w, which v becomes
    {.name = "Assign",
     .input_count = 2,
     .infer = InferAssign,
     .cost = AssignCost,
     .is_update = true,
     .samples = AssignSamples},
    // g... -> g... times min(1, clip_norm / |g...|)
    {.name = "Clip",
     .input_count = 1,
     .takes_more = true,
     .infer = InferClip,
     .cost = ClipCost,
     .is_update = true,
     .samples = ClipSamples},
    // g, slots..., w -> slots..., w by attributes.rule, whose u may take g's
    // place
    {.name = "Update",
     .input_count = 2,
     .takes_more = true,
     .infer = InferUpdate,
     .cost = UpdateCost,
     .is_update = true,
     .samples = UpdateSamples},
};

}  // namespace

OpFamily UpdateOps() { return kUpdateOps; }

}  // namespace podsim
