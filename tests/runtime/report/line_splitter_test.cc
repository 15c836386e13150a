#include "runtime/report/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace podsim {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> SplitBy(std::size_t size, const std::string& text) {
  std::vector<std::string> lines;
  const LineSplitter::OnLine keep = [&](std::optional<std::string_view> line) {
    lines.emplace_back(line ? *line : "too long");
  };
  LineSplitter splitter(/*longest=*/5);
  for (std::size_t at = 0; at < text.size(); at += size)
    splitter.Add(text.substr(at, size), keep);
  splitter.Finish(keep);
  return lines;
}

TEST(LineSplitterTest, LinesMayBeSplitAnywhere) {
  for (std::size_t size = 1; size < 12; ++size)
    EXPECT_THAT(SplitBy(size, "one\n\ntwo\nend"),
                ElementsAre("one", "", "two", "end"))
        << size;
}

TEST(LineSplitterTest, OneThatIsTooLongIsLeftOut) {
  EXPECT_THAT(SplitBy(2, "a\nfar too long\nb\nfar too long"),
              ElementsAre("a", "too long", "b", "too long"));
}

}  // namespace
}  // namespace podsim
