#include "models/optimizer/optimizer.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/optimizer/exclusion.h"
#include "models/rules/update_rules.h"

namespace podsim {
namespace {

absl::StatusOr<const UpdateRule*> RuleOf(const CompileOptions& options) {
  const bool moves =
      options.rule == "sgd" && options.rule_settings.momentum != 0;
  const UpdateRule* rule = FindUpdateRule(moves ? "momentum" : options.rule);
  if (rule == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat("no update rule is called '", options.rule,
                     "'; known: ", UpdateRuleNames()));
  PODSIM_RETURN_IF_ERROR(CheckRuleSettings(*rule, options.rule_settings));
  // Written so that NaN is refused too.
  if (!(options.clip_norm >= 0))
    return absl::InvalidArgumentError(
        absl::StrCat("clip_norm is ", options.clip_norm,
                     " but must be at least 0, which clips nothing"));
  return rule;
}

TensorId AddSlot(TensorId variable, const char* name, Program& program) {
  ProgramTensor slot = program.tensor(variable);
  absl::StrAppend(&slot.name, "/", name);
  slot.offset = program.variable_elements;
  slot.feeds_product = false;
  program.variable_elements += slot.shape.elements();
  program.tensors.push_back(std::move(slot));
  ProgramVariable entry;
  entry.tensor = static_cast<TensorId>(program.tensors.size()) - 1;
  entry.is_slot = true;
  program.variables.push_back(entry);
  return entry.tensor;
}

Instruction UpdateOf(const UpdateRule& rule, const CompileOptions& options,
                     TensorId gradient, TensorId variable, Program& program) {
  const bool excluded =
      IsExcluded(options.weight_decay_exclude, program.tensor(variable).name);
  Instruction update;
  update.op = OpCode::kUpdate;
  update.attributes.rule = NumberOf(rule);
  update.attributes.decays =
      !excluded && options.rule_settings.weight_decay != 0;
  update.attributes.trusts = !excluded && rule.info.layer_wise;
  for (int i = 0; i < rule.info.slot_count; ++i)
    update.outputs.push_back(AddSlot(variable, rule.info.slots[i], program));
  update.outputs.push_back(variable);
  update.inputs = update.outputs;
  update.inputs.insert(update.inputs.begin(), gradient);
  return update;
}

bool IsState(const Program& program, TensorId variable) {
  return std::ranges::any_of(program.variables,
                             [&](const ProgramVariable& each) {
                               return each.tensor == variable && each.is_state;
                             });
}

Instruction AssignTo(TensorId variable, TensorId value) {
  Instruction assign;
  assign.op = OpCode::kAssign;
  assign.inputs = {value, variable};
  assign.outputs = {variable};
  return assign;
}

// One instruction over the gradients of all buckets, in their order, which is
// that of the norm's sum.
Segment ClipAll(const Program& program) {
  Instruction clip;
  clip.op = OpCode::kClip;
  for (const GradientBucket& bucket : program.buckets)
    for (std::size_t i = 0; i < bucket.gradients.size(); ++i)
      if (!IsState(program, bucket.variables[i]))
        clip.inputs.push_back(bucket.gradients[i]);
  clip.outputs = clip.inputs;
  Segment segment;
  segment.instructions.push_back(std::move(clip));
  return segment;
}

// Of what is trained, in the order of the buckets.
std::vector<std::string> TrainedNames(const Program& program) {
  std::vector<std::string> names;
  for (const GradientBucket& bucket : program.buckets)
    for (const TensorId variable : bucket.variables)
      if (!IsState(program, variable))
        names.push_back(program.tensor(variable).name);
  return names;
}

}  // namespace

absl::Status Optimizer(const CompileOptions& options, Program& program) {
  PODSIM_ASSIGN_OR_RETURN(const UpdateRule* rule, RuleOf(options));
  PODSIM_RETURN_IF_ERROR(
      CheckExclusions(options.weight_decay_exclude, TrainedNames(program)));
  program.rule = rule->info.name;
  program.rule_settings = options.rule_settings;
  program.clip_norm = options.clip_norm;
  program.update_needs_all = options.clip_norm > 0;
  std::vector<Segment>& update = program.entries[EntryPoint::kUpdate];
  if (program.update_needs_all) update.push_back(ClipAll(program));
  for (const GradientBucket& bucket : program.buckets) {
    Segment segment;
    for (std::size_t i = 0; i < bucket.variables.size(); ++i) {
      const TensorId variable = bucket.variables[i];
      const TensorId gradient = bucket.gradients[i];
      segment.instructions.push_back(
          IsState(program, variable)
              ? AssignTo(variable, gradient)
              : UpdateOf(*rule, options, gradient, variable, program));
    }
    update.push_back(std::move(segment));
  }
  return absl::OkStatus();
}

}  // namespace podsim
