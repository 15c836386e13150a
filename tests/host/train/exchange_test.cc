// All-reduces over cores in the middle of a pass: batch norm over groups of
// cores, and logits between their extremes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/composites/expr.h"
#include "models/graph/serialize_model.h"
#include "tests/host/train/test_plan.h"
#include "tests/job/set_metric.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;

constexpr int kGlobalBatch = 128;

PlanShape ShapeOf(int hosts, int group) {
  return {.hosts = hosts,
          .cores_per_host = 8,
          .batch_per_core = kGlobalBatch / 8 / hosts,
          .processes = std::min(hosts, 4),
          .steps = 3,
          .model = "lenet5_bn",
          .hidden = {32},
          .batch_norm_group = group};
}

PodSetup TreeSetup(int hosts, int group) {
  PodSetup setup = MakeSetup(ShapeOf(hosts, group));
  PlanBits& bits = *setup.plan.mutable_bits();
  bits.set_reduction("tree");
  bits.set_microbatch_size(static_cast<int>(bits.batch_per_core()));
  for (Bucket& bucket : *bits.mutable_buckets())
    bucket.set_algorithm("halving_doubling");
  for (Exchange& exchange : *bits.mutable_exchanges())
    exchange.set_algorithm("halving_doubling");
  return setup;
}

TEST(ExchangeTest, PackingAndThreadsDecideNothing) {
  std::vector<std::string> of_groups;
  for (const int group : {1, 2, 8, 16, 32}) {
    PlanShape shape = ShapeOf(4, group);
    std::string hash;
    for (const int processes : {4, 2, 1})
      for (const int threads : {1, 3}) {
        shape.processes = processes;
        PodSetup setup = MakeSetup(shape);
        setup.threads_per_process = threads;
        ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
        if (hash.empty()) hash = result.weights_hash;
        EXPECT_EQ(result.weights_hash, hash)
            << "groups of " << group << ", " << processes << " processes, "
            << threads << " threads";
      }
    EXPECT_THAT(of_groups, ::testing::Not(::testing::Contains(hash)))
        << "groups of " << group;
    of_groups.push_back(hash);
  }
}

// Each core by itself, or all of a host's at once: the same tree over cores.
TEST(ExchangeTest, ATreeOverCoresOfOneHostOrOfAll) {
  for (const int group : {2, 8, 16}) {
    std::string hash;
    for (const int processes : {2, 1}) {
      PodSetup setup = TreeSetup(2, group);
      setup.plan.mutable_spec()->set_processes(processes);
      setup.plan.clear_first_host();
      for (int process = 0; process < processes; ++process)
        setup.plan.add_first_host(process * 2 / processes);
      ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
      if (hash.empty()) hash = result.weights_hash;
      EXPECT_EQ(result.weights_hash, hash)
          << "groups of " << group << ", " << processes << " processes";
    }
  }
}

// The same 16 cores' worth of examples as two hosts' and as one host's with
// twice as many each differ in what a core sums first, so that it takes a bound
// to compare them: sums of n numbers in another order differ by no more than
// about 4 sqrt(n) 2^-24 of their size, each [Higham and Mary, A new approach to
// probabilistic rounding error analysis, 2019]; n = 128 images of 16x16 for the
// first norm. Gradients are of size 1 and the rate is 1.
TEST(ExchangeTest, OverAllCoresManyCoresAreOne) {
  PlanShape shape = ShapeOf(4, 32);
  shape.steps = 1;
  shape.learning_rate = 1;
  shape.momentum = 0;
  ASSERT_OK_AND_ASSIGN(const PodResult of_pod,
                       TrainInProcess(MakeSetup(shape)));
  shape.batch_norm_group = 1;
  ASSERT_OK_AND_ASSIGN(const PodResult apart, TrainInProcess(MakeSetup(shape)));
  shape.hosts = shape.processes = shape.cores_per_host = 1;
  shape.batch_per_core = kGlobalBatch;
  ASSERT_OK_AND_ASSIGN(const PodResult of_one,
                       TrainInProcess(MakeSetup(shape)));
  const auto distance = [&](const PodResult& other) {
    double most = 0;
    for (std::size_t i = 0; i < of_one.variables.size(); ++i)
      most = std::max(
          most, std::fabs(double{other.variables[i]} - of_one.variables[i]));
    return most;
  };
  ASSERT_EQ(of_pod.variables.size(), of_one.variables.size());
  const double bound = 2 * 4 * std::sqrt(128.0 * 16 * 16) * 0x1p-24;
  EXPECT_LE(distance(of_pod), bound);
  EXPECT_GT(distance(apart), 10 * bound);  // the cores' own statistics are not
  EXPECT_NEAR(LossOf(of_pod.steps[0]), LossOf(of_one.steps[0]), 1e-5);
}

// Logits less the middle of the largest and the smallest that the examples of
// `group` cores have.
std::shared_ptr<const ModelProto> Centred(std::int64_t group) {
  constexpr std::int64_t kPixels = 64;
  constexpr std::int64_t kClasses = 10;
  Graph g("centred");
  const Value x = g.Reshape(g.Features({{8, 8}}), {{kPixels}});
  const Value kernel =
      g.Variable("kernel", {{kPixels, kClasses}}, Initializer::kGlorotUniform);
  const Expr h(g, g.MatMul(x, kernel), "h");
  const auto extreme = [&](const char* word) {
    OpAttributes attributes;
    attributes.word = word;
    attributes.lists[kGroupSize] = {group};
    return h.Reduce(word, {0}).Apply("all_reduce", {}, std::move(attributes));
  };
  const Expr middle = (extreme("maximum") + extreme("minimum")) * 0.5;
  const Expr logits = h - middle.SpreadOver(h, {0});
  const auto model = ToProto(
      g, {.loss = g.SoftmaxXent(logits.value(), g.Labels()).loss,
          .weights = g.ExampleWeights(),
          .evaluation = {{"loss", g.SoftmaxXent(h.value(), g.Labels()).loss}}});
  EXPECT_THAT(model, IsOk());
  return std::make_shared<const ModelProto>(model.value_or(ModelProto()));
}

PlanShape CentredShape(int hosts, std::int64_t group) {
  PlanShape shape = ShapeOf(hosts, 1);
  shape.own_model = Centred(group);
  shape.steps = 1;
  shape.learning_rate = 1;
  shape.momentum = 0;
  return shape;
}

TEST(ExchangeTest, ExtremesOverGroupsOfCores) {
  std::vector<std::string> of_groups;
  for (const std::int64_t group : {1, 2, 8, 16, 0}) {
    PlanShape shape = CentredShape(4, group);
    std::string hash;
    for (const int processes : {4, 2, 1}) {
      shape.processes = processes;
      ASSERT_OK_AND_ASSIGN(const PodResult result,
                           TrainInProcess(MakeSetup(shape)));
      if (hash.empty()) hash = result.weights_hash;
      EXPECT_EQ(result.weights_hash, hash)
          << "groups of " << group << ", " << processes << " processes";
    }
    EXPECT_THAT(of_groups, ::testing::Not(::testing::Contains(hash)))
        << "groups of " << group;
    of_groups.push_back(hash);
  }
}

// Extremes are exact wherever they come together; gradients, of size 1, are
// sums over 128 examples, in another order: 4 sqrt(128) 2^-24 of their size on
// either side, as above.
TEST(ExchangeTest, ExtremesOverAllCoresAreThoseOfOne) {
  ASSERT_OK_AND_ASSIGN(const PodResult of_pod,
                       TrainInProcess(MakeSetup(CentredShape(4, 0))));
  PlanShape shape = CentredShape(1, 0);
  shape.cores_per_host = 1;
  shape.batch_per_core = kGlobalBatch;
  ASSERT_OK_AND_ASSIGN(const PodResult of_one,
                       TrainInProcess(MakeSetup(shape)));
  ASSERT_EQ(of_pod.variables.size(), of_one.variables.size());
  const double bound = 2 * 4 * std::sqrt(128.0) * 0x1p-24;
  for (std::size_t i = 0; i < of_one.variables.size(); ++i)
    EXPECT_NEAR(of_pod.variables[i], of_one.variables[i], bound);
  EXPECT_NEAR(LossOf(of_pod.steps[0]), LossOf(of_one.steps[0]), 1e-5);
}

TEST(ExchangeTest, GroupsThatDoNotFitAreRefused) {
  for (const int group : {3, 12, 64}) {
    PodSetup setup = MakeSetup(ShapeOf(4, group));
    EXPECT_THAT(TrainInProcess(setup),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("must divide the 8 of a host")))
        << group;
  }
}

TEST(ExchangeTest, APlanOfAnotherModelIsRefused) {
  PodSetup setup = MakeSetup(ShapeOf(4, 32));
  setup.plan.mutable_bits()->mutable_exchanges()->RemoveLast();
  EXPECT_THAT(TrainInProcess(setup),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("all-reduces in the middle of a pass")));
}

}  // namespace
}  // namespace podsim::testing
