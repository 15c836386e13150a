// What is given in the place of a data set's file, and what to do with it.
#include "host/input/other_file.h"

#include <string>

#include "tests/host/input/gzip_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::StartsWith;

constexpr char kText[] = "height,weight,label\n1,2,0\n3,4,1\n";

// ASCII in two bytes a character.
std::string Utf16(const std::string& text, bool big_endian) {
  std::string wide;
  for (const char ch : text) {
    if (big_endian) wide += '\0';
    wide += ch;
    if (!big_endian) wide += '\0';
  }
  return wide;
}

std::string Tar() {
  std::string tar(512, '\0');
  tar.replace(0, 6, "my.csv");
  tar.replace(257, 6, std::string("ustar\0", 6));
  return tar;
}

TEST(CheckIsCsv, SaysWhatTheFileIsAndWhatToDo) {
  struct Given {
    std::string start;
    const char* said;
  };
  const Given cases[] = {
      {std::string("PK\x03\x04\x14\0\0\0my.csv", 14),
       "d/my.csv is a zip archive; unpack it with unzip d/my.csv, and give a "
       "file of it"},
      {"PK\x03\x04 [Content_Types].xml",
       "d/my.csv is a workbook (.xlsx) or another Office file; save it as a "
       "CSV "
       "file"},
      {"PK\x03\x04 features.npy", "d/my.csv is a zip archive of NumPy arrays"},
      {Tar(), "d/my.csv is a tar archive; unpack it with tar -xf d/my.csv"},
      {"BZh91AY&SY",
       "d/my.csv is a file compressed with bzip2; unpack it with bunzip2"},
      {std::string("\xfd\x37zXZ\0", 6),
       "d/my.csv is a file compressed with xz; unpack it with unxz d/my.csv"},
      {"\x28\xb5\x2f\xfd",
       "d/my.csv is a file compressed with Zstandard; unpack it"},
      {"PAR1\x15", "d/my.csv is a Parquet file; write it as a CSV file"},
      {"\xff\xfe" + Utf16(kText, false),
       "d/my.csv is UTF-16 text; podsim reads UTF-8: iconv -f UTF-16 -t UTF-8 "
       "d/my.csv > utf8.csv"},
      {"\xfe\xff" + Utf16(kText, true), "d/my.csv is UTF-16 text;"},
      {Utf16(kText, false),
       "d/my.csv is UTF-16 text without a byte order mark; podsim reads UTF-8: "
       "iconv -f UTF-16LE -t UTF-8 d/my.csv > utf8.csv"},
      {Utf16(kText, true),
       "d/my.csv is UTF-16 text without a byte order mark; podsim reads UTF-8: "
       "iconv -f UTF-16BE"},
      {"a,b\r1,2\r3,4\r",
       "d/my.csv is text whose lines end in CR alone, as of an old Mac; podsim "
       "reads LF and CR LF: tr '\\r' '\\n' < d/my.csv > lf.csv"},
      {"\n<!doctype HTML><title>404</title>",
       "d/my.csv is a web page (HTML), as of a download that failed; fetch the "
       "file again"},
      {"<?xml version=\"1.0\"?><Error>", "d/my.csv is XML, as of a download"},
      {"{\"a\": 1}\n", "d/my.csv is JSON; write it as a CSV file"},
      {"[ {\"a\": 1} ]", "d/my.csv is JSON; write it as a CSV file"},
      {"version https://git-lfs.github.com/spec/v1",
       "d/my.csv is a pointer of Git LFS, not the file; git lfs pull fetches "
       "it"},
      {std::string("a,b\n1,2\n\0\1", 10), "d/my.csv is no text"},
  };
  for (const Given& given : cases)
    EXPECT_THAT(
        CheckIsCsv(given.start, "d/my.csv"),
        StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(given.said)));
}

TEST(CheckIsCsv, TakesTextOfEveryOtherKind) {
  for (const std::string text :
       {"", kText, "a,b\r\n1,2\r\n", "\xef\xbb\xbf a,b\n", "PAR1,PAR2\n1,2\n",
        "gr\xc3\xb6\xc3\x9f"
        "e,b\n1,2",
        "[a],b\n1,2", "{a},b\n1,2\n", "a,b\r"})
    EXPECT_THAT(CheckIsCsv(text, "my.csv"), IsOk()) << text;
}

// Its bytes were looked at unpacked.
TEST(CheckIsCsv, APackedFileIsUnpackedFirst) {
  EXPECT_THAT(
      CheckIsCsv("\xff\xfe" + Utf16(kText, false), "my.csv.gz"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "my.csv.gz is UTF-16 text; gunzip my.csv.gz, then podsim "
               "reads UTF-8: iconv -f UTF-16 -t UTF-8 my.csv > "
               "utf8.csv"));
}

TEST(OtherFileHint, APackedFileIsUnpackedOnce) {
  EXPECT_EQ(
      OtherFileHint("\x1f\x8b\x08", "x.bin.gz"),
      "; it is a file compressed with gzip: unpack it with gunzip x.bin.gz");
}

// Most archives of data sets are so: gunzip alone makes no data set of them.
TEST(OtherFileHint, ATarInsideGzipIsNamed) {
  EXPECT_EQ(OtherFileHint(testing::Gzip(Tar()), "d/my.tar.gz"),
            "; it is a tar archive packed with gzip: unpack it with tar -xzf "
            "d/my.tar.gz, and give a file of it");
  EXPECT_EQ(OtherFileHint(testing::Gzip("a,b\n1,2\n"), "x.gz"),
            "; it is a file compressed with gzip: unpack it with gunzip x.gz");
  // Only the begin of a large one is looked at.
  std::string large = Tar();
  for (unsigned i = 0; i < 200'000; ++i)
    large += static_cast<char>(i * 2654435761u >> 24);
  const std::string packed = testing::Gzip(large);
  ASSERT_GT(packed.size(), kOtherFileBytes);
  EXPECT_THAT(OtherFileHint(packed.substr(0, kOtherFileBytes), "my.tgz"),
              StartsWith("; it is a tar archive packed with gzip"));
}

// As of a reader that unpacks what it reads.
TEST(OtherFileHint, AnUnpackedTarIsUnpackedByTar) {
  EXPECT_EQ(OtherFileHint(Tar(), "d/my.tar.gz"),
            "; it is a tar archive: unpack it with tar -xzf d/my.tar.gz, and "
            "give a file of it");
}

TEST(OtherFileHint, TellsWhatOneFileIsInPlaceOfAnother) {
  EXPECT_EQ(OtherFileHint("<html>", "x.npy"),
            "; it is a web page (HTML), as of a download that failed: fetch "
            "the file again");
  EXPECT_EQ(OtherFileHint("1,2,3\n4", "x.npy"),
            "; it is text, beginning '1,2,3'");
  EXPECT_EQ(OtherFileHint("\x01\x02", "x.npy"), "");
  EXPECT_EQ(OtherFileHint("", "x.npy"), "");
}

}  // namespace
}  // namespace podsim
