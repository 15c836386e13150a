// What every ObjectStore must do, run over each of them.
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/storage/faulty_store.h"
#include "host/storage/storage.h"
#include "tests/testing/gcs/double_store.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<ObjectStore>()> make;
  // Directories are only what names have in common: an object may be called
  // like one.
  bool flat = false;
};

std::unique_ptr<ObjectStore> NewFaultyStore() {
  // One for all tests, whose paths differ: a faulty store owns none.
  static ObjectStore* const memory = NewMemoryStore().release();
  return std::make_unique<FaultyStore>(memory);
}

class StoreConformance : public ::testing::TestWithParam<StoreKind> {
 protected:
  std::string Path(const std::string& name) { return dir_.file(name); }
  ObjectStore& store() { return *store_; }

 private:
  testing::TempDir dir_;
  std::unique_ptr<ObjectStore> store_ = GetParam().make();
};

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreConformance,
    ::testing::Values(StoreKind{"local", NewLocalStore},
                      StoreKind{"memory", NewMemoryStore},
                      StoreKind{"memory_without_rename",
                                NewMemoryStoreWithoutRename},
                      StoreKind{"gcs", testing::NewGcsDoubleStore,
                                /*flat=*/true},
                      // Passes on all that it is not told to spoil.
                      StoreKind{"faulty", NewFaultyStore}),
    [](const auto& info) { return info.param.name; });

TEST_P(StoreConformance, AnObjectThatIsWrittenAgainIsOfAnotherVersion) {
  const std::string path = Path("object");
  ASSERT_THAT(store().Write(path, "first"), IsOk());
  ASSERT_OK_AND_ASSIGN(const ObjectStat first, store().Stat(path));
  EXPECT_EQ(first.bytes, 5);
  ASSERT_OK_AND_ASSIGN(const ObjectStat again, store().Stat(path));
  EXPECT_EQ(again.version, first.version);
  ASSERT_THAT(store().Write(path, "other"), IsOk());
  ASSERT_OK_AND_ASSIGN(const ObjectStat other, store().Stat(path));
  EXPECT_EQ(other.bytes, 5);
  EXPECT_NE(other.version, first.version);
}

TEST_P(StoreConformance, GivesBackWhatWasWritten) {
  std::string binary(100'000, '\0');
  for (std::size_t i = 0; i < binary.size(); ++i)
    binary[i] = static_cast<char>(i * 31 >> 3);
  for (const std::string& bytes : {std::string(), std::string("x"), binary}) {
    ASSERT_THAT(store().Write(Path("object"), bytes), IsOk());
    ASSERT_OK_AND_ASSIGN(const std::string read, store().Read(Path("object")));
    EXPECT_EQ(read, bytes);
    ASSERT_OK_AND_ASSIGN(const std::int64_t size, store().Size(Path("object")));
    EXPECT_EQ(size, bytes.size());
  }
}

TEST_P(StoreConformance, MakesDirectoriesOnTheWay) {
  ASSERT_THAT(store().Write(Path("a/b/c/object"), "deep"), IsOk());
  ASSERT_OK_AND_ASSIGN(const std::string read,
                       store().Read(Path("a//b/c/object")));
  EXPECT_EQ(read, "deep");
}

TEST_P(StoreConformance, ReadsRanges) {
  ASSERT_THAT(store().Write(Path("object"), "0123456789"), IsOk());
  struct Case {
    std::int64_t offset, length;
    std::string want;
  };
  for (const Case& c :
       {Case{0, 10, "0123456789"}, Case{3, 4, "3456"}, Case{8, 100, "89"},
        Case{0, 0, ""}, Case{10, 1, ""}, Case{1'000'000, 5, ""},
        Case{9, std::numeric_limits<std::int64_t>::max(), "9"}}) {
    ASSERT_OK_AND_ASSIGN(const std::string read,
                         store().ReadRange(Path("object"), c.offset, c.length));
    EXPECT_EQ(read, c.want) << c.offset << "+" << c.length;
  }
  EXPECT_THAT(store().ReadRange(Path("object"), -1, 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-1")));
  EXPECT_THAT(store().ReadRange(Path("object"), 0, -7),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("-7")));
}

TEST_P(StoreConformance, MissingObjectIsNotFoundWithPathAndReason) {
  const std::string path = Path("nothing");
  const auto missing =
      StatusIs(absl::StatusCode::kNotFound,
               AllOf(HasSubstr(path), HasSubstr(kNothingThere)));
  EXPECT_THAT(store().Read(path), missing);
  EXPECT_THAT(store().ReadRange(path, 0, 1), missing);
  EXPECT_THAT(store().Size(path), missing);
  EXPECT_THAT(store().List(path), missing);
  EXPECT_THAT(store().Delete(path), missing);
}

TEST_P(StoreConformance, DirectoryIsNoObject) {
  ASSERT_THAT(store().Write(Path("dir/object"), "x"), IsOk());
  const auto directory =
      StatusIs(absl::StatusCode::kNotFound,
               AllOf(HasSubstr(Path("dir")), HasSubstr(kIsAFolder)));
  EXPECT_THAT(store().Read(Path("dir")), directory);
  EXPECT_THAT(store().Size(Path("dir")), directory);
  EXPECT_THAT(store().Write(Path("dir/"), "x"), directory);
  EXPECT_THAT(store().Delete(Path("dir")), directory);
  if (!GetParam().flat) {
    EXPECT_THAT(store().Write(Path("dir"), "x"), directory);
    return;
  }
  ASSERT_THAT(store().Write(Path("dir"), "beside"), IsOk());
  ASSERT_OK_AND_ASSIGN(const std::string beside, store().Read(Path("dir")));
  EXPECT_EQ(beside, "beside");
  ASSERT_OK_AND_ASSIGN(const auto names, store().List(Path("dir")));
  EXPECT_THAT(names, ElementsAre("object"));
}

TEST_P(StoreConformance, ObjectIsNoDirectory) {
  ASSERT_THAT(store().Write(Path("object"), "x"), IsOk());
  const auto not_directory =
      StatusIs(absl::StatusCode::kNotFound,
               AllOf(HasSubstr(Path("object")), HasSubstr(kIsAFile)));
  if (!GetParam().flat) {
    EXPECT_THAT(store().Write(Path("object/below"), "x"), not_directory);
  }
  EXPECT_THAT(store().List(Path("object")), not_directory);
  EXPECT_THAT(store().Read(Path("object/below")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("below")));
}

TEST_P(StoreConformance, ListsSortedWithDirectoriesMarked) {
  for (const char* name : {"d/b", "d/a", "d/sub/x", "d/sub/y", "d/c/deep/z"})
    ASSERT_THAT(store().Write(Path(name), name), IsOk());
  for (const char* prefix : {"d", "d/"}) {
    ASSERT_OK_AND_ASSIGN(const auto names, store().List(Path(prefix)));
    EXPECT_THAT(names, ElementsAre("a", "b", "c/", "sub/"));
  }
}

TEST_P(StoreConformance, DeletesOnlyTheOneNamed) {
  ASSERT_THAT(store().Write(Path("one"), "1"), IsOk());
  ASSERT_THAT(store().Write(Path("two"), "2"), IsOk());
  ASSERT_THAT(store().Delete(Path("one")), IsOk());
  EXPECT_THAT(store().Read(Path("one")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("one")));
  EXPECT_THAT(store().Read(Path("two")), IsOk());
  EXPECT_THAT(store().Delete(Path("one")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("one")));
}

TEST_P(StoreConformance, DeletesATreeAndNothingBesideIt) {
  for (const char* name : {"d/a", "d/sub/b", "d/sub/deep/c", "dd/x", "d.x"})
    ASSERT_THAT(store().Write(Path(name), name), IsOk());
  ASSERT_THAT(store().DeleteTree(Path("d")), IsOk());
  const auto missing =
      StatusIs(absl::StatusCode::kNotFound, HasSubstr(kNothingThere));
  EXPECT_THAT(store().List(Path("d")), missing);
  EXPECT_THAT(store().Read(Path("d/sub/deep/c")), missing);
  EXPECT_THAT(store().DeleteTree(Path("d")), missing);
  EXPECT_THAT(store().Read(Path("dd/x")), IsOk());
  EXPECT_THAT(store().DeleteTree(Path("d.x")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("d.x")));
  EXPECT_THAT(store().Read(Path("d.x")), IsOk());
  EXPECT_THAT(store().DeleteTree(Path("dd/")), IsOk());
  EXPECT_THAT(store().Read(Path("dd/x")), missing);
}

TEST_P(StoreConformance, RenamesADirectoryWholeOrSaysThatItCannot) {
  for (const char* name : {"old/a", "old/sub/b", "older/x"})
    ASSERT_THAT(store().Write(Path(name), name), IsOk());
  if (!store().CanRename(Path("tree"))) {
    EXPECT_THAT(store().Rename(Path("old"), Path("new")),
                StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("old")));
    EXPECT_THAT(store().Read(Path("old/a")), IsOk());
    return;
  }
  ASSERT_THAT(store().Rename(Path("old"), Path("new")), IsOk());
  ASSERT_OK_AND_ASSIGN(const auto names, store().List(Path("new")));
  EXPECT_THAT(names, ElementsAre("a", "sub/"));
  ASSERT_OK_AND_ASSIGN(const std::string read, store().Read(Path("new/sub/b")));
  EXPECT_EQ(read, "old/sub/b");
  EXPECT_THAT(store().List(Path("old")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("old")));
  EXPECT_THAT(store().Read(Path("older/x")), IsOk());
  // Slashes at the end mean nothing.
  ASSERT_THAT(store().Rename(Path("new/"), Path("newer/")), IsOk());
  EXPECT_THAT(store().Read(Path("newer/a")), IsOk());
}

TEST_P(StoreConformance, RenameReplacesNothing) {
  for (const char* name : {"from/a", "taken/b", "object"})
    ASSERT_THAT(store().Write(Path(name), name), IsOk());
  struct Case {
    std::string from, to;
    absl::StatusCode code;
    std::string names, reason;
  };
  using Code = absl::StatusCode;
  for (const Case& c :
       {Case{"from", "taken", Code::kAlreadyExists, "taken", "File exists"},
        Case{"from", "object", Code::kAlreadyExists, "object", "File exists"},
        Case{"from", "from", Code::kAlreadyExists, "from", "File exists"},
        Case{"no", "to", Code::kNotFound, "no", kNothingThere},
        Case{"object", "to", Code::kNotFound, "object", kIsAFile},
        Case{"from", "no/to", Code::kNotFound, "no/to", kNothingThere},
        Case{"from", "object/to", Code::kNotFound, "object/to", kIsAFile}}) {
    const auto refused =
        StatusIs(c.code, AllOf(HasSubstr(Path(c.names)), HasSubstr(c.reason)));
    const auto unable =
        StatusIs(Code::kUnimplemented, HasSubstr("this store cannot rename"));
    const absl::Status status = store().Rename(Path(c.from), Path(c.to));
    if (store().CanRename(Path("tree"))) {
      EXPECT_THAT(status, refused);
    } else {
      EXPECT_THAT(status, unable);
    }
  }
  EXPECT_THAT(store().Read(Path("from/a")), IsOk());
  EXPECT_THAT(store().Read(Path("taken/b")), IsOk());
}

TEST_P(StoreConformance, ChangesOnConditionWhereItKeepsGenerations) {
  ConditionalObjects* const objects = store().Conditional(Path("x"));
  ASSERT_EQ(objects == nullptr, store().CanRename(Path("tree")))
      << "files are renamed, objects have generations";
  if (objects == nullptr) return;
  const auto aborted =
      StatusIs(absl::StatusCode::kAborted, HasSubstr(Path("x")));
  ASSERT_OK_AND_ASSIGN(auto version, objects->ReadVersion(Path("x")));
  EXPECT_FALSE(version.has_value());
  EXPECT_THAT(objects->WriteIf(Path("x"), "never", 17), aborted);
  ASSERT_OK_AND_ASSIGN(const std::int64_t first,
                       objects->WriteIf(Path("x"), "first", 0));
  EXPECT_THAT(objects->WriteIf(Path("x"), "never", 0), aborted);
  ASSERT_THAT(store().Write(Path("x"), "another's"), IsOk());
  EXPECT_THAT(objects->WriteIf(Path("x"), "never", first), aborted);
  EXPECT_THAT(objects->DeleteIf(Path("x"), first), aborted);
  ASSERT_OK_AND_ASSIGN(version, objects->ReadVersion(Path("x")));
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ(version->bytes, "another's");
  EXPECT_NE(version->generation, first);
  ASSERT_THAT(objects->WriteIf(Path("x"), "", version->generation), IsOk());
  ASSERT_OK_AND_ASSIGN(version, objects->ReadVersion(Path("x")));
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ(version->bytes, "");
  const std::int64_t last = version->generation;
  ASSERT_THAT(store().Write(Path("from"), "copied"), IsOk());
  EXPECT_THAT(objects->CopyIf(Path("from"), Path("x"), 0), aborted);
  ASSERT_THAT(objects->CopyIf(Path("from"), Path("to"), 0), IsOk());
  ASSERT_OK_AND_ASSIGN(const std::string copied, store().Read(Path("to")));
  EXPECT_EQ(copied, "copied");
  EXPECT_THAT(objects->CopyIf(Path("none"), Path("to2"), 0),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(Path("none"))));
  ASSERT_THAT(objects->DeleteIf(Path("x"), last), IsOk());
  EXPECT_THAT(objects->DeleteIf(Path("x"), last),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(Path("x"))));
  // One that comes again has no generation that was there before.
  ASSERT_OK_AND_ASSIGN(const std::int64_t again,
                       objects->WriteIf(Path("x"), "again", 0));
  EXPECT_GT(again, last);
}

// Writers replace one object again and again with blocks of one letter; every
// read must see one whole block.
TEST_P(StoreConformance, ReadersSeeOldOrNewNeverAPart) {
  constexpr int kWriters = 2;
  constexpr int kWrites = 30;
  const std::string path = Path("object");
  ASSERT_THAT(store().Write(path, std::string(5000, 'z')), IsOk());
  std::atomic<int> running{kWriters};
  std::atomic<int> failures{0};
  std::vector<std::jthread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < kWrites; ++i) {
        const std::string bytes(
            1000 * (w * kWrites + i) % 60'000 + 1,
            static_cast<char>('a' + (w * kWrites + i) % 26));
        if (!store().Write(path, bytes).ok()) ++failures;
      }
      --running;
    });
  }
  while (running > 0) {
    const absl::StatusOr<std::string> read = store().Read(path);
    ASSERT_THAT(read, IsOk());
    ASSERT_FALSE(read->empty());
    ASSERT_EQ(read->find_first_not_of(read->front()), std::string::npos);
  }
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace podsim
