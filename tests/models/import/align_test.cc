// What several lowerings have in common, and what follows the batch.
#include "models/import/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "models/ops/constant_value.h"
#include "models/ops/reference.h"
#include "tests/models/import/module_builder.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::ModuleBuilder;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

constexpr std::array<std::int64_t, 3> kBatches = {5, 7, 11};
using Body = std::function<void(ModuleBuilder&, std::int64_t)>;

absl::StatusOr<FlatFunction> Aligned(const Body& body) {
  std::vector<FlatFunction> functions;
  for (const std::int64_t batch : kBatches) {
    ModuleBuilder builder;
    body(builder, batch);
    auto module = HloModule::Parse(builder.Bytes());
    if (!module.ok()) return module.status();
    auto function = Flatten(*module);
    if (!function.ok()) return function.status();
    functions.push_back(Pruned(*function));
  }
  return Align(functions, kBatches);
}

const FlatOp& ResultOf(const FlatFunction& function) {
  return function.ops[static_cast<std::size_t>(function.results[0])];
}

TEST(AlignTest, LeavesTheBatchOpenWhereverItStands) {
  ASSERT_OK_AND_ASSIGN(const FlatFunction function,
                       Aligned([](ModuleBuilder& b, std::int64_t batch) {
                         const auto x = b.Parameter({batch, 4, 3});
                         b.Op("transpose", {x}, {4, batch, 3}, hlo::F32,
                              [](hlo::Instruction& op) {
                                for (const int dim : {1, 0, 2})
                                  op.add_dimensions(dim);
                              });
                       }));
  EXPECT_EQ(ResultOf(function).type.shape, (Shape{{4, 1, 3}, 1}));
  ASSERT_OK_AND_ASSIGN(const FlatFunction flat,
                       Aligned([](ModuleBuilder& b, std::int64_t batch) {
                         const auto x = b.Parameter({batch, 4, 3});
                         b.Op("reshape", {x}, {batch * 4, 3});
                       }));
  EXPECT_EQ(ResultOf(flat).type.shape, (Shape{{4, 3}, 0}));
  EXPECT_EQ(ResultOf(flat).attributes.shape, (Shape{{4, 3}, 0}));
}

TEST(AlignTest, FindsNumbersThatFollowTheBatch) {
  for (const std::int64_t power : {-1, 1}) {
    ASSERT_OK_AND_ASSIGN(const FlatFunction function,
                         Aligned([&](ModuleBuilder& b, std::int64_t batch) {
                           const auto x = b.Parameter({batch, 4});
                           const auto size = static_cast<float>(batch);
                           const auto c =
                               b.Number(power < 0 ? -3.0F / size : 0.5F * size,
                                        {batch, 4});
                           b.Op("multiply", {x, c}, {batch, 4});
                         }));
    const FlatOp& number =
        function.ops[static_cast<std::size_t>(ResultOf(function).operands[1])];
    EXPECT_EQ(number.attributes.List(kBatchPower)[0], power);
    EXPECT_EQ(number.attributes.value, power < 0 ? -3.0 : 0.5);
  }
}

// x times a number of bfloat16.
Body TimesRounded(const std::function<float(std::int64_t)>& number) {
  return [number](ModuleBuilder& b, std::int64_t batch) {
    const auto x = b.Parameter({batch, 5}, hlo::BF16);
    const auto each = b.BFloat16(number(batch), {batch, 5});
    b.Op("multiply", {x, each}, {batch, 5}, hlo::BF16);
  };
}

TEST(AlignTest, FindsNumbersThatAreRoundedToBFloat16) {
  struct Case {
    float number;
    std::int64_t power;
  };
  for (const Case& each :
       {Case{1.0F / 5, -1}, Case{1.0F / 12, -1}, Case{-1.0F / 5, -1},
        Case{-1.0F / 3, -1}, Case{3, -1}, Case{37, 1}}) {
    SCOPED_TRACE(each.number);
    ASSERT_OK_AND_ASSIGN(const FlatFunction function,
                         Aligned(TimesRounded([&](std::int64_t batch) {
                           const auto size = static_cast<float>(batch);
                           return each.power > 0 ? each.number * size
                                                 : each.number / size;
                         })));
    const FlatOp& number =
        function.ops[static_cast<std::size_t>(ResultOf(function).operands[1])];
    EXPECT_EQ(number.type.dtype, DType::kBFloat16);
    EXPECT_EQ(number.attributes.List(kBatchPower)[0], each.power);
    EXPECT_EQ(static_cast<float>(number.attributes.value), each.number);
  }
}

TEST(AlignTest, FindsWholeNumbersOnALine) {
  ASSERT_OK_AND_ASSIGN(
      const FlatFunction function,
      Aligned([](ModuleBuilder& b, std::int64_t batch) {
        const auto x = b.Parameter({}, hlo::S32);
        b.Op("add", {x, b.Whole(static_cast<std::int32_t>(2 * batch - 1))}, {},
             hlo::S32);
      }));
  const FlatOp& number =
      function.ops[static_cast<std::size_t>(ResultOf(function).operands[1])];
  EXPECT_EQ(number.attributes.value, 2);
  EXPECT_EQ(number.attributes.List(kBatchOffset)[0], -1);
}

void ExpectUnaligned(const Body& body, const std::string& why) {
  EXPECT_THAT(Aligned(body),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr(why)));
}

TEST(AlignTest, RefusesWhatFollowsTheBatchInAnotherWay) {
  ExpectUnaligned(
      [](ModuleBuilder& b, std::int64_t batch) { b.Parameter({batch + 1}); },
      "dimension 0 is 6, 8, 12");
  ExpectUnaligned(
      [](ModuleBuilder& b, std::int64_t batch) {
        b.Parameter({batch, 3, batch});
      },
      "two of its dimensions");
  ExpectUnaligned(
      [](ModuleBuilder& b, std::int64_t batch) {
        b.Number(static_cast<float>(batch * batch), {batch});
      },
      "its number is 25, 49, 121");
  ExpectUnaligned(
      [](ModuleBuilder& b, std::int64_t batch) {
        b.Op("constant", {}, {batch}, hlo::F32, [&](hlo::Instruction& op) {
          for (int i = 0; i < batch; ++i)
            op.mutable_literal()->add_f32s(static_cast<float>(i));
        });
      },
      "for each example");
  ExpectUnaligned(
      [](ModuleBuilder& b, std::int64_t batch) {
        const auto x = b.Parameter({4});
        b.Op(batch == 7 ? "negate" : "abs", {x}, {4});
      },
      "depends on the number of examples");
}

// As jax.grad has it of a mean that is made in bfloat16.
TEST(AlignTest, FindsFloatsThatWereRoundedToBFloat16) {
  ASSERT_OK_AND_ASSIGN(const FlatFunction function,
                       Aligned([](ModuleBuilder& b, std::int64_t batch) {
                         const auto x = b.Parameter({batch, 4});
                         const float each = -1.0F / static_cast<float>(batch);
                         const auto number =
                             b.Number(static_cast<float>(RoundToBFloat16(each)),
                                      {batch, 4});
                         b.Op("multiply", {x, number}, {batch, 4});
                       }));
  const FlatOp& number =
      function.ops[static_cast<std::size_t>(ResultOf(function).operands[1])];
  EXPECT_EQ(number.type.dtype, DType::kFloat32);
  EXPECT_EQ(number.attributes.List(kBatchPower)[0], -1);
  EXPECT_FALSE(number.attributes.List(kBatchRounded).empty());
  EXPECT_EQ(number.attributes.value, -1);
}

// A constant of [batch, 3] or [2, batch], whose rows are all alike or not.
Body Rows(bool batch_first, bool alike) {
  return [=](ModuleBuilder& b, std::int64_t batch) {
    const testing::HloDims dims =
        batch_first ? testing::HloDims{batch, 3} : testing::HloDims{2, batch};
    const auto rows =
        b.Op("constant", {}, dims, hlo::F32, [&](hlo::Instruction& op) {
          for (std::int64_t i = 0; i < dims[0] * dims[1]; ++i) {
            const std::int64_t at = batch_first ? i % 3 : i / batch;
            const std::int64_t other = alike ? 0 : i;
            op.mutable_literal()->add_f32s(static_cast<float>(at + other));
          }
        });
    b.Op("negate", {rows}, dims);
  };
}

TEST(AlignTest, AConstantOfEqualRowsIsOneRow) {
  for (const bool batch_first : {true, false}) {
    ASSERT_OK_AND_ASSIGN(const FlatFunction function,
                         Aligned(Rows(batch_first, /*alike=*/true)));
    const FlatOp& rows =
        function.ops[static_cast<std::size_t>(ResultOf(function).operands[0])];
    EXPECT_TRUE(rows.Is("broadcast_in_dim"));
    EXPECT_EQ(rows.type.shape.batch_axis, batch_first ? 0 : 1);
    const FlatOp& row =
        function.ops[static_cast<std::size_t>(rows.operands[0])];
    EXPECT_EQ(row.type.shape, (batch_first ? Shape{{1, 3}} : Shape{{2, 1}}));
    EXPECT_EQ(row.attributes.data->size(), (batch_first ? 3U : 2U) * 4U);
    ExpectUnaligned(Rows(batch_first, /*alike=*/false), "for each example");
  }
}

// A mask in a mean over all examples: JAX folds the mask and 1 over 3 B.
TEST(AlignTest, AConstantOfEqualRowsMayFollowTheBatch) {
  for (const bool over : {true, false}) {
    ASSERT_OK_AND_ASSIGN(const FlatFunction function,
                         Aligned([over](ModuleBuilder& b, std::int64_t batch) {
                           const auto count = static_cast<float>(batch);
                           const auto rows = b.Op(
                               "constant", {}, {batch, 3}, hlo::F32,
                               [&](hlo::Instruction& op) {
                                 for (std::int64_t i = 0; i < batch * 3; ++i)
                                   op.mutable_literal()->add_f32s(
                                       static_cast<float>(i % 3) *
                                       (over ? 1 / (3 * count) : count));
                               });
                           b.Op("negate", {rows}, {batch, 3});
                         }));
    const auto at = [&](int place) -> const FlatOp& {
      return function.ops[static_cast<std::size_t>(place)];
    };
    const FlatOp& product = at(ResultOf(function).operands[0]);
    ASSERT_TRUE(product.Is("multiply"));
    EXPECT_TRUE(at(product.operands[0]).Is("broadcast_in_dim"));
    const FlatOp& scale = at(product.operands[1]);
    EXPECT_EQ(scale.attributes.List(kBatchPower)[0], over ? -1 : 1);
    EXPECT_EQ(scale.attributes.value, 1);
    const FlatOp& row = at(at(product.operands[0]).operands[0]);
    ASSERT_EQ(row.attributes.data->size(), 3 * sizeof(float));
    float last = 0;
    std::memcpy(&last, row.attributes.data->data() + 2 * sizeof(float),
                sizeof(last));
    EXPECT_FLOAT_EQ(last, over ? 2.0F / 3 : 2);
  }
}

TEST(AlignTest, SaysWhereInTheCallersWords) {
  ExpectUnaligned(
      [](ModuleBuilder& b, std::int64_t batch) {
        const auto x = b.Parameter({batch});
        b.Op(batch == 7 ? "negate" : "abs", {x}, {batch}, hlo::F32,
             [](hlo::Instruction& op) {
               hlo::Metadata& from = *op.mutable_metadata();
               from.set_op_name("jit(f)/jvp(jit(relu))/max");
               from.set_source_file("/home/me/train.py");
               from.set_source_line(41);
             });
      },
      "train.py:41: max (abs): what is computed depends on the number");
}

TEST(AlignTest, RefusesWhatBFloat16CannotTell) {
  ExpectUnaligned(TimesRounded([](std::int64_t batch) {
                    return 3 / (7 * static_cast<float>(batch));
                  }),
                  "sums of examples in float32");
}

// The first B of a dimension that is no batch: no factor says that.
TEST(AlignTest, RefusesACutThatFollowsTheBatchElsewhere) {
  ExpectUnaligned(
      [](ModuleBuilder& b, std::int64_t batch) {
        const auto x = b.Parameter({20});
        const auto part =
            b.Op("slice", {x}, {batch}, hlo::F32, [&](hlo::Instruction& op) {
              auto& dim = *op.add_slice_dimensions();
              dim.set_limit(batch);
              dim.set_stride(1);
            });
        b.Op("negate", {part}, {batch});
      },
      "a slice that ends has 5, 7, 11");
}

// B + 1 keys, as `first, *rest = split(key, B + 1)` makes them.
void MoreKeysThanExamples(ModuleBuilder& b, std::int64_t batch,
                          std::int64_t taken) {
  const auto split = b.Computation();
  b.module()
      .mutable_computations(b.module().computations_size() - 1)
      ->set_name("podsim_split_1");
  const auto each = b.Parameter({2}, hlo::U32);
  b.Op("broadcast", {each}, {batch + 1, 2}, hlo::U32,
       [](hlo::Instruction& op) { op.add_dimensions(1); });
  b.Computation();
  const auto key = b.Parameter({2}, hlo::U32);
  const auto keys =
      b.Op("call", {key}, {batch + 1, 2}, hlo::U32,
           [&](hlo::Instruction& op) { op.add_called_computation_ids(split); });
  b.Op("slice", {keys}, {taken, 2}, hlo::U32, [&](hlo::Instruction& op) {
    for (const std::int64_t limit : {taken, std::int64_t{2}}) {
      auto& dim = *op.add_slice_dimensions();
      dim.set_limit(limit);
      dim.set_stride(1);
    }
  });
}

TEST(AlignTest, OneOfMoreKeysThanExamplesIsAKey) {
  ASSERT_OK_AND_ASSIGN(const FlatFunction function,
                       Aligned([](ModuleBuilder& b, std::int64_t batch) {
                         MoreKeysThanExamples(b, batch, 1);
                       }));
  EXPECT_EQ(ResultOf(function).type.shape, (Shape{{1, 2}}));
  ASSERT_OK_AND_ASSIGN(const FlatFunction others,
                       Aligned([](ModuleBuilder& b, std::int64_t batch) {
                         MoreKeysThanExamples(b, batch, batch);
                       }));
  EXPECT_EQ(ResultOf(others).type.shape, (Shape{{1, 2}, 0}));
}

TEST(AlignTest, NeedsThreeDifferentBatches) {
  const FlatFunction none;
  const std::vector<FlatFunction> functions(3, none);
  EXPECT_THAT(Align(functions, std::vector<std::int64_t>{4, 4, 8}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("three different")));
  EXPECT_THAT(
      Align(std::span(functions).first(2), std::vector<std::int64_t>{4, 8}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("three different")));
}

}  // namespace
}  // namespace podsim
