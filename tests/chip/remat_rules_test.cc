// What holds of every model, however little HBM there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "chip/remat.h"
#include "models/zoo/zoo.h"
#include "tests/chip/chip_cases.h"
#include "tests/chip/remat_cases.h"

namespace podsim {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RoundRates;

constexpr std::int64_t kRematRows = 2048;

struct RematCase {
  std::string name;
  ChipGraph graph;
  bool has_candidates = true;
};

ChipGraph StepOf(const std::string& name, const std::vector<int>& shape,
                 const std::vector<int>& hidden, double dropout = 0) {
  ModelConfig config;
  config.set_name(name);
  for (const int dim : shape) config.add_example_shape(dim);
  for (const int width : hidden) config.add_hidden(width);
  config.set_classes(10);
  config.set_dropout(dropout);
  const auto program = BuildProgram(config, testing::UpdateBy("adam"));
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? ChipGraphOf(*program, EntryPoint::kTrainMicrobatch)
                      : ChipGraph();
}

const std::vector<RematCase>& RematCases() {
  static const auto& cases = *new std::vector<RematCase>{
      {"one layer", StepOf("mlp", {100}, {256}), /*has_candidates=*/false},
      {"wide and narrow", StepOf("mlp", {100}, {512, 128, 512, 128})},
      {"deep", StepOf("mlp", {100}, std::vector<int>(8, 256))},
      {"lenet5", StepOf("lenet5", {16, 16}, {})},
      {"encoder", StepOf("encoder", {64}, {}, 0.1)},
  };
  return cases;
}

void ExpectRules(const ChipGraph& graph, const RematResult& plain,
                 const RematResult& result, double limit) {
  EXPECT_LE(result.fullest.total(), plain.fullest.total());
  EXPECT_EQ(result.fits, result.fullest.total() <= limit);
  EXPECT_EQ(result.fullest.total(),
            FullestHbm(result.graph, result.program,
                       HomesOf(result.graph, result.program, kRematRows))
                .total());
  EXPECT_EQ(testing::ProductFlops(result.program),
            testing::ProductFlops(plain.program) +
                testing::FlopsOf(result.recomputed));
  EXPECT_EQ(testing::RandomKernels(result.graph, result.program),
            testing::RandomKernels(plain.graph, plain.program));
  testing::ExpectOrder(result.graph);
  testing::ExpectSameValues(graph, result.graph);
}

// From all that the plain program takes down to half of it.
TEST(RematRules, LessHbmTakesMoreTime) {
  for (const RematCase& each : RematCases()) {
    const RematResult plain =
        FuseWithin(each.graph, RoundRates(kRematRows, 1e15));
    EXPECT_TRUE(plain.fits);
    std::size_t most = 0;
    double seconds = 0;
    for (int percent = 100; percent >= 50; percent -= 10) {
      SCOPED_TRACE(absl::StrCat(each.name, ", ", percent, " %"));
      const double limit = plain.fullest.total() * percent / 100;
      const RematResult result =
          FuseWithin(each.graph, RoundRates(kRematRows, limit));
      ExpectRules(each.graph, plain, result, limit);
      most = std::max(most, result.recomputed.size());
      if (!result.fits) continue;
      EXPECT_GE(testing::SecondsOf(result.recomputed), seconds);
      seconds = testing::SecondsOf(result.recomputed);
    }
    EXPECT_EQ(most > 0, each.has_candidates) << each.name;
  }
}

// Scores free most for the least time.
TEST(RematRules, ProductsWithAWeightMayComeFirst) {
  const ChipGraph& graph = RematCases().back().graph;
  const double all =
      FuseWithin(graph, RoundRates(kRematRows, 1e15)).fullest.total();
  RematOptions options = RoundRates(kRematRows, 0.9 * all);
  const auto names = [&] {
    return testing::NamesOf(FuseWithin(graph, options).recomputed);
  };
  const auto scores = HasSubstr("attention/dot_general");
  EXPECT_THAT(names(), Contains(scores));
  options.weights_first = true;
  EXPECT_THAT(names(), Not(Contains(scores)));
  EXPECT_THAT(names(), Contains(HasSubstr("dense_0")));
}

// 96 layers: what is recomputed is recomputed from what is recomputed.
TEST(RematRules, ADeepModelFitsInTwoFifths) {
  const ChipGraph graph = StepOf("mlp", {256}, std::vector<int>(96, 256));
  const RematResult plain = FuseWithin(graph, RoundRates(2 * kRematRows, 1e15));
  const double limit = 0.4 * plain.fullest.total();
  const RematResult result =
      FuseWithin(graph, RoundRates(2 * kRematRows, limit));
  EXPECT_TRUE(result.fits);
  EXPECT_LE(result.fullest.total(), limit);
  testing::ExpectOrder(result.graph);
  testing::ExpectSameValues(graph, result.graph);
}

}  // namespace
}  // namespace podsim
