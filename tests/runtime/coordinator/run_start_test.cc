// What a coordinator does to model_dir before its pod forms.
#include "runtime/coordinator/run_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "host/storage/storage.h"
#include "tests/runtime/coordinator/saved_run.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::TempDir;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ModelDirTest : public ::testing::Test {
 protected:
  ModelDirTest() {
    plan_.mutable_spec()->set_model_dir(dir_.file("model"));
    plan_.mutable_spec()->set_mode(words::Mode::train);
  }
  // All there is, hidden or not.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(plan_.spec().model_dir()))
      if (entry.path().filename() != kRecordName)
        names.push_back(entry.path().filename());
    return names;
  }

  TempDir dir_;
  JobPlan plan_;
  const std::unique_ptr<ObjectStore> store_ = NewLocalStore();
};

TEST_F(ModelDirTest, HasTheWitnessWhileThePodRuns) {
  RunStart start;
  ASSERT_THAT(testing::Prepare(*store_, plan_, 7, start), IsOk());
  EXPECT_EQ(start.stamp, 7);
  EXPECT_THAT(
      store_->Read(plan_.spec().model_dir() + "/" + start.point.witness())
          .status(),
      IsOk());
  testing::Leave(*store_, plan_, 7);
  EXPECT_THAT(Names(), IsEmpty());
}

// Killed at the wrong moment, a coordinator leaves its witness, or a part of
// it that no listing of a store shows.
TEST_F(ModelDirTest, KeepsNothingOfCoordinatorsThatWereKilled) {
  for (const char* stamp : {"3", "5"}) {
    const std::string left = plan_.spec().model_dir() + "/.podsim-pod-" + stamp;
    std::filesystem::create_directories(left);
    std::ofstream(left + "/.witness.podsim-tmp-99-0") << "pod";
    std::ofstream(left + "/witness") << "podsim";
  }
  for (const std::int64_t stamp : {3, 5})
    ASSERT_THAT(testing::Begin(*store_, plan_.spec().model_dir(), stamp),
                IsOk());
  RunStart start;
  ASSERT_THAT(testing::Prepare(*store_, plan_, 7, start), IsOk());
  EXPECT_THAT(Names(), ElementsAre(".podsim-pod-7"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(
                              plan_.spec().model_dir() + "/.podsim-pod-7"),
                          std::filesystem::directory_iterator()),
            1);
}

}  // namespace
}  // namespace podsim
