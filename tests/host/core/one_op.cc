#include "tests/host/core/one_op.h"

#include <algorithm>
#include <limits>
#include <span>

#include "models/graph/row_groups.h"
#include "tests/host/core/loops.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

std::vector<float> Unwritten(std::int64_t count) {
  return std::vector<float>(static_cast<std::size_t>(count),
                            std::numeric_limits<float>::quiet_NaN());
}

}  // namespace

OneOp::OneOp(const OpEntry& entry, const OpSample& sample, Place place) {
  Instruction instruction;
  instruction.op = OpCode(entry.name);
  instruction.attributes = sample.attributes;
  for (const ValueType& type : sample.inputs)
    instruction.inputs.push_back(AddTensor(type));
  for (const ValueType& type : sample.outputs)
    instruction.outputs.push_back(AddTensor(type));
  if (place == Place::kOverOperand0)
    program_.tensors[static_cast<std::size_t>(instruction.outputs[0])].offset =
        program_.tensor(instruction.inputs[0]).offset;
  segment_.instructions = {std::move(instruction)};
  GroupRows(program_, segment_.instructions);
}

TensorId OneOp::AddTensor(const ValueType& type) {
  ProgramTensor tensor;
  tensor.dtype = type.dtype;
  tensor.shape = type.shape;
  const auto id = static_cast<TensorId>(program_.tensors.size());
  if (type.dtype == DType::kInt32) {
    tensor.storage = Storage::kInput;
    program_.inputs.push_back({id});
  } else {
    tensor.storage = type.batched() ? Storage::kBatched : Storage::kScratch;
    std::int64_t& end = type.batched() ? program_.batched_elements_per_row
                                       : program_.scratch_elements;
    tensor.offset = end;
    end += type.shape.elements();
  }
  program_.tensors.push_back(std::move(tensor));
  return id;
}

std::int64_t OneOp::ElementsOf(TensorId id) const {
  const ProgramTensor& tensor = program_.tensor(id);
  return tensor.shape.elements() * (tensor.batched() ? rows_ : 1);
}

float* OneOp::At(TensorId id) {
  const ProgramTensor& tensor = program_.tensor(id);
  return tensor.batched() ? batched_.data() + tensor.offset * rows_
                          : scratch_.data() + tensor.offset;
}

void OneOp::Write(TensorId id, const std::vector<double>& values) {
  ASSERT_EQ(static_cast<std::int64_t>(values.size()), ElementsOf(id));
  if (program_.tensor(id).storage == Storage::kInput) {
    labels_.clear();
    for (const double value : values)
      labels_.push_back(static_cast<std::int32_t>(value));
  } else {
    std::transform(values.begin(), values.end(), At(id),
                   [](double value) { return static_cast<float>(value); });
  }
}

void OneOp::Run(const std::vector<Tensor>& operands, std::int64_t rows,
                const Panels& panels, const PodsimKernels& kernels) {
  rows_ = rows;
  batched_ = Unwritten(program_.batched_elements_per_row * rows);
  scratch_ = Unwritten(program_.scratch_elements);
  const Instruction& instruction = segment_.instructions[0];
  for (std::size_t i = 0; i < operands.size(); ++i)
    Write(instruction.inputs[i], operands[i].values);
  Workspace workspace;
  CoreBuffers buffers;
  buffers.workspace = &workspace;
  buffers.batched = batched_;
  buffers.scratch = scratch_;
  if (!program_.inputs.empty())
    buffers.inputs = {
        RowsOf(DType::kInt32, std::span<const std::int32_t>(labels_))};
  Sequential loop;
  ASSERT_THAT(
      RunSegment(program_, segment_, rows, panels, {}, kernels, loop, buffers),
      IsOk());
}

std::vector<float> OneOp::Result(std::size_t i) {
  const TensorId id = segment_.instructions[0].outputs[i];
  const float* values = At(id);
  return {values, values + ElementsOf(id)};
}

}  // namespace podsim::testing
