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
#include "models/ops/rules.h"
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
constexpr int kSampleCores[] = {1, 2, 8};

std::vector<std::string> MachineLevels() {
  std::vector<std::string> levels;
  for (const std::string& isa : IsaLevels())
    if (LoadKernels(isa).ok()) levels.push_back(isa);
  return levels;
}

bool DiffersByCore(const ValueType& type) {
  return type.batched() || type.per_core;
}

bool IsRowWise(const OpEntry& entry, const OpSample& sample) {
  return podsim::IsRowWise(entry,
                           {sample.inputs, sample.outputs, sample.attributes});
}

// What `cores` have, each its own, core behind core, and behind what is batched
// `padding` rows that hold nothing good.
std::vector<Tensor> Stacked(const OpSample& sample, int cores,
                            std::int64_t padding = 0) {
  std::vector<Tensor> stack = DrawOperands(sample, kBatch, 0);
  for (int core = 1; core < cores; ++core) {
    const std::vector<Tensor> next =
        DrawOperands(sample, kBatch, static_cast<std::uint64_t>(core));
    for (std::size_t i = 0; i < stack.size(); ++i)
      if (DiffersByCore(stack[i].type))
        stack[i].values.insert(stack[i].values.end(), next[i].values.begin(),
                               next[i].values.end());
  }
  for (Tensor& tensor : stack) {
    if (!tensor.type.batched()) continue;
    tensor.rows = cores * kBatch + padding;
    tensor.dims = DimsFor(tensor.type.shape, tensor.rows);
    tensor.values.resize(static_cast<std::size_t>(tensor.rows * tensor.columns),
                         tensor.type.dtype == DType::kFloat32
                             ? std::numeric_limits<double>::quiet_NaN()
                             : -1);
  }
  return stack;
}

// What the reference makes of it, and how far a kernel may be from that.
struct KnownResult {
  std::vector<std::vector<double>> values;
  std::vector<std::vector<double>> bounds;
};

// Of all rows at once.
KnownResult KnownOf(const OpEntry& entry, const OpSample& sample,
                    const std::vector<Tensor>& operands, std::int64_t rows) {
  const auto results = Evaluate(entry, operands, sample.attributes, rows);
  const auto bounds =
      ErrorBounds(entry, operands, sample.attributes, results, rows);
  KnownResult known;
  for (std::size_t i = 0; i < results.size(); ++i) {
    known.values.push_back(results[i].values);
    known.bounds.push_back(bounds[i].values);
  }
  return known;
}

// Of each core's rows, core behind core; of an op that sums cores their sum, in
// which each addition is rounded.
KnownResult KnownByCore(const OpEntry& entry, const OpSample& sample,
                        int cores) {
  KnownResult known =
      KnownOf(entry, sample, DrawOperands(sample, kBatch), kBatch);
  std::vector<double> sizes;
  for (const double value : known.values[0]) sizes.push_back(std::fabs(value));
  for (int core = 1; core < cores; ++core) {
    const KnownResult next = KnownOf(
        entry, sample,
        DrawOperands(sample, kBatch, static_cast<std::uint64_t>(core)), kBatch);
    for (std::size_t i = 0; i < known.values.size(); ++i) {
      if (entry.sums_cores) {
        for (std::size_t at = 0; at < sizes.size(); ++at) {
          known.values[i][at] += next.values[i][at];
          sizes[at] += std::fabs(next.values[i][at]);
          known.bounds[i][at] = SumError(cores) * sizes[at];
        }
      } else if (DiffersByCore(sample.outputs[i])) {
        const auto append = [](auto& to, const auto& from) {
          to.insert(to.end(), from.begin(), from.end());
        };
        append(known.values[i], next.values[i]);
        append(known.bounds[i], next.bounds[i]);
      }
    }
  }
  return known;
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

void ExpectNear(OneOp& op, const KnownResult& known) {
  for (std::size_t i = 0; i < known.values.size(); ++i) {
    const std::vector<double> ours = op.Result(i);
    ASSERT_EQ(ours.size(), known.values[i].size());
    for (std::size_t at = 0; at < ours.size(); ++at)
      ASSERT_LE(std::fabs(ours[at] - known.values[i][at]), known.bounds[i][at])
          << "result " << i << " [" << at << "] is " << ours[at]
          << ", should be " << known.values[i][at];
  }
}

TEST_P(OpKernels, AreWithinTheBoundOfTheReference) {
  ForEachCase([&](const PodsimKernels& kernels, const OpSample& sample) {
    for (const int cores : kSampleCores) {
      const std::vector<Tensor> operands = Stacked(sample, cores);
      OneOp op(entry(), sample);
      op.Run(operands, cores * kBatch, kBatch, {}, kernels);
      ExpectNear(op, KnownByCore(entry(), sample, cores));
    }
  });
}

// As a gradient of what all cores share, from all of their rows at once.
TEST_P(OpKernels, SumTheCoresWhereTheySumTheBatch) {
  if (!entry().sums_batch) return;
  ForEachCase([&](const PodsimKernels& kernels, const OpSample& sample) {
    if (!SumsStackedRows(entry(),
                         {sample.inputs, sample.outputs, sample.attributes}))
      return;
    for (const int cores : kSampleCores) {
      const std::vector<Tensor> operands = Stacked(sample, cores);
      OneOp op(entry(), sample, Place::kSummed);
      op.Run(operands, cores * kBatch, kBatch, {}, kernels);
      ExpectNear(op, KnownOf(entry(), sample, operands, cores * kBatch));
    }
  });
}

// Row by row the bits of each core alone, whoever else is there.
TEST_P(OpKernels, GiveEachRowItsOwnBits) {
  ForEachCase([&](const PodsimKernels& kernels, const OpSample& sample) {
    if (!IsRowWise(entry(), sample)) return;
    OneOp op(entry(), sample);
    std::vector<std::vector<std::uint32_t>> alone(sample.outputs.size());
    for (int core = 0; core < kSampleCores[2]; ++core) {
      op.Run(DrawOperands(sample, kBatch, static_cast<std::uint64_t>(core)),
             kBatch, 0, {}, kernels);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        const std::vector<std::uint32_t> bits = op.ResultBits(i);
        alone[i].insert(alone[i].end(), bits.begin(), bits.end());
      }
    }
    for (const int cores : kSampleCores)
      for (const std::int64_t padding : {0, 3}) {
        const std::int64_t rows = cores * kBatch + padding;
        op.Run(Stacked(sample, cores, padding), rows, 0, {}, kernels);
        for (std::size_t i = 0; i < alone.size(); ++i) {
          std::vector<std::uint32_t> ours = op.ResultBits(i);
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

// What is not row-wise gives each core the bits that it has alone.
TEST_P(OpKernels, GiveEachCoreItsOwnBits) {
  ForEachCase([&](const PodsimKernels& kernels, const OpSample& sample) {
    if (IsRowWise(entry(), sample) || entry().sums_cores ||
        !DiffersByCore(sample.outputs[0]))
      return;
    OneOp op(entry(), sample);
    std::vector<std::uint32_t> alone;
    for (int core = 0; core < kSampleCores[2]; ++core) {
      op.Run(DrawOperands(sample, kBatch, static_cast<std::uint64_t>(core)),
             kBatch, kBatch, {}, kernels);
      const std::vector<std::uint32_t> bits = op.ResultBits(0);
      alone.insert(alone.end(), bits.begin(), bits.end());
    }
    op.Run(Stacked(sample, kSampleCores[2]), kSampleCores[2] * kBatch, kBatch,
           {}, kernels);
    EXPECT_EQ(op.ResultBits(0), alone);
  });
}

// In two pieces, row by row, and over an operand: the same bits.
TEST_P(OpKernels, GiveTheSameBitsCutAndInPlace) {
  ForEachCase([&](const PodsimKernels& kernels, const OpSample& sample) {
    if (!entry().is_row_wise && !IsRowWise(entry(), sample)) return;
    const std::vector<Tensor> operands = Stacked(sample, 2);
    const std::int64_t rows = 2 * kBatch;
    OneOp op(entry(), sample);
    op.Run(operands, rows, kBatch, {}, kernels);
    std::vector<std::vector<std::uint32_t>> want;
    for (std::size_t i = 0; i < sample.outputs.size(); ++i)
      want.push_back(op.ResultBits(i));
    const auto expect_same = [&](OneOp& other, const Panels& panels) {
      other.Run(operands, rows, kBatch, panels, kernels);
      for (std::size_t i = 0; i < want.size(); ++i)
        EXPECT_EQ(other.ResultBits(i), want[i]) << panels.rows << " rows";
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
    EXPECT_EQ((kernel.rows != nullptr) + (kernel.whole != nullptr) +
                  (kernel.arrays != nullptr),
              1)
        << entry->name;
    // What Compile groups must have a kernel for rows.
    if (entry->is_row_wise || entry->row_wise != nullptr) {
      EXPECT_EQ(kernel.whole, nullptr) << entry->name;
    }
    if (entry->scalar.value != nullptr) continue;  // these have one in common
    const void* address = kernel.rows != nullptr
                              ? reinterpret_cast<const void*>(kernel.rows)
                          : kernel.whole != nullptr
                              ? reinterpret_cast<const void*>(kernel.whole)
                              : reinterpret_cast<const void*>(kernel.arrays);
    EXPECT_TRUE(kernels.insert(address).second)
        << entry->name << " has the kernel of another op";
  }
  EXPECT_FALSE(KernelOf(OpCode("Atlantis")).known());
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
