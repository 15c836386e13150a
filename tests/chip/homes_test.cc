// Where values live on a chip, by hand.
#include "chip/homes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/chip/chip_cases.h"

namespace podsim {
namespace {

using testing::Chip;
using ::testing::ElementsAre;
using testing::TwoLayers;

// "h 131072 0-1": the value, its bytes, from which kernel to which.
std::vector<std::string> HomeLines(const Chip& chip, std::int64_t rows) {
  std::vector<std::string> lines;
  for (const ChipHome& home : HomesOf(chip.graph, chip.program, rows))
    lines.push_back(absl::StrCat(chip.graph.value(home.value).name, " ",
                                 static_cast<std::int64_t>(home.bytes), " ",
                                 home.first, "-", home.last));
  return lines;
}

TEST(HomesOf, FromTheKernelThatWritesToTheLastThatReads) {
  EXPECT_THAT(
      HomeLines(TwoLayers(), 128),
      ElementsAre("a/w 131072 0-6", "b/w 131072 0-6", "b/w/momentum 131072 0-6",
                  "a/w/momentum 131072 0-6", "features 65536 0-4",
                  "h 131072 0-3", "b 65536 1-3", "loss 1024 1-6",
                  "weights 1024 0-3", "b/grad_weight 131072 2-5",
                  "h/grad 131072 3-4", "a/grad_weight 131072 4-6"));
}

// A state becomes x; the new one's number comes first.
TEST(HomesOf, WhatIsWrittenOverAnotherLiesThereWhateverItsNumber) {
  const ValueType vector{DType::kFloat32, {{256}}};
  Chip chip;
  chip.graph.values = {
      {.name = "new", .type = vector, .kind = ChipValueKind::kState},
      {.name = "old", .type = vector, .kind = ChipValueKind::kState},
      {.name = "x", .type = vector, .kind = ChipValueKind::kInput}};
  chip.graph.values[0].in_place_of = 1;
  chip.graph.values[0].node = 0;
  chip.graph.nodes = {{OpCode::kAssign, {2}, {0}, {}}};
  chip.program = FuseForChip(chip.graph, FactsOf(chip.graph), {});
  EXPECT_THAT(HomeLines(chip, 1), ElementsAre("old 1024 0-0", "x 1024 0-0"));
}

TEST(FullestHbm, IsWhereTheHiddenLayersGradientIsMade) {
  const Chip chip = TwoLayers();
  const ChipHbm fullest = FullestHbm(chip.graph, chip.program,
                                     HomesOf(chip.graph, chip.program, 128));
  EXPECT_EQ(fullest.kernel, 3);
  EXPECT_EQ(fullest.weights, 2 * 131072);
  EXPECT_EQ(fullest.optimizer_state, 2 * 131072);
  EXPECT_EQ(fullest.gradients, 131072);
  EXPECT_EQ(fullest.activations, 2 * 131072 + 65536 + 1024);
  EXPECT_EQ(fullest.inputs, 65536 + 1024);
  EXPECT_EQ(fullest.total(), 7 * 131072 + 2 * 65536 + 2 * 1024);
}

TEST(FullestHbm, NothingIsThereOfNothing) {
  const ChipGraph graph;
  const ChipProgram program;
  EXPECT_TRUE(HomesOf(graph, program, 1).empty());
  EXPECT_EQ(FullestHbm(graph, program, {}).total(), 0);
}

}  // namespace
}  // namespace podsim
