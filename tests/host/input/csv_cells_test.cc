// Cells of a CSV file that are no such numbers as the schema says: told for all
// lines while the file is indexed, before anything is trained on it.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/input/dataset.h"
#include "host/storage/storage.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kLoss = absl::StatusCode::kDataLoss;
constexpr auto kRefusedCsv = absl::StatusCode::kInvalidArgument;

absl::Status Opened(const std::string& file, const std::string& features = "",
                    std::int32_t classes = 0) {
  const auto store = NewMemoryStore();
  PODSIM_CHECK(store->Write("/c/my.csv", file).ok());
  return OpenDataset({.name = "csv",
                      .data_dir = "/c/my.csv",
                      .classes = classes,
                      .features = features},
                     *store)
      .status();
}

// Some good lines around `line`.
std::string WithLine(const std::string& line) {
  return absl::StrCat("a,b,c,label\n1,2,3,0\n", line, "\n-1.5,.5,1e3,1\n");
}

TEST(CsvCells, TheFirstBadOneIsNamedWithAWayOut) {
  EXPECT_THAT(Opened(WithLine("4,5,6,1")), IsOk());
  EXPECT_THAT(
      Opened(WithLine("NA,5,6,1")),
      StatusIs(kLoss,
               "/c/my.csv: line 3: column 0 (a): 'NA' is no decimal number; "
               "write numbers there, or leave the column out: "
               "--features='features=b..c:float32[2],labels=label:int64' "
               "--classes=2"));
  EXPECT_THAT(
      Opened(WithLine("4,5,2024-11-28,1")),
      StatusIs(kLoss, HasSubstr("column 2 (c): '2024-11-28' is no "
                                "decimal number; write numbers there, "
                                "or leave the column out: "
                                "--features='features=a..b:float32[2]")));
  // No range of columns is without it.
  EXPECT_THAT(Opened(WithLine("4,x,6,1")),
              StatusIs(kLoss, HasSubstr("or drop the column: cut -d, "
                                        "--complement -f2 /c/my.csv > "
                                        "numbers.csv")));
  EXPECT_THAT(Opened(WithLine("4,,6,1")),
              StatusIs(kLoss, HasSubstr("column 1 (b): the cell is empty")));
  EXPECT_THAT(Opened(WithLine("4,\"1,5\",6,1")),
              StatusIs(kLoss, HasSubstr("'1,5' is no decimal number (decimals "
                                        "have a point)")));
}

TEST(CsvCells, SeparatorsOfThousandsAreLeftOut) {
  for (const auto& [cell, number] :
       std::vector<std::pair<const char*, const char*>>{
           {"\"1,100\"", "1100"},
           {"\"-12,345,678.5\"", "-12345678.5"},
           {"1'100", "1100"},
           {"1_100", "1100"},
           {"10 000.25", "10000.25"}})
    EXPECT_THAT(Opened(WithLine(absl::StrCat("4,", cell, ",6,1"))),
                StatusIs(kLoss, HasSubstr(absl::StrCat(
                                    "is no decimal number (write ", number,
                                    ", without separators of thousands; "
                                    "decimals have a point)"))))
        << cell;
  for (const char* cell : {"\"1,10\"", "\"1100,5\"", "\"1,100 000\""})
    EXPECT_THAT(Opened(WithLine(absl::StrCat("4,", cell, ",6,1"))),
                StatusIs(kLoss, Not(HasSubstr("separators"))))
        << cell;
}

TEST(CsvCells, TheLineOfferedHasTheClasses) {
  EXPECT_THAT(Opened(WithLine("NA,5,6,1"),
                     "features=a..c:float32[3],labels=label:int64", 2),
              StatusIs(kLoss, HasSubstr("--features='features=b..c:float32[2],"
                                        "labels=label:int64' --classes=2")));
}

TEST(CsvCells, HowManyThereAreIsSaid) {
  const std::string two = "a,b,label\nx,2,0\n3,4,1\ny,6,0\n";
  EXPECT_THAT(
      Opened(two),
      StatusIs(kLoss, HasSubstr("'x' is no decimal number; 2 of 3 lines "
                                "have no such number there; ")));
  EXPECT_THAT(
      Opened("a,b,c,label\nx,2,3,0\n3,4,y,1\n"),
      StatusIs(kLoss, HasSubstr("; 2 of 2 lines have such cells: column "
                                "0 (a) 1, column 2 (c) 1; ")));
  // Nothing would be left.
  EXPECT_THAT(Opened("a,b,label\nx,y,0\n3,4,1\n"),
              StatusIs(kLoss, HasSubstr("give another type or other columns")));
}

// As far as its line with classes that are given as with those of the file.
TEST(CsvCells, LabelsAreNotBelowZero) {
  for (const std::int32_t classes : {0, 2}) {
    EXPECT_THAT(
        Opened(WithLine("4,5,6,-1"), "", classes),
        StatusIs(kLoss,
                 "/c/my.csv: line 3: column 3 (label): label -1 is below 0; "
                 "labels are whole numbers from 0: write the classes as 0, 1, "
                 "..., leave such lines out, or name another column: "
                 "--features='features=a..c:float32[3],labels=COLUMN:int64'"));
    EXPECT_THAT(
        Opened("a,label\n1,0\n2,-1\n3,-1\n", "", classes),
        StatusIs(kLoss, HasSubstr("label -1 is below 0; labels are whole "
                                  "numbers from 0; 2 of 3 lines have no such "
                                  "number there: write the classes as 0")));
  }
}

TEST(CsvCells, LabelsAreBelowTheClasses) {
  constexpr char kBoth[] = "features=a..c:float32[3],labels=label:int64";
  EXPECT_THAT(Opened(WithLine("4,5,6,2"), kBoth, 3), IsOk());
  EXPECT_THAT(Opened(WithLine("4,5,6,2"), kBoth, 2),
              StatusIs(kLoss, HasSubstr("line 3: column 3 (label): label 2 is "
                                        "not in 0 to 1: classes is 2")));
  EXPECT_THAT(Opened("a,label\n1,0\n2,3\n3,5\n4,4\n",
                     "features=a:float32,labels=label:int64", 3),
              StatusIs(kLoss, HasSubstr("label 3 is not in 0 to 2: classes is "
                                        "3, and labels count from 0; 3 of 4 "
                                        "lines have no such number there; give "
                                        "--classes=6, or number the classes "
                                        "from 0")));
  EXPECT_THAT(Opened(WithLine("4,5,6,setosa"), kBoth, 2),
              StatusIs(kLoss, HasSubstr("'setosa' is no whole number; labels "
                                        "are whole numbers from 0")));
}

TEST(CsvCells, EveryTypeHasItsRange) {
  const auto opened = [](const char* cell, const char* type) {
    return Opened(absl::StrCat("a,b\n", cell, ",1\n"),
                  absl::StrCat("features=a:", type, ",labels=b:int64"));
  };
  struct Cell {
    const char* text;
    const char* type;
    bool good;
  };
  for (const Cell& cell : {
           Cell{"255", "uint8", true},
           Cell{"256", "uint8", false},
           Cell{"-1", "uint8", false},
           Cell{"65535", "uint16", true},
           Cell{"65536", "uint16", false},
           Cell{"4294967295", "uint32", true},
           Cell{"4294967296", "uint32", false},
           Cell{"-2147483648", "int32", true},
           Cell{"2147483648", "int32", false},
           Cell{"99999999999999999999", "int64", false},
           Cell{"1.0", "int32", false},
           Cell{"1", "bool", true},
           Cell{"yes", "bool", false},
           Cell{"123456789012345678901234567890.5", "float32", true},
           Cell{" 1.5 ", "float32", true},
           Cell{"\"1.5\"", "float32", true},
           Cell{"0x10", "float32", false},
           Cell{"1.5.2", "float32", false},
           Cell{"-", "float32", false},
           Cell{".", "float32", false},
           Cell{"5%", "float32", false},
       })
    EXPECT_EQ(opened(cell.text, cell.type).ok(), cell.good)
        << cell.text << " " << cell.type;
}

TEST(CsvCells, AHeaderIsNoLineOfNumbers) {
  EXPECT_THAT(Opened("a,b,label\n1,2,0\n",
                     "features=0..1:float32[2],labels=2:int64", 2),
              StatusIs(kLoss, HasSubstr("line 1 looks like a header: give the "
                                        "columns by its names")));
}

TEST(CsvCells, LinesThatLackAColumnAreSaidToBeShort) {
  constexpr char kThird[] = "features=0..1:float32[2],labels=2:int64";
  EXPECT_THAT(Opened("1,2,0\n3,4\n5,6,1\n", kThird, 2),
              StatusIs(kLoss, HasSubstr("line 2: column 2 (from 0): the line "
                                        "has 2 cells, not this one; mend the "
                                        "line, or delete it")));
  EXPECT_THAT(Opened("1,0\n3,1\n", kThird, 2),
              StatusIs(kLoss, HasSubstr("; 2 of 2 lines have no such number "
                                        "there; name columns 0 to 1 in "
                                        "--features")));
  EXPECT_THAT(Opened("1;2;0\n3;4;1\n", kThird, 2),
              StatusIs(kLoss, HasSubstr("'1;2;0' is no decimal number (its "
                                        "delimiter looks like ';'; podsim "
                                        "reads commas alone)")));
  // Also where the classes are yet to be counted.
  EXPECT_THAT(Opened("1,2,0\n3,4\n5,6,1\n"),
              StatusIs(kLoss,
                       "/c/my.csv: line 2, offset 6: a line of 2 cells, "
                       "but the first line has 3: mend the line, or "
                       "delete it"));
}

TEST(CsvCells, ASchemaHasAsManyValuesAsColumns) {
  EXPECT_THAT(
      Opened(WithLine("4,5,6,1"),
             "features=a..b:float32[3],labels=label:int64"),
      StatusIs(kRefusedCsv,
               "features: features=a..b is 2 columns, but its shape has 3 "
               "values: give float32[2], or other columns"));
  EXPECT_THAT(Opened(WithLine("4,5,6,1"),
                     "features=a..c:image[1,1,3],labels=label:int64"),
              StatusIs(kRefusedCsv, HasSubstr("a CSV file has numbers")));
}

// Whatever the columns are called.
TEST(CsvCells, AColumnCalledAsAPlaceIsNotTakenForIt) {
  EXPECT_THAT(Opened("0,\"#0\",2,label\n1,2,3,0\n"), IsOk());
  EXPECT_THAT(Opened("0,\"#0\",2,label\nx,2,3,0\n"),
              StatusIs(kLoss, HasSubstr("column 0 (0): 'x' is no decimal")));
}

TEST(CsvCells, FilesWithoutLinesAreNamed) {
  EXPECT_THAT(Opened(""), StatusIs(kRefusedCsv, HasSubstr("/c/my.csv: it is "
                                                          "empty (0 B")));
  EXPECT_THAT(Opened("# mine\na,b\n1,2\n"),
              StatusIs(kRefusedCsv, HasSubstr("'# mine', a comment: delete")));
  EXPECT_THAT(Opened("sep=,\na,b\n1,2\n"),
              StatusIs(kRefusedCsv, HasSubstr("for Excel alone: delete it")));
  EXPECT_THAT(Opened("a,label,\n1,2,\n"),
              StatusIs(kRefusedCsv, HasSubstr("ends with a comma")));
}

}  // namespace
}  // namespace podsim
