// Places of sequences, and who may look at which.
#include "models/composites/places.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/composites/attention.h"
#include "tests/models/composites/graph_values.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::GraphValues;
using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::WeighedSum;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(AtPlaces, TakesEachExamplesOwn) {
  Graph g("toy");
  const Value x = g.Input("x", DType::kFloat32, {{3, 2}});
  const Value places = g.Input("places", DType::kInt32, {{4}});
  const Value y = AtPlaces(g, x, places);
  ASSERT_THAT(g.status(), IsOk());
  EXPECT_EQ(ToString(g.type(y)), "[B, 4, 2]");
  GraphValues values(g, 2);
  values.at(x).values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  values.at(places).values = {2, 0, 0, 1, 1, 2, 2, 0};
  EXPECT_THAT(values.Compute(y).values,
              ElementsAre(5, 6, 1, 2, 1, 2, 3, 4,  //
                          9, 10, 11, 12, 11, 12, 7, 8));
}

TEST(AtPlaces, GivesBackWhatItTook) {
  Graph g("toy");
  const Value ids = g.Input("ids", DType::kInt32, {{3}});
  const Value table = g.Variable("table", {{5, 2}}, Initializer::kSmallNormal);
  OpAttributes rows;
  rows.lists = {{"offset_dims", {2}},
                {"collapsed_slice_dims", {0}},
                {"start_index_map", {0}},
                {"index_vector_dim", {2}},
                {"slice_sizes", {1, 2}}};
  const Value x = g.Apply(OpCode("gather"), {table, ids}, rows)[0];
  const Value places = g.Input("places", DType::kInt32, {{4}});
  const Value loss = WeighedSum(g, AtPlaces(g, x, places));
  const Value weights = g.ExampleWeights();
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, 2);
  values.at(ids).values = {0, 4, 4, 2, 1, 0};
  values.at(places).values = {2, 0, 0, 1, 1, 2, 2, 0};
  values.CheckGradients(loss, weights);
}

TEST(AtPlaces, TakesSequencesAlone) {
  Graph g("toy");
  AtPlaces(g, g.Features({{3}}), g.Input("places", DType::kInt32, {{4}}));
  EXPECT_THAT(g.status(),
              StatusIs(kInvalid, HasSubstr("takes [B, T, W], not [B, 3]")));
}

TEST(ShiftedRight, BeginsWithZeros) {
  Graph g("toy");
  const Value x = g.Features({{3, 2}});
  const Value y = ShiftedRight(g, x);
  const Value one = ShiftedRight(g, g.Input("y", DType::kFloat32, {{1, 2}}));
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, 2);
  values.at(x).values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_THAT(values.Compute(y).values,
              ElementsAre(0, 0, 1, 2, 3, 4, 0, 0, 7, 8, 9, 10));
  EXPECT_THAT(values.Compute(one).values, ElementsAre(0, 0, 0, 0));
}

TEST(AddSinusoids, AddsWavesOfFrequenciesOfOneRatio) {
  constexpr std::size_t kT = 5;
  constexpr std::size_t kHalf = 3;
  Graph g("toy");
  const Value x = g.Features({{kT, 2 * kHalf}});
  const Value y = AddSinusoids(g, x);
  ASSERT_THAT(g.status(), IsOk());
  const GraphValues values(g, 2);
  const Tensor in = values.Compute(x);
  const Tensor out = values.Compute(y);
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const auto t = static_cast<double>(i / (2 * kHalf) % kT);
    const std::size_t column = i % (2 * kHalf);
    const double angle =
        t / std::pow(1e4, static_cast<double>(column % kHalf) / (kHalf - 1));
    const double wave = column < kHalf ? std::sin(angle) : std::cos(angle);
    EXPECT_NEAR(out.values[i] - in.values[i], wave, 1e-12) << i;
  }
}

TEST(AddSinusoids, TakesAnEvenWidth) {
  for (const std::int64_t width : {2, 5}) {
    Graph g("toy");
    AddSinusoids(g, g.Features({{3, width}}));
    EXPECT_THAT(g.status(),
                StatusIs(kInvalid, HasSubstr("an even width of 4 or more")));
  }
}

// What is later than a place has no say in it.
TEST(CausalMask, HidesWhatIsLater) {
  Graph g("toy");
  const Value x = g.Features({{4, 2}});
  const Value y = Attention(g, x, x, x, 1, CausalMask(g, 4));
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, 1);
  const Tensor before = values.Compute(y);
  values.at(x).values[4] += 1;  // place 2
  const Tensor after = values.Compute(y);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(after.values[i], before.values[i]);
  for (std::size_t i = 4; i < 8; ++i)
    EXPECT_NE(after.values[i], before.values[i]);
  EXPECT_NEAR(before.values[0], values.at(x).values[0], 1e-12)
      << "the first sees itself alone";
}

// bool [B, S]: keys that no query of an example sees.
TEST(AttentionMask, OfKeysIsEachExamplesOwn) {
  Graph g("toy");
  const Value x = g.Input("x", DType::kFloat32, {{2, 2}});
  const Value memory = g.Input("memory", DType::kFloat32, {{3, 2}});
  const Value mask = g.Input("mask", DType::kBool, {{3}});
  const Value y = Attention(g, x, memory, memory, 2, mask);
  ASSERT_THAT(g.status(), IsOk());
  GraphValues values(g, 2);
  values.at(mask).values = {1, 0, 1, 0, 1, 0};
  const Tensor before = values.Compute(y);
  for (std::size_t i = 4; i < 8; ++i)  // the second sees its second key alone
    EXPECT_NEAR(before.values[i], values.at(memory).values[8 + i % 2], 1e-12);
  values.at(memory).values[2] += 1;  // the first's second key
  EXPECT_EQ(values.Compute(y).values, before.values);
  values.at(memory).values[0] += 1;
  EXPECT_NE(values.Compute(y).values, before.values);
}

TEST(AttentionDropout, DropsShares) {
  Graph g("toy");
  const Value x = g.Features({{8, 4}});
  const Value y = Attention(g, x, x, x, 2, kNone, "a", 0.5);
  ASSERT_THAT(g.status(), IsOk());
  int draws = 0;
  for (const GraphNode& node : g.nodes())
    if (node.op == OpCode("random_bits")) {
      ++draws;
      EXPECT_EQ(ToString(g.type(node.outputs[0]).shape), "[B, 2, 8, 8]");
    }
  EXPECT_EQ(draws, 1);
  EXPECT_EQ(ToString(g.type(y)), "[B, 8, 4]");
}

}  // namespace
}  // namespace podsim
