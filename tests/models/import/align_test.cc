// What several lowerings have in common, and what follows the batch.
#include "models/import/align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/ops/constant_value.h"
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
      "limit_indices have 5, 7, 11");
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
