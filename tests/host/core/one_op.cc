#include "tests/host/core/one_op.h"

#include <cstring>
#include <limits>

#include "models/graph/row_groups.h"
#include "tests/host/core/loops.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

std::vector<float> UnwrittenFloats(std::int64_t count) {
  return std::vector<float>(static_cast<std::size_t>(count),
                            std::numeric_limits<float>::quiet_NaN());
}

template <typename T>
void Put(std::byte* at, double value) {
  const T typed = static_cast<T>(value);
  std::memcpy(at, &typed, sizeof(T));
}

// What is not a number, or not one of the type, stands for garbage.
void PutAs(DType dtype, std::byte* at, double value) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kBFloat16:
      return Put<float>(at, value);
    case DType::kInt32:
      return Put<std::int32_t>(at, value);
    case DType::kUint32:
      return Put<std::uint32_t>(at, value < 0 ? 0xdeadbeef : value);
    case DType::kUint8:
    case DType::kBool:
      return Put<std::uint8_t>(at, value < 0 ? 1 : value);
  }
}

template <typename T>
double Get(const std::byte* at) {
  T typed = {};
  std::memcpy(&typed, at, sizeof(T));
  return static_cast<double>(typed);
}

double GetAs(DType dtype, const std::byte* at) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kBFloat16:
      return Get<float>(at);
    case DType::kInt32:
      return Get<std::int32_t>(at);
    case DType::kUint32:
      return Get<std::uint32_t>(at);
    case DType::kUint8:
    case DType::kBool:
      return Get<std::uint8_t>(at);
  }
  return 0;
}

}  // namespace

OneOp::OneOp(const OpEntry& entry, const OpSample& sample, Place place) {
  Instruction instruction;
  instruction.op = OpCode(entry.name);
  instruction.attributes = sample.attributes;
  for (const ValueType& type : sample.inputs)
    instruction.inputs.push_back(AddTensor(type));
  for (ValueType type : sample.outputs) {
    if (place == Place::kSummed) type.per_core = false;
    instruction.outputs.push_back(AddTensor(type));
  }
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
  tensor.storage = type.batched()  ? Storage::kBatched
                   : type.per_core ? Storage::kPerCore
                                   : Storage::kScratch;
  std::int64_t& end = type.batched()  ? program_.batched_elements_per_row
                      : type.per_core ? program_.per_core_elements
                                      : program_.scratch_elements;
  tensor.offset = end;
  end += tensor.places();
  program_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(program_.tensors.size()) - 1;
}

std::int64_t OneOp::cores() const {
  return rows_of_core_ == 0 ? 1 : rows_ / rows_of_core_;
}

std::int64_t OneOp::ElementsOf(TensorId id) const {
  const ProgramTensor& tensor = program_.tensor(id);
  return tensor.shape.elements() * (tensor.batched() ? rows_
                                    : tensor.storage == Storage::kPerCore
                                        ? cores()
                                        : 1);
}

std::byte* OneOp::At(TensorId id) {
  const ProgramTensor& tensor = program_.tensor(id);
  float* at = tensor.batched() ? batched_.data() + tensor.offset * rows_
              : tensor.storage == Storage::kPerCore
                  ? per_core_.data() + tensor.offset * cores()
                  : scratch_.data() + tensor.offset;
  return reinterpret_cast<std::byte*>(at);
}

void OneOp::Write(TensorId id, const std::vector<double>& values) {
  ASSERT_EQ(static_cast<std::int64_t>(values.size()), ElementsOf(id));
  const ProgramTensor& tensor = program_.tensor(id);
  for (std::size_t i = 0; i < values.size(); ++i)
    PutAs(tensor.dtype, At(id) + i * tensor.element_bytes(), values[i]);
}

void OneOp::Run(const std::vector<Tensor>& operands, std::int64_t rows,
                std::int64_t rows_of_core, const Panels& panels,
                const PodsimKernels& kernels) {
  rows_ = rows;
  rows_of_core_ = rows_of_core;
  batched_ = UnwrittenFloats(program_.batched_elements_per_row * rows);
  per_core_ = UnwrittenFloats(program_.per_core_elements * cores());
  scratch_ = UnwrittenFloats(program_.scratch_elements);
  const Instruction& instruction = segment_.instructions[0];
  for (std::size_t i = 0; i < operands.size(); ++i)
    Write(instruction.inputs[i], operands[i].values);
  Workspace workspace;
  CoreBuffers buffers;
  buffers.workspace = &workspace;
  buffers.batched = batched_;
  buffers.per_core = per_core_;
  buffers.scratch = scratch_;
  buffers.rows_of_core = rows_of_core;
  Sequential loop;
  ASSERT_THAT(
      RunSegment(program_, segment_, rows, panels, {}, kernels, loop, buffers),
      IsOk());
}

std::vector<double> OneOp::Result(std::size_t i) {
  const TensorId id = segment_.instructions[0].outputs[i];
  const ProgramTensor& tensor = program_.tensor(id);
  std::vector<double> values(static_cast<std::size_t>(ElementsOf(id)));
  for (std::size_t at = 0; at < values.size(); ++at)
    values[at] = GetAs(tensor.dtype, At(id) + at * tensor.element_bytes());
  return values;
}

std::vector<std::uint32_t> OneOp::ResultBits(std::size_t i) {
  const TensorId id = segment_.instructions[0].outputs[i];
  const std::int64_t bytes = program_.tensor(id).element_bytes();
  std::vector<std::uint32_t> bits(static_cast<std::size_t>(ElementsOf(id)));
  for (std::size_t at = 0; at < bits.size(); ++at)
    std::memcpy(&bits[at], At(id) + at * bytes, bytes);
  return bits;
}

}  // namespace podsim::testing
