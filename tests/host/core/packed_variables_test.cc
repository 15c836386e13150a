// Which variables are packed and how, and that packing them once changes no
// bits of what products give.
#include "host/core/packed_variables.h"

#include <gtest/gtest.h>

#include <vector>

#include "models/kernels/reference.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/loops.h"
#include "tests/models/graph/bounded_machine.h"

namespace podsim {
namespace {

using ::podsim::testing::HostMemory;
using ::podsim::testing::KernelNames;
using ::podsim::testing::KernelsNamed;
using ::podsim::testing::Reversed;
using ::podsim::testing::Sequential;
using ::podsim::testing::SmallMlp;

std::vector<float> Counted(std::int64_t count) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(i) + 1.0F / 512);
  return values;
}

// The reference packs B[K,N] as it is, so that the contents can be read.
TEST(PackedVariables, HoldsEachRightSideAsItsProductsReadIt) {
  for (const bool bfloat16 : {false, true}) {
    const Program program = SmallMlp({16, 7}, bfloat16);
    const std::vector<float> variables = Counted(program.variable_elements);
    PackedVariables packed(program, ReferenceKernels());
    Sequential loop;
    packed.Pack(program, variables, kColumnCut, loop);
    int found = 0;
    for (const ProgramVariable& variable : program.variables) {
      const ProgramTensor& tensor = program.tensor(variable.tensor);
      if (tensor.shape.rank() != 2) continue;
      for (const bool transposed : {false, true}) {
        const std::int64_t rows = tensor.shape.dims[0];
        const std::int64_t columns = tensor.shape.dims[1];
        const RightSide side = {.tensor = variable.tensor,
                                .transposed = transposed,
                                .rounded = bfloat16,
                                .n = transposed ? rows : columns,
                                .k = transposed ? columns : rows};
        const float* values = packed.Find(side);
        // Nobody asks for the gradient of the features; slots feed nothing.
        const bool read = !variable.is_slot &&
                          !(transposed && tensor.name == "dense_0/kernel");
        ASSERT_EQ(values != nullptr, read) << tensor.name;
        if (!read) continue;
        ++found;
        for (std::int64_t k = 0; k < side.k; ++k)
          for (std::int64_t n = 0; n < side.n; ++n) {
            const float exact =
                variables[tensor.offset +
                          (transposed ? n * side.k + k : k * side.n + n)];
            ASSERT_EQ(values[k * side.n + n],
                      bfloat16
                          ? static_cast<float>(testing::RoundToBFloat16(exact))
                          : exact)
                << tensor.name;
          }
      }
    }
    EXPECT_EQ(found, 5);
  }
}

TEST(PackedVariables, PacksOnlyWhatIsListed) {
  const Program program = SmallMlp({16}, false);
  std::vector<float> variables = Counted(program.variable_elements);
  PackedVariables packed(program, ReferenceKernels());
  Sequential loop;
  packed.Pack(program, variables, kColumnCut, loop);
  const RightSide first = {
      .tensor = FindTensor(program, "dense_0/kernel"), .n = 16, .k = 12};
  const RightSide second = {
      .tensor = FindTensor(program, "dense_1/kernel"), .n = 5, .k = 16};
  const float before = packed.Find(first)[0];
  for (float& value : variables) value += 1000;
  packed.Pack(program, std::vector<TensorId>{second.tensor}, variables,
              kColumnCut, loop);
  EXPECT_EQ(packed.Find(first)[0], before);
  EXPECT_EQ(packed.Find(second)[0],
            variables[program.tensor(second.tensor).offset]);
}

// Products that pack for themselves, as where a right side is computed, and in
// other cuts.
TEST(PackedVariables, ChangesNoBits) {
  for (const std::string& name : KernelNames())
    for (const bool bfloat16 : {false, true}) {
      const Program program = SmallMlp({130, 70}, bfloat16);
      const auto gradients = [&](bool packed, std::int64_t columns) {
        HostMemory host(program, 9, KernelsNamed(name));
        host.Fill(4, 0);
        CoreBuffers buffers = host.Buffers();
        if (!packed) buffers.packed = nullptr;
        Reversed loop;
        for (const Segment& segment :
             program.entries.at(EntryPoint::kTrainMicrobatch)) {
          if (segment.kind != SegmentKind::kCompute) continue;
          EXPECT_TRUE(RunSegment(program, segment, 9, {.columns = columns}, {},
                                 KernelsNamed(name), loop, buffers)
                          .ok());
        }
        return host.gradients();
      };
      const std::vector<float> want = gradients(true, 96);
      EXPECT_EQ(gradients(false, 96), want) << name;
      EXPECT_EQ(gradients(false, kColumnCut), want) << name;
      EXPECT_EQ(gradients(true, 4800), want) << name;
    }
}

}  // namespace
}  // namespace podsim
