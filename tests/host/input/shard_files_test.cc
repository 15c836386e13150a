#include "host/input/shard_files.h"

#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::StatusIs;
using ::podsim::testing::WriteShards;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SplitOf, FollowsItsRule) {
  const auto split = [](const std::vector<std::string>& names,
                        const char* pattern) {
    bool folders = false;
    const SplitNames of = SplitOf(names, pattern, &folders);
    return absl::StrCat(of.train.size(), " ", of.eval.size(),
                        folders ? " folders" : "");
  };
  EXPECT_EQ(split({"train-0", "train-1", "eval-0", "notes"}, ""), "2 1");
  EXPECT_EQ(split({"train-0", "validation-0", "test-0"}, ""), "1 1");
  EXPECT_EQ(split({"a", "b", ".hidden", "_done", "sub/"}, ""), "2 0");
  EXPECT_EQ(split({"train/", "val/", "readme"}, ""), "1 1 folders");
  EXPECT_EQ(
      split({"x-train-0", "x-train-1", "x-test-0", "train-9"}, "x-train-*"),
      "2 1");
  EXPECT_EQ(split({"part-0", "part-1"}, "part-*"), "2 0");
  EXPECT_EQ(split({"part-0"}, "train-*"), "0 0");
}

TEST(MatchesPattern, StarsAreAnyRun) {
  for (const auto& [pattern, name, matches] :
       std::vector<std::tuple<const char*, const char*, bool>>{
           {"*", "", true},
           {"*", "abc", true},
           {"a*c", "abbbc", true},
           {"a*c", "abcb", false},
           {"a*b*c", "aXbXbXc", true},
           {"a*b*c", "aXcXb", false},
           {"train-*", "train-", true},
           {"train-*", "rain-1", false},
           {"abc", "abc", true},
           {"abc", "abcd", false},
           {"**", "x", true}})
    EXPECT_EQ(MatchesPattern(pattern, name), matches) << pattern << " " << name;
}

TEST(FindShards, SaysWhatItFoundMissing) {
  const auto store = NewMemoryStore();
  WriteShards({1}, false, *store);
  EXPECT_THAT(FindShards("/data/eval-*", *store),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("none is called eval-*")));
  EXPECT_THAT(FindShards("/d*/train-*", *store),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("in the last part alone")));
  ASSERT_OK_AND_ASSIGN(const SplitFiles files,
                       FindShards("/data/train-*", *store));
  EXPECT_EQ(files.train.size(), 1);
  EXPECT_GT(files.train[0].bytes, 0);
  EXPECT_THAT(files.eval, IsEmpty());
}

}  // namespace
}  // namespace podsim
