#include "tests/host/core/core_fixture.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "base/random.h"
#include "models/kernels/kernels.h"
#include "models/kernels/reference.h"
#include "models/zoo/zoo.h"
#include "tests/host/core/loops.h"
#include "tests/models/kernels/emulated_tiles.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

constexpr int kClasses = 5;

std::vector<float> Unwritten(std::int64_t count) {
  return std::vector<float>(static_cast<std::size_t>(count),
                            std::numeric_limits<float>::quiet_NaN());
}

std::vector<double> Doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

Program SmallMlp(const std::vector<int>& hidden, bool bfloat16,
                 double momentum) {
  return SmallMlp(hidden, {.bfloat16_products = bfloat16,
                           .rule_settings = {.momentum = momentum}});
}

Program SmallMlp(const std::vector<int>& hidden, CompileOptions options) {
  ModelConfig config;
  config.set_name("mlp");
  config.add_example_shape(3);
  config.add_example_shape(4);
  for (const int width : hidden) config.add_hidden(width);
  config.set_classes(kClasses);
  options.bucket_bytes = 400;
  auto program = BuildProgram(config, options);
  PODSIM_CHECK(program.ok());
  return *std::move(program);
}

std::vector<std::string> KernelNames() {
  const auto best = BestIsa();
  PODSIM_CHECK(best.ok());
  return {"reference", "emulated_tiles", "v2", *best};
}

const PodsimKernels& KernelsNamed(const std::string& name) {
  if (name == "reference") return ReferenceKernels();
  if (name == "emulated_tiles") return EmulatedTileKernels();
  const auto kernels = LoadKernels(name);
  PODSIM_CHECK(kernels.ok());
  return **kernels;
}

HostMemory::HostMemory(const Program& program, std::int64_t rows,
                       const PodsimKernels& kernels)
    : program_(program),
      rows_(rows),
      kernels_(kernels),
      variables_(Unwritten(program.variable_elements)),
      packed_(program, kernels),
      fusions_(program, kernels),
      gradients_(Unwritten(program.gradient_elements)),
      batched_(Unwritten(program.batched_elements_per_row * rows)),
      scratch_(Unwritten(program.scratch_elements)),
      outputs_(Unwritten(program.output_elements_per_row * rows)) {}

void HostMemory::Pack() {
  Sequential loop;
  packed_.Pack(program_, variables_, Panels().columns, loop);
}

void HostMemory::Fill(std::uint64_t seed, std::int64_t first_row) {
  InitVariables(program_, seed, variables_);
  for (const ProgramVariable& variable : program_.variables) {
    const ProgramTensor& tensor = program_.tensor(variable.tensor);
    if (variable.initializer != Initializer::kZeros) continue;
    const std::uint64_t key = RandomKey(seed, tensor.name);
    for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
      variables_[static_cast<std::size_t>(tensor.offset + i)] =
          UniformFloat(key, static_cast<std::uint64_t>(i)) - 0.5F;
  }
  Pack();
  const std::int64_t width =
      program_.tensor(program_.input("features")).shape.elements();
  const std::uint64_t key = RandomKey(seed, "examples");
  for (std::int64_t row = first_row; row < first_row + rows_; ++row) {
    const auto counter = static_cast<std::uint64_t>(row);
    for (std::int64_t i = 0; i < width; ++i)
      features_.push_back(
          2 * UniformFloat(key + 1,
                           counter * 1000 + static_cast<std::uint64_t>(i)) -
          1);
    labels_.push_back(
        static_cast<std::int32_t>(kClasses * UniformFloat(key + 2, counter)));
    weights_.push_back(UniformFloat(key + 3, counter));
  }
}

CoreBuffers HostMemory::Buffers() {
  CoreBuffers buffers;
  buffers.variables = variables_;
  buffers.packed = &packed_;
  buffers.fusions = &fusions_;
  buffers.workspace = &workspace_;
  buffers.gradients = gradients_;
  buffers.batched = batched_;
  buffers.scratch = scratch_;
  buffers.outputs = outputs_;
  for (const ProgramInput& input : program_.inputs) {
    if (input.is_example_weight) {
      buffers.inputs.push_back(
          RowsOf(DType::kFloat32, std::span<const float>(weights_)));
    } else if (program_.tensor(input.tensor).dtype == DType::kInt32) {
      buffers.inputs.push_back(
          RowsOf(DType::kInt32, std::span<const std::int32_t>(labels_)));
    } else {
      buffers.inputs.push_back(
          RowsOf(DType::kFloat32, std::span<const float>(features_)));
    }
  }
  return buffers;
}

void HostMemory::Run(EntryPoint entry, const Panels& panels,
                     ParallelFor& parallel, float rate, std::int64_t step) {
  for (const Segment& segment : program_.entries.at(entry)) {
    if (segment.kind != SegmentKind::kCompute) continue;
    ASSERT_THAT(RunSegment(program_, segment, rows_, panels, {rate, step},
                           kernels_, parallel, Buffers()),
                IsOk());
  }
  if (entry == EntryPoint::kUpdate) Pack();
}

std::vector<float> HostMemory::Read(TensorId id) const {
  const ProgramTensor& tensor = program_.tensor(id);
  const std::vector<float>* arena = nullptr;
  std::int64_t scale = 1;
  switch (tensor.storage) {
    case Storage::kVariable:
      arena = &variables_;
      break;
    case Storage::kGradient:
      arena = &gradients_;
      break;
    case Storage::kScratch:
      arena = &scratch_;
      break;
    case Storage::kOutput:
      arena = &outputs_;
      scale = rows_;
      break;
    case Storage::kBatched:
      arena = &batched_;
      scale = rows_;
      break;
    case Storage::kInput:
    case Storage::kPerCore:
      PODSIM_CHECK(!"a computed tensor");
  }
  const auto begin = arena->begin() + tensor.offset * scale;
  return {begin, begin + tensor.shape.elements() * scale};
}

BoundedMachine HostMemory::Oracle() const {
  BoundedMachine oracle(program_, rows_);
  for (const ProgramVariable& variable : program_.variables)
    oracle.Set(variable.tensor, Doubles(Read(variable.tensor)));
  oracle.Set(program_.input("features"), Doubles(features_));
  oracle.Set(program_.example_weight(), Doubles(weights_));
  oracle.SetLabels(labels_);
  return oracle;
}

void ExpectWithinBound(const Program& program, TensorId id,
                       const std::vector<float>& ours,
                       const BoundedMachine& oracle) {
  const std::vector<Bounded>& known = oracle.Get(id);
  ASSERT_EQ(ours.size(), known.size()) << program.tensor(id).name;
  for (std::size_t i = 0; i < ours.size(); ++i)
    ASSERT_LE(std::fabs(ours[i] - known[i].value), known[i].bound)
        << program.tensor(id).name << "[" << i << "] is " << ours[i]
        << ", should be " << known[i].value;
}

}  // namespace podsim::testing
