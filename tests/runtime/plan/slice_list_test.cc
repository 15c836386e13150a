#include "runtime/plan/slice_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kInvalid;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::StatusIs;

std::vector<std::string> Names(const std::vector<std::string>& items) {
  const auto slices = SlicesNamed(items, {});
  EXPECT_TRUE(slices.ok()) << slices.status();
  std::vector<std::string> names;
  for (const Slice& slice : *slices) names.push_back(slice.name);
  return names;
}

TEST(SliceListTest, NamesAndRanges) {
  EXPECT_THAT(Names({"v3-32"}), ElementsAre("v3-32"));
  EXPECT_THAT(Names({"v3-32..v3-128"}),
              ElementsAre("v3-32", "v3-64", "v3-128"));
  EXPECT_THAT(Names({"v2-8", "v6e-16..v6e-64"}),
              ElementsAre("v2-8", "v6e-16", "v6e-32", "v6e-64"));
  EXPECT_EQ(Names({"v3-8..v3-2048"}).size(), 8);
}

TEST(SliceListTest, ASliceIsOneRow) {
  const auto check = [](const std::vector<std::string>& items) {
    return CheckNoneTwice(*SlicesNamed(items, {}));
  };
  for (const std::vector<std::string>& items :
       {std::vector<std::string>{"v3-8", "v3-8"},
        std::vector<std::string>{"v3-8..v3-64", "v3-8"}})
    EXPECT_THAT(check(items),
                StatusIs(kInvalid, HasSubstr("topology names v3-8 twice")));
  EXPECT_THAT(check({"v3-8..v3-64", "v4-8"}), ::podsim::testing::IsOk());
}

TEST(SliceListTest, BlanksAndSeveralRangesInOneAreSaid) {
  EXPECT_THAT(SlicesNamed({"v3-8", " v3-32"}, {}),
              StatusIs(kInvalid,
                       "topology: ' v3-32' has a blank before or behind it; "
                       "write the list without, v3-8,v3-32"));
  EXPECT_THAT(SlicesNamed({"v3-8..v3-32..v3-64"}, {}),
              StatusIs(kInvalid, HasSubstr("has more than two ends; a range "
                                           "is written FIRST..LAST")));
}

TEST(SliceListTest, RefusesWhatIsNoRange) {
  EXPECT_THAT(SlicesNamed({"v3-8..v4-16"}, {}),
              StatusIs(kInvalid, HasSubstr("spans v3 and v4")));
  EXPECT_THAT(SlicesNamed({"v3-64..v3-8"}, {}),
              StatusIs(kInvalid, HasSubstr("runs backwards: give the smaller "
                                           "slice first, v3-8..v3-64")));
  EXPECT_THAT(
      SlicesNamed({"v3-8.."}, {}),
      StatusIs(
          kInvalid,
          HasSubstr(
              "'v3-8..' has no last slice; a range is written FIRST..LAST, as "
              "in v3-8..v3-64")));
  for (const auto& [item, why] :
       {std::pair("v3-8...v3-64", "has more than two dots"),
        std::pair("..v3-64", "has no first slice"),
        std::pair("v3-8 .. v3-64", "has blanks in it: write v3-8..v3-64"),
        std::pair("all", "is no slice's name"),
        std::pair("v3-8..64", "ends with 64, which is no slice's name"),
        std::pair("v3-*", "is a pattern"),
        std::pair("v3-8-v3-64", "is no slice's name, and a list has commas"),
        std::pair("v3-8 v3-64", "is no slice's name, and a list has commas")})
    EXPECT_THAT(
        SlicesNamed({item}, {}),
        StatusIs(kInvalid, AllOf(HasSubstr(absl::StrCat("'", item, "' ", why)),
                                 HasSubstr("as in v3-8..v3-64"))));
  EXPECT_THAT(SlicesNamed({"v3-8..v3-65"}, {}),
              StatusIs(kInvalid, HasSubstr("topology: no slice is called")));
  EXPECT_THAT(SlicesNamed({"v3-9"}, {}),
              StatusIs(kInvalid, HasSubstr("nearest: v3-8, v3-32")));
}

}  // namespace
}  // namespace podsim
