// Several paths where one is taken: the pattern that the shell opened.
#include "settings/many_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

// As `ls` and a shell have them.
std::vector<std::string> Shards(int count) {
  std::vector<std::string> paths;
  for (int i = 0; i < count; ++i)
    paths.push_back(absl::StrCat("shards/train-0000", i, "-of-0000", count));
  return paths;
}

TEST(PatternOfTest, IsWhatTheNamesHaveInCommon) {
  EXPECT_EQ(PatternOf(Shards(8)), "shards/train-*");
  EXPECT_EQ(PatternOf({"a.csv", "b.csv", "c.csv"}), "*.csv");
  EXPECT_EQ(PatternOf({"a.csv", "a.csv", "a.csv"}), "");
  EXPECT_EQ(PatternOf({"/d/x10.tfrecord", "/d/x11.tfrecord", "/d/x9.tfrecord"}),
            "/d/x*.tfrecord");
  EXPECT_EQ(PatternOf({"run1/a", "run2/a", "run3/a"}), "") << "three folders";
  EXPECT_EQ(PatternOf({"x2", "x1", "x3"}), "") << "a shell sorts";
  EXPECT_EQ(PatternOf({"a", "b", "c"}), "") << "nothing in common";
  EXPECT_EQ(PatternOf({"x1", "x2"}), "") << "as somebody types them";
}

TEST(ManyPathsTest, SaysHowManyAndWhatTheShellDid) {
  EXPECT_EQ(ManyPaths("pod_data", "verify", Shards(8), true),
            "verify takes one path and 8 are given, "
            "shards/train-00000-of-00008 and on: the shell opened a pattern; "
            "put it in quotes, 'shards/train-*', or give the folder, shards");
  EXPECT_EQ(ManyPaths("pod_data", "show", {"a.csv", "b.csv", "c.csv"}, true),
            "show takes one path and 3 are given, a.csv and on: the shell "
            "opened a pattern; put it in quotes, '*.csv', or give the folder, "
            ".");
}

TEST(ManyPathsTest, OfTwoNoCauseIsSaid) {
  EXPECT_EQ(ManyPaths("pod_data", "verify", {"sh/train-0", "sh/train-1"}, true),
            "verify takes one path and 2 are given, sh/train-0 and "
            "sh/train-1; a pattern of many files stands in quotes, or give "
            "their folder");
}

TEST(ManyPathsTest, AProgramWithoutPatternsTakesOneAtATime) {
  EXPECT_EQ(ManyPaths("pod_program", "show", {"a.model", "b.model", "c.model"},
                      false),
            "show takes one path and 3 are given, a.model and on: the shell "
            "opened a pattern; give one at a time: pod_program show a.model");
}

}  // namespace
}  // namespace podsim
