// Gradients that a model brings itself are ready where its backward pass makes
// them, whatever their order in the buckets.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/graph/buckets.h"
#include "models/graph/compile.h"
#include "tests/models/graph/toy_program.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::CompileOwnToy;
using ::podsim::testing::CompileToy;
using ::podsim::testing::InstructionsOf;
using ::testing::ElementsAre;

constexpr auto kTrain = EntryPoint::kTrainMicrobatch;

using Names = std::vector<std::string>;

std::vector<Names> BucketsOf(const Program& program) {
  std::vector<Names> buckets;
  for (const GradientBucket& bucket : program.buckets) {
    Names& names = buckets.emplace_back();
    for (const TensorId variable : bucket.variables)
      names.push_back(program.tensor(variable).name);
  }
  return buckets;
}

std::vector<std::int32_t> AllReducesOf(const Program& program,
                                       EntryPoint entry) {
  std::vector<std::int32_t> buckets;
  for (const Segment& segment : program.entries.at(entry))
    if (segment.kind == SegmentKind::kAllReduce)
      buckets.push_back(segment.bucket);
  return buckets;
}

// An element is summed over hosts by its place in its bucket, so that places
// are those of the model's own order.
TEST(OwnGradients, BucketsKeepTheModelsOrder) {
  EXPECT_THAT(
      BucketsOf(CompileOwnToy({.bucket_bytes = 1})),
      ElementsAre(Names{"layer_0/w"}, Names{"layer_0/b"}, Names{"layer_1/w"},
                  Names{"layer_1/b"}, Names{"layer_2/w"}, Names{"layer_2/b"}));
  // 4 x 12 x 7; 4 x 7, 4 x 7 x 6 and 4 x 6, as 196 are too few; the rest.
  EXPECT_THAT(BucketsOf(CompileOwnToy({.bucket_bytes = 200})),
              ElementsAre(Names{"layer_0/w"},
                          Names{"layer_0/b", "layer_1/w", "layer_1/b"},
                          Names{"layer_2/w", "layer_2/b"}));
}

TEST(OwnGradients, TheLastLayersTravelFirst) {
  const Program each = CompileOwnToy({.bucket_bytes = 1});
  EXPECT_THAT(AllReducesOf(each, kTrain), ElementsAre(4, 5, 2, 3, 0, 1));
  EXPECT_THAT(AllReducesOf(each, EntryPoint::kReduce),
              ElementsAre(4, 5, 2, 3, 0, 1));
  EXPECT_THAT(TravelOrder(each), ElementsAre(4, 5, 2, 3, 0, 1));
  // layer_0/b, which is made last, is in bucket 1.
  EXPECT_THAT(AllReducesOf(CompileOwnToy({.bucket_bytes = 200}), kTrain),
              ElementsAre(2, 0, 1));
}

TEST(OwnGradients, DerivedOnesTravelInTheOrderOfTheirBuckets) {
  EXPECT_THAT(TravelOrder(CompileToy({.bucket_bytes = 1})),
              ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_TRUE(TravelOrder(Program()).empty());
}

// Each segment makes one gradient, multiplies it, and ends there.
TEST(OwnGradients, EachIsMultipliedWhereItIsMade) {
  const Program program = CompileOwnToy({.bucket_bytes = 1});
  const std::vector<Segment>& segments = program.entries.at(kTrain);
  ASSERT_EQ(segments.size(), 12U);
  std::map<TensorId, std::size_t> made;  // by segment
  for (std::size_t i = 0; i < segments.size(); i += 2) {
    SCOPED_TRACE(i);
    ASSERT_EQ(segments[i].kind, SegmentKind::kCompute);
    for (const Instruction& instruction : segments[i].instructions)
      for (const TensorId id : instruction.outputs) made[id] = i;
    ASSERT_EQ(segments[i + 1].kind, SegmentKind::kAllReduce);
    const GradientBucket& bucket =
        program.buckets[static_cast<std::size_t>(segments[i + 1].bucket)];
    const Instruction& last = segments[i].instructions.back();
    EXPECT_EQ(last.op, OpCode::kScale);
    EXPECT_EQ(last.outputs, bucket.gradients);
    ASSERT_EQ(last.inputs.size(), 2U);
    EXPECT_EQ(made.at(last.inputs[0]), i);   // the gradient
    EXPECT_EQ(made.at(last.inputs[1]), 0U);  // the core's share
  }
}

// The share follows from the examples' weights alone: nothing of the pass
// stands before it.
TEST(OwnGradients, TheShareIsKnownBeforeThePass) {
  const Program program = CompileOwnToy({.bucket_bytes = 1});
  const std::vector<Instruction> all = InstructionsOf(program, kTrain);
  const TensorId share = all.back().inputs.at(1);
  std::size_t at = 0;
  while (all.at(at).outputs[0] != share) ++at;
  for (std::size_t i = 0; i <= at; ++i)
    for (const TensorId id : all[i].inputs) {
      const ProgramTensor& tensor = program.tensor(id);
      EXPECT_NE(tensor.storage, Storage::kVariable) << tensor.name;
      EXPECT_NE(id, program.input("features"));
    }
}

// What is multiplied at once is not kept until the pass is over.
TEST(OwnGradients, SumsOfAllVariablesAreNeverHeldTogether) {
  const Program program = CompileOwnToy({});
  EXPECT_EQ(program.gradient_elements, 84 + 7 + 42 + 6 + 24 + 4);
  EXPECT_LT(program.scratch_elements, program.gradient_elements);
}

}  // namespace
}  // namespace podsim
