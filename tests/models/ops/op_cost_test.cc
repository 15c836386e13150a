// What every op costs, against an oracle that does the op by plain loops and
// counts (cost_oracle.h), on the op's sample cases.
#include "models/ops/op_cost.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/ops/op_table.h"
#include "models/ops/reference.h"
#include "models/ops/rules.h"
#include "models/rules/update_rules.h"
#include "tests/models/ops/cost_oracle.h"
#include "tests/models/ops/sample_operands.h"

namespace podsim {
namespace {

using ::podsim::testing::CostOracle;
using ::podsim::testing::CountedUse;
using ::podsim::testing::FindCostOracle;
using ::podsim::testing::NameOfOp;
using ::podsim::testing::OperandsToCount;

class OpCosts : public ::testing::TestWithParam<const OpEntry*> {
 protected:
  const OpEntry& entry() const { return *GetParam(); }
};

// Numbers that are rounded to bfloat16 are off by half of its last place. Else
// sums of some hundred numbers near 1, in another order: 1e-13.
double ToleranceOf(const ValueType& type, double expected) {
  const double share = type.dtype == DType::kBFloat16 ? 0x1p-8 : 1e-9;
  return share * (1 + std::fabs(expected));
}

void ExpectResultsOf(const OpEntry& entry, const OpSample& sample,
                     const std::vector<Tensor>& operands, std::int64_t rows,
                     const CountedUse& use) {
  const std::vector<Tensor> expected =
      Evaluate(entry, operands, sample.attributes, rows);
  for (std::size_t result = 0; result < expected.size(); ++result) {
    if (!use.is_computed(result)) continue;
    const std::vector<double>& values = use.result(result).values;
    ASSERT_EQ(values.size(), expected[result].values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double wanted = expected[result].values[i];
      if (values[i] == wanted) continue;  // infinities
      ASSERT_NEAR(values[i], wanted, ToleranceOf(expected[result].type, wanted))
          << "element " << i << " of result " << result;
    }
  }
}

void ExpectCost(const OpCost& cost, const CountedUse& use) {
  double multiply_adds = 0;
  for (const MatrixProduct& product : cost.products)
    multiply_adds += UsefulMultiplyAdds(product);
  EXPECT_EQ(multiply_adds, use.tally().multiply_adds);
  EXPECT_EQ(cost.vector_flops, use.tally().flops);
  EXPECT_EQ(cost.transcendentals, use.tally().transcendentals);
  EXPECT_EQ(cost.bytes_read, use.bytes_read());
  EXPECT_EQ(cost.bytes_written, use.bytes_written());
}

TEST_P(OpCosts, AreThoseOfPlainLoops) {
  const CostOracle* oracle = FindCostOracle(entry().name);
  ASSERT_NE(oracle, nullptr) << entry().name << " has no oracle";
  std::size_t number = 0;
  for (const OpSample& sample : SamplesOf(entry())) {
    SCOPED_TRACE(number++);
    for (const std::int64_t rows : {3, 1, 5}) {
      SCOPED_TRACE(rows);
      const std::vector<Tensor> operands =
          OperandsToCount(entry(), sample, rows);
      CountedUse use(operands, sample, rows);
      oracle->compute(use);
      ExpectCost(
          CostOf(entry(), {sample.inputs, sample.outputs, sample.attributes},
                 rows),
          use);
      if (!entry().is_update)
        ExpectResultsOf(entry(), sample, operands, rows, use);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, OpCosts, ::testing::ValuesIn(AllOps()), NameOfOp);

OpCost CostOfUse(const char* op, const std::vector<ValueType>& inputs,
                 const std::vector<ValueType>& outputs,
                 const OpAttributes& attributes, std::int64_t rows) {
  return CostOf(EntryOf(OpCode(op)), {inputs, outputs, attributes}, rows);
}

// As algorithm and papers have them (models/rules/*.h): of sgd the product with
// the rate and the difference, of adam 3 for mu, 4 for nu, 2 and a root for the
// size, 2 for u and sgd's 2; a decay adds a product and a sum, a trust ratio
// two norms of 2 and a product.
TEST(UpdateCost, IsThatOfItsRule) {
  struct Wanted {
    const char* rule;
    double flops;
    double roots;
  };
  for (const Wanted& wanted : std::vector<Wanted>{{"sgd", 2, 0},
                                                  {"momentum", 4, 0},
                                                  {"nesterov", 6, 0},
                                                  {"adam", 13, 1},
                                                  {"adamw", 13, 1},
                                                  {"lars", 4, 0},
                                                  {"lamb", 13, 1}}) {
    SCOPED_TRACE(wanted.rule);
    const UpdateRule* rule = FindUpdateRule(wanted.rule);
    ASSERT_NE(rule, nullptr);
    OpAttributes attributes;
    attributes.rule = NumberOf(*rule);
    const std::vector<ValueType> inputs(
        static_cast<std::size_t>(2 + rule->info.slot_count), Plain({10}));
    const std::vector<ValueType> outputs(inputs.begin() + 1, inputs.end());
    const auto cost = [&] {
      return CostOfUse("Update", inputs, outputs, attributes, 1);
    };
    EXPECT_EQ(cost().vector_flops, 10 * wanted.flops);
    EXPECT_EQ(cost().transcendentals, 10 * wanted.roots);
    attributes.trusts = true;
    EXPECT_EQ(cost().vector_flops, 10 * (wanted.flops + 5));
    attributes.decays = true;
    const double decay = rule->info.decay == RuleDecay::kNone ? 0 : 2;
    EXPECT_EQ(cost().vector_flops, 10 * (wanted.flops + 5 + decay));
  }
}

// 32 sequences of 512 tokens look up rows of 1,024 numbers: of a vocabulary of
// 30,522 as many rows as there are tokens, of two token types both.
TEST(GatherCost, ReadsTheRowsThatAreLookedUp) {
  const auto bytes_read = [](std::int64_t vocabulary) {
    OpAttributes attributes;
    attributes.lists = {{"offset_dims", {2}},
                        {"collapsed_slice_dims", {0}},
                        {"start_index_map", {0}},
                        {"index_vector_dim", {2}},
                        {"slice_sizes", {1, 1024}}};
    return CostOfUse("gather",
                     {Plain({vocabulary, 1024}), Batched({512}, DType::kInt32)},
                     {Batched({512, 1024})}, attributes, 32)
        .bytes_read;
  };
  const double indices = 4.0 * 32 * 512;
  EXPECT_EQ(bytes_read(30522), 4.0 * 32 * 512 * 1024 + indices);
  EXPECT_EQ(bytes_read(2), 4.0 * 2 * 1024 + indices);
}

// One layer's slice of the stacked weights of 24, and a key written into a
// cache of 2,048: the rest is not touched.
TEST(DynamicSliceCost, IsThatOfThePart) {
  const ValueType start = Plain({}, DType::kInt32);
  const OpCost slice =
      CostOfUse("dynamic_slice", {Plain({24, 512, 512}), start, start, start},
                {Plain({1, 512, 512})}, {}, 1);
  EXPECT_EQ(slice.bytes_read, 4.0 * 512 * 512 + 3 * 4);
  EXPECT_EQ(slice.bytes_written, 4.0 * 512 * 512);
  const OpCost update =
      CostOfUse("dynamic_update_slice",
                {Batched({2048, 64}), Batched({1, 64}), start, start, start},
                {Batched({2048, 64})}, {}, 8);
  EXPECT_EQ(update.bytes_read, 4.0 * 8 * 64 + 3 * 4);
  EXPECT_EQ(update.bytes_written, 4.0 * 8 * 64);
}

// 3 x 3 by 2 over 112 x 112 with a frame of one: along a dimension 56 places
// have three taps, the first of them one on the frame, so 167 show an element.
TEST(WindowCost, LeavesPaddingOut) {
  OpAttributes pool;
  pool.word = "maximum";
  pool.lists = {{"window_dimensions", {1, 3, 3, 1}},
                {"window_strides", {1, 2, 2, 1}},
                {"padding_low", {0, 1, 1, 0}},
                {"padding_high", {0, 1, 1, 0}}};
  const ValueType x = Batched({112, 112, 64});
  const ValueType y = Batched({56, 56, 64});
  EXPECT_EQ(CostOfUse("reduce_window", {x}, {y}, pool, 4).vector_flops,
            4.0 * 167 * 167 * 64);
  pool.word = "GE";
  EXPECT_EQ(CostOfUse("select_and_scatter", {x, y}, {x}, pool, 4).vector_flops,
            3 * 4.0 * 167 * 167 * 64 + 4.0 * 56 * 56 * 64);
}

// 1,000 elements are filled up to 1,024, for which a network has 55 stages of
// 512 comparators.
TEST(SortCost, IsThatOfANetwork) {
  OpAttributes attributes;
  attributes.word = "LT";
  attributes.lists["dimension"] = {1};
  EXPECT_EQ(CostOfUse("arg_sort", {Batched({1000})},
                      {Batched({1000}, DType::kInt32)}, attributes, 7)
                .vector_flops,
            7.0 * 55 * 512 * 5);
}

// Nine words for each of 16 examples are three blocks of Philox each.
TEST(RandomBitsCost, IsThatOfWholeBlocks) {
  OpAttributes attributes;
  attributes.shape = Batched({9}).shape;
  attributes.lists["site"] = {0};
  EXPECT_EQ(CostOfUse("random_bits", {Batched({2}, DType::kUint32)},
                      {Batched({9}, DType::kUint32)}, attributes, 16)
                .vector_flops,
            16 * 3 * 80.0);
}

}  // namespace
}  // namespace podsim
