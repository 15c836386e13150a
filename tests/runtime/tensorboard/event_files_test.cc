// Bytes in files of this machine and in objects.
#include "runtime/tensorboard/event_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "absl/strings/escaping.h"
#include "host/storage/wrapper.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Of Event(wall_time=1, file_version="brain.Event:2", source_metadata={writer:
// "podsim"}), by the tensorboard package: length, its checksum, bytes, theirs.
const std::string& Header() {
  static const auto* const kBytes = new std::string(absl::HexStringToBytes(
      "220000000000000078113dfd"
      "09000000000000f03f1a0d627261696e2e4576656e743a3252080a06706f6473696d"
      "5a1a7745"));
  return *kBytes;
}

std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A second after 1970.
class EventFilesTest : public ::testing::Test {
 protected:
  std::string Name(int number) const {
    return "events.out.tfevents.1.host.42." + std::to_string(number);
  }

  SimClock clock_;
  const std::shared_ptr<EventFileNames> names_ =
      std::make_shared<EventFileNames>(clock_, "host", 42);
  testing::TempDir dir_;
};

TEST_F(EventFilesTest, ARecordIsFramed) {
  // Event(wall_time=2, step=7, summary={tag: "a", simple_value: 1}), likewise.
  EXPECT_EQ(absl::BytesToHexString(EventRecord(absl::HexStringToBytes(
                "09000000000000004010072a0a0a080a0161150000803f"))),
            "1700000000000000e7cef81e"
            "09000000000000004010072a0a0a080a0161150000803f83c94abd");
}

TEST_F(EventFilesTest, AFileGrowsUntilTheNextOneStarts) {
  const std::string folder = dir_.file("a/wall");
  const auto files = NewLocalEventFiles(folder, names_);
  EXPECT_THAT(files->Append(""), IsOk());
  EXPECT_FALSE(std::filesystem::exists(dir_.file("a"))) << "of no record";
  EXPECT_THAT(files->Append("one"), IsOk());
  EXPECT_EQ(BytesOf(folder + "/" + Name(0)), Header() + "one");
  EXPECT_THAT(files->Append("two"), IsOk());
  files->StartFile();
  EXPECT_THAT(files->Append("three"), IsOk());
  EXPECT_EQ(BytesOf(folder + "/" + Name(0)), Header() + "onetwo");
  EXPECT_EQ(BytesOf(folder + "/" + Name(1)), Header() + "three");
  EXPECT_FALSE(files->TriesAgain());
}

// What was moved away finds its place free when it comes back.
TEST_F(EventFilesTest, AFolderThatIsGoneIsNotMadeAgain) {
  const std::string folder = dir_.file("b/wall");
  const auto files = NewLocalEventFiles(folder, names_);
  files->StartFile();
  EXPECT_TRUE(std::filesystem::is_directory(folder));
  std::filesystem::remove_all(dir_.file("b"));
  EXPECT_FALSE(files->Append(EventRecord("x")).ok());
  EXPECT_FALSE(std::filesystem::exists(dir_.file("b")));
}

TEST_F(EventFilesTest, AFolderThatCannotBeMadeIsNamed) {
  std::ofstream(dir_.file("a")) << "a file";
  const auto files = NewLocalEventFiles(dir_.file("a/wall"), names_);
  EXPECT_THAT(files->Append("one").message(),
              HasSubstr("cannot make the folder " + dir_.file("a/wall")));
}

// Refuses to write as long as it is told to.
class Refusing final : public ObjectStoreWrapper {
 public:
  explicit Refusing(ObjectStore* base) : ObjectStoreWrapper(base) {}
  absl::Status Write(std::string_view path, std::string_view bytes) override {
    if (refuses_) return absl::UnavailableError("silent");
    return ObjectStoreWrapper::Write(path, bytes);
  }
  void set_refuses(bool refuses) { refuses_ = refuses; }

 private:
  bool refuses_ = false;
};

TEST_F(EventFilesTest, InAStoreEachPieceIsAnObject) {
  const auto memory = NewMemoryStoreWithoutRename();
  auto owned = std::make_unique<Refusing>(memory.get());
  Refusing& store = *owned;
  const auto files = NewStoredEventFiles("/b/wall", std::move(owned), names_);
  EXPECT_TRUE(files->TriesAgain());
  EXPECT_THAT(files->Append(""), IsOk());
  EXPECT_THAT(files->Append("one"), IsOk());
  files->StartFile();
  EXPECT_THAT(files->Append("two"), IsOk());
  // What could not be written comes with what follows, or alone.
  store.set_refuses(true);
  EXPECT_THAT(files->Append("three"),
              StatusIs(absl::StatusCode::kUnavailable, "silent"));
  EXPECT_THAT(files->Append("four"),
              StatusIs(absl::StatusCode::kUnavailable, "silent"));
  store.set_refuses(false);
  EXPECT_THAT(files->Append(""), IsOk());
  EXPECT_THAT(files->Append(""), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto listed, memory->List("/b/wall"));
  EXPECT_THAT(listed, ElementsAre(Name(0), Name(1), Name(2)));
  const std::string bytes[] = {"one", "two", "threefour"};
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK_AND_ASSIGN(const std::string read,
                         memory->Read("/b/wall/" + Name(i)));
    EXPECT_EQ(read, Header() + bytes[i]);
  }
}

}  // namespace
}  // namespace podsim
