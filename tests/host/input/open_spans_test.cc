// Which readers are open.
#include "host/input/open_spans.h"

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

TEST(OpenSpans, AreNoMoreThanAllowed) {
  OpenSpans open(2);
  const auto first = open.Use({.file = 0, .span = 0});
  EXPECT_EQ(open.Use({.file = 0, .span = 0}), first);
  const auto second = open.Use({.file = 1, .span = 0});
  EXPECT_NE(second, first);
  EXPECT_EQ(open.Use({.file = 0, .span = 0}), first);
  const auto third = open.Use({.file = 0, .span = 1});
  EXPECT_EQ(open.size(), 2);
  EXPECT_EQ(open.Use({.file = 0, .span = 0}), first);
  // The longest unused was closed.
  const auto again = open.Use({.file = 1, .span = 0});
  EXPECT_NE(again, second);
  EXPECT_EQ(second.use_count(), 1) << "who has it has it alone";
  open.Close(second);
  EXPECT_EQ(open.size(), 2) << "it was closed before";
  open.Close(again);
  EXPECT_EQ(open.size(), 1);
}

}  // namespace
}  // namespace podsim
