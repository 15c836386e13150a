// A pod whose first step is not finite names the op that did it, where it
// stands in the author's source, and the example.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "host/process/in_process_pod.h"
#include "models/composites/expr.h"
#include "models/graph/serialize_model.h"
#include "models/import/import.h"
#include "tests/host/train/test_plan.h"
#include "tests/models/import/module_builder.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kBadExample = 37;
constexpr float kTooLarge = 50;  // 3 of them: exp(150)

// 64 examples "x", [3], of one number each; that of one may differ.
class SmallExamples final : public Dataset {
 public:
  SmallExamples(float bad, float others) : bad_(bad), others_(others) {
    config_.set_name("small examples");
    config_.set_classes(2);
    config_.set_train_examples(64);
    config_.set_eval_examples(1);
    DataFieldConfig& field = *config_.add_fields();
    field.set_name("x");
    field.set_dtype("float32");
    field.add_shape(3);
  }
  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples() : 1;
  }
  const DatasetConfig& config() const override { return config_; }
  absl::Status Read(Split /*split*/, std::int64_t index, const ReadContext&,
                    ExampleRows rows) const override {
    for (float& value : RowValues<float>(rows[0]))
      value = index == kBadExample ? bad_ : others_;
    return absl::OkStatus();
  }

 private:
  DatasetConfig config_;
  const float bad_;
  const float others_;
};

// loss = mean(exp(x . w)) and its gradient, the mean of exp(x . w) x, as a
// train.py says them.
std::string LoweredExponential(std::int64_t batch) {
  ModuleBuilder b;
  const auto sum = b.Computation();
  const auto one = b.Parameter({});
  const auto other = b.Parameter({});
  b.Op("add", {one, other}, {});
  b.Computation();
  const auto w = b.Parameter({3});
  const auto x = b.Parameter({batch, 3});
  const auto reduce = [&](std::int64_t from, const HloDims& dims) {
    return b.Op("reduce", {from, b.Number(0)}, dims, hlo::F32,
                [&](hlo::Instruction& op) {
                  op.add_dimensions(0);
                  op.add_called_computation_ids(sum);
                });
  };
  const auto at = [](int line) {
    return [line](hlo::Instruction& op) {
      op.mutable_metadata()->set_source_file("train.py");
      op.mutable_metadata()->set_source_line(line);
    };
  };
  const auto logits =
      b.Op("dot", {x, w}, {batch}, hlo::F32, [&](hlo::Instruction& op) {
        at(40)(op);
        op.mutable_dot_dimension_numbers()->add_lhs_contracting_dimensions(1);
        op.mutable_dot_dimension_numbers()->add_rhs_contracting_dimensions(0);
      });
  const auto rates = b.Op("exponential", {logits}, {batch}, hlo::F32, at(41));
  const auto shares = b.Op(
      "multiply", {rates, b.Number(1.0F / static_cast<float>(batch), {batch})},
      {batch}, hlo::F32, at(42));
  const auto spread = b.Op("broadcast", {shares}, {batch, 3}, hlo::F32,
                           [](hlo::Instruction& op) { op.add_dimensions(0); });
  const auto each = b.Op("multiply", {spread, x}, {batch, 3}, hlo::F32, at(42));
  const auto loss = reduce(shares, {});
  const auto gradient = reduce(each, {3});
  b.Op("tuple", {loss, gradient}, {}, hlo::TUPLE);
  return b.Bytes();
}

std::shared_ptr<const ModelProto> Imported() {
  ImportProto from;
  from.set_name("poisson");
  ImportFunction& function = *from.mutable_training();
  for (const std::int64_t batch : {4, 5, 7}) {
    auto& lowering = *function.add_lowerings();
    lowering.set_batch(batch);
    lowering.set_module(LoweredExponential(batch));
  }
  auto& w = *function.add_arguments();
  w.set_kind(ImportArgument::VARIABLE);
  w.set_name("w");
  auto& x = *function.add_arguments();
  x.set_kind(ImportArgument::INPUT);
  x.set_name("x");
  function.add_results()->set_kind(ImportResult::LOSS);
  auto& gradient = *function.add_results();
  gradient.set_kind(ImportResult::GRADIENT);
  gradient.set_name("w");
  const auto model = Import(from);
  EXPECT_THAT(model.status(), IsOk());
  return std::make_shared<const ModelProto>(model.value_or(ModelProto()));
}

PodSetup BadOpSetup(std::shared_ptr<const ModelProto> model, int processes,
                    float bad = kTooLarge, float others = 1) {
  PodSetup setup = MakeSetup({.hosts = 2,
                              .processes = processes,
                              .steps = 1,
                              .own_model = std::move(model)});
  setup.dataset = std::make_shared<SmallExamples>(bad, others);
  setup.start.variables.assign(
      static_cast<std::size_t>(setup.program->variable_elements), 1);
  return setup;
}

// The failure of a pod with 8 cores a host, as the host says it whose core it
// names.
std::string FailureOf(const PodSetup& setup) {
  const absl::Status failure = TrainInProcess(setup).status();
  EXPECT_EQ(failure.code(), absl::StatusCode::kInvalidArgument) << failure;
  std::string message(failure.message());
  int host = -1;
  int core = -1;
  const std::size_t at = message.find(" on core ");
  EXPECT_EQ(std::sscanf(message.c_str() + std::min(at, message.size()),
                        " on core %d (host %d)", &core, &host),
            2)
      << message;
  EXPECT_EQ(core / 8, host) << message;
  const std::size_t begin = message.find(absl::StrCat("host ", host, ": "));
  EXPECT_NE(begin, std::string::npos) << message;
  return message.substr(std::min(begin, message.size()));
}

TEST(BadOpTest, NamesTheOpOfAnImportedModelItsLineAndTheExample) {
  const PodSetup setup = BadOpSetup(Imported(), /*processes=*/2);
  const std::string message = FailureOf(setup);
  EXPECT_THAT(message, AllOf(HasSubstr("loss is infinite at step 1 on core "),
                             HasSubstr("first not finite: exponential "
                                       "(exponential."),
                             HasSubstr(", train.py:41) makes inf in example 37 "
                                       "of the data set, from operands in "
                                       "[3, 150]"),
                             Not(HasSubstr("learning_rate"))));
  // The same pod, packed otherwise, says the same.
  EXPECT_EQ(FailureOf(BadOpSetup(Imported(), /*processes=*/1)), message);
}

// exp(x . w); `shares`: and its sum over all cores, so that one core's infinity
// reaches them all.
std::shared_ptr<const ModelProto> Model(bool shares) {
  Graph g("exponential");
  const Expr x(g, g.Input("x", DType::kFloat32, {{3}}), "");
  const Expr w = x.With(g.Variable("w", {{3}}, Initializer::kOnes));
  const Expr rates =
      (x * w.Broadcast(x.shape(), {1})).Sum({1}).Apply("exponential");
  Expr losses = rates;
  if (shares) {
    OpAttributes add;
    add.word = "add";
    const Expr total = rates.Sum({0}).Apply("all_reduce", {}, add);
    losses = rates + total.Broadcast(rates.shape(), {});
  }
  auto model = ToProto(g, {.loss = losses.value(),
                           .loss_passes = MetricPasses::kTraining,
                           .weights = g.ExampleWeights()});
  EXPECT_THAT(model.status(), IsOk());
  return std::make_shared<const ModelProto>(model.value_or(ModelProto()));
}

// Two of a core's four examples at a time.
TEST(BadOpTest, CountsTheExamplesOfMicrobatches) {
  PodSetup setup = BadOpSetup(Model(/*shares=*/false), /*processes=*/1);
  PlanBits& bits = *setup.plan.mutable_bits();
  bits.set_reduction("tree");
  bits.set_microbatch_size(2);
  for (Bucket& bucket : *bits.mutable_buckets())
    bucket.set_algorithm("halving_doubling");
  EXPECT_THAT(FailureOf(setup), HasSubstr("makes inf in example 37 of the"));
}

TEST(BadOpTest, NamesTheCoreThatAnAllReduceHasItFrom) {
  EXPECT_THAT(FailureOf(BadOpSetup(Model(/*shares=*/true), /*processes=*/1)),
              HasSubstr("first not finite: exponential (exponential_"));
  // On a host of another process it is the all-reduce that brings it.
  EXPECT_THAT(FailureOf(BadOpSetup(Model(/*shares=*/true), /*processes=*/2)),
              AnyOf(HasSubstr("makes inf in example 37 of the data set"),
                    HasSubstr("another core's operand is not finite")));
}

// Each core's sum is finite, e^86 * 4, that of all is not: what the others gave
// belongs to the pass that is run again.
TEST(BadOpTest, NamesTheAllReduceOfWhatIsTooLargeTogether) {
  const float each = 86.0F / 3;
  EXPECT_THAT(FailureOf(BadOpSetup(Model(/*shares=*/true), /*processes=*/2,
                                   each, each)),
              AllOf(HasSubstr("first not finite: all_reduce (all_reduce_"),
                    HasSubstr("makes inf, from operands in ["),
                    HasSubstr("or the cores' together are too large")));
}

}  // namespace
}  // namespace podsim::testing
