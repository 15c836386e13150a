// pod_program on good, damaged and missing files.
#include "runtime/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "runtime/files/model_file.h"
#include "tests/models/zoo/small_model.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::SmallModel;
using ::podsim::testing::SmallProgram;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class PodProgramTest : public ::testing::Test {
 protected:
  PodProgramTest() {
    EXPECT_THAT(WriteModelFile(model_, SmallModel()), IsOk());
    EXPECT_THAT(WriteModelFile(program_, ToProto(SmallProgram())), IsOk());
  }

  testing::TempDir dir_;
  const std::string model_ = dir_.file("small.model");
  const std::string program_ = dir_.file("small.program");
};

TEST_F(PodProgramTest, ShowsAModelAndAProgram) {
  const ProgramResult model = RunProgram({"show", model_});
  EXPECT_EQ(model.exit_code, 0) << model.error;
  EXPECT_THAT(
      model.text,
      AllOf(HasSubstr("model       mlp"), HasSubstr("dense_0/kernel"),
            HasSubstr("As compiled"), HasSubstr("MatMul"),
            HasSubstr("rows at a time"), HasSubstr("accuracy"),
            HasSubstr(ModelHash(SmallModel())), Not(HasSubstr("SLOW"))));
  const ProgramResult program = RunProgram({"show", program_});
  EXPECT_EQ(program.exit_code, 0) << program.error;
  EXPECT_THAT(program.text,
              AllOf(HasSubstr("Program     mlp"), HasSubstr("bucket      1"),
                    HasSubstr("all-reduce of bucket 0"),
                    Not(HasSubstr("As compiled"))));
}

TEST_F(PodProgramTest, VerifiesAndSaysWhatIsDamaged) {
  const ProgramResult good = RunProgram({"verify", model_});
  EXPECT_EQ(good.exit_code, 0) << good.error;
  EXPECT_THAT(good.text, HasSubstr("good, model mlp"));
  std::ofstream(model_, std::ios::app | std::ios::binary) << "more";
  const ProgramResult damaged = RunProgram({"verify", model_});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.error, HasSubstr(model_));
}

TEST_F(PodProgramTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(RunProgram({"show", dir_.file("none")}).exit_code, 2);
  EXPECT_EQ(RunProgram({"paint", model_}).exit_code, 2);
  EXPECT_THAT(RunProgram({"--help"}).text, HasSubstr("pod_program"));
}

}  // namespace
}  // namespace podsim
