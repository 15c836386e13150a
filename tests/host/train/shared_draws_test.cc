// What all examples of a step draw together is the same on every core of every
// host, and another thing in the next step.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/random.h"
#include "host/input/stream.h"
#include "models/composites/expr.h"
#include "models/graph/serialize_model.h"
#include "tests/host/train/test_plan.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::podsim::testing::IsOk;

constexpr std::int64_t kDrawPixels = 64;
constexpr std::int64_t kDrawClasses = 10;
constexpr std::int64_t kDrawSite = 7;
constexpr double kHalf = 0x1p31;  // of the uint32

// A regression on the pixels that a mask of the step keeps.
std::shared_ptr<const ModelProto> MaskedImages() {
  Graph g("masked");
  OpAttributes mask;
  mask.shape = {{kDrawPixels}};
  mask.lists["site"] = {kDrawSite};
  const Expr bits = Expr(g, g.StepKeys(), "mask")
                        .Apply("shared_random_bits", {}, std::move(mask));
  const Expr x(g, g.Reshape(g.Features({{8, 8}}), {{kDrawPixels}}), "x");
  const Expr keeps =
      bits.Compare("LT", bits.Splat(kHalf)).Broadcast(x.shape(), {1});
  const Expr kept = x.With(keeps.value()).Select(x + 1, x.Splat(0));
  const Value kernel = g.Variable("kernel", {{kDrawPixels, kDrawClasses}},
                                  Initializer::kGlorotUniform);
  const Value loss =
      g.SoftmaxXent(g.MatMul(kept.value(), kernel), g.Labels()).loss;
  const auto model = ToProto(g, {.loss = loss, .weights = g.ExampleWeights()});
  EXPECT_THAT(model, IsOk());
  return std::make_shared<const ModelProto>(model.value_or(ModelProto()));
}

// Of the step that begins after `consumed` examples, whether each pixel is
// kept.
std::vector<bool> Mask(const PodSetup& setup, const PlanShape& shape,
                       std::int64_t consumed) {
  Batch batch;
  EXPECT_THAT(FillTrainBatch(*setup.dataset, shape.seed,
                             {.consumed = consumed, .global_batch = 1}, batch),
              IsOk());
  const std::uint64_t key =
      std::uint64_t{batch.step_key[1]} << 32 | batch.step_key[0];
  std::vector<bool> mask;
  for (std::uint64_t i = 0; i < kDrawPixels; ++i)
    mask.push_back(Philox(key, i / 4, kDrawSite)[i % 4] < kHalf);
  return mask;
}

std::vector<float> Trained(const PlanShape& shape) {
  auto result = TrainInProcess(MakeSetup(shape));
  EXPECT_THAT(result, IsOk());
  return std::move(result).value_or(PodResult()).variables;
}

// A pixel that a core kept in either step moves its ten weights.
TEST(SharedDraws, AreTheSameOnAllCoresAndNewInEachStep) {
  for (const int steps : {1, 2}) {
    PlanShape shape = {
        .steps = steps, .momentum = 0, .own_model = MaskedImages()};
    const PodSetup setup = MakeSetup(shape);
    const std::int64_t examples =
        std::int64_t{shape.hosts} * shape.cores_per_host * shape.batch_per_core;
    const std::vector<bool> first = Mask(setup, shape, 0);
    const std::vector<bool> second = Mask(setup, shape, examples);
    const std::vector<float> after = Trained(shape);
    shape.learning_rate = 0;
    const std::vector<float> before = Trained(shape);
    ASSERT_EQ(after.size(), before.size());
    ASSERT_GE(after.size(), std::size_t{kDrawPixels * kDrawClasses});
    for (std::size_t i = 0; i < kDrawPixels * kDrawClasses; ++i) {
      const std::size_t pixel = i / kDrawClasses;
      const bool moves = first[pixel] || (steps == 2 && second[pixel]);
      EXPECT_EQ(after[i] != before[i], moves) << steps << " " << i;
    }
  }
}

}  // namespace
}  // namespace podsim::testing
