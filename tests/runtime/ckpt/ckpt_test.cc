// What pod_ckpt prints and how it exits, of checkpoints in memory.
#include "runtime/ckpt/ckpt.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/storage/wrapper.h"
#include "runtime/ckpt/given_file.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kStamp;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;

class CkptTest : public ::testing::Test {
 protected:
  CheckpointManifest Write(const std::string& model_dir, std::int64_t step,
                           const std::vector<float>& variables) {
    auto manifest =
        testing::WriteParts(*store_, model_dir, program_, variables, step);
    EXPECT_THAT(manifest, IsOk());
    PlanBits& bits = *manifest->mutable_bits();
    bits.set_hosts(4);
    bits.set_cores_per_host(8);
    bits.set_batch_per_core(8);
    bits.set_precision("bfloat16");
    bits.set_gradient_dtype("float32");
    bits.set_reduction("fused");
    bits.set_isa("v3");
    bits.set_kernel_library("Eigen 3.4.0");
    bits.set_momentum(0.9);
    bits.mutable_learning_rate()->set_warmup_examples(12'800);
    bits.mutable_model()->set_name("mlp");
    bits.mutable_model()->add_example_shape(3);
    bits.mutable_model()->add_example_shape(4);
    bits.mutable_model()->add_hidden(6);
    bits.mutable_model()->set_classes(5);
    bits.mutable_dataset()->set_name("digits");
    bits.mutable_dataset()->set_train_examples(1'498);
    return *std::move(manifest);
  }
  void Save(const std::string& model_dir, std::int64_t step,
            const std::vector<float>& variables) {
    ASSERT_THAT(testing::Commit(*store_, model_dir, kStamp,
                                Write(model_dir, step, variables)),
                IsOk());
  }
  void Save(const std::string& model_dir, std::int64_t step) {
    Save(model_dir, step, testing::SomeVariables(program_, 1));
  }
  // A part of one byte less, or one byte other.
  void Cut(const std::string& path) {
    ASSERT_OK_AND_ASSIGN(const std::string bytes, store_->Read(path));
    ASSERT_THAT(store_->Write(path, bytes.substr(1)), IsOk());
  }
  void Flip(const std::string& path) {
    ASSERT_OK_AND_ASSIGN(std::string bytes, store_->Read(path));
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    ASSERT_THAT(store_->Write(path, bytes), IsOk());
  }
  CkptResult Run(const std::vector<std::string>& args, int width = 0) {
    return RunCkpt(args, *store_,
                   absl::FromUnixSeconds(1'500'000'100) + absl::Hours(3),
                   width);
  }

  const Program program_ = testing::TrainedMlp({6});
  const std::unique_ptr<ObjectStore> store_ = NewMemoryStore();
};

TEST_F(CkptTest, LsTellsTheStateOfEach) {
  for (const int step : {100, 20, 1000, 2000}) Save("/m", step);
  ASSERT_THAT(testing::SetAside(*store_, "/m", 1000, 7), IsOk());
  Write("/m", 3000, testing::SomeVariables(program_, 1));
  Cut("/m/100/" + PartName(2, 4));
  ASSERT_THAT(store_->Write("/m/notes.txt", "mine"), IsOk());
  const CkptResult result = Run({"ls", "/m"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(
      result.text,
      "step  examples  slice  plan     bytes  written                    age"
      "  state\n"
      "  20     5,120  v3-32  1f2e  1.62 KiB  2017-07-14 02:40:20 UTC  3h01m"
      "  committed\n"
      " 100                                                                 "
      "  damaged: model-00002-of-00004.safetensors is cut short: it has 407 "
      "of 408 bytes\n"
      "1000   256,000  v3-32  1f2e  1.62 KiB  2017-07-14 02:56:40 UTC  2h45m"
      "  committed\n"
      "2000   512,000  v3-32  1f2e  1.62 KiB  2017-07-14 03:13:20 UTC  2h28m"
      "  set aside\n"
      "3000                                                                 "
      "  unfinished\n");
  EXPECT_THAT(result.error, IsEmpty());
}

TEST_F(CkptTest, LsFitsNarrowTerminals) {
  for (const int step : {20, 100}) Save("/m", step);
  Cut("/m/100/" + PartName(2, 4));
  Write("/m", 3000, testing::SomeVariables(program_, 1));
  EXPECT_EQ(Run({"ls", "/m"}, 60).text,
            "  20  committed: 5,120 examples on v3-32, plan 1f2e,\n"
            "      1.62 KiB, written 2017-07-14 02:40:20 UTC, 3h01m ago\n"
            " 100  damaged: model-00002-of-00004.safetensors is cut\n"
            "      short: it has 407 of 408 bytes\n"
            "3000  unfinished\n");
  EXPECT_EQ(Run({"ls", "/m"}, 200).text, Run({"ls", "/m"}).text)
      << "where there is room for a table, there is one";
}

TEST_F(CkptTest, LsOfAnEmptyDirectoryAndOfNone) {
  ASSERT_THAT(store_->Write("/m/notes.txt", "mine"), IsOk());
  EXPECT_EQ(Run({"ls", "/m"}).text, "no checkpoints in /m\n");
  Save("/m", 100);
  const CkptResult itself = Run({"ls", "/m/100"});
  EXPECT_EQ(itself.exit_code, 2);
  EXPECT_THAT(itself.error,
              HasSubstr("/m/100 is a checkpoint, not a model_dir"));
  const CkptResult none = Run({"ls", "/none"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_EQ(
      none.error,
      "there is no folder /none; give the folder of a run, its model_dir\n");
}

TEST_F(CkptTest, AStoreThatIsNotThereIsRefusedByName) {
  Save("/m", 100);
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"ls", "s3://bucket/m"},
        {"show", "s3://bucket/m"},
        {"verify", "s3://bucket/m"},
        {"diff", "/m", "s3://bucket/m"}}) {
    const CkptResult result = Run(args);
    EXPECT_EQ(result.exit_code, 2) << args[0];
    EXPECT_THAT(result.error,
                HasSubstr("s3://bucket/m: no store serves s3://; give a plain "
                          "path"))
        << args[0];
  }
}

TEST_F(CkptTest, ShowExplains) {
  Save("/m", 100);
  const CkptResult result = Run({"show", "/m/100"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(
      result.text,
      HasSubstr(
          "checkpoint  /m/100\n"
          "step        100\n"
          "written     2017-07-14 02:41:40 UTC, 3h00m ago\n"
          "plan        1f2e\n"
          "build       0.1.0 g++\n"
          "slice       v3-32: 4 hosts x 8 cores = 32\n"
          "model       mlp 12-6-5 on digits (1,498 examples)\n"
          "batch       8 per core, 256 global\n"
          "rate        0.1, reached after 12,800 examples; momentum 0.9\n"
          "numerics    bfloat16 products, float32 sums (fused), kernels v3 "
          "(Eigen 3.4.0), seed 0\n"
          "examples    25,600 in all: each of 1,498 seen 17 times, 134 of them "
          "once more\n"
          "stints      steps 1 to 100 on v3-32, batch 256: examples 0 up to "
          "25,600 (plan 1f2e)\n"
          "files       4, 1.62 KiB, every byte verified\n"));
  EXPECT_THAT(result.text, HasSubstr("\ndense_0/kernel            12x6"));
}

TEST_F(CkptTest, ShowCountsTensorsRightly) {
  std::vector<float> variables(program_.variable_elements, 0.5f);
  for (const ProgramVariable& variable : program_.variables) {
    const ProgramTensor& tensor = program_.tensor(variable.tensor);
    if (tensor.name != "dense_1/bias") continue;
    const float values[] = {-2, 4, 1, std::nanf(""), INFINITY};
    std::copy(values, values + 5, variables.begin() + tensor.offset);
  }
  Save("/m", 100, variables);
  const CkptResult result = Run({"show", "/m/100"});
  EXPECT_THAT(result.text,
              ::testing::ContainsRegex("dense_1/bias  +5  +-2  +4  +1  "
                                       "model-0000.*s  2 not finite"));
  EXPECT_THAT(result.text, ::testing::ContainsRegex(
                               "dense_1/kernel +6x5  +0.5  +0.5  +0.5"));
}

TEST_F(CkptTest, ShowOfAModelDirTakesTheNewestGood) {
  Save("/m", 100);
  Save("/m", 200);
  Flip("/m/200/" + PartName(1, 4));
  const CkptResult result = Run({"show", "/m"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.text, HasSubstr("checkpoint  /m/100\n"));
  EXPECT_THAT(result.error, AllOf(HasSubstr("passed over: /m/200/model-00001"),
                                  HasSubstr("differ from its SHA-256")));
}

TEST_F(CkptTest, VerifyReadsEveryByte) {
  Save("/m", 100);
  Save("/m", 200);
  CkptResult result = Run({"verify", "/m"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.text,
            "/m/100: good, step 100, 4 files, 1.62 KiB\n"
            "/m/200: good, step 200, 4 files, 1.62 KiB\n");
  Flip("/m/100/" + PartName(3, 4));
  result = Run({"verify", "/m"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.text, "/m/200: good, step 200, 4 files, 1.62 KiB\n");
  EXPECT_EQ(result.error,
            "/m/100/model-00003-of-00004.safetensors: its bytes differ from "
            "its SHA-256; copy it again, or delete /m/100 and go on from an "
            "earlier checkpoint\n");
  EXPECT_THAT(Run({"diff", "/m/200", "/m/100"}).error,
              AllOf(HasSubstr("differ from its SHA-256; copy it again"),
                    HasSubstr("delete /m/100 and")));
  EXPECT_EQ(Run({"verify", "/m/200"}).exit_code, 0);
  EXPECT_EQ(Run({"verify", "/m/100"}).exit_code, 1);
  Cut("/m/200/" + PartName(1, 4));
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"verify", "/m/200"},
        {"show", "/m/200"},
        {"diff", "/m/200", "/m/200"}})
    EXPECT_THAT(
        Run(args).error,
        AllOf(HasSubstr("/m/200: model-00001-of-00004.safetensors is cut "
                        "short: it has "),
              HasSubstr(" bytes; copy it again, or delete /m/200 and go "
                        "on from an earlier checkpoint\n")))
        << args.front();
  Write("/m", 300, testing::SomeVariables(program_, 1));
  result = Run({"verify", UnfinishedPath("/m", 300, kStamp)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error,
              AllOf(HasSubstr("unfinished"), Not(HasSubstr("delete"))));
}

// Of files of this machine: a bucket has no folder without an object.
TEST_F(CkptTest, AnEmptyFolderIsThere) {
  const testing::TempDir dir;
  const auto files = NewLocalStore();
  for (const char* command : {"show", "verify"})
    EXPECT_EQ(RunCkpt({command, dir.path()}, *files,
                      absl::FromUnixSeconds(2'000'000'000), /*width=*/0)
                  .error,
              absl::StrCat(dir.path(),
                           " holds no checkpoint yet (it is empty); give the "
                           "--model_dir that pod_launch saved to\n"));
}

// Answers so many reads, then none any more, and counts those.
class GoingStore final : public ObjectStoreWrapper {
 public:
  GoingStore(ObjectStore* base, int reads)
      : ObjectStoreWrapper(base), left_(reads) {}
  absl::StatusOr<std::string> Read(std::string_view path) override {
    if (left_-- <= 0) return NoAnswer(path);
    return ObjectStoreWrapper::Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    if (left_-- <= 0) return NoAnswer(path);
    return ObjectStoreWrapper::ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    if (left_ <= 0) return NoAnswer(path);
    return ObjectStoreWrapper::Stat(path);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    if (left_ <= 0) return NoAnswer(prefix);
    return ObjectStoreWrapper::List(prefix);
  }
  int unanswered() const { return unanswered_; }

 private:
  absl::Status NoAnswer(std::string_view path) {
    ++unanswered_;
    return absl::UnavailableError(std::string(path) + ": 503");
  }
  int left_;
  int unanswered_ = 0;
};

// Does something before one of the calls that read.
class BusyStore final : public ObjectStoreWrapper {
 public:
  BusyStore(ObjectStore* base, int calls, std::function<void()> job)
      : ObjectStoreWrapper(base), left_(calls), job_(std::move(job)) {}
  absl::StatusOr<std::string> Read(std::string_view path) override {
    Count();
    return ObjectStoreWrapper::Read(path);
  }
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override {
    Count();
    return ObjectStoreWrapper::ReadRange(path, offset, length);
  }
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override {
    Count();
    return ObjectStoreWrapper::Stat(path);
  }
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override {
    Count();
    return ObjectStoreWrapper::List(prefix);
  }
  bool struck() const { return left_ < 0; }

 private:
  void Count() {
    if (left_-- == 0) job_();
  }
  int left_;
  const std::function<void()> job_;
};

TEST_F(CkptTest, ShowLooksAgainWheneverAJobDeletesWhatItReads) {
  int seen_old = 0;
  int calls = 0;
  for (bool struck = true; struck; ++calls) {
    Save("/m", 100);
    BusyStore store(store_.get(), calls, [&] {
      Save("/m", 200);
      ASSERT_THAT(store_->DeleteTree("/m/100"), IsOk());
    });
    const CkptResult result =
        RunCkpt({"show", "/m"}, store, absl::FromUnixSeconds(2'000'000'000),
                /*width=*/0);
    struck = store.struck();
    EXPECT_EQ(result.exit_code, 0) << calls << ": " << result.error;
    EXPECT_THAT(result.error, IsEmpty()) << calls;
    seen_old += result.text.find("/m/100\n") != std::string::npos;
    ASSERT_THAT(store_->DeleteTree("/m"), IsOk());
  }
  EXPECT_GE(seen_old, 1);
  EXPECT_GT(calls, 2 * seen_old);
}

// Each call to it may take minutes.
TEST_F(CkptTest, VerifyEndsWithTheFirstWhoseStoreIsGone) {
  for (const int step : {100, 200, 300}) Save("/m", step);
  for (const int reads : {0, 3}) {
    GoingStore store(store_.get(), reads);
    const CkptResult result =
        RunCkpt({"verify", "/m"}, store, absl::FromUnixSeconds(2'000'000'000),
                /*width=*/0);
    EXPECT_EQ(result.exit_code, 1) << reads;
    EXPECT_EQ(result.text, "");
    EXPECT_THAT(result.error, HasSubstr(": 503")) << reads;
    EXPECT_THAT(result.error, Not(HasSubstr("/m/200"))) << reads;
    EXPECT_LE(store.unanswered(), 2) << result.error;
    if (reads > 0)
      EXPECT_THAT(result.error, HasSubstr("2 more were not looked at"));
  }
}

TEST_F(CkptTest, DiffOfEqualOnes) {
  Save("/m", 100);
  Save("/n", 100);
  const CkptResult result = Run({"diff", "/m", "/n/100"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_EQ(result.text,
            "a           /m/100: step 100, 25,600 examples, v3-32, plan 1f2e\n"
            "b           /n/100: step 100, 25,600 examples, v3-32, plan 1f2e\n"
            "plans       equal\n"
            "tensors     0 of 8 differ\n");
}

TEST_F(CkptTest, DiffNamesFieldsAndTensors) {
  auto variables = testing::SomeVariables(program_, 1);
  Save("/m", 100, variables);
  for (const ProgramVariable& variable : program_.variables) {
    const ProgramTensor& tensor = program_.tensor(variable.tensor);
    if (tensor.name == "dense_0/kernel") variables[tensor.offset] += 0.25f;
    if (tensor.name == "dense_1/bias") variables[tensor.offset] = NAN;
  }
  CheckpointManifest other = Write("/n", 100, variables);
  other.mutable_bits()->set_slice("v3-8");
  other.mutable_bits()->mutable_learning_rate()->set_peak(0.2);
  ASSERT_THAT(testing::Commit(*store_, "/n", kStamp, other), IsOk());
  const CkptResult result = Run({"diff", "/m", "/n"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.text,
              HasSubstr("plans differ\n"
                        "  slice: \"v3-32\" -> \"v3-8\"\n"
                        "  learning_rate.peak: 0.1 -> 0.2\n"
                        "tensors     2 of 8 differ\n"
                        "  dense_0/kernel: 1 of 72 differ, by at most 0.25\n"
                        "  dense_1/bias: 1 of 5 differ, by at most nan\n"));
}

TEST_F(CkptTest, DiffOfDifferentModels) {
  Save("/m", 100);
  const Program larger = testing::TrainedMlp({6, 4});
  ASSERT_THAT(testing::SaveCheckpoint(*store_, "/n", larger,
                                      testing::SomeVariables(larger, 1), 100),
              IsOk());
  const CkptResult result = Run({"diff", "/m", "/n"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.text, AllOf(HasSubstr("dense_2/kernel: only in b"),
                                 HasSubstr("dense_1/kernel: 6x5 -> 6x4"),
                                 Not(HasSubstr("only in a"))));
  EXPECT_THAT(Run({"diff", "/n", "/m"}).text,
              HasSubstr("dense_2/kernel: only in a"));
  Save("/m", 200);
  EXPECT_EQ(Run({"diff", "/m/100", "/m/200"}).exit_code, 1)
      << "their tensors are equal, their steps are not";
}

TEST_F(CkptTest, BadUsageIsTwo) {
  Save("/m", 100);
  for (const char* file : {"/parts/model-00001-of-00001.safetensors",
                           "/m/notes.txt", "/other/notes.txt"})
    ASSERT_THAT(store_->Write(file, "x"), IsOk());
  const std::string zip("PK\x03\x04\x14\0\0\0", 8);
  ASSERT_THAT(store_->Write("/other/torch.pt", zip), IsOk());
  struct Case {
    std::vector<std::string> args;
    std::string error;
  };
  for (const Case& c :
       {Case{{}, "see pod_ckpt --help"},
        Case{{"prune", "/m"},
             "there is no command \"prune\"; no checkpoint is deleted here: "
             "pod_launch --keep N keeps the newest N; there are ls, show, "
             "verify"},
        Case{{"ls"}, "see pod_ckpt --help"},
        Case{{"diff", "/m/"},
             "diff takes two directories, given: /m/; the second is another "
             "run or another step: pod_ckpt diff /m OTHER_RUN, or pod_ckpt "
             "diff /m/STEP /m/OTHER_STEP; see pod_ckpt --help"},
        Case{{"diff", "/m/100"},
             "pod_ckpt diff /m/100 OTHER_RUN, or pod_ckpt diff /m/100 "
             "/m/OTHER_STEP; see pod_ckpt --help"},
        Case{{"diff", "/m", "100", "200"},
             "as in pod_ckpt diff /m/100 /m/200; see pod_ckpt --help"},
        Case{{"diff", "/m", "/n", "/o"},
             "as in pod_ckpt diff /m /n; see pod_ckpt --help"},
        Case{{"ls", "/m", "/n"},
             "ls takes one directory, given: /m /n; as in pod_ckpt ls /m; see "
             "pod_ckpt --help"},
        Case{{"ls", "/m", "/n", "/o", "/p", "/q"},
             "given: /m /n /o and 2 more; as in pod_ckpt ls /m; see"},
        Case{{"verify", "/m/100", "/m/200", "/m/300"},
             "verify takes one directory, given: /m/100 /m/200 /m/300; their "
             "folder has them all: pod_ckpt verify /m; see pod_ckpt --help"},
        Case{{"show", "/m", "--step", "100"},
             "unknown flag --step; the step is part of the folder, an argument "
             "without a flag: pod_ckpt show /m/100\n"},
        Case{{"show", "/m/100", "--step", "100"},
             "an argument without a flag: pod_ckpt show /m/100\n"},
        Case{{"verify", "--model-dir=/m/", "--global_step=100"},
             "unknown flag --model_dir; the step is part of the folder, an "
             "argument without a flag: pod_ckpt verify /m/100\n"},
        Case{{"ls", "--model_dir", "/m"},
             "unknown flag --model_dir; the folder is an argument without a "
             "flag: pod_ckpt ls /m\n"},
        Case{{"show", "--step=100"},
             "unknown flag --step; the step is part of the folder, which is an "
             "argument without a flag: pod_ckpt show DIR/STEP\n"},
        Case{{"show", "/m", "--step=last"}, "pod_ckpt show DIR/STEP\n"},
        Case{{"ls", "--all", "/m"}, "pod_ckpt has --help, --version"},
        Case{{"show", "/m", "100"},
             "given: /m and 100; a step is a directory of its model_dir: "
             "pod_ckpt show /m/100"},
        Case{{"verify", "/m/100/manifest.json"},
             "/m/100/manifest.json is a file; give its folder: pod_ckpt verify "
             "/m/100\n"},
        Case{{"diff", "/m", "/m/100/manifest.json"},
             "/m/100/manifest.json is a file; give its folder: pod_ckpt diff "
             "/m /m/100\n"},
        Case{{"show", "/m/notes.txt"},
             "/m/notes.txt is a file; give its folder: pod_ckpt show /m\n"},
        Case{{"show", "/other/notes.txt"},
             "/other/notes.txt is a file; give a model_dir, or one of its "
             "directories named after a step\n"},
        Case{{"show", "/other/torch.pt"},
             "/other/torch.pt is a zip archive, as PyTorch (.pt), Keras and "
             "NumPy write, not a folder; give a model_dir, or one of its "
             "directories named after a step\n"},
        Case{{"show", ""}, "path is \"\"; give a value"},
        Case{{"show", "/none"}, "there is no folder /none; give a model_dir"},
        Case{{"show", "/m/300"},
             "there is no folder /m/300; /m has 100; give a model_dir"},
        Case{{"show", "/m@100"},
             "there is no folder /m@100; step 100 of /m is /m/100; give"},
        Case{{"show", "/m:100"}, "; step 100 of /m is /m/100; give"},
        Case{{"show", "/m:300"}, "there is no folder /m:300; give"},
        Case{{"show", "/m/100 "},
             "there is no folder \"/m/100 \", with a blank at its beginning or "
             "end"},
        Case{{"diff", "/m", "100"},
             "there is no folder 100; a step is a directory of its model_dir: "
             "pod_ckpt diff /m /m/100\n"},
        Case{{"diff", "/m/200", "100"}, "pod_ckpt diff /m/200 /m/100\n"},
        Case{{"export", "/m"},
             "a checkpoint's weights are safetensors files already"},
        Case{{"show", "/parts"},
             "/parts holds parts of a checkpoint without its manifest.json; "
             "copy the whole folder"},
        Case{{"verify", "/none"}, "there is no folder /none"},
        Case{{"diff", "/m", "/none"}, "there is no folder /none"}}) {
    const CkptResult result = Run(c.args);
    EXPECT_EQ(result.exit_code, 2) << c.error;
    EXPECT_THAT(result.error, HasSubstr(c.error));
    EXPECT_THAT(result.text, IsEmpty());
  }
}

TEST(StepFoldersOfTest, AreTheFoldersThatAreCalledAsSteps) {
  EXPECT_THAT(StepFoldersOf("runs/a/20/manifest.json"),
              ElementsAre("runs/a/20"));
  EXPECT_THAT(StepFoldersOf("gs://b/a/20/1785/manifest.json"),
              ElementsAre("gs://b/a/20/1785", "gs://b/a/20"));
  EXPECT_THAT(StepFoldersOf("runs/1/20/manifest.json"),
              ElementsAre("runs/1/20", "runs/1"));
  EXPECT_THAT(StepFoldersOf("20/manifest.json"), ElementsAre("20"));
  EXPECT_THAT(StepFoldersOf("runs/a/notes.txt"), IsEmpty());
  EXPECT_THAT(StepFoldersOf("notes.txt"), IsEmpty());
}

// "runs/1" is called as a step is; its steps are below it.
TEST_F(CkptTest, ANumberedFolderOfARunIsAModelDir) {
  for (const int step : {20, 100}) Save("/runs/1", step);
  const CkptResult show = Run({"show", "/runs/1"});
  EXPECT_EQ(show.exit_code, 0) << show.error;
  EXPECT_THAT(show.text, HasSubstr("checkpoint  /runs/1/100\n"));
  const CkptResult verify = Run({"verify", "/runs/1"});
  EXPECT_EQ(verify.exit_code, 0) << verify.error;
  EXPECT_THAT(verify.text, AllOf(HasSubstr("/runs/1/20: good, step 20"),
                                 HasSubstr("/runs/1/100: good, step 100")));
  EXPECT_EQ(Run({"show", "/runs/1/20/manifest.json"}).error,
            "/runs/1/20/manifest.json is a file; give its folder: pod_ckpt "
            "show /runs/1/20\n");
  const CkptResult above = Run({"show", "/runs"});
  EXPECT_EQ(above.exit_code, 2);
  EXPECT_EQ(above.error,
            "/runs holds no checkpoint itself, but /runs/1 does (step 100); "
            "give a model_dir, such as /runs/1\n");
  // A step's folder that holds a stamp's is no run's.
  ASSERT_THAT(store_->Write("/b/20/1785/manifest.json", "{}"), IsOk());
  ASSERT_THAT(store_->Write("/b/20/commit_success.txt", "1785"), IsOk());
  EXPECT_THAT(Run({"show", "/b/20/1785/manifest.json"}).error,
              HasSubstr("give its folder: pod_ckpt show /b/20\n"));
}

TEST_F(CkptTest, TheFolderAboveRunsIsToldWhichHoldACheckpoint) {
  Save("/runs/a", 20);
  ASSERT_THAT(store_->Write("/runs/notes/1/a.txt", "mine"), IsOk());
  for (const char* command : {"show", "verify"}) {
    const CkptResult result = Run({command, "/runs"});
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_EQ(result.error,
              "/runs holds no checkpoint itself, but /runs/a does (step 20); "
              "give a model_dir, such as /runs/a\n")
        << command;
  }
  for (const std::string command : {"adopt", "clean"})
    EXPECT_EQ(Run({command, "/runs"}).error,
              absl::StrCat("/runs holds no checkpoint itself, but /runs/a does "
                           "(step 20); give the folder of a run: pod_ckpt ",
                           command, " /runs/a\n"));
  EXPECT_EQ(Run({"ls", "/runs"}).text,
            "/runs holds no checkpoint itself, but /runs/a does (step 20): "
            "pod_ckpt ls /runs/a\n");
  Save("/runs/b", 7);
  EXPECT_THAT(Run({"show", "/runs"}).error,
              HasSubstr(", but /runs/a (step 20) and /runs/b (step 7) do; "));
  for (const char* run : {"/runs/c", "/runs/d"}) Save(run, 5);
  EXPECT_THAT(Run({"show", "/runs"}).error,
              HasSubstr(", but /runs/a (step 20), /runs/b (step 7), /runs/c "
                        "(step 5) and 1 more do; "));
}

TEST_F(CkptTest, TheFolderAboveTheFolderAboveIsTold) {
  Save("/all/runs/a", 20);
  EXPECT_THAT(Run({"show", "/all"}).error,
              HasSubstr("/all holds no checkpoint itself, but /all/runs/a does "
                        "(step 20); give"));
}

TEST_F(CkptTest, HelpTeaches) {
  const CkptResult help = Run({"--help=all"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.text,
              AllOf(HasSubstr("sha256sum -c SHA256SUMS"),
                    HasSubstr("pod_ckpt diff runs/a runs/b"),
                    HasSubstr("Exit status: 0"), HasSubstr("verify")));
  const CkptResult ls = Run({"ls", "--help=all"});
  EXPECT_EQ(ls.exit_code, 0);
  // In one line again, what help has in lines of 80 columns.
  const std::string text =
      absl::StrReplaceAll(ls.text, {{"\n" + std::string(32, ' '), " "}});
  EXPECT_THAT(text, AllOf(HasSubstr("of a model_dir"),
                          HasSubstr("a resume passes it over")));
  EXPECT_THAT(Run({"--version"}).text, MatchesRegex("pod_ckpt.*\n"));
}

TEST_F(CkptTest, AdoptPutsWhatIsThereOnTheRecord) {
  for (const int step : {100, 200}) Save("/m", step);
  ASSERT_THAT(store_->Delete("/m/.podsim-job"), IsOk());
  Cut("/m/200/" + PartName(2, 4));
  ASSERT_THAT(testing::Prune(*store_, "/m", 1), IsOk());
  const CkptResult result = Run({"adopt", "/m"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.text, AllOf(HasSubstr("/m/100: taken over\n"),
                                 HasSubstr("/m/200: " + PartName(2, 4)),
                                 HasSubstr("to be set aside by a run")));
  EXPECT_EQ(Run({"adopt", "/m"}).text,
            "no checkpoint in /m that is not on its record\n");
  Save("/m", 300);
  ASSERT_THAT(testing::Prune(*store_, "/m", 1), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto steps, ListSteps(*store_, "/m"));
  EXPECT_THAT(steps, ElementsAre(200, 300)) << "of 200 no hash is known";
  EXPECT_EQ(Run({"adopt", "/none"}).exit_code, 2);
}

// Whole, and named after another step: no run begins with it, and none deletes
// it.
TEST_F(CkptTest, ARenamedOneIsNotDamaged) {
  for (const int step : {100, 200}) Save("/m", step);
  ASSERT_THAT(store_->Rename("/m/200", "/m/300"), IsOk());
  const std::string line =
      "renamed: it holds step 200; mv /m/300 /m/200 to go on from it, or move "
      "it away";
  EXPECT_THAT(Run({"ls", "/m"}).text,
              AllOf(HasSubstr("  " + line + "\n"), Not(HasSubstr("damaged"))));
  for (const char* path : {"/m", "/m/300"}) {
    const CkptResult verify = Run({"verify", path});
    EXPECT_EQ(verify.exit_code, 0) << path;
    EXPECT_THAT(verify.text, HasSubstr("/m/300: " + line + "\n"));
    EXPECT_THAT(verify.error, IsEmpty());
  }
  EXPECT_EQ(Run({"adopt", "/m"}).text,
            "/m/300: " + line + "; not taken over\n");
  ASSERT_OK_AND_ASSIGN(const KeptRecord kept, ReadRecord(*store_, "/m"));
  EXPECT_EQ(kept.record.Find(300), nullptr);
  const CkptResult show = Run({"show", "/m"});
  EXPECT_THAT(show.text, HasSubstr("checkpoint  /m/100\n"));
  EXPECT_EQ(show.error, "passed over: /m/300: " + line + "\n");
  Flip("/m/300/" + PartName(1, 4));
  EXPECT_EQ(Run({"verify", "/m"}).exit_code, 1);
}

// By the manifest's hash, not by the step's number alone.
TEST_F(CkptTest, AdoptTakesOverWhatHasTheNumberOfOneOfTheRecord) {
  Save("/m", 100);
  Save("/n", 100, testing::SomeVariables(program_, 2));
  ASSERT_THAT(store_->DeleteTree("/m/100"), IsOk());
  ASSERT_THAT(store_->Rename("/n/100", "/m/100"), IsOk());
  EXPECT_EQ(Run({"adopt", "/m"}).text, "/m/100: taken over\n");
  ASSERT_OK_AND_ASSIGN(const CheckpointAt at, ReadManifest(*store_, "/m/100"));
  ASSERT_OK_AND_ASSIGN(const KeptRecord kept, ReadRecord(*store_, "/m"));
  EXPECT_EQ(kept.record.Find(100)->manifest_sha256, at.manifest_sha256);
}

TEST_F(CkptTest, AdoptAndCleanAreForTheFolderOfARun) {
  ASSERT_THAT(store_->Write("/shards/train-0", "x"), IsOk());
  for (const char* command : {"adopt", "clean", "verify"}) {
    const CkptResult result = Run({command, "/shards"});
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_THAT(result.error, HasSubstr("/shards holds no checkpoint"))
        << command;
  }
  ASSERT_OK_AND_ASSIGN(const auto names, store_->List("/shards"));
  EXPECT_THAT(names, ElementsAre("train-0"));
  Save("/m", 100);
  for (const std::string command : {"adopt", "clean"}) {
    const CkptResult result = Run({command, "/m/100"});
    EXPECT_EQ(result.exit_code, 2) << command;
    EXPECT_EQ(result.error,
              absl::StrCat("/m/100 is a checkpoint, and ", command,
                           " takes the folder of a run: "
                           "pod_ckpt ",
                           command, " /m\n"));
  }
}

TEST_F(CkptTest, AdoptWritesARecordAnewThatCannotBeRead) {
  Save("/m", 100);
  ASSERT_THAT(store_->Write("/m/.podsim-job", "<html>"), IsOk());
  EXPECT_THAT(Run({"adopt", "/m"}).text, HasSubstr("/m/100: taken over"));
  ASSERT_OK_AND_ASSIGN(const KeptRecord kept, ReadRecord(*store_, "/m"));
  EXPECT_EQ(kept.trouble, "");
  EXPECT_NE(kept.record.Find(100), nullptr);
}

TEST_F(CkptTest, CleanRemovesWhatIsUnfinishedAndNobodys) {
  Save("/m", 100);
  ASSERT_THAT(store_->Write("/m/200.orbax-checkpoint-tmp-9/part", "x"), IsOk());
  ASSERT_THAT(store_->Write("/m/notes.txt", "mine"), IsOk());
  EXPECT_EQ(Run({"clean", "/m"}).text,
            "/m/200.orbax-checkpoint-tmp-9: removed\n");
  EXPECT_EQ(Run({"clean", "/m"}).text,
            "no unfinished folder in /m that is not on its record\n");
  EXPECT_EQ(Run({"verify", "/m"}).exit_code, 0);
}

}  // namespace
}  // namespace podsim
