#include "host/checkpoint/manifest.h"

#include <google/protobuf/util/message_differencer.h>

#include <cstdint>
#include <limits>
#include <string>

#include "host/checkpoint/sums.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;

CheckpointManifest Good() {
  const auto store = NewMemoryStore();
  const Program program = testing::TrainedMlp({6});
  auto manifest = testing::WriteParts(*store, "/m", program,
                                      testing::SomeVariables(program, 1), 100);
  PODSIM_CHECK(manifest.ok());
  return *std::move(manifest);
}

TEST(ManifestTest, ReadsBackToTheLastBit) {
  CheckpointManifest manifest = Good();
  manifest.mutable_bits()->mutable_learning_rate()->set_peak(0.1 + 1e-17 / 3);
  manifest.set_wall_time(1789999999.1234567);
  manifest.mutable_bits()->set_seed(18'446'744'073'709'551'615U);
  const std::string json = ManifestJson(manifest);
  ASSERT_OK_AND_ASSIGN(const CheckpointManifest read, ParseManifest(json));
  EXPECT_TRUE(MessageDifferencer::Equals(read, manifest));
  EXPECT_EQ(ManifestJson(read), json);
  EXPECT_THAT(json, HasSubstr("\"examples_consumed\": \"25600\""));
}

TEST(ManifestTest, RefusesWhatIsNotOne) {
  const std::string json = ManifestJson(Good());
  for (const std::string& text :
       {std::string(), std::string("null"), std::string("[]"),
        std::string("{}x"), json.substr(0, json.size() / 2), json + json,
        "{\"surprise\":1," + json.substr(1),
        // A reason that began with the key's newline was none at all.
        "{\"\n\nsurprise\":1," + json.substr(1)}) {
    const auto parsed = ParseManifest(text);
    EXPECT_FALSE(parsed.ok()) << text;
    EXPECT_FALSE(parsed.status().message().empty()) << text;
    EXPECT_EQ(parsed.status().message().find('\n'), absl::string_view::npos);
  }
}

// Builds before this one wrote the chunk length, which decides no bits.
TEST(ManifestTest, OlderOnesAreRead) {
  CheckpointManifest manifest = Good();
  manifest.mutable_bits()->set_seed(3);
  std::string json = ManifestJson(manifest);
  const std::string seed = "\"seed\": \"3\"";
  ASSERT_NE(json.find(seed), std::string::npos) << json;
  json.replace(json.find(seed), seed.size(),
               seed + ", \"chunk_elements\": \"262144\"");
  ASSERT_OK_AND_ASSIGN(const CheckpointManifest read, ParseManifest(json));
  EXPECT_EQ(read.bits().seed(), 3);
}

TEST(ManifestTest, AnotherFormatIsNoDamage) {
  CheckpointManifest manifest = Good();
  manifest.set_format(2);
  EXPECT_THAT(ParseManifest(ManifestJson(manifest)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("its format is 2, this podsim reads 1; use "
                                 "the build that wrote it (0.1.0 g++)")));
}

struct Mistake {
  std::string name;
  void (*make)(CheckpointManifest&);
  std::string reason;
};

class MistakeTest : public ::testing::TestWithParam<Mistake> {};

TEST_P(MistakeTest, IsRefused) {
  CheckpointManifest manifest = Good();
  ASSERT_THAT(CheckManifest(manifest), IsOk());
  GetParam().make(manifest);
  EXPECT_THAT(CheckManifest(manifest),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr(GetParam().reason)));
  EXPECT_THAT(
      ParseManifest(ManifestJson(manifest)),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr(GetParam().reason)));
}

using M = CheckpointManifest;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
INSTANTIATE_TEST_SUITE_P(
    Manifests, MistakeTest,
    ::testing::Values(
        Mistake{"no_files",
                [](M& m) {
                  m.clear_files();
                  m.clear_tensors();
                },
                "it has no files"},
        Mistake{"file_lost", [](M& m) { m.mutable_files()->RemoveLast(); },
                "is not one of 3 parts"},
        Mistake{"file_twice", [](M& m) { *m.mutable_files(1) = m.files(0); },
                "comes twice"},
        Mistake{"path_as_name",
                [](M& m) { m.mutable_files(0)->set_name("../secret"); },
                "\"../secret\" is not one of 4 parts"},
        Mistake{"no_bytes", [](M& m) { m.mutable_files(0)->set_bytes(0); },
                "has 0 bytes"},
        Mistake{"no_hash", [](M& m) { m.mutable_files(0)->set_sha256("12"); },
                "SHA-256 \"12\""},
        Mistake{"tensor_twice", [](M& m) { *m.add_tensors() = m.tensors(0); },
                "tensor \"dense_0/kernel\" comes twice"},
        Mistake{"tensor_elsewhere",
                [](M& m) { m.mutable_tensors(0)->set_file("x"); },
                "tensor dense_0/kernel lies in \"x\""},
        Mistake{"file_without_tensor",
                [](M& m) {
                  for (CheckpointTensor& tensor : *m.mutable_tensors())
                    tensor.set_file(m.files(0).name());
                },
                "one of its files holds no tensor"},
        Mistake{"stints_end_early", [](M& m) { m.set_step(101); },
                "its stints end at step 100 and example 25600, it is of step "
                "101"},
        Mistake{"stints_with_a_gap",
                [](M& m) { m.mutable_stints(0)->set_first_example(1); },
                "where step 0 and example 0 come next"},
        Mistake{"no_stints", [](M& m) { m.clear_stints(); },
                "its stints end at step 0"},
        Mistake{"more_bytes_than_its_tensors",
                [](M& m) { m.mutable_files(0)->set_bytes(20'000'000'000); },
                "has 20000000000 bytes, its tensors have 288"},
        Mistake{"fewer_bytes_than_its_tensors",
                [](M& m) { m.mutable_files(0)->set_bytes(295); },
                "has 295 bytes, its tensors have 288"},
        Mistake{"negative_shape",
                [](M& m) { m.mutable_tensors(0)->set_shape(0, -12); },
                "tensor dense_0/kernel has no shape of a tensor"},
        Mistake{"endless_shape",
                [](M& m) {
                  m.mutable_tensors(0)->set_shape(0, kMost);
                  m.mutable_tensors(0)->set_shape(1, 2);
                },
                "tensor dense_0/kernel has no shape of a tensor"},
        // Believed, these made a job that was done without a step.
        Mistake{"last_step_of_all",
                [](M& m) {
                  m.set_step(kMost);
                  m.mutable_stints(0)->set_last_step(kMost);
                },
                "has 9223372036854775807 steps of 256 examples, which are not "
                "its 25600 examples"},
        Mistake{"last_example_of_all",
                [](M& m) {
                  m.set_examples_consumed(kMost);
                  m.mutable_stints(0)->set_end_example(kMost);
                },
                "has 100 steps of 256 examples, which are not its "
                "9223372036854775807 examples"},
        Mistake{"more_than_any_job_makes",
                [](M& m) {
                  m.set_step(kMost / 256);
                  m.set_examples_consumed(kMost / 256 * 256);
                  m.mutable_stints(0)->set_last_step(kMost / 256);
                  m.mutable_stints(0)->set_end_example(kMost / 256 * 256);
                },
                "more than any job has"},
        Mistake{"a_few_examples_too_many",
                [](M& m) {
                  m.set_examples_consumed(25'601);
                  m.mutable_stints(0)->set_end_example(25'601);
                },
                "which are not its 25601 examples"},
        Mistake{"stint_without_a_batch",
                [](M& m) { m.mutable_stints(0)->set_global_batch(0); },
                "has 100 steps of 0 examples"},
        Mistake{"stint_without_a_step",
                [](M& m) {
                  m.set_step(0);
                  m.set_examples_consumed(0);
                  m.mutable_stints(0)->set_last_step(0);
                  m.mutable_stints(0)->set_end_example(0);
                },
                "has 0 steps of 256 examples"},
        Mistake{"plan_of_another_batch",
                [](M& m) { m.mutable_bits()->set_batch_per_core(16); },
                "its last stint has a batch of 256, its plan one of 512"},
        Mistake{"plan_of_an_endless_batch",
                [](M& m) { m.mutable_bits()->set_batch_per_core(kMost); },
                "its last stint has a batch of 256, its plan one of 0"}),
    [](const auto& info) { return info.param.name; });

TEST(SumsTest, AreWhatSha256sumPrints) {
  const Sums sums = {{"b", std::string(64, 'b')}, {"a", std::string(64, '0')}};
  const std::string text = FormatSums(sums);
  EXPECT_EQ(text,
            std::string(64, '0') + "  a\n" + std::string(64, 'b') + "  b\n");
  ASSERT_OK_AND_ASSIGN(const Sums read, ParseSums(text));
  EXPECT_EQ(read, sums);
}

TEST(SumsTest, RefuseEveryOtherByte) {
  const std::string hash(64, '0');
  for (const std::string& text :
       {hash, hash + "  a", hash + " a\n", hash + " *a\n", hash + "  \n",
        hash + "  a/b\n", hash + "  a\n\n", std::string("\n"),
        std::string(63, '0') + "  a\n", std::string(64, 'A') + "  a\n",
        std::string(64, 'g') + "  a\n", hash + "  a\n" + hash + "  a\n",
        hash + "  a b\n", hash + "  a\r\n", " " + hash + "  a\n"})
    EXPECT_THAT(ParseSums(text),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("line ")))
        << text;
}

}  // namespace
}  // namespace podsim
