// pod_program on good, damaged and missing files.
#include "runtime/program/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "models/graph/serialize_model.h"
#include "runtime/files/model_file.h"
#include "tests/models/zoo/small_model.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::SmallModel;
using ::podsim::testing::SmallProgram;
using ::podsim::testing::StatusIs;
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

struct OtherFile {
  const char* name;
  std::string bytes;
  const char* kind;
};

TEST_F(PodProgramTest, SaysWhatAFileThatIsNoModelLooksLike) {
  for (const OtherFile& other :
       {OtherFile{"m.h5", "\x89HDF\r\n\x1a\n1", "an HDF5 file, as Keras"},
        OtherFile{"m.pt", "PK\x03\x04junk", "a zip archive, as PyTorch"},
        OtherFile{"saved_model.pb", "\x08\x01\x12\x05hello",
                  "a TensorFlow SavedModel"},
        OtherFile{"m.onnx", "\x08\x07\x12", "an ONNX model"},
        OtherFile{"m.safetensors", std::string("\x02\0\0\0\0\0\0\0{}", 10),
                  "a safetensors file"},
        OtherFile{"m.txt", "hello world\n", "a text file"},
        OtherFile{"m", "", "it is empty"}}) {
    const std::string path = dir_.file(other.name);
    std::ofstream(path, std::ios::binary) << other.bytes;
    const ProgramResult shown = RunProgram({"show", path});
    EXPECT_EQ(shown.exit_code, 1);
    EXPECT_THAT(shown.error,
                AllOf(HasSubstr(other.kind),
                      HasSubstr("is written by pod_launch --write_model")));
    const ProgramResult imported =
        RunProgram({"import", path, "--output=" + dir_.file("out")});
    EXPECT_EQ(imported.exit_code, 1);
    EXPECT_THAT(imported.error, AllOf(HasSubstr(other.kind),
                                      HasSubstr("functions in XLA's HLO")));
    const ProgramResult run = RunProgram(
        {"run", model_, "--values=" + path, "--output=" + dir_.file("out")});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.error, AllOf(HasSubstr("--values=" + path + ": "),
                                 HasSubstr("give a safetensors file")));
  }
  EXPECT_THAT(RunProgram({"show", dir_.path()}).error,
              HasSubstr("is a folder; give a file"));
  // What a model_dir of a run is.
  std::filesystem::create_directories(dir_.file("run/20"));
  std::ofstream(dir_.file("run/20/manifest.json")) << "{}";
  EXPECT_THAT(RunProgram({"show", dir_.file("run")}).error,
              AllOf(HasSubstr("give a file of a model, as pod_launch "
                              "--write_model, pod_program import or "
                              "podsim.export writes; this one has "
                              "checkpoints: pod_ckpt show "),
                    HasSubstr("/run says what it holds")));
  std::ofstream(dir_.file("manifest.json")) << "{}";
  EXPECT_THAT(RunProgram({"show", dir_.path()}).error,
              HasSubstr("this one is a checkpoint: pod_ckpt show " +
                        dir_.path() + " says what it holds"));
  EXPECT_THAT(
      RunProgram({"import", dir_.path(), "--output=" + dir_.file("m")}).error,
      AllOf(HasSubstr("is a folder; give a file"), HasSubstr("podsim.export")));
}

// Before an --output that is missing.
TEST_F(PodProgramTest, ImportSaysWhatIsAModelAlready) {
  const std::string output = "--output=" + dir_.file("out");
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"import", model_},
        {"import", model_, output}}) {
    const ProgramResult imported = RunProgram(args);
    EXPECT_EQ(imported.exit_code, 2);
    EXPECT_EQ(imported.error,
              model_ + " is a model already: pod_program show " + model_ +
                  " says what it holds, pod_launch --model_file=" + model_ +
                  " trains it");
  }
  EXPECT_EQ(RunProgram({"import", program_}).error,
            program_ + " is a Program already: pod_program show " + program_ +
                " says what it holds");
  const std::string onnx = dir_.file("m.onnx");
  std::ofstream(onnx, std::ios::binary) << "\x08\x07\x12";
  const ProgramResult other = RunProgram({"import", onnx});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.error, HasSubstr("an ONNX model"));
  EXPECT_THAT(RunProgram({"import", dir_.file("none")}).error,
              HasSubstr("import needs --output=FILE"));
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

// What no program would read back.
TEST_F(PodProgramTest, WritesNoModelThatIsTooLargeToBeRead) {
  ModelProto large = SmallModel();
  large.add_constants()->mutable_data()->resize(
      static_cast<std::size_t>(kMostModelBytes));
  const std::string path = dir_.file("large.model");
  EXPECT_THAT(WriteModelFile(path, large),
              StatusIs(kInvalid, AllOf(HasSubstr("it would have 256.0"),
                                       HasSubstr("at most 256.00 MiB"),
                                       HasSubstr("podsim.train"))));
  EXPECT_FALSE(std::ifstream(path).good());
}

TEST_F(PodProgramTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(RunProgram({"show", dir_.file("none")}).exit_code, 2);
  EXPECT_EQ(RunProgram({"paint", model_}).exit_code, 2);
  EXPECT_THAT(RunProgram({"--help"}).text, HasSubstr("pod_program"));
}

}  // namespace
}  // namespace podsim
