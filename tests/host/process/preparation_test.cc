#include "host/process/preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/checkpoint/catalog.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

constexpr auto kPrecondition = absl::StatusCode::kFailedPrecondition;

Assignment WithWitness(const std::string& witness) {
  Assignment assignment;
  assignment.mutable_plan()->mutable_spec()->set_model_dir("/model");
  assignment.mutable_start()->set_witness(witness);
  return assignment;
}

TEST(PreparationTest, AHostThatSeesTheWitnessSharesTheDirectory) {
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("/model/.pod/witness", "x"), IsOk());
  EXPECT_THAT(CheckShared(*store, WithWitness(".pod/witness")), IsOk());
}

TEST(PreparationTest, AnotherDirectoryOfThatNameIsRefused) {
  const auto store = NewMemoryStore();
  ASSERT_THAT(store->Write("/model/other", "x"), IsOk());
  EXPECT_THAT(
      CheckShared(*store, WithWitness(".pod/witness")),
      StatusIs(kPrecondition, HasSubstr("--model_dir /model is not shared")));
}

TEST(PreparationTest, WithoutCheckpointsNothingNeedsToBeShared) {
  const auto store = NewMemoryStore();
  EXPECT_THAT(CheckShared(*store, WithWitness("")), IsOk());
}

TEST(PreparationTest, WithoutACheckpointTheProgramBeginsByItself) {
  const auto store = NewMemoryStore();
  ASSERT_OK_AND_ASSIGN(const StartState start,
                       Restore(*store, StartPoint(), Program()));
  EXPECT_EQ(start.step, 0);
  EXPECT_TRUE(start.variables.empty());
}

class RestoreTest : public ::testing::Test {
 protected:
  RestoreTest() {
    EXPECT_THAT(testing::SaveCheckpoint(*store_, "/model", program_, variables_,
                                        /*step=*/40),
                IsOk());
    const auto at = ReadManifest(*store_, "/model/40");
    EXPECT_THAT(at, IsOk());
    from_.set_checkpoint("/model/40");
    from_.set_manifest_sha256(at->manifest_sha256);
    from_.set_step(40);
    from_.set_examples_consumed(at->manifest.examples_consumed());
  }

  std::unique_ptr<ObjectStore> store_ = NewMemoryStore();
  Program program_ = testing::TrainedMlp({6});
  std::vector<float> variables_ = testing::SomeVariables(program_, 3);
  StartPoint from_;
};

TEST_F(RestoreTest, TrainingBeginsWithTheCheckpointsBits) {
  ASSERT_OK_AND_ASSIGN(const StartState start,
                       Restore(*store_, from_, program_));
  EXPECT_EQ(start.step, 40);
  EXPECT_EQ(start.examples_consumed, 40 * testing::kBatch);
  EXPECT_EQ(start.variables, variables_);
}

TEST_F(RestoreTest, OrWithItsWeightsAlone) {
  from_.set_weights_only(true);
  ASSERT_OK_AND_ASSIGN(const StartState start,
                       Restore(*store_, from_, program_));
  for (const ProgramVariable& variable : program_.variables) {
    const ProgramTensor& tensor = program_.tensor(variable.tensor);
    for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
      ASSERT_EQ(start.variables[tensor.offset + i],
                variable.is_slot ? 0 : variables_[tensor.offset + i]);
  }
}

TEST_F(RestoreTest, AnotherCheckpointOfThatNameIsRefused) {
  from_.set_manifest_sha256("another");
  EXPECT_THAT(Restore(*store_, from_, program_),
              StatusIs(kPrecondition, HasSubstr("/model/40 is another")));
}

TEST_F(RestoreTest, ADamagedOneIsNeverReturned) {
  ASSERT_OK_AND_ASSIGN(const std::vector<std::string> names,
                       store_->List("/model/40"));
  for (const std::string& name : names) {
    const std::string path = "/model/40/" + name;
    const std::string whole = *store_->Read(path);
    std::string flipped = whole;
    flipped[flipped.size() / 2] ^= 4;
    ASSERT_THAT(store_->Write(path, flipped), IsOk());
    EXPECT_FALSE(Restore(*store_, from_, program_).ok()) << path;
    ASSERT_THAT(store_->Write(path, whole), IsOk());
  }
  EXPECT_THAT(Restore(*store_, from_, program_), IsOk());
}

}  // namespace
}  // namespace podsim
