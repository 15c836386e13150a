#include "models/graph/serialize_program.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/graph/compile.h"
#include "models/graph/serialize_model.h"
#include "models/graph/verify_model.h"
#include "models/graph/wire_types.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

// Storage begins with 1 in messages: 0 is what nobody wrote.
ProgramProto::Storage StorageToProto(Storage storage) {
  return static_cast<ProgramProto::Storage>(static_cast<int>(storage) + 1);
}
Storage StorageFrom(ProgramProto::Storage storage) {
  return static_cast<Storage>(static_cast<int>(storage) - 1);
}
static_assert(static_cast<int>(Storage::kVariable) + 1 ==
              ProgramProto::VARIABLE);
static_assert(static_cast<int>(Storage::kGradient) + 1 ==
              ProgramProto::GRADIENT);
static_assert(static_cast<int>(Storage::kBatched) + 1 == ProgramProto::BATCHED);
static_assert(static_cast<int>(Storage::kScratch) + 1 == ProgramProto::SCRATCH);
static_assert(static_cast<int>(Storage::kInput) + 1 == ProgramProto::INPUT);
static_assert(static_cast<int>(Storage::kOutput) + 1 == ProgramProto::OUTPUT);
static_assert(static_cast<int>(Storage::kPerCore) + 1 ==
              ProgramProto::PER_CORE);

static_assert(static_cast<int>(EntryPoint::kInit) == ProgramProto::INIT);
static_assert(static_cast<int>(EntryPoint::kTrainMicrobatch) ==
              ProgramProto::TRAIN);
static_assert(static_cast<int>(EntryPoint::kReduce) == ProgramProto::REDUCE);
static_assert(static_cast<int>(EntryPoint::kUpdate) == ProgramProto::UPDATE);
static_assert(static_cast<int>(EntryPoint::kEval) == ProgramProto::EVAL);
static_assert(static_cast<int>(ReduceOp::kMinimum) ==
              ProgramProto::Segment::MINIMUM);
static_assert(static_cast<int>(SegmentKind::kAllReduce) ==
              ProgramProto::Segment::ALL_REDUCE);

void WriteIds(const std::vector<TensorId>& from,
              google::protobuf::RepeatedField<std::int32_t>& to) {
  to.Add(from.begin(), from.end());
}

std::vector<TensorId> IdsFrom(
    const google::protobuf::RepeatedField<std::int32_t>& from) {
  return {from.begin(), from.end()};
}

void Write(const ProgramTensor& from, ProgramProto::Tensor& to) {
  to.set_name(from.name);
  *to.mutable_type() = ToProto(TypeOf(from));
  to.set_storage(StorageToProto(from.storage));
  to.set_offset(from.offset);
  to.set_feeds_product(from.feeds_product);
  if (from.view_of != kNoTensor) to.set_view_of(from.view_of);
}

void Write(const ProgramVariable& from, const Shape& shape,
           ConstantWriter& constants, ProgramProto::Variable& to) {
  to.set_tensor(from.tensor);
  to.set_initializer(static_cast<ProgramProto::Initializer>(from.initializer));
  to.set_fan_in(from.fan_in);
  to.set_fan_out(from.fan_out);
  to.set_is_slot(from.is_slot);
  to.set_is_state(from.is_state);
  if (from.initial != nullptr)
    *to.mutable_initial() = constants.WriteInitial(shape, from.initial);
}

void Write(const GradientBucket& from, ProgramProto::Bucket& to) {
  to.set_begin(from.begin);
  to.set_count(from.count);
  WriteIds(from.gradients, *to.mutable_gradients());
  WriteIds(from.variables, *to.mutable_variables());
}

void Write(const Instruction& from, ConstantWriter& constants,
           ProgramProto::Instruction& to) {
  to.set_op(ToString(from.op));
  WriteIds(from.inputs, *to.mutable_operands());
  WriteIds(from.outputs, *to.mutable_results());
  AttributesProto attributes;
  constants.Write(from.attributes, attributes);
  if (attributes.ByteSizeLong() > 0)
    *to.mutable_attributes() = std::move(attributes);
  to.set_rounded_operands(from.attributes.rounded_operands);
  to.set_rule(from.attributes.rule);
  to.set_decays(from.attributes.decays);
  to.set_trusts(from.attributes.trusts);
  if (from.row_group != kNoRowGroup) to.set_row_group(from.row_group);
  to.set_per_core(from.per_core);
}

void Write(const Segment& from, ConstantWriter& constants,
           ProgramProto::Segment& to) {
  to.set_kind(static_cast<ProgramProto::Segment::Kind>(from.kind));
  for (const Instruction& instruction : from.instructions)
    Write(instruction, constants, *to.add_instructions());
  if (from.kind != SegmentKind::kAllReduce) return;
  to.set_group(from.group);
  to.set_reduce(static_cast<ProgramProto::Segment::Reduce>(from.reduce));
  if (from.joins_tensor())
    to.set_tensor(from.tensor);
  else
    to.set_bucket(from.bucket);
}

void WriteNumbers(const Program& from, ProgramProto& to) {
  to.set_variable_elements(from.variable_elements);
  to.set_gradient_elements(from.gradient_elements);
  to.set_batched_elements_per_row(from.batched_elements_per_row);
  to.set_scratch_elements(from.scratch_elements);
  to.set_output_elements_per_row(from.output_elements_per_row);
  to.set_bfloat16_products(from.bfloat16_products);
  to.set_rule(from.rule);
  to.set_momentum(from.rule_settings.momentum);
  to.set_beta1(from.rule_settings.beta1);
  to.set_beta2(from.rule_settings.beta2);
  to.set_epsilon(from.rule_settings.epsilon);
  to.set_weight_decay(from.rule_settings.weight_decay);
  to.set_trust_coefficient(from.rule_settings.trust_coefficient);
  to.set_clip_norm(from.clip_norm);
  to.set_update_needs_all(from.update_needs_all);
  to.set_per_core_elements(from.per_core_elements);
  to.set_mixes_in_training(from.mixes_in_training);
  to.set_mixes_in_eval(from.mixes_in_eval);
}

void WriteInterface(const Program& from, ProgramProto& to) {
  for (const ProgramInput& each : from.inputs) {
    ProgramProto::Input& input = *to.add_inputs();
    input.set_tensor(each.tensor);
    input.set_is_example_weight(each.is_example_weight);
    input.set_is_example_key(each.is_example_key);
    input.set_is_step_key(each.is_step_key);
  }
  for (const ProgramMetric& each : from.metrics) {
    ProgramProto::Metric& metric = *to.add_metrics();
    metric.set_name(each.name);
    metric.set_tensor(each.tensor);
    metric.set_combine(static_cast<MetricSum::Combine>(each.combine));
    metric.set_percent(each.percent);
    metric.set_passes(static_cast<MetricSum::Passes>(each.passes));
  }
  if (from.loss != kNoTensor) to.set_loss(from.loss);
  if (from.eval_loss.has_value()) *to.mutable_eval_loss() = *from.eval_loss;
}

ProgramTensor TensorFrom(const ProgramProto::Tensor& from) {
  const ValueType type = TypeFrom(from.type());
  return {.name = from.name(),
          .dtype = type.dtype,
          .storage = StorageFrom(from.storage()),
          .shape = type.shape,
          .offset = from.offset(),
          .feeds_product = from.feeds_product(),
          .view_of = from.has_view_of() ? from.view_of() : kNoTensor};
}

Instruction InstructionFrom(const ProgramProto::Instruction& from,
                            ConstantReader& constants) {
  Instruction to;
  to.op = CodeOf(*FindOp(from.op()));
  to.inputs = IdsFrom(from.operands());
  to.outputs = IdsFrom(from.results());
  to.attributes = constants.Attributes(from.attributes());
  to.attributes.rounded_operands = from.rounded_operands();
  to.attributes.rule = from.rule();
  to.attributes.decays = from.decays();
  to.attributes.trusts = from.trusts();
  to.row_group = from.has_row_group() ? from.row_group() : kNoRowGroup;
  to.per_core = from.per_core();
  return to;
}

Segment SegmentFrom(const ProgramProto::Segment& from,
                    ConstantReader& constants) {
  Segment to;
  to.kind = static_cast<SegmentKind>(from.kind());
  for (const ProgramProto::Instruction& instruction : from.instructions())
    to.instructions.push_back(InstructionFrom(instruction, constants));
  if (to.kind != SegmentKind::kAllReduce) return to;
  to.group = from.group();
  to.reduce = static_cast<ReduceOp>(from.reduce());
  if (from.has_tensor())
    to.tensor = from.tensor();
  else
    to.bucket = from.bucket();
  return to;
}

void ReadNumbers(const ProgramProto& from, Program& to) {
  to.variable_elements = from.variable_elements();
  to.gradient_elements = from.gradient_elements();
  to.batched_elements_per_row = from.batched_elements_per_row();
  to.scratch_elements = from.scratch_elements();
  to.output_elements_per_row = from.output_elements_per_row();
  to.bfloat16_products = from.bfloat16_products();
  to.rule = from.rule();
  to.rule_settings = {.momentum = from.momentum(),
                      .beta1 = from.beta1(),
                      .beta2 = from.beta2(),
                      .epsilon = from.epsilon(),
                      .weight_decay = from.weight_decay(),
                      .trust_coefficient = from.trust_coefficient()};
  to.clip_norm = from.clip_norm();
  to.update_needs_all = from.update_needs_all();
  to.per_core_elements = from.per_core_elements();
  to.mixes_in_training = from.mixes_in_training();
  to.mixes_in_eval = from.mixes_in_eval();
}

void ReadInterface(const ProgramProto& from, Program& to) {
  for (const ProgramProto::Input& input : from.inputs())
    to.inputs.push_back({input.tensor(), input.is_example_weight(),
                         input.is_example_key(), input.is_step_key()});
  for (const ProgramProto::Metric& metric : from.metrics())
    to.metrics.push_back({metric.name(), metric.tensor(),
                          static_cast<MetricCombine>(metric.combine()),
                          metric.percent(),
                          static_cast<MetricPasses>(metric.passes())});
  if (from.has_loss()) to.loss = from.loss();
  if (from.has_eval_loss()) to.eval_loss = from.eval_loss();
}

Program ReadAll(const ModelProto& model, ConstantReader& constants) {
  const ProgramProto& from = model.program();
  Program to;
  to.name = model.name();
  for (const ProgramProto::Tensor& tensor : from.tensors())
    to.tensors.push_back(TensorFrom(tensor));
  for (const ProgramProto::Variable& each : from.variables())
    to.variables.push_back(
        {.tensor = each.tensor(),
         .initializer = static_cast<Initializer>(each.initializer()),
         .fan_in = each.fan_in(),
         .fan_out = each.fan_out(),
         .is_slot = each.is_slot(),
         .is_state = each.is_state(),
         .initial = each.has_initial()
                        ? constants.Attributes(each.initial()).data
                        : nullptr});
  for (const ProgramProto::Bucket& each : from.buckets())
    to.buckets.push_back({each.begin(), each.count(), IdsFrom(each.gradients()),
                          IdsFrom(each.variables())});
  for (const ProgramProto::Entry& each : from.entries()) {
    std::vector<Segment>& segments =
        to.entries[static_cast<EntryPoint>(each.entry())];
    for (const ProgramProto::Segment& segment : each.segments())
      segments.push_back(SegmentFrom(segment, constants));
  }
  ReadInterface(from, to);
  ReadNumbers(from, to);
  return to;
}

}  // namespace

ModelProto ToProto(const Program& program) {
  ModelProto model;
  model.set_version(kModelVersion);
  model.set_stage(ModelProto::PROGRAM);
  model.set_name(program.name);
  ProgramProto& to = *model.mutable_program();
  ConstantWriter constants;
  for (const ProgramTensor& tensor : program.tensors)
    Write(tensor, *to.add_tensors());
  for (const ProgramVariable& variable : program.variables)
    Write(variable, program.tensor(variable.tensor).shape, constants,
          *to.add_variables());
  for (const GradientBucket& bucket : program.buckets)
    Write(bucket, *to.add_buckets());
  for (const auto& [point, segments] : program.entries) {
    ProgramProto::Entry& entry = *to.add_entries();
    entry.set_entry(static_cast<ProgramProto::EntryPoint>(point));
    for (const Segment& segment : segments)
      Write(segment, constants, *entry.add_segments());
  }
  WriteInterface(program, to);
  WriteNumbers(program, to);
  std::move(constants).Finish(model);
  return model;
}

absl::StatusOr<Program> ProgramFrom(const ModelProto& model) {
  if (model.stage() == ModelProto::MODEL)
    return absl::InvalidArgumentError(
        absl::StrCat("model ", model.name(), " is no Program: not compiled"));
  ConstantReader constants;
  PODSIM_RETURN_IF_ERROR(VerifyModel(model, constants));
  return ReadAll(model, constants);
}

absl::StatusOr<Program> ParseProgram(std::string_view bytes) {
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model, DecodeModel(bytes));
  return ProgramFrom(model);
}

}  // namespace podsim
