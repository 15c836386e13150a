// Save and restore: what comes back, and what does not fit.
#include "host/checkpoint/restore.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "host/checkpoint/commit.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/save.h"
#include "models/graph/compile.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/host/storage/counting_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

CheckpointManifest ManifestOf(const Program& program) {
  CheckpointManifest manifest;
  for (const CheckpointTensor& tensor : TensorsOf(program, 4))
    *manifest.add_tensors() = tensor;
  return manifest;
}

class RestoreTest : public ::testing::TestWithParam<testing::StoreKind> {};

TEST_P(RestoreTest, GivesBackEveryBit) {
  testing::TempDir dir;
  const auto store = GetParam().make();
  const Program program = testing::TrainedMlp({16, 8});
  const auto variables = testing::SomeVariables(program, 7);
  ASSERT_THAT(
      testing::SaveCheckpoint(*store, dir.path(), program, variables, 100),
      IsOk());
  ASSERT_OK_AND_ASSIGN(const CheckpointAt found,
                       ReadManifest(*store, StepPath(dir.path(), 100)));
  ASSERT_OK_AND_ASSIGN(const std::vector<float> read,
                       ReadVariables(*store, found, program));
  EXPECT_EQ(read, variables);
}

INSTANTIATE_TEST_SUITE_P(Stores, RestoreTest,
                         ::testing::ValuesIn(testing::StoreKinds()),
                         [](const auto& info) { return info.param.name; });

// A far store takes long for each request. Some tensors are longer than a
// piece, and all begin anywhere in one.
TEST(ReadVariablesTest, AsksForPiecesHoweverManyTensorsThereAre) {
  constexpr std::int64_t kPiece = std::int64_t{4} << 20;
  const auto memory = NewMemoryStore();
  const Program program = testing::TrainedMlp({5, 1024, 1100, 7, 6});
  const auto variables = testing::SomeVariables(program, 7);
  ASSERT_THAT(testing::SaveCheckpoint(*memory, "/m", program, variables, 100),
              IsOk());
  testing::CountingStore store(memory.get());
  ASSERT_OK_AND_ASSIGN(const CheckpointAt found,
                       ReadManifest(store, StepPath("/m", 100)));
  std::int64_t pieces = 0;
  for (const CheckpointFile& file : found.manifest.files())
    pieces += (file.bytes() + kPiece - 1) / kPiece;
  EXPECT_GT(pieces, found.manifest.files_size());
  EXPECT_LT(pieces, found.manifest.tensors_size());
  store.calls = 0;
  ASSERT_OK_AND_ASSIGN(const std::vector<float> read,
                       ReadVariables(store, found, program));
  EXPECT_EQ(read, variables);
  EXPECT_EQ(store.calls, pieces);
}

// Without this project: coreutils alone.
TEST(SumsFileTest, Sha256sumChecksACheckpoint) {
  testing::TempDir dir;
  const auto store = NewLocalStore();
  const Program program = testing::TrainedMlp({16, 8});
  ASSERT_THAT(testing::SaveCheckpoint(*store, dir.path(), program,
                                      testing::SomeVariables(program, 7), 100),
              IsOk());
  const std::string path = StepPath(dir.path(), 100);
  const auto check = [&path] {
    testing::Subprocess sums(
        {.command = {"/bin/sh", "-c",
                     "cd " + path + " && sha256sum --strict -c SHA256SUMS"}});
    return sums.Wait(std::chrono::seconds(60));
  };
  EXPECT_EQ(check(), 0);
  ASSERT_THAT(store->Write(path + "/" + PartName(1, 4), "other"), IsOk());
  EXPECT_NE(check(), 0);
}

// The same bits, however many hosts wrote them.
TEST(SaveTest, AnyNumberOfHostsWritesTheSameTensors) {
  const Program program = testing::TrainedMlp({16, 8});
  const auto variables = testing::SomeVariables(program, 3);
  for (const int hosts : {1, 2, 3, 12, 64}) {
    std::size_t files = 0;
    std::size_t bytes = 0;
    for (int host = 0; host < hosts; ++host) {
      const auto image = EncodePart(program, variables, host, hosts, 5);
      if (!image) continue;
      ++files;
      bytes += image->bytes.size();
    }
    EXPECT_EQ(files, std::min<std::size_t>(hosts, program.variables.size()));
    EXPECT_GE(bytes, variables.size() * sizeof(float));
  }
}

TEST(CheckTensorsFitTest, SliceAndHostsDoNotMatter) {
  const Program program = testing::TrainedMlp({16, 8});
  CheckpointManifest manifest;
  for (const CheckpointTensor& tensor : TensorsOf(program, 3))
    *manifest.add_tensors() = tensor;
  EXPECT_THAT(CheckTensorsFit(manifest, program), IsOk());
}

TEST(CheckTensorsFitTest, NamesTheTensorsThatDiffer) {
  EXPECT_THAT(
      CheckTensorsFit(ManifestOf(testing::TrainedMlp({16})),
                      testing::TrainedMlp({20})),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("dense_0/kernel is 12x16 in the checkpoint, "
                               "12x20 in the model"),
                     HasSubstr("dense_0/bias is 16 in the checkpoint, 20 in "
                               "the model"),
                     HasSubstr("; train the model that it holds, or, to begin "
                               "anew, give another --model_dir or move it "
                               "away"),
                     Not(HasSubstr("dense_1/bias")))));
  EXPECT_THAT(CheckTensorsFit(ManifestOf(testing::TrainedMlp({16})),
                              testing::TrainedMlp({16, 5})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("dense_2/kernel is not in the "
                                       "checkpoint"),
                             Not(HasSubstr("momentum")))));
  EXPECT_THAT(CheckTensorsFit(ManifestOf(testing::TrainedMlp({16, 5})),
                              testing::TrainedMlp({16})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("dense_2/kernel is not in the model")));
}

TEST(CheckTensorsFitTest, StopsAfterTheFirstFew) {
  EXPECT_THAT(
      CheckTensorsFit(ManifestOf(testing::TrainedMlp({9, 9, 9, 9, 9})),
                      testing::TrainedMlp({8, 8, 8, 8, 8})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("; and 9 more")));
}

TEST(CheckTensorsFitTest, ANamedModelIsSaidWithItsFlags) {
  CheckpointManifest manifest = ManifestOf(testing::TrainedMlp({16, 5}));
  ModelConfig& model = *manifest.mutable_bits()->mutable_model();
  model.set_name("lenet5");
  model.add_hidden(16);
  model.add_hidden(5);
  model.set_classes(10);
  const Program program = testing::TrainedMlp({20});
  EXPECT_THAT(
      CheckTensorsFit(manifest, program),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("it holds lenet5, hidden 16,5, 10 classes, not "
                               "mlp (dense_0/kernel is 12x16 in the "
                               "checkpoint, 12x20 in the model; and "),
                     HasSubstr("; train that, --model lenet5 --hidden 16,5, "
                               "or, to begin anew, give another --model_dir "
                               "or move it away"))));
  EXPECT_THAT(
      CheckTensorsFit(manifest, program, Restored::kAll, Use::kEvaluation),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("; evaluate it with --model lenet5 "
                               "--hidden 16,5"),
                     Not(HasSubstr("model_dir")))));
}

// No flag brings back what its author wrote.
TEST(CheckTensorsFitTest, AModelOfItsAuthorsHasNoFlags) {
  CheckpointManifest manifest = ManifestOf(testing::TrainedMlp({16}));
  manifest.mutable_bits()->mutable_model()->set_name("loss_fn");
  const Program program = testing::TrainedMlp({20});
  EXPECT_THAT(
      CheckTensorsFit(manifest, program),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("it holds loss_fn with other weights "
                               "(dense_0/kernel is 12x16 in the checkpoint, "
                               "12x20 in the model; "),
                     HasSubstr("); train the model that it was trained with, "
                               "or, to begin anew, give another --model_dir"),
                     Not(HasSubstr("--model ")))));
  EXPECT_THAT(
      CheckTensorsFit(manifest, program, Restored::kAll, Use::kEvaluation),
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("; evaluate the model that it was trained with"),
                     Not(HasSubstr("model_dir")))));
}

TEST(CheckTensorsFitTest, AnotherOptimizersSlotsAreNamed) {
  CheckpointManifest manifest = ManifestOf(testing::TrainedMlp({16}));
  manifest.mutable_bits()->set_optimizer("sgd");
  manifest.mutable_bits()->set_momentum(0.9);
  const Program adam = testing::TrainedMlp({16}, "adam");
  EXPECT_THAT(
      CheckTensorsFit(manifest, adam),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          AllOf(HasSubstr("/mu is not in the checkpoint"),
                HasSubstr("the checkpoint was trained with sgd with momentum "
                          "0.9, this job has adam"),
                HasSubstr("go on with --optimizer=sgd and --momentum=0.9; or"),
                HasSubstr("give another --model_dir or move it away"),
                HasSubstr("--restore_weights_only"))));
  EXPECT_THAT(CheckTensorsFit(manifest, adam, Restored::kWeights), IsOk());
  // Of another model the weights do not fit either.
  EXPECT_THAT(CheckTensorsFit(manifest, testing::TrainedMlp({20}, "adam"),
                              Restored::kWeights),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("12x20"), Not(HasSubstr("/mu")),
                             Not(HasSubstr("optimizer")))));
}

// Of momentum and Nesterov's the slot is the same.
TEST(CheckTensorsFitTest, OptimizersWithTheSameSlotsFit) {
  EXPECT_THAT(CheckTensorsFit(ManifestOf(testing::TrainedMlp({16})),
                              testing::TrainedMlp({16}, "nesterov")),
              IsOk());
  EXPECT_THAT(CheckTensorsFit(ManifestOf(testing::TrainedMlp({16}, "adam")),
                              testing::TrainedMlp({16}, "lamb")),
              IsOk());
  EXPECT_FALSE(CheckTensorsFit(ManifestOf(testing::TrainedMlp({16})),
                               testing::TrainedMlp({16}, "lars"))
                   .ok());
}

TEST(RestoreFitTest, WeightsAloneComeWithSlotsOfZero) {
  const auto store = NewMemoryStore();
  const Program saved = testing::TrainedMlp({16});
  const std::vector<float> values = testing::SomeVariables(saved, 1);
  ASSERT_THAT(testing::SaveCheckpoint(*store, "/m", saved, values, 100),
              IsOk());
  ASSERT_OK_AND_ASSIGN(const CheckpointAt found,
                       ReadManifest(*store, "/m/100"));
  const Program adam = testing::TrainedMlp({16}, "adam");
  ASSERT_OK_AND_ASSIGN(const std::vector<float> read,
                       ReadVariables(*store, found, adam, Restored::kWeights));
  for (const ProgramVariable& variable : adam.variables) {
    const ProgramTensor& tensor = adam.tensor(variable.tensor);
    const TensorId there = FindTensor(saved, tensor.name);
    for (std::int64_t i = 0; i < tensor.shape.elements(); ++i)
      ASSERT_EQ(read[tensor.offset + i],
                variable.is_slot ? 0 : values[saved.tensor(there).offset + i])
          << tensor.name;
  }
}

TEST(RestoreFitTest, AnotherModelIsRefusedBeforeItIsRead) {
  const auto store = NewMemoryStore();
  const Program program = testing::TrainedMlp({16});
  ASSERT_THAT(testing::SaveCheckpoint(*store, "/m", program,
                                      testing::SomeVariables(program, 1), 100),
              IsOk());
  ASSERT_OK_AND_ASSIGN(const CheckpointAt found,
                       ReadManifest(*store, "/m/100"));
  EXPECT_THAT(ReadVariables(*store, found, testing::TrainedMlp({20})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("/m/100"), HasSubstr("12x20"))));
}

}  // namespace
}  // namespace podsim
