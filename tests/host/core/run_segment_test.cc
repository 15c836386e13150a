// RunSegment on graphs and rules of all kinds, what it refuses, and what it
// says while it is under way.
#include <cmath>
#include <cstddef>

#include "host/core/core.h"
#include "models/kernels/reference.h"
#include "models/rules/update_rules.h"
#include "tests/host/core/core_fixture.h"
#include "tests/host/core/loops.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::BoundedMachine;
using ::podsim::testing::ExpectWithinBound;
using ::podsim::testing::HostMemory;
using ::podsim::testing::KernelNames;
using ::podsim::testing::KernelsNamed;
using ::podsim::testing::kRate;
using ::podsim::testing::kSmallPanels;
using ::podsim::testing::Reversed;
using ::podsim::testing::Sequential;
using ::podsim::testing::SmallMlp;
using ::podsim::testing::StatusIs;
using ::podsim::testing::Threads;
using ::testing::HasSubstr;

// Ops that the MLP does not use: sums, copies, products of variables.
TEST(RunSegment, RunsGraphsOfOtherShapes) {
  Graph g("mixed");
  const Value x = g.Features({{3, 4}});
  const Value u = g.Variable("u", {{12, 5}}, Initializer::kGlorotUniform);
  const Value v = g.Variable("v", {{20, 3}}, Initializer::kGlorotUniform);
  const Value r = g.Reshape(v, {{12, 5}});
  const Value row = g.Variable("row", {{1, 5}}, Initializer::kGlorotUniform);
  const Value square =
      g.Variable("square", {{5, 5}}, Initializer::kGlorotUniform);
  const Value bias = g.Reshape(g.MatMul(row, square), {{5}});
  const Value hidden =
      g.AddBias(g.MatMul(g.Reshape(x, {{12}}), g.Add(u, g.Relu(r))), bias);
  const auto head =
      g.SoftmaxXent(g.Add(hidden, g.MatMul(hidden, square)), g.Labels());
  const auto no_update = [](const CompileOptions&, Program&) {
    return absl::OkStatus();
  };
  for (const bool bfloat16 : {false, true}) {
    ASSERT_OK_AND_ASSIGN(
        const Program program,
        Compile(g,
                {.loss = head.loss,
                 .weights = g.ExampleWeights(),
                 .update = no_update,
                 .correct = head.correct},
                {.bfloat16_products = bfloat16, .bucket_bytes = 1}));
    for (const std::string& name : KernelNames()) {
      HostMemory host(program, 11, KernelsNamed(name));
      host.Fill(5, 0);
      BoundedMachine oracle = host.Oracle();
      oracle.Run(EntryPoint::kTrainMicrobatch);
      Threads loop(2);
      host.Run(EntryPoint::kTrainMicrobatch, kSmallPanels, loop);
      ExpectWithinBound(program, program.loss, host.Read(program.loss), oracle);
      for (const GradientBucket& bucket : program.buckets)
        for (const TensorId id : bucket.gradients)
          ExpectWithinBound(program, id, host.Read(id), oracle);
    }
  }
}

// With momentum and without. A kernel of 84,000.
TEST(RunSegment, UpdatesVariablesOfSeveralPanels) {
  for (const double momentum : {0.9, 0.0}) {
    SCOPED_TRACE(momentum);
    const Program program = SmallMlp({7000}, false, momentum);
    HostMemory host(program, 2, ReferenceKernels());
    host.Fill(3, 0);
    Sequential sequential;
    Reversed reversed;
    for (int step = 0; step < 2; ++step) {
      BoundedMachine oracle = host.Oracle();
      oracle.set_learning_rate(kRate);
      oracle.Run(EntryPoint::kTrainMicrobatch);
      oracle.Run(EntryPoint::kUpdate);
      host.Run(EntryPoint::kTrainMicrobatch, kSmallPanels, sequential);
      host.Run(EntryPoint::kUpdate, kSmallPanels, reversed, kRate);
      for (const ProgramVariable& variable : program.variables)
        ExpectWithinBound(program, variable.tensor, host.Read(variable.tensor),
                          oracle);
    }
  }
}

CompileOptions With(const UpdateRule& rule) {
  CompileOptions options = {.bfloat16_products = false,
                            .rule = rule.info.name,
                            .rule_settings = rule.info.defaults};
  if (rule.info.decay != RuleDecay::kNone)
    options.rule_settings.weight_decay = 0.01;
  return options;
}

// Slots from random ones: those of squares are not negative.
void FillSlots(const Program& program, HostMemory& host) {
  for (const ProgramVariable& variable : program.variables) {
    if (!variable.is_slot) continue;
    const ProgramTensor& tensor = program.tensor(variable.tensor);
    for (std::int64_t i = 0; i < tensor.shape.elements(); ++i) {
      float& value =
          host.variables()[static_cast<std::size_t>(tensor.offset + i)];
      value = 0.01F + std::fabs(value);
    }
  }
}

// Every rule of the table, with decay and exclusions, clipped or not.
TEST(RunSegment, EveryRuleStaysWithinTheBounds) {
  for (const UpdateRule& rule : UpdateRules())
    for (const double clip : {0.0, 0.5}) {
      SCOPED_TRACE(rule.info.name);
      CompileOptions options = With(rule);
      options.weight_decay_exclude = {"bias"};
      options.clip_norm = clip;
      const Program program = SmallMlp({7000}, options);
      HostMemory host(program, 2, KernelsNamed(KernelNames().back()));
      host.Fill(3, 0);
      FillSlots(program, host);
      Sequential sequential;
      Reversed reversed;
      for (const std::int64_t step : {3, 4}) {
        SCOPED_TRACE(::testing::Message()
                     << "clip " << clip << ", step " << step);
        BoundedMachine oracle = host.Oracle();
        oracle.set_moment({kRate, step});
        oracle.Run(EntryPoint::kTrainMicrobatch);
        oracle.Run(EntryPoint::kUpdate);
        host.Run(EntryPoint::kTrainMicrobatch, kSmallPanels, sequential);
        host.Run(EntryPoint::kUpdate, kSmallPanels, reversed, kRate, step);
        for (const ProgramVariable& variable : program.variables)
          ExpectWithinBound(program, variable.tensor,
                            host.Read(variable.tensor), oracle);
      }
    }
}

TEST(RunSegment, NoRuleDependsOnOrderOrThreads) {
  for (const UpdateRule& rule : UpdateRules()) {
    CompileOptions options = With(rule);
    options.clip_norm = 0.5;
    const Program program = SmallMlp({7000}, options);
    const auto run = [&](ParallelFor& loop) {
      HostMemory host(program, 2, ReferenceKernels());
      host.Fill(3, 0);
      FillSlots(program, host);
      for (const std::int64_t step : {1, 2}) {
        host.Run(EntryPoint::kTrainMicrobatch, kSmallPanels, loop);
        host.Run(EntryPoint::kUpdate, kSmallPanels, loop, kRate, step);
      }
      return host.variables();
    };
    Sequential sequential;
    Reversed reversed;
    Threads threads(3);
    const std::vector<float> expected = run(sequential);
    EXPECT_EQ(run(reversed), expected) << rule.info.name;
    EXPECT_EQ(run(threads), expected) << rule.info.name;
  }
}

TEST(RunSegment, NoRowsGiveGradientsOfZero) {
  const Program program = SmallMlp({7}, true);
  HostMemory host(program, 0, ReferenceKernels());
  host.Fill(3, 0);
  Sequential loop;
  host.Run(EntryPoint::kTrainMicrobatch, kSmallPanels, loop);
  for (const float value : host.gradients()) EXPECT_EQ(value, 0);
}

TEST(RunSegment, TrainsOnAFewExamples) {
  const Program program = SmallMlp({32}, true);
  const PodsimKernels& kernels = KernelsNamed(KernelNames().back());
  HostMemory host(program, 8, kernels);
  host.Fill(3, 0);
  Sequential loop;
  const auto loss = [&] {
    host.Run(EntryPoint::kEval, {}, loop);
    double sum = 0;
    for (const float value : host.Read(program.loss)) sum += value;
    return sum / 8;
  };
  const double before = loss();
  for (int step = 0; step < 200; ++step) {
    host.Run(EntryPoint::kTrainMicrobatch, {}, loop);
    host.Run(EntryPoint::kUpdate, {}, loop, 0.05F);
  }
  EXPECT_GT(before, 1);
  EXPECT_LT(loss(), 0.1);
}

TEST(RunSegment, RefusesACollective) {
  const Program program = SmallMlp({7}, false);
  HostMemory host(program, 1, ReferenceKernels());
  host.Fill(3, 0);
  Sequential loop;
  EXPECT_THAT(RunSegment(program, program.entries.at(EntryPoint::kReduce)[0], 1,
                         {}, {}, ReferenceKernels(), loop, host.Buffers()),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("collective")));
}

TEST(RunSegment, RefusesAnOpThatNobodyKnows) {
  const Program program = SmallMlp({7}, false);
  HostMemory host(program, 1, ReferenceKernels());
  host.Fill(3, 0);
  Segment segment = program.entries.at(EntryPoint::kEval)[0];
  segment.instructions[0].op = OpCode("Atlantis");
  Sequential loop;
  EXPECT_THAT(RunSegment(program, segment, 1, {}, {}, ReferenceKernels(), loop,
                         host.Buffers()),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("Atlantis")));
}

TEST(RunSegment, RefusesBuffersThatAreTooSmall) {
  const Program program = SmallMlp({7}, true);
  HostMemory host(program, 4, ReferenceKernels());
  host.Fill(3, 0);
  Sequential loop;
  const auto run = [&](const CoreBuffers& buffers) {
    return RunSegment(program,
                      program.entries.at(EntryPoint::kTrainMicrobatch)[0], 4,
                      {}, {}, ReferenceKernels(), loop, buffers);
  };
  const auto refused = [](const char* what) {
    return StatusIs(absl::StatusCode::kInternal, HasSubstr(what));
  };
  CoreBuffers buffers = host.Buffers();
  buffers.batched = buffers.batched.first(buffers.batched.size() - 1);
  EXPECT_THAT(run(buffers), refused("batched"));
  buffers = host.Buffers();
  ASSERT_EQ(buffers.inputs.size(), 3U);
  buffers.inputs[0].bytes =
      buffers.inputs[0].bytes.first(buffers.inputs[0].bytes.size() - 1);
  EXPECT_THAT(run(buffers), refused("input features holds"));
  buffers = host.Buffers();
  buffers.inputs.resize(1);
  EXPECT_THAT(run(buffers), refused("input labels is not in the buffers"));
  buffers = host.Buffers();
  buffers.inputs[1].dtype = DType::kUint32;
  EXPECT_THAT(run(buffers),
              refused("input labels comes as uint32, the program reads int32"));
  buffers = host.Buffers();
  buffers.workspace = nullptr;
  EXPECT_THAT(run(buffers), refused("workspace"));
  EXPECT_THAT(run(host.Buffers()), testing::IsOk());
}

// Counts what tasks say of themselves.
class Watched final : public ParallelFor {
 public:
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    for (std::int64_t i = 0; i < count; ++i) fn(i);
  }
  void Advance() override { ++advances; }

  int advances = 0;
};

// A deep model's panel is long under way: each op of it is progress.
TEST(RunSegment, EachOpOnAPanelOfRowsIsProgress) {
  const Program program = SmallMlp({7, 7, 7}, false);
  HostMemory host(program, 20, ReferenceKernels());
  host.Fill(3, 0);
  Watched loop;
  host.Run(EntryPoint::kEval, kSmallPanels, loop);
  const auto& eval = program.entries.at(EntryPoint::kEval)[0].instructions;
  EXPECT_EQ(loop.advances, 3 * static_cast<int>(eval.size()));  // 20 rows by 8
}

// A clock that runs: what was done took time, what was not took none.
TEST(RunSegment, TimesEachKindOfWork) {
  const Program program = SmallMlp({70, 9}, true);
  HostMemory host(program, 29, KernelsNamed("v2"));
  host.Fill(3, 0);
  OpTimes times;
  CoreBuffers buffers = host.Buffers();
  buffers.times = &times;
  Threads loop(2);
  for (const Segment& segment :
       program.entries.at(EntryPoint::kTrainMicrobatch)) {
    if (segment.kind != SegmentKind::kCompute) continue;
    ASSERT_THAT(RunSegment(program, segment, 29, {}, {}, KernelsNamed("v2"),
                           loop, buffers),
                testing::IsOk());
  }
  EXPECT_GT(times.seconds(Work::kProducts), 0);
  EXPECT_GT(times.seconds(Work::kPacking), 0);
  EXPECT_GT(times.seconds(Work::kElementwise), 0);
  EXPECT_EQ(times.seconds(Work::kSums), 0);
  times.Clear();
  EXPECT_EQ(times.seconds(Work::kProducts), 0);
}

}  // namespace
}  // namespace podsim
