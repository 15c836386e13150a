// Kernels add bfloat16 up in float32 and round once, whether their operands
// are as an op made them or as the infeed brings them.
#include "tests/models/ops/bfloat16_sums.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "host/core/op_kernels.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/loops.h"

namespace podsim {
namespace {

using ::podsim::testing::BFloat16Sum;
using ::podsim::testing::BFloat16Sums;
using ::podsim::testing::KernelNames;
using ::podsim::testing::KernelsNamed;

// With memory of its own; two bytes of a bfloat16 if it is `narrow`.
class OwnedArray {
 public:
  OwnedArray(const Tensor& tensor, bool narrow) {
    const bool halves = narrow && tensor.type.dtype == DType::kBFloat16;
    array_ = {.dtype = tensor.type.dtype,
              .dims = tensor.dims,
              .element_bytes = halves ? 2 : 4};
    bytes_.resize(tensor.values.size() *
                  static_cast<std::size_t>(array_.element_bytes));
    for (std::size_t i = 0; i < tensor.values.size(); ++i)
      Put(i, tensor.values[i], halves);
    array_.data = bytes_.data();
  }
  const Array& array() const { return array_; }

 private:
  void Put(std::size_t i, double value, bool halves) {
    const auto bits =
        array_.dtype == DType::kInt32
            ? static_cast<std::uint32_t>(value)
            : std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const auto upper = static_cast<std::uint16_t>(bits >> 16);
    if (halves) {
      std::memcpy(&bytes_[2 * i], &upper, 2);
    } else {
      std::memcpy(&bytes_[4 * i], &bits, 4);
    }
  }

  std::vector<std::byte> bytes_;
  Array array_;
};

std::vector<double> ByKernel(const BFloat16Sum& sum,
                             const PodsimKernels& kernels, bool narrow) {
  std::vector<OwnedArray> operands;
  operands.reserve(sum.operands.size());
  std::vector<Array> in;
  for (const Tensor& operand : sum.operands) {
    operands.emplace_back(operand, narrow);
    in.push_back(operands.back().array());
  }
  const std::vector<ValueType> types = [&] {
    std::vector<ValueType> of;
    for (const Tensor& operand : sum.operands) of.push_back(operand.type);
    return *InferTypes(OpCode(sum.op), of, sum.attributes);
  }();
  Tensor garbage(types[0], 1);
  for (double& value : garbage.values) value = 77;
  const OwnedArray out(garbage, /*narrow=*/false);
  const std::vector<Array> results = {out.array()};
  testing::Sequential loop;
  Workspace workspace;
  KernelOf(OpCode(sum.op))
      .arrays({.in = in,
               .out = results,
               .attributes = sum.attributes,
               .kernels = kernels,
               .panels = testing::kSmallPanels,
               .parallel = loop,
               .workspace = workspace,
               .times = nullptr});
  const auto* made = out.array().as<const float>();
  return {made, made + garbage.values.size()};
}

TEST(BFloat16Kernels, RoundSumsOnce) {
  for (const std::string& name : KernelNames())
    for (const BFloat16Sum& sum : BFloat16Sums())
      for (const bool narrow : {false, true})
        EXPECT_EQ(ByKernel(sum, KernelsNamed(name), narrow), sum.result)
            << sum.op << " of " << name << (narrow ? ", two bytes" : "");
}

// Others that no sample shows in two bytes.
TEST(BFloat16Kernels, ReadTwoBytesOfAnElement) {
  const Tensor x = testing::BFloat16s({3, -1, 2});
  OpAttributes along;
  along.word = "LT";
  along.lists["dimension"] = {0};
  const PodsimKernels& kernels = KernelsNamed(KernelNames().back());
  const OwnedArray in(x, /*narrow=*/true);
  const OwnedArray out(testing::FirstPlaces(3), /*narrow=*/false);
  const std::vector<Array> operands = {in.array()};
  const std::vector<Array> results = {out.array()};
  testing::Sequential loop;
  Workspace workspace;
  KernelOf(OpCode("arg_sort"))
      .arrays({.in = operands,
               .out = results,
               .attributes = along,
               .kernels = kernels,
               .panels = testing::kSmallPanels,
               .parallel = loop,
               .workspace = workspace,
               .times = nullptr});
  const auto* order = out.array().as<const std::int32_t>();
  EXPECT_EQ(std::vector<std::int32_t>(order, order + 3),
            (std::vector<std::int32_t>{1, 2, 0}));
}

}  // namespace
}  // namespace podsim
