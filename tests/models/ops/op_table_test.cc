// The op table is complete, and each op's shape rule and cost hold for the
// sample cases that it brings along.
#include "models/ops/op_table.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/ops/rules.h"
#include "models/rules/update_rules.h"
#include "tests/models/ops/sample_operands.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::EveryOp;
using ::podsim::testing::IsOk;
using ::podsim::testing::NameOfOp;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Op : public ::testing::TestWithParam<const OpEntry*> {
 protected:
  const OpEntry& entry() const { return *GetParam(); }
  OpCode code() const { return CodeOf(entry()); }
};

TEST_P(Op, HasAFullEntry) {
  const bool is_function = entry().scalar.value != nullptr;
  EXPECT_GE(entry().input_count, is_function ? 1 : 0);
  EXPECT_NE(entry().infer != nullptr, is_function);
  EXPECT_NE(entry().cost != nullptr, is_function);
  EXPECT_NE(entry().samples != nullptr, is_function);
  EXPECT_NE(entry().reference != nullptr, is_function || entry().is_update);
  EXPECT_EQ(&EntryOf(code()), &entry());
  EXPECT_EQ(ToString(code()), entry().name);
  EXPECT_FALSE(SamplesOf(entry()).empty());
}

TEST_P(Op, InfersTheTypesOfItsSamples) {
  for (const OpSample& sample : SamplesOf(entry())) {
    const auto types = InferTypes(code(), sample.inputs, sample.attributes);
    ASSERT_THAT(types, IsOk());
    EXPECT_EQ(*types, sample.outputs);
  }
}

// Of any number in its lists or its shape: a result or an error, and no sum or
// product beyond 64 bits (the sanitizer sees it).
TEST_P(Op, TakesOrRefusesHugeNumbers) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const OpSample& sample : SamplesOf(entry())) {
    for (const std::int64_t huge :
         {kMost, std::numeric_limits<std::int64_t>::min(), kMostShapeElements,
          -kMostShapeElements, kMostShapeElements - 1, std::int64_t{1} << 32,
          std::int64_t{0}}) {
      const auto expect_bounded = [&](const OpAttributes& attributes) {
        const auto types = InferTypes(code(), sample.inputs, attributes);
        if (huge == kMost) {
          EXPECT_THAT(types, StatusIs(absl::StatusCode::kInvalidArgument,
                                      HasSubstr("2^40")));
        }
      };
      for (const auto& [name, values] : sample.attributes.lists)
        for (std::size_t i = 0; i < values.size(); ++i) {
          OpAttributes attributes = sample.attributes;
          attributes.lists[name][i] = huge;
          expect_bounded(attributes);
        }
      for (std::size_t i = 0; i < sample.attributes.shape.dims.size(); ++i) {
        OpAttributes attributes = sample.attributes;
        attributes.shape.dims[i] = huge;
        expect_bounded(attributes);
      }
    }
  }
}

TEST_P(Op, CostsMoreWithMoreRows) {
  for (const OpSample& sample : SamplesOf(entry())) {
    const auto cost = [&](std::int64_t rows) {
      return CostOf(entry(), {sample.inputs, sample.outputs, sample.attributes},
                    rows);
    };
    const OpCost once = cost(8);
    const OpCost twice = cost(16);
    EXPECT_GT(once.bytes_written, 0);
    EXPECT_EQ(once.products.size(), entry().is_product() ? 1U : 0U);
    EXPECT_GE(twice.bytes_read, once.bytes_read);
    EXPECT_GE(twice.bytes_written, once.bytes_written);
    EXPECT_GE(twice.vector_flops, once.vector_flops);
    EXPECT_GE(twice.transcendentals, once.transcendentals);
  }
}

TEST_P(Op, RefusesAWrongNumberOfOperands) {
  const auto refusal =
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(StartsWith(entry().name), HasSubstr("operands")));
  const OpSample sample = SamplesOf(entry())[0];
  std::vector<ValueType> inputs = sample.inputs;
  if (entry().input_count > 0) {
    inputs.resize(static_cast<std::size_t>(entry().input_count - 1));
    EXPECT_THAT(InferTypes(code(), inputs, sample.attributes), refusal);
  }
  if (entry().takes_more) return;
  inputs = sample.inputs;
  inputs.push_back(sample.outputs[0]);
  EXPECT_THAT(InferTypes(code(), inputs, sample.attributes), refusal);
}

// An op may take an operand of any shape, if its result follows: one of one
// operand, or of any number that have nothing to do with each other.
TEST_P(Op, RefusesEveryOperandOfAnotherShape) {
  const auto refusal = [&](const char* type) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    AllOf(StartsWith(entry().name), HasSubstr(type)));
  };
  for (const OpSample& sample : SamplesOf(entry()))
    for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
      SCOPED_TRACE(i);
      std::vector<ValueType> inputs = sample.inputs;
      inputs[i] = {DType::kFloat32, {{7, 7, 7}}, false};
      for (const DType dtype : {DType::kFloat32, DType::kInt32}) {
        inputs[i].dtype = dtype;
        const auto types = InferTypes(code(), inputs, sample.attributes);
        const std::string named = ToString(inputs[i]);
        if (!types.ok() || entry().input_count > 1) {
          EXPECT_THAT(types, refusal(named.c_str()));
        } else if (entry().is_element_wise || inputs.size() > 1) {
          EXPECT_EQ(types->at(i).shape, inputs[i].shape);
        }
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Ops, Op, ::testing::ValuesIn(AllOps()), NameOfOp);

TEST(OpTable, HasOneEntryPerName) {
  std::set<std::string> names;
  for (const OpEntry* entry : AllOps())
    EXPECT_TRUE(names.insert(entry->name).second) << entry->name;
}

TEST(OpTable, KnowsTheOpsThatCodeAsksFor) {
  for (const OpCode op :
       {OpCode::kMatMul, OpCode::kMatMulGradInput, OpCode::kMatMulGradWeight,
        OpCode::kAddBias, OpCode::kBiasGrad, OpCode::kRelu, OpCode::kReluGrad,
        OpCode::kAdd, OpCode::kConstant, OpCode::kReshape, OpCode::kSoftmaxXent,
        OpCode::kSoftmaxXentGrad, OpCode::kRoundBFloat16, OpCode::kClip,
        OpCode::kUpdate})
    EXPECT_NE(FindOp(op.name()), nullptr) << op.name();
}

TEST(OpTable, RefusesWhatNoOpIsCalled) {
  EXPECT_EQ(FindOp("Sigmoid of Atlantis"), nullptr);
  const std::vector<ValueType> inputs = {Batched({3})};
  EXPECT_THAT(InferTypes(OpCode("Atlantis"), inputs, {}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("Atlantis([B, 3]): no op has this name")));
}

TEST(OpTable, MismatchNamesOpAndBothShapes) {
  const std::vector<ValueType> inputs = {Batched({64}),
                                         {DType::kFloat32, {{32, 10}}, false}};
  EXPECT_THAT(
      InferTypes(OpCode::kMatMul, inputs, {}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("MatMul([B, 64], [32, 10]): the left side's 64 "
                         "columns are not the right side's 32 rows")));
}

TEST(OpTable, AnUpdateTakesTheSlotsOfItsRule) {
  const auto bytes = [](const OpCost& cost) {
    return cost.bytes_read + cost.bytes_written;
  };
  for (const UpdateRule& rule : UpdateRules()) {
    OpAttributes attributes;
    attributes.rule = NumberOf(rule);
    const int slots = rule.info.slot_count;
    std::vector<ValueType> inputs(static_cast<std::size_t>(2 + slots),
                                  {DType::kFloat32, {{5}}, false});
    ASSERT_OK_AND_ASSIGN(const auto outputs,
                         InferTypes(OpCode::kUpdate, inputs, attributes));
    EXPECT_EQ(static_cast<int>(outputs.size()), 1 + slots);
    // Each slot is read and written, and a norm makes two passes.
    const OpEntry& entry = EntryOf(OpCode::kUpdate);
    const OpCost cost = CostOf(entry, {inputs, outputs, attributes}, 1);
    EXPECT_EQ(bytes(cost), 4.0 * 5 * (3 + 2 * slots));
    attributes.trusts = true;
    EXPECT_EQ(bytes(CostOf(entry, {inputs, outputs, attributes}, 1)),
              bytes(cost) + 4.0 * 5 * 3);
    inputs.push_back(inputs[0]);
    EXPECT_THAT(InferTypes(OpCode::kUpdate, inputs, attributes),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr(rule.info.name)));
  }
}

// Whichever way the operands lie: what the reference's result and the samples'
// shapes say.
TEST(OpTable, ProductsNameTheirSizes) {
  constexpr std::int64_t kRows = 24;
  const auto is_matrix_product = [](const OpEntry& entry) {
    return entry.is_product() && entry.product != ProductForm::kGeneral;
  };
  for (const OpEntry* entry : EveryOp(is_matrix_product))
    for (const OpSample& sample : SamplesOf(*entry)) {
      const MatrixProduct product =
          CostOf(*entry, {sample.inputs, sample.outputs, sample.attributes},
                 kRows)
              .products.at(0);
      const MatrixView a = AsMatrix(sample.inputs[0], kRows);
      const MatrixView c = AsMatrix(sample.outputs[0], kRows);
      EXPECT_EQ(product.m, c.rows) << entry->name;
      EXPECT_EQ(product.n, c.columns) << entry->name;
      EXPECT_EQ(product.k * product.m, a.rows * a.columns) << entry->name;
      EXPECT_EQ(product.rounded_operands, sample.attributes.rounded_operands);
    }
}

TEST(HugeSizes, OfPaddingAndWindowsAreRefused) {
  const auto refused =
      [](const char* op, const std::vector<ValueType>& in,
         const std::map<std::string, std::vector<std::int64_t>>& lists,
         const std::string& why) {
        OpAttributes attributes;
        attributes.lists = {lists.begin(), lists.end()};
        attributes.word = "add";
        EXPECT_THAT(
            InferTypes(OpCode(op), in, attributes),
            StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)));
      };
  const ValueType zero = Plain({});
  const ValueType large = Plain({std::int64_t{1} << 40});
  refused("pad", {large, zero},
          {{"edge_padding_low", {0}},
           {"edge_padding_high", {0}},
           {"interior_padding", {kMostShapeElements}}},
          "makes dimension 0 longer than 2^40 elements");
  refused("pad", {Plain({kMostShapeElements, 2}), zero}, {}, "at most 2^40");
  refused(
      "reduce_window", {large},
      {{"window_dimensions", {1}}, {"base_dilations", {kMostShapeElements}}},
      "longer than 2^40 elements");
}

}  // namespace
}  // namespace podsim
