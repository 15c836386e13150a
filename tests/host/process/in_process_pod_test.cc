// A whole pod over the in-process network: same plan, same bits, whatever the
// packing; clean ends.
#include "host/process/in_process_pod.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>

#include "models/graph/compile.h"
#include "models/optimizer/optimizer.h"
#include "models/rules/update_rules.h"
#include "tests/host/train/test_plan.h"
#include "tests/job/set_metric.h"
#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(InProcessPodTest, PackingDoesNotChangeBits) {
  std::string hash;
  for (const int processes : {1, 2, 4})
    for (const int threads : {1, 2}) {
      PodSetup setup = MakeSetup({.processes = processes, .steps = 4});
      setup.threads_per_process = threads;
      ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
      if (hash.empty()) hash = result.weights_hash;
      EXPECT_EQ(result.weights_hash, hash)
          << processes << " processes, " << threads << " threads";
    }
}

// With every rule, clipped (which waits for all buckets) and not.
TEST(InProcessPodTest, NoRulesBitsDependOnPacking) {
  for (const UpdateRule& rule : UpdateRules())
    for (const double clip : {0.0, 0.1}) {
      std::string hash;
      for (const int processes : {1, 4}) {
        PodSetup setup = MakeSetup({.processes = processes,
                                    .steps = 4,
                                    .learning_rate = 0.01,
                                    .rule = rule.info.name,
                                    .clip_norm = clip});
        setup.threads_per_process = 3 - processes / 2;
        ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
        if (hash.empty()) hash = result.weights_hash;
        EXPECT_EQ(result.weights_hash, hash)
            << rule.info.name << " in " << processes << " processes";
      }
    }
}

TEST(InProcessPodTest, EveryRuleLearnsAndResumes) {
  for (const UpdateRule& rule : UpdateRules()) {
    SCOPED_TRACE(rule.info.name);
    const bool sums_of_squares = rule.info.slot_count == 2;
    PlanShape shape = {.hosts = 2,
                       .processes = 2,
                       .steps = 40,
                       .learning_rate = sums_of_squares ? 0.005 : 0.02,
                       .rule = rule.info.name};
    // LARS moves by a thousandth of the weights' norm at a rate of 1.
    if (shape.rule == "lars") shape.learning_rate = 0.5;
    ASSERT_OK_AND_ASSIGN(const PodResult whole,
                         TrainInProcess(MakeSetup(shape)));
    EXPECT_LT(LossOf(whole.steps.back()), 0.95 * LossOf(whole.steps.front()));
    shape.steps = 20;
    PodSetup half = MakeSetup(shape);
    ASSERT_OK_AND_ASSIGN(const PodResult first, TrainInProcess(half));
    half.plan.set_train_steps(40);
    half.start = {.step = 20,
                  .examples_consumed = 20 * half.plan.global_batch(),
                  .variables = first.variables};
    ASSERT_OK_AND_ASSIGN(const PodResult second, TrainInProcess(half));
    EXPECT_EQ(second.weights_hash, whole.weights_hash);
  }
}

// A norm that no gradient reaches changes nothing, a small one does.
TEST(InProcessPodTest, ClippingScalesLargeGradientsOnly) {
  const auto hash = [](double clip_norm) {
    return TrainInProcess(MakeSetup({.clip_norm = clip_norm}))->weights_hash;
  };
  EXPECT_EQ(hash(1e6), hash(0));
  EXPECT_NE(hash(1e-3), hash(0));
}

TEST(InProcessPodTest, BfloatPackingDoesNotChangeBits) {
  std::string hash;
  for (const int processes : {1, 3, 6}) {
    const PodSetup setup = MakeSetup({.hosts = 6,
                                      .batch_per_core = 3,
                                      .processes = processes,
                                      .precision = "bfloat16",
                                      .hidden = {48, 20}});
    ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
    if (hash.empty()) hash = result.weights_hash;
    EXPECT_EQ(result.weights_hash, hash);
  }
}

TEST(InProcessPodTest, LearnsAndEvaluatesEachHeldOutExampleOnce) {
  const PodSetup setup =
      MakeSetup({.hosts = 2, .batch_per_core = 4, .processes = 2, .steps = 60});
  ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
  ASSERT_EQ(result.steps.size(), 60u);
  EXPECT_LT(LossOf(result.steps.back()), 0.5 * LossOf(result.steps.front()));
  ASSERT_EQ(result.evaluations.size(), 1u);
  // 299 is no multiple of the evaluation batch: the last one is partial.
  EXPECT_EQ(result.evaluations[0].examples(),
            setup.dataset->size(Split::kEval));
  EXPECT_GT(CorrectExamples(result.evaluations[0].metrics()), 200);
}

TEST(InProcessPodTest, ResumesWhereItStopped) {
  PodSetup whole = MakeSetup({.steps = 6});
  ASSERT_OK_AND_ASSIGN(const PodResult expected, TrainInProcess(whole));
  PodSetup half = MakeSetup({.steps = 3});
  ASSERT_OK_AND_ASSIGN(const PodResult first, TrainInProcess(half));
  half.start = {.examples_consumed = 3 * half.plan.global_batch(),
                .variables = first.variables};
  ASSERT_OK_AND_ASSIGN(const PodResult second, TrainInProcess(half));
  EXPECT_EQ(second.weights_hash, expected.weights_hash);
}

TEST(InProcessPodTest, ALossThatIsNotFiniteNamesStepAndCore) {
  const PodSetup setup = MakeSetup({.steps = 50, .learning_rate = 1e30});
  const auto result = TrainInProcess(setup);
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument,
                               AllOf(HasSubstr("loss became"),
                                     HasSubstr("at step"), HasSubstr("on core"),
                                     HasSubstr("; first not finite: "),
                                     HasSubstr("lower --learning_rate"))));
}

// Offers, in this order, "ones", "zeros" and "labels"; all labels are 0.
class TwoVectors final : public Dataset {
 public:
  explicit TwoVectors(std::int64_t examples, std::int64_t bad = -1,
                      float one = 1, std::int32_t label = 0)
      : bad_(bad), one_(one), label_(label) {
    config_.set_name("two vectors");
    config_.set_classes(2);
    config_.set_train_examples(examples);
    config_.set_eval_examples(1);
    for (const char* name : {"ones", "zeros"}) {
      DataFieldConfig& field = *config_.add_fields();
      field.set_name(name);
      field.set_dtype("float32");
      field.add_shape(3);
    }
    DataFieldConfig& labels = *config_.add_fields();
    labels.set_name("labels");
    labels.set_dtype("int32");
  }
  std::int64_t size(Split split) const override {
    return split == Split::kTrain ? config_.train_examples() : 1;
  }
  const DatasetConfig& config() const override { return config_; }
  absl::Status Read(Split /*split*/, std::int64_t index, const ReadContext&,
                    ExampleRows rows) const override {
    const bool bad = index == bad_;
    for (float& value : RowValues<float>(rows[0])) value = bad ? one_ : 1;
    for (float& value : RowValues<float>(rows[1])) value = 0;
    RowValues<std::int32_t>(rows[2])[0] = bad ? label_ : 0;
    return absl::OkStatus();
  }

 private:
  DatasetConfig config_;
  const std::int64_t bad_;
  const float one_;
  const std::int32_t label_;
};

// Weights of what is zero have no gradient.
absl::StatusOr<Program> SumOfTwo(bool of_roots = false) {
  Graph g("sum of two");
  const auto layer = [&g](const std::string& input) {
    return g.MatMul(
        g.Input(input, DType::kFloat32, {{3}}),
        g.Variable(input + "/kernel", {{3, 2}}, Initializer::kZeros));
  };
  Value zeros = layer("zeros");
  if (of_roots) zeros = g.Apply(OpCode("sqrt"), {zeros}, {})[0];
  const auto head = g.SoftmaxXent(g.Add(zeros, layer("ones")), g.Labels());
  return Compile(g,
                 {.loss = head.loss,
                  .weights = g.ExampleWeights(),
                  .update = Optimizer,
                  .correct = head.correct},
                 {});
}

PodSetup SetupOf(const Program& program, std::shared_ptr<Dataset> dataset,
                 int hosts = 2) {
  PodSetup setup = MakeSetup({.hosts = hosts, .processes = hosts, .steps = 1});
  setup.dataset = std::move(dataset);
  setup.program = std::make_shared<const Program>(program);
  PlanBits& bits = *setup.plan.mutable_bits();
  bits.clear_buckets();
  for (const GradientBucket& bucket : program.buckets) {
    Bucket& planned = *bits.add_buckets();
    planned.set_algorithm("ring");
    planned.set_begin(bucket.begin);
    planned.set_count(bucket.count);
  }
  return setup;
}

// Both are float32 of one shape, and come in another order than the model's.
TEST(InProcessPodTest, FillsInputsByName) {
  ASSERT_OK_AND_ASSIGN(const Program program, SumOfTwo());
  const PodSetup setup = SetupOf(program, std::make_shared<TwoVectors>(64));
  ASSERT_OK_AND_ASSIGN(const PodResult result, TrainInProcess(setup));
  const auto weight = [&](const char* name) {
    return result.variables[static_cast<std::size_t>(
        program.tensor(FindTensor(program, name)).offset)];
  };
  EXPECT_EQ(weight("zeros/kernel"), 0);
  EXPECT_GT(weight("ones/kernel"), 0);  // towards class 0
  EXPECT_EQ(result.steps[0].examples(), setup.plan.global_batch());
}

TEST(InProcessPodTest, AnExampleThatIsBadIsNamedAndNoLearningRate) {
  ASSERT_OK_AND_ASSIGN(const Program program, SumOfTwo());
  const auto failure = [&](float one, std::int32_t label) {
    PodSetup setup = SetupOf(
        program, std::make_shared<TwoVectors>(64, /*bad=*/37, one, label),
        /*hosts=*/1);
    setup.plan.set_train_steps(16);
    return TrainInProcess(setup).status();
  };
  const float bad = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(
      failure(bad, 0),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("ones holds nan in example 37 of the "
                               "data set"),
                     HasSubstr("(host "), Not(HasSubstr("learning_rate")))));
  EXPECT_THAT(failure(1, 7),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("labels holds the label 7, which is "
                                       "none of 0 to 1, in example 37"),
                             Not(HasSubstr("learning_rate")))));
}

// The root of 0 is finite, its derivative is not.
TEST(InProcessPodTest, AFirstGradientThatIsNotFiniteIsNamed) {
  ASSERT_OK_AND_ASSIGN(const Program program, SumOfTwo(/*of_roots=*/true));
  EXPECT_THAT(
      TrainInProcess(SetupOf(program, std::make_shared<TwoVectors>(64))),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("the gradient of zeros/kernel is not finite at "
                               "step 1 on core "),
                     HasSubstr("first not finite: divide (sqrt_1/grad) "
                               "makes inf in example "),
                     Not(HasSubstr("learning_rate")))));
}

TEST(InProcessPodTest, RefusesADataSetWithoutTheModelsInputs) {
  PodSetup setup = MakeSetup({});
  setup.dataset = std::make_shared<TwoVectors>(64);
  EXPECT_THAT(TrainInProcess(setup),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("reads input features"),
                             HasSubstr("two vectors offers ones (float32 [B, "
                                       "3]), zeros"))));
}

TEST(InProcessPodTest, RefusesAPlanThatTakesACoordinator) {
  const std::pair<const char*, void (*)(JobPlan&)> wanted[] = {
      {"model_dir",
       [](JobPlan& plan) { plan.mutable_spec()->set_model_dir("m"); }},
      {"bench", [](JobPlan& plan) { plan.mutable_spec()->mutable_bench(); }},
      {"faults", [](JobPlan& plan) { plan.add_faults(); }},
      {"audit_every",
       [](JobPlan& plan) { plan.mutable_spec()->set_audit_every(2); }},
      {"on_corruption", [](JobPlan& plan) {
         plan.mutable_spec()->set_on_corruption(words::OnCorruption::restore);
       }}};
  for (const auto& [setting, want] : wanted) {
    PodSetup setup = MakeSetup({});
    want(setup.plan);
    EXPECT_THAT(TrainInProcess(setup),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr(setting), HasSubstr("pod_launch"))));
  }
}

TEST(InProcessPodTest, RefusesASetupThatIsNotWhole) {
  PodSetup setup = MakeSetup({});
  setup.kernels = nullptr;
  EXPECT_THAT(TrainInProcess(setup),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("lacks its program, dataset or kernels")));
  setup = MakeSetup({});
  setup.threads_per_process = 0;
  EXPECT_THAT(TrainInProcess(setup),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("threads_per_process is 0")));
  setup = MakeSetup({});
  setup.plan.mutable_bits()->set_isa("v9");
  EXPECT_THAT(TrainInProcess(setup),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("the plan is for isa v9")));
}

TEST(InProcessPodTest, RefusesAPlanOfAnotherModel) {
  PodSetup setup = MakeSetup({});
  setup.plan.mutable_bits()->mutable_buckets(0)->set_count(7);
  EXPECT_THAT(
      TrainInProcess(setup),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("another build")));
  setup = MakeSetup({});
  setup.start.variables.resize(3);
  EXPECT_THAT(
      TrainInProcess(setup),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("3 values")));
}

}  // namespace
}  // namespace podsim::testing
