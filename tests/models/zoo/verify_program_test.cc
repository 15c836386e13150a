// What a Program's message may not say, each refused in one line.
#include "models/graph/verify_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "models/graph/verify_model.h"
#include "models/zoo/zoo.h"
#include "tests/models/zoo/small_model.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::SmallProgram;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

struct ProgramDamage {
  std::function<void(ProgramProto&)> make;
  const char* told;
};

ProgramProto::Segment& SegmentAt(ProgramProto& program,
                                 ProgramProto::EntryPoint point, int index) {
  for (ProgramProto::Entry& entry : *program.mutable_entries())
    if (entry.entry() == point) return *entry.mutable_segments(index);
  PODSIM_CHECK(false);
}

ProgramProto::Instruction& FirstOf(ProgramProto& program,
                                   ProgramProto::EntryPoint point) {
  return *SegmentAt(program, point, 0).mutable_instructions(0);
}

// The first tensor of the storage.
ProgramProto::Tensor& TensorOf(ProgramProto& program,
                               ProgramProto::Storage storage) {
  for (ProgramProto::Tensor& tensor : *program.mutable_tensors())
    if (tensor.storage() == storage) return tensor;
  PODSIM_CHECK(false);
}

void ExpectProgramRefused(const ProgramDamage& damage) {
  SCOPED_TRACE(damage.told);
  ModelProto model = ToProto(SmallProgram());
  damage.make(*model.mutable_program());
  const absl::Status status = VerifyModel(model);
  EXPECT_THAT(status, StatusIs(kInvalid, HasSubstr(damage.told)));
  EXPECT_EQ(status.message().find('\n'), std::string::npos);
}

TEST(VerifyProgramTest, AGoodOneIsGood) {
  EXPECT_THAT(VerifyModel(ToProto(SmallProgram())), IsOk());
}

void SwapReduces(ProgramProto& program) {
  SegmentAt(program, ProgramProto::REDUCE, 0).set_bucket(1);
  SegmentAt(program, ProgramProto::REDUCE, 1).set_bucket(0);
}

// Bucket 0 is reduced at the end of the pass instead, behind bucket 1.
void ReduceFirstBucketLast(ProgramProto& program) {
  for (ProgramProto::Entry& entry : *program.mutable_entries()) {
    if (entry.entry() != ProgramProto::TRAIN) continue;
    int at = 0;
    while (entry.segments(at).kind() != ProgramProto::Segment::ALL_REDUCE ||
           entry.segments(at).has_tensor())
      ++at;
    for (; at + 1 < entry.segments_size(); ++at)
      entry.mutable_segments()->SwapElements(at, at + 1);
  }
}

// A pass says in which order it completes them.
TEST(VerifyProgramTest, BucketsMayTravelInAnyOrder) {
  ModelProto model = ToProto(SmallProgram());
  ProgramProto& program = *model.mutable_program();
  ASSERT_EQ(program.buckets_size(), 2);
  ReduceFirstBucketLast(program);
  SwapReduces(program);
  EXPECT_THAT(VerifyModel(model), IsOk());
}

TEST(VerifyProgramTest, RefusesASecondOrderOfBuckets) {
  ExpectProgramRefused(
      {SwapReduces,
       "reduce has bucket 1 as all-reduce 0, train has bucket 0: their order "
       "must be the same"});
  ExpectProgramRefused(
      {ReduceFirstBucketLast,
       "reduce has bucket 0 as all-reduce 0, train has bucket 1"});
}

TEST(VerifyProgramTest, RefusesTensorsAndArenas) {
  const ProgramDamage all[] = {
      {[](ProgramProto& p) { p.set_scratch_elements(-1); }, "scratch"},
      {[](ProgramProto& p) {
         p.set_batched_elements_per_row(std::int64_t{1} << 60);
       },
       "batched"},
      {[](ProgramProto& p) { p.set_output_elements_per_row(0); },
       "of an arena of 0"},
      {[](ProgramProto& p) { p.mutable_tensors(0)->clear_storage(); },
       "tensor 0"},
      {[](ProgramProto& p) {
         TensorOf(p, ProgramProto::BATCHED).set_offset(-4);
       },
       "elements -4"},
      {[](ProgramProto& p) {
         TensorOf(p, ProgramProto::BATCHED).set_storage(ProgramProto::SCRATCH);
       },
       "does not lie in such a storage"},
      {[](ProgramProto& p) {
         TensorOf(p, ProgramProto::BATCHED).set_feeds_product(true);
       },
       "feeds products"}};
  for (const ProgramDamage& damage : all) ExpectProgramRefused(damage);
}

TEST(VerifyProgramTest, RefusesVariablesBucketsInputsAndMetrics) {
  const ProgramDamage all[] = {
      {[](ProgramProto& p) { p.mutable_variables(0)->set_tensor(-1); },
       "variable 0: tensor -1"},
      {[](ProgramProto& p) {
         p.mutable_variables(1)->set_tensor(p.variables(0).tensor());
       },
       "variable 1"},
      {[](ProgramProto& p) { p.mutable_variables(0)->set_fan_in(-1); },
       "initializer or fans"},
      {[](ProgramProto& p) { p.mutable_variables()->RemoveLast(); },
       "something else too"},
      {[](ProgramProto& p) { p.mutable_buckets(0)->set_begin(1); }, "bucket 0"},
      {[](ProgramProto& p) { p.mutable_buckets(0)->set_count(1); },
       "more or less"},
      {[](ProgramProto& p) { p.mutable_buckets(0)->set_variables(0, 1 << 30); },
       "does not fit its variable"},
      {[](ProgramProto& p) { p.mutable_buckets(0)->clear_variables(); },
       "a gradient per variable"},
      {[](ProgramProto& p) { p.mutable_inputs(0)->set_tensor(1 << 30); },
       "input 0"},
      {[](ProgramProto& p) {
         p.mutable_inputs(0)->set_is_example_weight(true);
       },
       "may be the examples' weight"},
      {[](ProgramProto& p) { p.mutable_inputs(0)->set_is_step_key(true); },
       "may be the step's key"},
      {[](ProgramProto& p) { p.mutable_inputs()->RemoveLast(); },
       "nobody fills"},
      {[](ProgramProto& p) { p.mutable_metrics(0)->set_tensor(0); },
       "metric 0"},
      {[](ProgramProto& p) { p.set_loss(0); }, "the loss, tensor 0"},
      {[](ProgramProto& p) { p.clear_loss(); }, "no loss"},
      {[](ProgramProto& p) { p.set_rule("magic"); }, "no update rule"},
      {[](ProgramProto& p) { p.set_beta1(2); }, "beta1 is 2"},
      {[](ProgramProto& p) { p.set_clip_norm(-1); }, "clip_norm"}};
  for (const ProgramDamage& damage : all) ExpectProgramRefused(damage);
}

TEST(VerifyProgramTest, RefusesInstructions) {
  constexpr auto kTrain = ProgramProto::TRAIN;
  const ProgramDamage all[] = {
      {[](ProgramProto& p) { FirstOf(p, kTrain).set_op("Frobnicate"); },
       "train segment 0, instruction 0 (Frobnicate): there is no such op"},
      {[](ProgramProto& p) { FirstOf(p, kTrain).set_op("Update"); },
       "only there"},
      {[](ProgramProto& p) { FirstOf(p, kTrain).set_operands(0, 1 << 30); },
       "there is no tensor"},
      {[](ProgramProto& p) { FirstOf(p, kTrain).set_results(0, -1); },
       "there is no tensor -1"},
      {[](ProgramProto& p) {
         auto& last = SegmentAt(p, kTrain, 0);
         FirstOf(p, kTrain).set_operands(
             0, last.instructions(last.instructions_size() - 1).results(0));
       },
       "not written yet"},
      {[](ProgramProto& p) { FirstOf(p, kTrain).set_row_group(-5); },
       "a few examples at a time"},
      {[](ProgramProto& p) { FirstOf(p, ProgramProto::UPDATE).set_rule(99); },
       "no update rule 99"},
      {[](ProgramProto& p) {
         auto& update = FirstOf(p, ProgramProto::UPDATE);
         update.set_results(0, update.results(1));
       },
       "not its operands"}};
  for (const ProgramDamage& damage : all) ExpectProgramRefused(damage);
}

TEST(VerifyProgramTest, RefusesEntriesAndSegments) {
  const ProgramDamage all[] = {
      {[](ProgramProto& p) { p.mutable_entries()->RemoveLast(); },
       "entry points"},
      {[](ProgramProto& p) {
         p.mutable_entries(0)->set_entry(ProgramProto::EVAL);
       },
       "leaves no metric"},
      {[](ProgramProto& p) {
         SegmentAt(p, ProgramProto::REDUCE, 0).set_bucket(1);
       },
       "it reduces bucket 1; there are 2, and each is reduced once"},
      {[](ProgramProto& p) {
         SegmentAt(p, ProgramProto::REDUCE, 0).set_bucket(2);
       },
       "it reduces bucket 2; there are 2"},
      {[](ProgramProto& p) {
         SegmentAt(p, ProgramProto::REDUCE, 0).set_bucket(-1);
       },
       "it reduces bucket -1"},
      {[](ProgramProto& p) {
         for (auto& entry : *p.mutable_entries())
           if (entry.entry() == ProgramProto::REDUCE)
             entry.mutable_segments()->RemoveLast();
       },
       "reduce reduces 1 of 2 buckets"},
      {[](ProgramProto& p) {
         SegmentAt(p, ProgramProto::REDUCE, 0).set_group(3);
       },
       "group 0"},
      {[](ProgramProto& p) {
         SegmentAt(p, ProgramProto::TRAIN, 0)
             .mutable_instructions()
             ->RemoveLast();
       },
       "is not written before"},
      {[](ProgramProto& p) {
         for (auto& entry : *p.mutable_entries())
           if (entry.entry() == ProgramProto::UPDATE)
             entry.mutable_segments()->RemoveLast();
       },
       "one per bucket"}};
  for (const ProgramDamage& damage : all) ExpectProgramRefused(damage);
}

Program JoinedProgram() {
  ModelConfig config;
  config.set_name("lenet5_bn");
  config.set_batch_norm_group(16);
  config.add_hidden(8);
  config.add_example_shape(8);
  config.add_example_shape(8);
  config.set_classes(10);
  const absl::StatusOr<Program> program = BuildProgram(config, {});
  PODSIM_CHECK(program.ok());
  return *program;
}

// The first segment that sums a tensor.
int ExchangeIn(const ProgramProto::Entry& entry) {
  for (int i = 0; i < entry.segments_size(); ++i)
    if (entry.segments(i).has_tensor()) return i;
  PODSIM_CHECK(false);
}

// fn of the training pass and of where its first such segment stands.
template <typename Fn>
std::function<void(ProgramProto&)> AtExchange(const Fn& fn) {
  return [fn](ProgramProto& program) {
    for (ProgramProto::Entry& entry : *program.mutable_entries())
      if (entry.entry() == ProgramProto::TRAIN) fn(entry, ExchangeIn(entry));
  };
}

TEST(VerifyProgramTest, RefusesSumsInTheMiddleOfAPass) {
  using Entry = ProgramProto::Entry;
  const ProgramDamage all[] = {
      {AtExchange([](Entry& entry, int at) {
         entry.mutable_segments(at)->set_group(8);
       }),
       "has just done"},
      {AtExchange([](Entry& entry, int at) {
         entry.mutable_segments(at)->set_tensor(0);
       }),
       "has just done"},
      {AtExchange([](Entry& entry, int at) {
         entry.mutable_segments(at)->set_reduce(ProgramProto::Segment::MAXIMUM);
       }),
       "has just done"},
      {AtExchange([](Entry& entry, int at) {
         entry.mutable_segments(at + 1)->set_reduce(
             ProgramProto::Segment::MAXIMUM);
       }),
       "no segment has that kind"},
      {AtExchange([](Entry& entry, int at) {
         entry.mutable_segments(at)->set_bucket(1);
       }),
       "has no bucket"},
      {AtExchange([](Entry& entry, int at) {
         entry.mutable_segments()->SwapElements(at, at + 2);
       }),
       "has just done"},
      {AtExchange([](Entry& entry, int at) {
         entry.mutable_segments()->DeleteSubrange(at, 1);
       }),
       "does not follow"}};
  const ModelProto joined = ToProto(JoinedProgram());
  for (const ProgramDamage& damage : all) {
    SCOPED_TRACE(damage.told);
    ModelProto model = joined;
    ASSERT_THAT(VerifyModel(model), IsOk());
    damage.make(*model.mutable_program());
    EXPECT_THAT(VerifyModel(model), StatusIs(kInvalid, HasSubstr(damage.told)));
  }
}

// Every batched tensor at one place: somebody writes over what is still read.
TEST(VerifyProgramTest, RefusesMemoryThatIsSharedTooEarly) {
  ModelProto model = ToProto(SmallProgram());
  for (ProgramProto::Tensor& tensor :
       *model.mutable_program()->mutable_tensors())
    if (tensor.storage() == ProgramProto::BATCHED) tensor.set_offset(0);
  EXPECT_THAT(VerifyModel(model), StatusIs(kInvalid, HasSubstr("over")));
}

}  // namespace
}  // namespace podsim
