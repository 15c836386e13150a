// What a plan is made from, and the maker of plans for an ISA level: its own
// draft's, and any other.
#include "runtime/coordinator/plan_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "host/storage/storage.h"
#include "tests/host/input/gzip_bytes.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/runtime/job/job_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::Digits;
using ::podsim::testing::Inputs;
using ::podsim::testing::IsOk;
using ::podsim::testing::kExhausted;
using ::podsim::testing::Spec;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

TEST(PlanMakerTest, TheDraftIsThePlanForItsOwnLevel) {
  const JobSpec spec = Spec("topology: 'v3-8'");
  const PlanInputs inputs = Inputs(Digits());
  ASSERT_OK_AND_ASSIGN(JobPlan draft, PlanJob(spec, inputs));
  draft.set_hash("this very one");
  const auto make_plan = PlanMakerFor(spec, inputs, draft);
  for (const int time : {1, 2}) {
    ASSERT_OK_AND_ASSIGN(const JobPlan plan, make_plan(inputs.isa));
    EXPECT_EQ(plan.SerializeAsString(), draft.SerializeAsString()) << time;
  }
}

TEST(PlanMakerTest, AnotherLevelHasAPlanOfItsOwn) {
  const JobSpec spec = Spec("topology: 'v3-8'");
  PlanInputs inputs = Inputs(Digits());
  ASSERT_OK_AND_ASSIGN(const JobPlan draft, PlanJob(spec, inputs));
  ASSERT_OK_AND_ASSIGN(const JobPlan plan,
                       PlanMakerFor(spec, inputs, draft)("v2"));
  EXPECT_EQ(plan.bits().isa(), "v2");
  inputs.isa = "v2";
  ASSERT_OK_AND_ASSIGN(const JobPlan expected, PlanJob(spec, inputs));
  EXPECT_EQ(plan.hash(), expected.hash());
  EXPECT_NE(plan.hash(), draft.hash());
}

// 64 lanes of two spans or more, whose records do not pack.
void WritePackedShard(const std::string& path) {
  constexpr int kRecords = 20'000;
  constexpr std::size_t kBlobBytes = 1'000;
  std::mt19937 random(7);  // the seed
  std::string bytes;
  for (int n = 0; n < kRecords; ++n) {
    std::string blob(kBlobBytes, '\0');
    for (char& byte : blob) byte = static_cast<char>(random());
    ExampleWriter writer;
    writer.AddBytes("blob", blob);
    const std::int64_t label = 0;
    writer.AddInts("label", absl::MakeConstSpan(&label, 1));
    bytes += FrameRecord(std::move(writer).Finish());
  }
  ASSERT_THAT(NewLocalStore()->Write(path, testing::Gzip(bytes)), IsOk());
}

// Of 64 lanes a process that plays one of four hosts reads 17: what it needs
// for them, and no more, is asked of its memory.
TEST(PlanInputsTest, ReadersNeedMemoryForTheHostsOfAProcess) {
  const testing::TempDir dir;
  setenv("XDG_CACHE_HOME", dir.file("cache").c_str(), /*overwrite=*/1);
  WritePackedShard(dir.file("train-0"));
  const auto inputs = [&](const char* text) {
    return GatherPlanInputs(
        Spec(absl::StrCat(
            "topology: 'v3-32' dataset: 'tfrecord' data_dir: '", dir.path(),
            "' features: 'features=blob:uint8[1000],"
            "labels=label:int64' shuffle_window: 1024 "
            "input_memory: 12582912 batch_per_core: 8 train_steps: 1 "
            "learning_rate: 0.1 ",
            text)),
        /*one_machine=*/true);
  };
  ASSERT_OK_AND_ASSIGN(const PlanInputs four, inputs(""));
  EXPECT_EQ(four.dataset.lanes(), 64);
  EXPECT_THAT(inputs("processes: 1"),
              StatusIs(kExhausted, HasSubstr("raise --input_memory")));
  EXPECT_THAT(inputs("processes: 1 shuffle: false"), IsOk());
}

// Of a schema that fits no record, before a pod forms.
TEST(PlanInputsTest, TheFirstRecordsAreRead) {
  const testing::TempDir dir;
  setenv("XDG_CACHE_HOME", dir.file("cache").c_str(), /*overwrite=*/1);
  const auto store = NewLocalStore();
  std::string bytes;
  for (int n = 0; n < 20; ++n) bytes += testing::NumberedRecord(n);
  ASSERT_THAT(store->Write(dir.file("train-0"), bytes), IsOk());
  const auto inputs = [&](const char* features, int classes) {
    return GatherPlanInputs(
        Spec(absl::StrCat("topology: 'v3-8' dataset: 'tfrecord' data_dir: '",
                          dir.path(), "' features: '", features,
                          "' classes: ", classes,
                          " batch_per_core: 1 train_steps: 1 "
                          "learning_rate: 0.1 ")),
        /*one_machine=*/true);
  };
  constexpr auto kLoss = absl::StatusCode::kDataLoss;
  EXPECT_THAT(inputs(testing::kNumberedSchema, 7), IsOk());
  EXPECT_THAT(
      inputs("features=pair:float32[3],labels=label:int64", 7),
      StatusIs(kLoss, HasSubstr("it has 2 values, the schema wants 3")));
  EXPECT_THAT(inputs("features=pear:float32[2],labels=label:int64", 7),
              StatusIs(kLoss, HasSubstr("it has label, pair")));
  EXPECT_THAT(inputs(testing::kNumberedSchema, 6),
              StatusIs(kLoss, HasSubstr("label 6 is not in 0 to 5")));
}

}  // namespace
}  // namespace podsim
