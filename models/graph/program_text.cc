// ToText of a Program.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "models/graph/compile.h"
#include "models/graph/exchanges.h"
#include "models/rules/update_rules.h"

namespace podsim {
namespace {

const char* NameOf(Storage storage) {
  switch (storage) {
    case Storage::kVariable:
      return "variable";
    case Storage::kGradient:
      return "gradient";
    case Storage::kBatched:
      return "batched";
    case Storage::kPerCore:
      return "per core";
    case Storage::kScratch:
      return "scratch";
    case Storage::kInput:
      return "input";
    case Storage::kOutput:
      return "output";
  }
  return "?";
}

const char* NameOf(EntryPoint entry) {
  switch (entry) {
    case EntryPoint::kInit:
      return "init";
    case EntryPoint::kTrainMicrobatch:
      return "train microbatch";
    case EntryPoint::kReduce:
      return "reduce";
    case EntryPoint::kUpdate:
      return "update";
    case EntryPoint::kEval:
      return "eval";
  }
  return "?";
}

std::string Names(const Program& program, const std::vector<TensorId>& ids) {
  return absl::StrJoin(ids, ", ", [&](std::string* out, TensorId id) {
    out->append(program.tensor(id).name);
  });
}

std::string TextOf(const decltype(OpAttributes::lists)& lists) {
  std::string text;
  for (const auto& [name, numbers] : lists)
    absl::StrAppend(&text, " ", name, " [", absl::StrJoin(numbers, ", "), "]");
  return text;
}

std::string TextOf(const Program& program, const Instruction& instruction) {
  const OpAttributes& attributes = instruction.attributes;
  return absl::StrCat(
      "    ", ToString(instruction.op), "(", Names(program, instruction.inputs),
      ") -> ", Names(program, instruction.outputs),
      attributes.rounded_operands ? " rounded" : "",
      instruction.op == OpCode::kUpdate
          ? absl::StrCat(
                " by ",
                UpdateRules()[static_cast<std::size_t>(attributes.rule)]
                    .info.name,
                attributes.decays ? " with decay" : "",
                attributes.trusts ? " with trust ratio" : "")
          : "",
      attributes.shape.dims.empty() ? ""
                                    : " shape " + ToString(attributes.shape),
      instruction.op == OpCode::kConstant
          ? absl::StrFormat(" of %.9g", attributes.value)
          : "",
      attributes.word.empty() ? "" : " " + attributes.word,
      TextOf(attributes.lists), "\n");
}

std::string TextOf(const Program& program, const Segment& segment) {
  if (segment.joins_tensor())
    return absl::StrCat("  all-reduce (", NameOf(segment.reduce), ") tensor ",
                        segment.tensor, " group ", segment.group, "\n");
  if (segment.kind == SegmentKind::kAllReduce)
    return absl::StrCat("  all-reduce bucket ", segment.bucket, " group ",
                        segment.group, "\n");
  std::string text = "  compute\n";
  for (const Instruction& instruction : segment.instructions)
    text += TextOf(program, instruction);
  return text;
}

std::string TextOf(const ProgramTensor& tensor) {
  return absl::StrCat(
      tensor.name, " ", ToString(TypeOf(tensor)), " ", NameOf(tensor.storage),
      " at ", tensor.offset, tensor.feeds_product ? " feeds product" : "",
      tensor.view_of == kNoTensor ? ""
                                  : absl::StrCat(" view of ", tensor.view_of),
      "\n");
}

std::string TextOf(const MetricFormula& formula) {
  std::string text = absl::StrCat("evaluation's loss of ",
                                  absl::StrJoin(formula.sums(), ", "), ":");
  for (const MetricFormula::Node& node : formula.nodes())
    absl::StrAppend(
        &text, " ", MetricFormula::Op_Name(node.op()), "(",
        absl::StrJoin(node.operands(), ","),
        node.op() == MetricFormula::NUMBER
            ? absl::StrFormat("%.17g, power %d", node.value(), node.power())
            : "",
        ")");
  return text + "\n";
}

}  // namespace

std::string ToText(const Program& program) {
  std::string text = absl::StrCat(
      "program ", program.name, "\n  bfloat16_products ",
      program.bfloat16_products, "\n  elements: variables ",
      program.variable_elements, ", gradients ", program.gradient_elements,
      ", scratch ", program.scratch_elements, ", per row batched ",
      program.batched_elements_per_row, ", output ",
      program.output_elements_per_row, ", per core ", program.per_core_elements,
      "\n  loss ", program.loss, "\n");
  for (const ProgramMetric& metric : program.metrics)
    absl::StrAppend(&text, "metric ", metric.name, " of ", metric.tensor,
                    " combine ", static_cast<int>(metric.combine),
                    metric.percent ? " percent\n" : "\n");
  if (program.eval_loss.has_value())
    absl::StrAppend(&text, TextOf(*program.eval_loss));
  for (const ProgramInput& input : program.inputs)
    absl::StrAppend(&text, "input ", input.tensor,
                    input.is_example_weight ? " the examples' weight\n"
                    : input.is_example_key  ? " the examples' keys\n"
                    : input.is_step_key     ? " the step's key\n"
                                            : "\n");
  absl::StrAppend(&text, "update ", program.rule, "\n");
  for (const RuleSetting& setting : RuleSettingTable())
    absl::StrAppend(&text, setting.name, " ",
                    program.rule_settings.*setting.value, "\n");
  absl::StrAppend(&text, "clip_norm ", program.clip_norm,
                  program.update_needs_all ? " over all buckets\n" : "\n");
  for (std::size_t id = 0; id < program.tensors.size(); ++id)
    absl::StrAppend(&text, "tensor ", id, " ", TextOf(program.tensors[id]));
  for (const ProgramVariable& variable : program.variables)
    absl::StrAppend(&text, "variable ", variable.tensor, " initializer ",
                    static_cast<int>(variable.initializer), " fans ",
                    variable.fan_in, " ", variable.fan_out,
                    variable.is_slot    ? " slot\n"
                    : variable.is_state ? " state\n"
                                        : "\n");
  for (const GradientBucket& bucket : program.buckets)
    absl::StrAppend(&text, "bucket at ", bucket.begin, " count ", bucket.count,
                    ": ", Names(program, bucket.variables), "\n");
  for (const auto& [entry, segments] : program.entries) {
    absl::StrAppend(&text, "entry ", NameOf(entry), "\n");
    for (const Segment& segment : segments) text += TextOf(program, segment);
  }
  return text;
}

}  // namespace podsim
