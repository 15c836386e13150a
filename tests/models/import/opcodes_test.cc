// The table of HLO's op codes, and the computations that reductions call.
#include "models/import/opcodes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>

#include "models/import/reducer.h"
#include "models/ops/op_table.h"
#include "tests/models/import/module_builder.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::ModuleBuilder;

TEST(OpCodesTest, EachIsThereOnceAndIsAnOpOfTheTable) {
  std::set<std::string> names;
  for (const HloOpCode& code : HloOpCodes()) {
    SCOPED_TRACE(code.name);
    EXPECT_NE(FindOp(code.op), nullptr);
    EXPECT_TRUE(names.insert(std::string(code.name)).second);
    EXPECT_EQ(FindHloOpCode(code.name), &code);
  }
  EXPECT_EQ(FindHloOpCode("fft"), nullptr);
}

TEST(OpCodesTest, EveryOtherNameHasAWayRound) {
  EXPECT_EQ(InsteadOfOpCode("fft"),
            "of examples compute it before, as an array of the data set; of "
            "values that follow from parameters multiply by the matrices of "
            "cosines and sines");
  EXPECT_EQ(InsteadOfOpCode("cholesky"),
            "compute it before, as an array of the data set");
  EXPECT_EQ(InsteadOfOpCode("rng-bit-generator"),
            "draw from the key that the function is given");
  EXPECT_EQ(InsteadOfOpCode("none"),
            "write it with those that docs/jax.md lists, or compute it before, "
            "as an array of the data set");
}

TEST(OpCodesTest, EachStandsInTheDocs) {
  std::ostringstream page;
  page << std::ifstream(PODSIM_SOURCE_DIR "/docs/jax.md").rdbuf();
  for (const HloOpCode& code : HloOpCodes()) {
    const std::string row = "| `" + std::string(code.name) + "` | `" +
                            std::string(code.op) + "` |\n";
    EXPECT_NE(page.str().find(row), std::string::npos) << "add: " << row;
  }
}

std::string WordOf(const std::function<void(ModuleBuilder&)>& body) {
  ModuleBuilder builder;
  body(builder);
  const auto module = HloModule::Parse(builder.Bytes());
  EXPECT_TRUE(module.ok()) << module.status();
  return ReducerWord(module->computations()[0]);
}

TEST(ReducerTest, KnowsOneOperationOnItsTwoNumbers) {
  for (const std::string word :
       {"add", "subtract", "multiply", "maximum", "minimum"})
    EXPECT_EQ(WordOf([&](ModuleBuilder& b) {
                const auto x = b.Parameter({});
                const auto y = b.Parameter({});
                b.Op(word, {x, y}, {});
              }),
              word);
  EXPECT_EQ(WordOf([](ModuleBuilder& b) {
              const auto x = b.Parameter({});
              const auto y = b.Parameter({});
              b.Op("compare", {x, y}, {}, hlo::PRED,
                   [](hlo::Instruction& compare) {
                     compare.set_comparison_direction("GE");
                   });
            }),
            "GE");
}

TEST(ReducerTest, IsSilentAboutAnythingElse) {
  EXPECT_EQ(WordOf([](ModuleBuilder& b) {
              const auto x = b.Parameter({});
              b.Parameter({});
              b.Op("add", {x, x}, {});
            }),
            "");
  EXPECT_EQ(WordOf([](ModuleBuilder& b) {
              const auto x = b.Parameter({});
              const auto y = b.Parameter({});
              b.Op("subtract", {y, x}, {});
            }),
            "");
  // Doubles with each line: nobody writes the whole of it down.
  EXPECT_EQ(WordOf([](ModuleBuilder& b) {
              auto x = b.Parameter({});
              for (int i = 0; i < 64; ++i) x = b.Op("add", {x, x}, {});
            }),
            "");
}

std::string ArgWordOf(const char* better, hlo::PrimitiveType type,
                      bool or_nan) {
  ModuleBuilder builder;
  builder.ArgReducer(better, type, or_nan);
  const auto module = HloModule::Parse(builder.Bytes());
  EXPECT_TRUE(module.ok()) << module.status();
  return ArgReducerWord(module->computations()[0]);
}

TEST(ReducerTest, KnowsArgmaxOfFloatsByNanAndOfOthersWithout) {
  for (const hlo::PrimitiveType type : {hlo::F32, hlo::BF16}) {
    EXPECT_EQ(ArgWordOf("GT", type, true), "maximum");
    EXPECT_EQ(ArgWordOf("LT", type, true), "minimum");
    EXPECT_EQ(ArgWordOf("GT", type, false), "") << "NaN would not win";
  }
  for (const hlo::PrimitiveType type :
       {hlo::S32, hlo::U32, hlo::U8, hlo::PRED}) {
    EXPECT_EQ(ArgWordOf("GT", type, false), "maximum");
    EXPECT_EQ(ArgWordOf("LT", type, false), "minimum");
  }
  EXPECT_EQ(ArgWordOf("GE", hlo::S32, false), "");
}

}  // namespace
}  // namespace podsim
