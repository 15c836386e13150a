// Damaged checkpoints: every file cut at every 4 KiB boundary and elsewhere,
// bits flipped, blocks lost, files lost, added and exchanged. Each time the one
// before it is found, and nothing of the damaged one is ever read.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/random.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/manifest.h"
#include "host/checkpoint/restore.h"
#include "host/checkpoint/sums.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::size_t kBlock = 4096;
constexpr char kOld[] = "/m/100";
constexpr char kNew[] = "/m/200";

// PODSIM_FUZZ_SEED replays a run.
std::uint64_t Seed() {
  const char* given = std::getenv("PODSIM_FUZZ_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 20'261'121;
}

class TornTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RecordProperty("seed", std::to_string(Seed()));
    old_ = testing::SomeVariables(program_, 1);
    new_ = testing::SomeVariables(program_, 2);
    ASSERT_THAT(testing::SaveCheckpoint(*store_, "/m", program_, old_, 100),
                IsOk());
    ASSERT_THAT(testing::SaveCheckpoint(*store_, "/m", program_, new_, 200),
                IsOk());
    ASSERT_OK_AND_ASSIGN(known_, VerifyCheckpoint(*store_, kNew));
    ASSERT_OK_AND_ASSIGN(files_, store_->List(kNew));
    ASSERT_THAT(files_, SizeIs(6));
  }

  std::size_t Below(std::size_t limit) {
    const auto words = Philox(Seed(), draws_++, 0);
    return (static_cast<std::uint64_t>(words[0]) << 32 | words[1]) % limit;
  }

  std::string Bytes(const std::string& path) {
    const auto bytes = store_->Read(path);
    EXPECT_THAT(bytes, IsOk());
    return *bytes;
  }

  // The newest checkpoint is damaged: nobody may take it, by whatever way.
  void ExpectRefused(const std::string& what) {
    SCOPED_TRACE(absl::StrCat(what, ", PODSIM_FUZZ_SEED=", Seed()));
    ++refused_;
    ASSERT_OK_AND_ASSIGN(const Newest newest, FindNewestGood(*store_, "/m"));
    ASSERT_TRUE(newest.checkpoint.has_value());
    ASSERT_EQ(newest.checkpoint->step, 100);
    ASSERT_THAT(newest.refused, SizeIs(1));
    ASSERT_THAT(newest.refused[0], HasSubstr(kNew));
    const auto manifest = ReadManifest(*store_, kNew);
    if (manifest.ok()) {
      ASSERT_FALSE(ReadVariables(*store_, *manifest, program_).ok());
    }
    // Who has read the manifest before reads the true numbers or none.
    const auto late = ReadVariables(*store_, known_, program_);
    if (late.ok()) {
      ASSERT_EQ(*late, new_);
    }
  }

  // `path` with other bytes, for as long as it is looked at.
  void ExpectRefusedWith(const std::string& path, const std::string& bytes,
                         const std::string& what) {
    const std::string whole = Bytes(path);
    ASSERT_NE(whole, bytes);
    ASSERT_THAT(store_->Write(path, bytes), IsOk());
    ExpectRefused(absl::StrCat(path, " ", what));
    ASSERT_THAT(store_->Write(path, whole), IsOk());
  }

  const Program program_ = testing::TrainedMlp({128, 64});
  const std::unique_ptr<ObjectStore> store_ = NewMemoryStore();
  std::vector<float> old_;
  std::vector<float> new_;
  CheckpointAt known_;
  std::vector<std::string> files_;
  std::uint64_t draws_ = 0;
  int refused_ = 0;
};

TEST_F(TornTest, CutAtEveryBlockAndAtRandomBytes) {
  for (const std::string& file : files_) {
    const std::string path = absl::StrCat(kNew, "/", file);
    const std::string whole = Bytes(path);
    std::vector<std::size_t> lengths = {1, whole.size() - 1};
    for (std::size_t at = 0; at < whole.size(); at += kBlock)
      lengths.push_back(at);
    for (int i = 0; i < 40; ++i) lengths.push_back(Below(whole.size()));
    for (const std::size_t length : lengths)
      ExpectRefusedWith(path, whole.substr(0, length),
                        absl::StrCat("cut to ", length));
  }
  EXPECT_GT(refused_, 6 * 42);
}

TEST_F(TornTest, TheSmallFilesCutAtEveryByte) {
  for (const char* file : {kSumsName, kManifestName}) {
    const std::string path = absl::StrCat(kNew, "/", file);
    const std::string whole = Bytes(path);
    for (std::size_t length = 0; length < whole.size(); ++length)
      ExpectRefusedWith(path, whole.substr(0, length),
                        absl::StrCat("cut to ", length));
  }
}

TEST_F(TornTest, OneBitFlipped) {
  for (const std::string& file : files_) {
    const std::string path = absl::StrCat(kNew, "/", file);
    const std::string whole = Bytes(path);
    for (int i = 0; i < 150; ++i) {
      const std::size_t at = Below(whole.size());
      const auto bit = static_cast<int>(Below(8));
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      ExpectRefusedWith(path, bytes,
                        absl::StrCat("with bit ", bit, " of byte ", at));
    }
  }
}

TEST_F(TornTest, EveryByteOfTheSumsSpoilt) {
  const std::string path = absl::StrCat(kNew, "/", kSumsName);
  const std::string whole = Bytes(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << Below(8)));
    ExpectRefusedWith(path, bytes, absl::StrCat("with byte ", at));
  }
}

// What a power cut leaves of blocks that were never written.
TEST_F(TornTest, BlocksOfZeros) {
  for (const std::string& file : files_) {
    const std::string path = absl::StrCat(kNew, "/", file);
    const std::string whole = Bytes(path);
    for (std::size_t at = 0; at < whole.size(); at += kBlock) {
      const std::size_t length = std::min(kBlock, whole.size() - at);
      std::string bytes = whole;
      bytes.replace(at, length, length, '\0');
      ExpectRefusedWith(path, bytes, absl::StrCat("with zeros from ", at));
    }
  }
}

TEST_F(TornTest, BytesTooMany) {
  for (const std::string& file : files_) {
    const std::string path = absl::StrCat(kNew, "/", file);
    ExpectRefusedWith(path, Bytes(path) + '\0', "with a byte more");
    ExpectRefusedWith(path, Bytes(path) + Bytes(path), "twice");
  }
}

TEST_F(TornTest, FilesLostAddedAndExchanged) {
  for (const std::string& file : files_) {
    const std::string path = absl::StrCat(kNew, "/", file);
    const std::string whole = Bytes(path);
    ASSERT_THAT(store_->Delete(path), IsOk());
    ExpectRefused(path + " lost");
    ASSERT_THAT(store_->Write(path, whole), IsOk());
    // The same file of the checkpoint before: whole, and the wrong one.
    ExpectRefusedWith(path, Bytes(absl::StrCat(kOld, "/", file)), "exchanged");
  }
  for (const char* name : {"model-00005-of-00005.safetensors", "manifest.json~",
                           "sub/model-00001-of-00004.safetensors"}) {
    const std::string path = absl::StrCat(kNew, "/", name);
    ASSERT_THAT(store_->Write(path, "x"), IsOk());
    ExpectRefused(path + " added");
    ASSERT_THAT(store_->Delete(path), IsOk());
  }
  const std::string first = Bytes(absl::StrCat(kNew, "/", files_[2]));
  ExpectRefusedWith(absl::StrCat(kNew, "/", files_[3]), first,
                    "replaced by another part");
}

// Both damaged: there is none, and both are named.
TEST_F(TornTest, NothingGoodIsFoundWhereNothingIs) {
  for (const char* checkpoint : {kOld, kNew})
    ASSERT_THAT(store_->Delete(absl::StrCat(checkpoint, "/", kManifestName)),
                IsOk());
  ASSERT_OK_AND_ASSIGN(const Newest newest, FindNewestGood(*store_, "/m"));
  EXPECT_FALSE(newest.checkpoint.has_value());
  ASSERT_THAT(newest.refused, SizeIs(2));
  EXPECT_THAT(newest.refused[0], HasSubstr(kNew));
  EXPECT_THAT(newest.refused[1], HasSubstr(kOld));
}

// Real files, cut by the file system.
TEST(TornFilesTest, CutAtEveryBlock) {
  testing::TempDir dir;
  const auto store = NewLocalStore();
  const Program program = testing::TrainedMlp({128, 64});
  for (const int step : {100, 200})
    ASSERT_THAT(
        testing::SaveCheckpoint(*store, dir.path(), program,
                                testing::SomeVariables(program, step), step),
        IsOk());
  const std::string path = StepPath(dir.path(), 200);
  ASSERT_OK_AND_ASSIGN(const auto files, store->List(path));
  for (const std::string& file : files) {
    const std::string name = path + "/" + file;
    ASSERT_OK_AND_ASSIGN(const std::string whole, store->Read(name));
    for (std::size_t at = 0; at < whole.size(); at += kBlock) {
      std::filesystem::resize_file(name, at);
      ASSERT_OK_AND_ASSIGN(const Newest newest,
                           FindNewestGood(*store, dir.path()));
      ASSERT_TRUE(newest.checkpoint.has_value());
      ASSERT_EQ(newest.checkpoint->step, 100) << name << " cut to " << at;
      ASSERT_THAT(store->Write(name, whole), IsOk());
    }
  }
  EXPECT_THAT(VerifyCheckpoint(*store, path), IsOk());
}

// A part of another step of the same run, under sums that were made for it.
TEST_F(TornTest, APartOfAnotherStepIsNotBelieved) {
  CheckpointManifest manifest = known_.manifest;
  CheckpointFile& file = *manifest.mutable_files(1);
  const std::string other = Bytes(absl::StrCat(kOld, "/", file.name()));
  ASSERT_EQ(static_cast<std::int64_t>(other.size()), file.bytes());
  file.set_sha256(Sha256Hex(other));
  const std::string json = ManifestJson(manifest);
  Sums sums = {{kManifestName, Sha256Hex(json)}};
  for (const CheckpointFile& each : manifest.files())
    sums[each.name()] = each.sha256();
  for (const auto& [name, bytes] :
       std::map<std::string, std::string>{{file.name(), other},
                                          {kManifestName, json},
                                          {kSumsName, FormatSums(sums)}})
    ASSERT_THAT(store_->Write(absl::StrCat(kNew, "/", name), bytes), IsOk());
  EXPECT_THAT(VerifyCheckpoint(*store_, kNew).status(),
              testing::StatusIs(
                  absl::StatusCode::kDataLoss,
                  HasSubstr(file.name() +
                            ": it is a part of step 100, not of step 200")));
}

}  // namespace
}  // namespace podsim
