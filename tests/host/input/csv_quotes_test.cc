// Lines and cells as Python's csv module reads them (its default dialect), and
// what is refused.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/dataset.h"
#include "tests/host/input/gzip_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Gzip;
using ::podsim::testing::kDataLoss;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The values of an integer column.
absl::StatusOr<std::vector<std::int32_t>> CsvColumn(const std::string& file,
                                                    const std::string& key) {
  const auto store = NewMemoryStore();
  PODSIM_CHECK(store->Write("/c/train.csv", file).ok());
  PODSIM_ASSIGN_OR_RETURN(
      const auto dataset,
      OpenDataset({.name = "csv",
                   .data_dir = "/c",
                   .features = absl::StrCat("a=", key, ":int64")},
                  *store));
  std::vector<std::int32_t> values(
      static_cast<std::size_t>(dataset->size(Split::kTrain)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<std::span<std::byte>> rows = {
        std::as_writable_bytes(std::span(&values[i], 1))};
    PODSIM_RETURN_IF_ERROR(
        dataset->Read(Split::kTrain, static_cast<std::int64_t>(i), {}, rows));
  }
  return values;
}

struct CsvCase {
  const char* file;
  std::vector<std::int32_t> want;  // of its column b
};

TEST(CsvQuotes, AreThoseThatBeginACell) {
  const std::vector<CsvCase> cases = {
      // A quote within a cell is a character.
      {"a,b,c\n1,1,x\n2,2,5\" pipe\n3,3,x\n4,4,6\" pipe\n", {1, 2, 3, 4}},
      {"a,b,c\n5\",1,6\"\n7\",2,x\n", {1, 2}},
      {"a,b,c\nx\"y,z\",1,\n", {}},
      // A quoted one has commas, newlines and doubled quotes.
      {"a,b,c\n\"x,y\",1,z\nx,2,\"y,z\"\n", {1, 2}},
      {"a,b,c\n\"x\ny\",1,z\n\"\r\n\",2,z\r\n", {1, 2}},
      {"a,b,c\n\"5\"\" pipe\",1,\"\"\n\"\"\"\",2,\"\"\"\"\"\"\n", {1, 2}},
      {"a,b,c\n\"\"\"\n\"\"\",1,z\n", {1}},
      {"a,b,c\n\"x\",\"1\",\"y\"\n", {1}},
      // What follows its end belongs to it, quotes too.
      {"a,b,c\n\"x\"y\"z,1,w\n\"x\" ,2,\"w\" \n", {1, 2}},
      {"a,b,c\n x \"y\",1, \"w\"\n", {1}},
      // The header likewise.
      {"\"x, y\",\"b\",5\"\nz,1,w\n", {1}},
      {"\"x\ny\",b,c\n1,1,1\n", {1}},
      // Without a last newline.
      {"a,b,c\n1,1,\"x\"", {1}},
      {"a,b,c\n1,1,", {1}},
      {"a,b,c\n1,1,5\"", {1}},
  };
  for (const CsvCase& c : cases) {
    const auto values = CsvColumn(c.file, "b");
    if (c.want.empty()) {
      EXPECT_THAT(values, StatusIs(kDataLoss, HasSubstr("4 cells"))) << c.file;
      continue;
    }
    ASSERT_OK_AND_ASSIGN(const auto got, values);
    EXPECT_EQ(got, c.want) << c.file;
  }
}

TEST(CsvQuotes, NameColumnsOfAHeader) {
  ASSERT_OK_AND_ASSIGN(const auto values,
                       CsvColumn("\"a, kg\",\"5\"\"pipe\"\n1,2\n", "5\"pipe"));
  EXPECT_THAT(values, ElementsAre(2));
}

TEST(CsvQuotes, ThatDoNotEndAreRefused) {
  for (const std::string& rest : {std::string("2\n3,3\n"), std::string()})
    EXPECT_THAT(
        CsvColumn(absl::StrCat("a,b\n1,1\n2,\"", rest), "b"),
        StatusIs(kDataLoss,
                 "/c/train.csv: offset 10: the quote that begins a cell here "
                 "does not end; end it, or take it away"));
  EXPECT_THAT(CsvColumn("\"a,b\n1,1\n", "b"),
              StatusIs(kDataLoss, HasSubstr("/c/train.csv: offset 0: the quote "
                                            "that begins a cell")));
  // More than a line may have.
  std::string file = "a,b\n1,1\n2,\"";
  for (int i = 0; i < 600'000; ++i) file += "3,3\n";
  EXPECT_THAT(
      CsvColumn(file, "b"),
      StatusIs(kDataLoss,
               "/c/train.csv: offset 10: the quote that begins a cell "
               "here does not end within 1048576 bytes; end it, or take "
               "it away"));
  EXPECT_THAT(
      CsvColumn(absl::StrCat("a,b\n1,", std::string(2 << 20, '1')), "b"),
      StatusIs(kDataLoss,
               "/c/train.csv: offset 4: a line does not end "
               "within 1048576 bytes; write each example on a line of its "
               "own"));
}

// Over the pieces in which a file is read.
TEST(CsvQuotes, WhereverTheyLieInTheFile) {
  for (std::size_t size = 4090; size < 4100; ++size) {
    const std::string text(size, 'x');
    const std::string file = absl::StrCat("a,b\n\"", text, "\"\"\n\",1\n2,2\n");
    ASSERT_OK_AND_ASSIGN(const auto values, CsvColumn(file, "b"));
    ASSERT_THAT(values, ElementsAre(1, 2)) << size;
  }
}

TEST(CsvLines, HaveAsManyCellsAsTheHeader) {
  const std::string file = "a,b,c\n1,1,1\n\n";
  EXPECT_THAT(CsvColumn(file + "2,2\n3,3,3\n", "b"),
              StatusIs(kDataLoss,
                       "/c/train.csv: line 4, offset 13: a line of 2 cells, "
                       "but the header has 3: mend the line, or delete it"));
  EXPECT_THAT(CsvColumn(file + "2,2,2,\n", "b"),
              StatusIs(kDataLoss,
                       "/c/train.csv: line 4, offset 13: a line of 4 cells, "
                       "but the header has 3: mend the line, or delete it"));
  EXPECT_THAT(CsvColumn(file + "2\n", "a"),
              StatusIs(kDataLoss, HasSubstr("a line of 1 cell,")));
  EXPECT_THAT(CsvColumn(file + "2,2,\"2,2\",2\n", "b"),
              StatusIs(kDataLoss, HasSubstr("a line of 4 cells")));
  ASSERT_OK_AND_ASSIGN(const auto values,
                       CsvColumn(file + "2,2,\"2,2\"\n", "b"));
  EXPECT_THAT(values, ElementsAre(1, 2));
}

TEST(CsvLines, AByteOrderMarkIsNoneOfTheirs) {
  const std::string mark = "\xef\xbb\xbf";
  for (const bool packed : {false, true}) {
    const auto read = [&](const std::string& file, const std::string& key) {
      return CsvColumn(packed ? Gzip(file) : file, key);
    };
    ASSERT_OK_AND_ASSIGN(auto values, read(mark + "a,b\n1,2\n3,4\n", "a"));
    EXPECT_THAT(values, ElementsAre(1, 3));
    ASSERT_OK_AND_ASSIGN(values, read(mark + "\"a\",b\n1,2\n", "a"));
    EXPECT_THAT(values, ElementsAre(1));
    ASSERT_OK_AND_ASSIGN(values, read(mark + "1,2\n3,4\n", "0"));
    EXPECT_THAT(values, ElementsAre(1, 3));
    // Of a file's begin alone.
    EXPECT_THAT(read("1,2\n" + mark + "3,4\n", "0"),
                StatusIs(kDataLoss, HasSubstr("line 2: column 0 (from 0): ")));
  }
}

TEST(CsvLines, TheFirstIsTheHeaderIfKeysAreNames) {
  EXPECT_THAT(
      CsvColumn("0.5,2\n3,4\n", "label"),
      StatusIs(kInvalid,
               AllOf(HasSubstr("no column label; their first line, which is "
                               "taken for the header, begins with the number "
                               "0.5"),
                     HasSubstr("without a header columns are numbers"))));
}

}  // namespace
}  // namespace podsim
