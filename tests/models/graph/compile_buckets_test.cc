// Compiled Programs: gradient buckets, their order and their memory.
#include <cstddef>
#include <set>

#include "models/graph/compile.h"
#include "tests/models/graph/toy_program.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::CompileToy;
using ::podsim::testing::InstructionsOf;
using ::podsim::testing::NoUpdate;
using ::testing::ElementsAre;

class AllBuckets : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(AllBuckets, FollowTheSegmentThatFinishesThem) {
  const Program program = CompileToy({.bucket_bytes = GetParam()});
  const auto& segments = program.entries.at(EntryPoint::kTrainMicrobatch);
  std::set<TensorId> written;
  std::int32_t next = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Segment& segment = segments[i];
    for (const Instruction& instruction : segment.instructions)
      written.insert(instruction.outputs.begin(), instruction.outputs.end());
    if (segment.kind == SegmentKind::kCompute) {
      EXPECT_FALSE(segment.instructions.empty());
      // The cut comes as soon as a bucket is complete: the last instruction
      // writes the last gradient of the bucket that follows.
      ASSERT_LT(i + 1, segments.size());
      const GradientBucket& bucket =
          program.buckets.at(static_cast<std::size_t>(next));
      EXPECT_THAT(segment.instructions.back().outputs,
                  ::testing::Contains(bucket.gradients.back()));
      continue;
    }
    ASSERT_EQ(segment.bucket, next++);
    EXPECT_TRUE(segment.instructions.empty());
    for (const TensorId id :
         program.buckets[static_cast<std::size_t>(segment.bucket)].gradients)
      EXPECT_TRUE(written.contains(id)) << program.tensor(id).name;
  }
  EXPECT_EQ(next, static_cast<std::int32_t>(program.buckets.size()));

  const auto& reduce = program.entries.at(EntryPoint::kReduce);
  ASSERT_EQ(reduce.size(), program.buckets.size());
  for (std::size_t i = 0; i < reduce.size(); ++i) {
    EXPECT_EQ(reduce[i].kind, SegmentKind::kAllReduce);
    EXPECT_EQ(reduce[i].bucket, static_cast<std::int32_t>(i));
  }
}

TEST_P(AllBuckets, TileTheGradientArena) {
  const Program program = CompileToy({.bucket_bytes = GetParam()});
  std::int64_t end = 0;
  for (const GradientBucket& bucket : program.buckets) {
    EXPECT_EQ(bucket.begin, end);
    for (std::size_t i = 0; i < bucket.gradients.size(); ++i) {
      const ProgramTensor& gradient = program.tensor(bucket.gradients[i]);
      EXPECT_EQ(gradient.storage, Storage::kGradient);
      EXPECT_EQ(gradient.offset, end);
      EXPECT_EQ(gradient.shape, program.tensor(bucket.variables[i]).shape);
      end += gradient.shape.elements();
    }
    EXPECT_EQ(bucket.begin + bucket.count, end);
  }
  EXPECT_EQ(end, program.gradient_elements);
  EXPECT_EQ(end, program.variable_elements);
}

INSTANTIATE_TEST_SUITE_P(Bytes, AllBuckets,
                         ::testing::Values(1, 100, 200, 400, 1 << 20));

TEST(Compile, BucketsComeLastLayerFirst) {
  const Program program = CompileToy({.bucket_bytes = 1});
  std::vector<std::string> order;
  for (const GradientBucket& bucket : program.buckets)
    order.push_back(program.tensor(bucket.variables[0]).name);
  EXPECT_THAT(order, ElementsAre("layer_2/b", "layer_2/w", "layer_1/b",
                                 "layer_1/w", "layer_0/b", "layer_0/w"));
}

Value Var(Graph& g, const char* name) {
  return g.Variable(name, {{3, 4}}, Initializer::kGlorotUniform);
}

// As soon as a bucket is under way its memory belongs to the all-reduce, so
// each gradient has memory of its own that no op reads.
void ExpectGradientsOnTheirOwn(Graph& g, Value w) {
  const auto head = g.SoftmaxXent(g.MatMul(g.Features({{3}}), w), g.Labels());
  ASSERT_OK_AND_ASSIGN(const Program program,
                       Compile(g,
                               {.loss = head.loss,
                                .weights = g.ExampleWeights(),
                                .update = NoUpdate},
                               {.bucket_bytes = 1}));
  std::set<TensorId> gradients;
  for (const GradientBucket& bucket : program.buckets)
    for (const TensorId id : bucket.gradients)
      EXPECT_TRUE(gradients.insert(id).second) << program.tensor(id).name;
  EXPECT_EQ(gradients.size(), program.variables.size());
  for (const Instruction& instruction :
       InstructionsOf(program, EntryPoint::kTrainMicrobatch))
    for (const TensorId id : instruction.inputs)
      EXPECT_NE(program.tensor(id).storage, Storage::kGradient)
          << program.tensor(id).name;
}

TEST(Compile, AGradientThatFlowsOnIsCopied) {
  Graph g("flows on");
  ExpectGradientsOnTheirOwn(g, g.Add(Var(g, "u"), g.Relu(Var(g, "v"))));
}

TEST(Compile, AGradientOfTwoVariablesIsCopied) {
  Graph g("shared");
  ExpectGradientsOnTheirOwn(g, g.Add(Var(g, "a"), Var(g, "b")));
}

}  // namespace
}  // namespace podsim
