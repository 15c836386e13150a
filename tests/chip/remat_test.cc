// What is recomputed where HBM is too small, by hand. 1,024 examples a core:
// float32 [1024, 512] takes 2 MiB, [1024, 128] 512 KiB, a weight of 128 x 512
// 256 KiB.
#include "chip/remat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "chip/fuse.h"
#include "models/composites/dropout.h"
#include "tests/chip/chip_cases.h"
#include "tests/chip/remat_cases.h"

namespace podsim {
namespace {

using testing::Chip;
using ::testing::ElementsAre;
using testing::Fold;
using ::testing::IsEmpty;
using testing::Lines;
using testing::NamesOf;
using testing::Op;
using testing::RoundRates;
using ::testing::SizeIs;
using testing::Times;

constexpr std::int64_t kManyRows = 1024;
constexpr double kWideBytes = 2097152;     // [1024, 512]
constexpr double kNarrowBytes = 524288;    // [1024, 128]
constexpr double kMatrixBytes = 262144;    // [128, 512]
constexpr double kVectorBytes = 4096;      // [1024]
constexpr double kTopMatrixBytes = 65536;  // [128, 128]

// Of features [B, 128] hidden layers h0 to h3 of 512, 128, 512 and 128 units;
// the loss is the sum of squares of a product "top" of 128. Kernels: 0 to 4 the
// products forward, 5 and 6 top's gradients, then for each layer from the last
// one its weight's and its input's, at last the updates.
ChipGraph FourHidden() {
  Graph g("hidden");
  Value x = g.Features({{128}});
  int layer = 0;
  for (const std::int64_t width : {512, 128, 512, 128}) {
    const Value product = Times(g, x, width, absl::StrCat("d", layer));
    x = g.Relu(product, absl::StrCat("h", layer++));
  }
  const Value top = Times(g, x, 128, "top");
  const Value loss =
      Fold(g, Op(g, "multiply", {top, top}, "square"), "add", {1}, "loss");
  return ChipGraphOf(testing::Training(g, loss), EntryPoint::kTrainMicrobatch);
}

// At kernel 8, which reads h2 and the gradient of h3 and makes that of h2.
constexpr double kFourHiddenFullest =
    4 * kMatrixBytes + kTopMatrixBytes + kNarrowBytes +  // weights, features
    kWideBytes + kNarrowBytes + kWideBytes + kVectorBytes +  // h0, h1, h2, loss
    kNarrowBytes + kWideBytes + (kTopMatrixBytes + kMatrixBytes);  // gradients

RematResult FourHiddenWithin(double bytes) {
  return FuseWithin(FourHidden(), RoundRates(kManyRows, bytes));
}

TEST(FuseWithin, WhatFitsIsAsItWas) {
  const ChipGraph graph = FourHidden();
  const Chip plain = {graph,
                      FuseForChip(graph, FactsOf(graph), {.rows = kManyRows})};
  const RematResult result = FourHiddenWithin(kFourHiddenFullest);
  EXPECT_TRUE(result.fits);
  EXPECT_EQ(result.fullest.kernel, 8);
  EXPECT_EQ(result.fullest.total(), kFourHiddenFullest);
  EXPECT_THAT(result.recomputed, IsEmpty());
  EXPECT_EQ(Lines({result.graph, result.program}), Lines(plain));
  EXPECT_EQ(result.graph.values.size(), graph.values.size());
}

// h0 frees four times what h1 does, for as many FLOPs; h2 is read there, h3 was
// read last.
TEST(FuseWithin, OneByteLessAndTheCheapestProductRunsAgain) {
  const RematResult result = FourHiddenWithin(kFourHiddenFullest - 1);
  EXPECT_TRUE(result.fits);
  ASSERT_THAT(result.recomputed, SizeIs(1));
  const Recomputed& again = result.recomputed[0];
  EXPECT_EQ(again.name, "d0");
  EXPECT_EQ(again.flops, 2.0 * 1024 * 512 * 128);
  EXPECT_EQ(again.bytes, kWideBytes);
  EXPECT_NEAR(again.time.seconds(), 134.217728e-6 + 1e-6, 1e-11);
  EXPECT_EQ(result.fullest.total(), kFourHiddenFullest - kWideBytes);

  const ChipGraph graph = FourHidden();
  const ChipProgram plain =
      FuseForChip(graph, FactsOf(graph), {.rows = kManyRows});
  EXPECT_EQ(testing::ProductFlops(result.program),
            testing::ProductFlops(plain) + again.flops);
  testing::ExpectOrder(result.graph);
  testing::ExpectSameValues(graph, result.graph);
}

// Behind the kernels that make the gradients of d3's and d2's operands, before
// the first that reads h0.
TEST(FuseWithin, ItRunsAgainWhereItIsReadFirst) {
  const RematResult result = FourHiddenWithin(kFourHiddenFullest - 1);
  const std::vector<std::string> lines = Lines({result.graph, result.program});
  ASSERT_THAT(lines, SizeIs(20));
  EXPECT_EQ(lines[0], "d0: d0/w 262144 + features 524288 -> h0 2097152");
  EXPECT_EQ(lines[1], "d1: d1/w 262144 + h0 2097152 -> h1 524288");
  EXPECT_EQ(lines[11],
            "d0/again: d0/w 262144 + features 524288 -> h0/again 2097152");
  EXPECT_EQ(lines[12],
            "d1/grad_weight: h1/grad 524288 + h0/again 2097152 -> "
            "d1/grad_weight 262144");
}

// What kernel 8 itself reads and writes stays.
TEST(FuseWithin, TheLeastFullProgramIsReturnedWhereNoneFits) {
  for (const double bytes : {kFourHiddenFullest - kWideBytes - 1, 1e6, 0.0}) {
    const RematResult result = FourHiddenWithin(bytes);
    EXPECT_FALSE(result.fits);
    EXPECT_EQ(result.fullest.total(), kFourHiddenFullest - kWideBytes);
    EXPECT_THAT(NamesOf(result.recomputed), ElementsAre("d0"));
  }
  EXPECT_TRUE(FourHiddenWithin(kFourHiddenFullest - kWideBytes).fits);
}

// y [B, 512] of features and "a" is read by "b", and added to what comes of "b"
// to "e"; "c" makes [B, 2048] of it, where HBM is fullest. Then "f" may add
// something of the features.
struct Skip {
  bool drops = false;  // y: half of it is dropped; else it is cut at zero
  bool reads_features_later = false;
};
RematResult Skipping(const Skip& skip) {
  Graph g("skip");
  const Value features = g.Features({{128}});
  const Value a = Times(g, features, 512, "a");
  const Value y = skip.drops ? Dropout(g, a, 0.5, "drop") : g.Relu(a, "y");
  const Value c = g.Relu(Times(g, Times(g, y, 128, "b"), 2048, "c"), "u");
  const Value e = Times(g, Times(g, c, 128, "d"), 512, "e");
  Value sum = g.Add(e, y, "sum");
  if (skip.reads_features_later)
    sum = g.Add(sum, Times(g, features, 512, "f"), "out");
  return FuseWithin(
      ChipGraphOf(testing::Evaluating(g, {sum}), EntryPoint::kEval),
      RoundRates(kManyRows, 13e6));
}

TEST(FuseWithin, WhatItIsMadeOfMustBeThereAnyway) {
  EXPECT_THAT(Skipping({}).recomputed, IsEmpty());
  const RematResult result = Skipping({.reads_features_later = true});
  EXPECT_TRUE(result.fits);
  EXPECT_THAT(NamesOf(result.recomputed), ElementsAre("a"));
  // e is ready before y is made again, so that the sum rides with y.
  const std::vector<std::string> lines = Lines({result.graph, result.program});
  ASSERT_THAT(lines, SizeIs(7));
  EXPECT_EQ(lines[5],
            "a/again: a/w 262144 + features 524288 + e 2097152 -> "
            "sum 2097152");
}

// Its random bits are drawn where y is made.
TEST(FuseWithin, RandomBitsAreDrawnOnce) {
  const RematResult drawn =
      Skipping({.drops = true, .reads_features_later = true});
  EXPECT_FALSE(drawn.fits);
  EXPECT_THAT(drawn.recomputed, IsEmpty());

  // In training the mask is stored, and y is recomputed from it.
  Graph g("dropout");
  const Value p1 = Times(g, g.Features({{128}}), 512, "p1");
  const Value p2 = Times(g, Dropout(g, p1, 0.5, "drop"), 128, "p2");
  const Value h = g.Relu(Times(g, g.Relu(p2, "h2"), 512, "p3"), "h3");
  const Value top = Times(g, h, 128, "top");
  const ChipGraph graph =
      ChipGraphOf(testing::Training(g, Fold(g, top, "add", {1}, "loss")),
                  EntryPoint::kTrainMicrobatch);
  const RematResult plain = FuseWithin(graph, RoundRates(kManyRows, 1e9));
  const RematResult result =
      FuseWithin(graph, RoundRates(kManyRows, plain.fullest.total() - 1));
  EXPECT_TRUE(result.fits);
  EXPECT_THAT(NamesOf(result.recomputed), ElementsAre("p1"));
  EXPECT_EQ(testing::RandomKernels(plain.graph, plain.program), 1);
  EXPECT_EQ(testing::RandomKernels(result.graph, result.program), 1);
  testing::ExpectOrder(result.graph);
  testing::ExpectSameValues(graph, result.graph);
}

TEST(FuseWithin, AnEmptyGraphFits) {
  const RematResult result = FuseWithin({}, RoundRates(1, 0));
  EXPECT_TRUE(result.fits);
  EXPECT_THAT(result.program.kernels, IsEmpty());
}

}  // namespace
}  // namespace podsim
