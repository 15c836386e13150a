// Every op's kernel on the sample cases of the op table, at every ISA level
// that this machine runs: within the entry's bound of its reference, and, where
// the entry says row-wise, with bits that no other row and no cut can change.
#include "host/core/op_kernels.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "models/kernels/kernels.h"
#include "models/ops/reference.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/one_op.h"
#include "tests/models/ops/sample_operands.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::DrawOperands;
using ::podsim::testing::EveryOp;
using ::podsim::testing::KernelsNamed;
using ::podsim::testing::NameOfOp;
using ::podsim::testing::OneOp;
using ::podsim::testing::Place;

constexpr std::int64_t kBatch = 5;  // rows of one core
constexpr int kCores[] = {1, 2, 8};

std::vector<std::string> MachineLevels() {
  std::vector<std::string> levels;
  for (const std::string& isa : IsaLevels())
    if (LoadKernels(isa).ok()) levels.push_back(isa);
  return levels;
}

std::vector<std::uint32_t> Bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values)
    bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

// The batches of `cores`, each core's its own, behind one another, and behind
// them `padding` rows that hold nothing good.
std::vector<Tensor> Stacked(const OpSample& sample, int cores,
                            std::int64_t padding = 0) {
  std::vector<Tensor> stack = DrawOperands(sample, kBatch, 0);
  for (Tensor& tensor : stack)
    if (tensor.type.batched()) tensor.rows = cores * kBatch + padding;
  for (int core = 1; core < cores; ++core) {
    const std::vector<Tensor> next =
        DrawOperands(sample, kBatch, static_cast<std::uint64_t>(core));
    for (std::size_t i = 0; i < stack.size(); ++i)
      if (stack[i].type.batched())
        stack[i].values.insert(stack[i].values.end(), next[i].values.begin(),
                               next[i].values.end());
  }
  for (Tensor& tensor : stack)
    tensor.values.resize(static_cast<std::size_t>(tensor.rows * tensor.columns),
                         tensor.type.dtype == DType::kInt32
                             ? -1
                             : std::numeric_limits<double>::quiet_NaN());
  return stack;
}

class OpKernels : public ::testing::TestWithParam<const OpEntry*> {
 protected:
  const OpEntry& entry() const { return *GetParam(); }

  // Of all of them where the op is a product, as some have units of their own.
  std::vector<std::string> Kernels() const {
    std::vector<std::string> names = MachineLevels();
    names.emplace_back("reference");
    if (entry().is_product()) names.emplace_back("emulated_tiles");
    return names;
  }

  // fn(kernels, sample) for all of both.
  template <typename Fn>
  void ForEachCase(const Fn& fn) const {
    for (const std::string& name : Kernels())
      for (const OpSample& sample : SamplesOf(entry())) {
        SCOPED_TRACE(::testing::Message()
                     << name << ", result 0 " << ToString(sample.outputs[0])
                     << (sample.attributes.rounded_operands ? " rounded" : ""));
        fn(KernelsNamed(name), sample);
      }
  }
};

void ExpectNear(const std::vector<float>& ours, const Tensor& known,
                const Tensor& bound) {
  ASSERT_EQ(ours.size(), known.values.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    ASSERT_LE(std::fabs(ours[i] - known.values[i]), bound.values[i])
        << "[" << i << "] is " << ours[i] << ", should be " << known.values[i];
}

TEST_P(OpKernels, AreWithinTheBoundOfTheReference) {
  ForEachCase([&](const PodsimKernels& kernels, const OpSample& sample) {
    for (const int cores : kCores) {
      const std::vector<Tensor> operands = Stacked(sample, cores);
      const std::int64_t rows = cores * kBatch;
      const auto known = Evaluate(entry(), operands, sample.attributes, rows);
      const auto bounds =
          ErrorBounds(entry(), operands, sample.attributes, known, rows);
      OneOp op(entry(), sample);
      op.Run(operands, rows, {}, kernels);
      for (std::size_t i = 0; i < known.size(); ++i)
        ExpectNear(op.Result(i), known[i], bounds[i]);
    }
  });
}

// Row by row the bits of each core alone, whoever else is there.
TEST_P(OpKernels, GiveEachRowItsOwnBits) {
  if (!entry().is_row_wise) return;
  ForEachCase([&](const PodsimKernels& kernels, const OpSample& sample) {
    if (!sample.outputs[0].batched()) return;
    OneOp op(entry(), sample);
    std::vector<std::vector<std::uint32_t>> alone(sample.outputs.size());
    for (int core = 0; core < kCores[2]; ++core) {
      op.Run(DrawOperands(sample, kBatch, static_cast<std::uint64_t>(core)),
             kBatch, {}, kernels);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        const std::vector<std::uint32_t> bits = Bits(op.Result(i));
        alone[i].insert(alone[i].end(), bits.begin(), bits.end());
      }
    }
    for (const int cores : kCores)
      for (const std::int64_t padding : {0, 3}) {
        const std::int64_t rows = cores * kBatch + padding;
        op.Run(Stacked(sample, cores, padding), rows, {}, kernels);
        for (std::size_t i = 0; i < alone.size(); ++i) {
          std::vector<std::uint32_t> ours = Bits(op.Result(i));
          const std::size_t columns = ours.size() / rows;
          ours.resize(cores * kBatch * columns);
          std::vector<std::uint32_t> want = alone[i];
          want.resize(ours.size());
          EXPECT_EQ(ours, want)
              << cores << " cores, " << padding << " rows of padding";
        }
      }
  });
}

// In two pieces, row by row, and over an operand: the same bits.
TEST_P(OpKernels, GiveTheSameBitsCutAndInPlace) {
  if (!entry().is_row_wise) return;
  ForEachCase([&](const PodsimKernels& kernels, const OpSample& sample) {
    const std::vector<Tensor> operands = Stacked(sample, 2);
    const std::int64_t rows = 2 * kBatch;
    OneOp op(entry(), sample);
    op.Run(operands, rows, {}, kernels);
    std::vector<std::vector<std::uint32_t>> want;
    for (std::size_t i = 0; i < sample.outputs.size(); ++i)
      want.push_back(Bits(op.Result(i)));
    const auto expect_same = [&](OneOp& other, const Panels& panels) {
      other.Run(operands, rows, panels, kernels);
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_EQ(Bits(other.Result(i)), want[i]) << panels.rows << " rows";
    };
    expect_same(op, {.rows = 7, .columns = kColumnCut});
    expect_same(op, {.rows = 1});
    if (!entry().works_in_place) return;
    OneOp in_place(entry(), sample, Place::kOverOperand0);
    expect_same(in_place, {});
    expect_same(in_place, {.rows = 7});
  });
}

INSTANTIATE_TEST_SUITE_P(Ops, OpKernels,
                         ::testing::ValuesIn(EveryOp([](const OpEntry& entry) {
                           return !entry.is_update;
                         })),
                         NameOfOp);

TEST(KernelOf, KnowsEveryOp) {
  std::set<const void*> kernels;
  for (const OpEntry* entry : testing::EveryOp([](auto&) { return true; })) {
    const OpKernel kernel = KernelOf(CodeOf(*entry));
    EXPECT_NE(kernel.rows == nullptr, kernel.whole == nullptr) << entry->name;
    // What Compile groups must have a kernel for rows.
    EXPECT_EQ(kernel.rows != nullptr, entry->is_row_wise) << entry->name;
    if (entry->scalar.value != nullptr) continue;  // these have one in common
    EXPECT_TRUE(kernels
                    .insert(kernel.rows != nullptr
                                ? reinterpret_cast<const void*>(kernel.rows)
                                : reinterpret_cast<const void*>(kernel.whole))
                    .second)
        << entry->name << " has the kernel of another op";
  }
  EXPECT_EQ(KernelOf(OpCode("Atlantis")).rows, nullptr);
}

// An op without one would run by its reference, right and slow.
TEST(KernelOf, EveryLevelHasEveryElementWiseOp) {
  for (const std::string& isa : MachineLevels()) {
    int listed = 0;
    for (const PodsimElementwise* each = KernelsNamed(isa).elementwise;
         each->op != nullptr; ++each, ++listed) {
      const OpEntry* entry = FindOp(each->op);
      ASSERT_NE(entry, nullptr) << each->op;
      EXPECT_NE(entry->scalar.value, nullptr) << each->op;
    }
    const auto functions = EveryOp(
        [](const OpEntry& entry) { return entry.scalar.value != nullptr; });
    EXPECT_EQ(listed, functions.size());
    for (const OpEntry* entry : functions)
      EXPECT_NE(FindElementwise(KernelsNamed(isa), entry->name), nullptr)
          << entry->name << " has no kernel at " << isa;
  }
}

}  // namespace
}  // namespace podsim
