#include "host/storage/uri_store.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(SchemeOf, IsWhatStandsBeforeTheColonAndASlash) {
  EXPECT_EQ(SchemeOf("gs://bucket/x"), "gs");
  EXPECT_EQ(SchemeOf("S3://bucket"), "s3");
  EXPECT_EQ(SchemeOf("file:///tmp/x"), "file");
  EXPECT_EQ(SchemeOf("file:/tmp/x"), "file");
  EXPECT_EQ(SchemeOf("git+ssh-2.0://host"), "git+ssh-2.0");
  EXPECT_EQ(SchemeOf("gs:/bucket/x"), "gs") << "a slash forgotten";
}

TEST(SchemeOf, APlainPathHasNone) {
  for (const char* path :
       {"", "/", "runs/a", "/tmp/x", "./gs://bucket", "runs/gs://x", "a:b",
        "gs:bucket", "://x", "c:/x", "1x://y", "12:30/x", "gs ://x", ":/x"})
    EXPECT_EQ(SchemeOf(path), "") << path;
}

TEST(CheckServed, RefusesByTheNameOfTheScheme) {
  EXPECT_THAT(CheckServed("runs/a"), IsOk());
  EXPECT_THAT(CheckServed("gs://bucket/x"), IsOk());
  EXPECT_THAT(CheckServed("s3://bucket/x"),
              StatusIs(kInvalid,
                       AllOf(HasSubstr("s3://bucket/x: no store serves s3://"),
                             HasSubstr("give a plain path"))));
  for (const char* path : {"gs://", "gs:///runs/a"})
    EXPECT_THAT(CheckServed(path),
                StatusIs(kInvalid, HasSubstr("the bucket's name is missing (a "
                                             "variable of the shell may be")));
  EXPECT_THAT(CheckServed("gs://Bucket/x"),
              StatusIs(kInvalid, HasSubstr("no bucket is called so")));
  EXPECT_THAT(CheckServed("gs:/bucket/x"),
              StatusIs(kInvalid, HasSubstr("give gs://BUCKET/NAME")));
  EXPECT_THAT(CheckPlainPath("/tmp/m.jsonl"), IsOk());
  EXPECT_THAT(CheckPlainPath("s3://bucket/m.jsonl"),
              StatusIs(kInvalid, HasSubstr("this cannot lie on s3://")));
}

TEST(CheckServed, GivesTheFormOfABucketThatWasTyped) {
  for (const auto& [typed, given] :
       {std::pair("s3://bucket/run/a", "gs://bucket/run/a for a bucket"),
        std::pair("az://bucket/run", "gs://bucket/run for"),
        std::pair("https://storage.googleapis.com/bucket/run",
                  "gs://bucket/run for"),
        std::pair("https://bucket.storage.googleapis.com/run",
                  "gs://bucket/run for"),
        std::pair("https://huggingface.co/x/model", "gs://BUCKET/PATH for"),
        std::pair("https://x/y.storage.googleapis.com/", "gs://BUCKET/PATH"),
        std::pair("file:///tmp/run", "gs://BUCKET/PATH for")})
    EXPECT_THAT(CheckServed(typed), StatusIs(kInvalid, HasSubstr(given)));
}

TEST(UriStore, ReadsAndWritesFilesByPlainPaths) {
  testing::TempDir dir;
  const std::unique_ptr<ObjectStore> store = NewUriStore();
  ASSERT_THAT(store->Write(dir.file("a/x"), "bytes"), IsOk());
  EXPECT_TRUE(store->CanRename(dir.path()));
  ASSERT_THAT(store->Rename(dir.file("a"), dir.file("b")), IsOk());
  ASSERT_OK_AND_ASSIGN(const std::string bytes, store->Read(dir.file("b/x")));
  EXPECT_EQ(bytes, "bytes");
}

TEST(UriStore, EveryCallRefusesASchemeThatNobodyServes) {
  testing::TempDir dir;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  const std::unique_ptr<ObjectStore> store = NewUriStore();
  const std::string uri = "s3://bucket/x";
  const auto refused = StatusIs(kInvalid, HasSubstr("no store serves s3://"));
  EXPECT_THAT(store->Read(uri), refused);
  EXPECT_THAT(store->ReadRange(uri, 0, 1), refused);
  EXPECT_THAT(store->Size(uri), refused);
  EXPECT_THAT(store->Write(uri, "bytes"), refused);
  EXPECT_THAT(store->List(uri), refused);
  EXPECT_THAT(store->Delete(uri), refused);
  EXPECT_THAT(store->DeleteTree(uri), refused);
  EXPECT_FALSE(store->CanRename(uri));
  EXPECT_THAT(store->Rename(uri, "x"), refused);
  EXPECT_THAT(store->Rename("x", uri), refused);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()))
      << "a directory called s3: was made";
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace podsim
