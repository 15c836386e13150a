// Which gradients travel together, by hand.
#include "runtime/forecast/step_sums.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

struct SentBucket {
  std::int64_t elements = 0;
  std::int32_t ready = 0;
  std::int32_t needed = 0;
};

// "300 elements, 4 to 9".
std::vector<std::string> Combined(const std::vector<SentBucket>& buckets,
                                  std::int64_t most_elements) {
  Program program;
  ChipProgram chip;
  for (const SentBucket& bucket : buckets) {
    chip.collectives.push_back(
        {.bucket = static_cast<std::int32_t>(program.buckets.size()),
         .ready = bucket.ready,
         .needed = bucket.needed});
    program.buckets.push_back({.count = bucket.elements});
  }
  // What joins a tensor in mid-step is no gradient.
  chip.collectives.push_back({.ready = 0, .needed = 1});
  std::vector<std::string> texts;
  for (const CombinedSum& each : CombineGradients(program, chip, most_elements))
    texts.push_back(absl::StrCat(each.elements, " elements, ", each.ready,
                                 " to ", each.needed));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(CombineGradientsTest, InTheOrderInWhichTheyAreReadyAsManyAsFit) {
  const std::vector<SentBucket> buckets = {
      {100, 4, 12}, {200, 2, 9}, {50, 7, 10}, {400, 8, 11}};
  EXPECT_EQ(Combined(buckets, 350),
            (Texts{"350 elements, 7 to 9", "400 elements, 8 to 11"}));
  EXPECT_EQ(Combined(buckets, 1000), (Texts{"750 elements, 8 to 9"}));
  EXPECT_EQ(Combined(buckets, 1),
            (Texts{"200 elements, 2 to 9", "100 elements, 4 to 12",
                   "50 elements, 7 to 10", "400 elements, 8 to 11"}));
  EXPECT_EQ(Combined({}, 1), Texts{});
}

// The update of the first is kernel 5: it does not wait for the second.
TEST(CombineGradientsTest, NoneWaitsForWhatWaitsForIt) {
  EXPECT_EQ(Combined({{100, 2, 5}, {100, 5, 9}, {100, 6, 9}}, 1000),
            (Texts{"100 elements, 2 to 5", "200 elements, 6 to 9"}));
  EXPECT_EQ(Combined({{100, 2, 6}, {100, 5, 9}}, 1000),
            (Texts{"200 elements, 5 to 6"}));
}

struct Join {
  std::int32_t group = 0;
  int elements = 0;
  std::int32_t ready = 0;
  std::int32_t needed = 0;
};

// "300 elements of 8, 4 to 9".
std::vector<std::string> CombinedJoins(const std::vector<Join>& joins) {
  Program program;
  ChipProgram chip;
  std::vector<Segment>& pass = program.entries[EntryPoint::kTrainMicrobatch];
  for (const Join& join : joins) {
    Segment segment;
    segment.kind = SegmentKind::kAllReduce;
    segment.group = join.group;
    segment.tensor = static_cast<TensorId>(program.tensors.size());
    pass.push_back(segment);
    ProgramTensor tensor;
    tensor.shape.dims = {join.elements};
    program.tensors.push_back(tensor);
    chip.collectives.push_back({.ready = join.ready, .needed = join.needed});
  }
  std::vector<std::string> texts;
  for (const CombinedSum& each : CombineJoins(program, chip, 1000))
    texts.push_back(absl::StrCat(each.elements, " elements of ", each.group,
                                 ", ", each.ready, " to ", each.needed));
  return texts;
}

// The sums of a batch norm over its input and over its squares are ready at
// once; the next layer's wait for it; another group's go by themselves.
TEST(CombineJoinsTest, ThoseOfOneGroupThatWaitForNoneOfThem) {
  EXPECT_EQ(CombinedJoins({{8, 64, 1, 2}, {8, 64, 1, 2}, {8, 32, 4, 5}}),
            (Texts{"128 elements of 8, 1 to 2", "32 elements of 8, 4 to 5"}));
  EXPECT_EQ(CombinedJoins({{8, 64, 1, 2}, {0, 64, 1, 2}}),
            (Texts{"64 elements of 8, 1 to 2", "64 elements of 0, 1 to 2"}));
}

}  // namespace
}  // namespace podsim
