// What a CSV file's first line tells of its columns.
#include "host/input/csv_schema.h"

#include <string>
#include <utility>

#include "host/input/schema.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kRefused = absl::StatusCode::kInvalidArgument;

TEST(GuessCsvSchema, FindsTheLabelAtEitherEnd) {
  const std::pair<const char*, const char*> cases[] = {
      {"x,y,label", "features=x..y:float32[2],labels=label:int64"},
      {"Target,x,y,z", "features=x..z:float32[3],labels=Target:int64"},
      {"x,y,species", "features=x..y:float32[2],labels=species:int64"},
      {"x,y", "features=x..x:float32[1],labels=y:int64"},
      // Without a header.
      {"5.1,3.5,1.4,0", "features=0..2:float32[3],labels=3:int64"},
      {"\"5.1\", 3.5,0", "features=0..1:float32[2],labels=2:int64"},
      // The index that pandas writes.
      {",x,y,label", "features=x..y:float32[2],labels=label:int64"},
      // Names that a schema cannot have, or that two columns have.
      {"sepal length (cm),\"a,b\",label",
       "features=#0..#1:float32[2],labels=label:int64"},
      {"x,x,7,a=b", "features=#0..#2:float32[3],labels=#3:int64"},
      {"a.,.b,c.d", "features=#0..#1:float32[2],labels=c.d:int64"},
  };
  for (const auto& [line, features] : cases) {
    ASSERT_OK_AND_ASSIGN(const CsvGuess guess, GuessCsvSchema(line, "my.csv"));
    EXPECT_EQ(guess.features, features) << line;
    EXPECT_THAT(guess.note, HasSubstr(features)) << line;
    EXPECT_THAT(ParseSchema(guess.features), IsOk()) << line;
  }
}

TEST(GuessCsvSchema, RefusesWordsForLabelsWithoutAHeader) {
  for (const char* line : {"5.1,3.5,setosa", "setosa,5.1,3.5"})
    EXPECT_THAT(GuessCsvSchema(line, "my.csv"),
                StatusIs(kRefused,
                         AllOf(HasSubstr("my.csv: its first line holds numbers "
                                         "and the word 'setosa'"),
                               HasSubstr("number the classes"))))
        << line;
  EXPECT_THAT(GuessCsvSchema("label,0,1,2", "my.csv"), IsOk());
  EXPECT_THAT(GuessCsvSchema(",0,1,species", "my.csv"), IsOk());
}

TEST(DelimiterHint, NamesWhatIsThereInPlaceOfCommas) {
  EXPECT_THAT(DelimiterHint("a;b"), HasSubstr("delimiter looks like ';'"));
  EXPECT_THAT(DelimiterHint("a\tb"), HasSubstr("delimiter looks like a tab"));
  EXPECT_THAT(DelimiterHint("a b"), HasSubstr("delimiter looks like a blank"));
  EXPECT_EQ(DelimiterHint("a,b;c"), "");
  EXPECT_EQ(DelimiterHint("a"), "");
  EXPECT_THAT(GuessCsvSchema("a;b", "my.csv"),
              StatusIs(kRefused, HasSubstr("delimiter looks like ';'")));
}

TEST(GuessCsvSchema, SaysWhatItLeavesOut) {
  ASSERT_OK_AND_ASSIGN(const CsvGuess guess,
                       GuessCsvSchema(",x,label", "my.csv"));
  EXPECT_THAT(guess.note, HasSubstr("column 0 (no name) left out"));
}

TEST(GuessCsvSchema, RefusesWhatNoRangeOfColumnsIs) {
  EXPECT_THAT(GuessCsvSchema("x,label,y", "my.csv"),
              StatusIs(kRefused,
                       AllOf(HasSubstr("my.csv: column 1 (label) is the label "
                                       "and has features on both sides"),
                             HasSubstr("or give --features"))));
  EXPECT_THAT(
      GuessCsvSchema("x;y;label", "my.csv"),
      StatusIs(kRefused,
               AllOf(HasSubstr("its first line is 'x;y;label', without a comma "
                               "(its delimiter looks like ';'"),
                     HasSubstr("write it with commas between"),
                     Not(HasSubstr("--features")))));
}

}  // namespace
}  // namespace podsim
