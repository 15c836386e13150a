#include "models/optimizer/sgd.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

TensorId AddSlot(TensorId variable, Program& program) {
  ProgramTensor slot = program.tensor(variable);
  slot.name += "/momentum";
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

Instruction Step(double momentum, TensorId gradient, TensorId variable,
                 Program& program) {
  Instruction step;
  if (momentum == 0) {
    step.op = OpCode::kSgd;
    step.inputs = {gradient, variable};
    step.outputs = {variable};
    return step;
  }
  const TensorId slot = AddSlot(variable, program);
  step.op = OpCode::kSgdMomentum;
  step.inputs = {gradient, slot, variable};
  step.outputs = {slot, variable};
  step.attributes.momentum = static_cast<float>(momentum);
  return step;
}

}  // namespace

absl::Status Sgd(const CompileOptions& options, Program& program) {
  // Written so that NaN is refused too.
  if (!(options.momentum >= 0 && options.momentum < 1))
    return absl::InvalidArgumentError(
        absl::StrCat("momentum is ", options.momentum,
                     " but must be at least 0 and below 1"));
  std::vector<Segment>& update = program.entries[EntryPoint::kUpdate];
  for (const GradientBucket& bucket : program.buckets) {
    Segment segment;
    for (std::size_t i = 0; i < bucket.variables.size(); ++i) {
      segment.instructions.push_back(Step(options.momentum, bucket.gradients[i],
                                          bucket.variables[i], program));
    }
    update.push_back(std::move(segment));
  }
  return absl::OkStatus();
}

}  // namespace podsim
