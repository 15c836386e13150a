// The failure block.
#include "runtime/report/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace podsim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(FailureTest, NamesEverythingThatIsKnown) {
  const std::string text =
      FormatFailure({.when = absl::FromUnixSeconds(1700000000),
                     .name = "host2",
                     .pid = 4711,
                     .how = "was killed by signal 9 (SIGKILL)",
                     .step = 17,
                     .phase = "all-reduce #12 (bucket 0)",
                     .message = "its stream broke",
                     .hint = "look at dmesg",
                     .last_lines = {"I one", "W two"},
                     .others = {"host0 exited with code 1"},
                     .log_dir = "/tmp/logs",
                     .exit_code = 137});
  for (const char* part :
       {"FAILED: host2 (pid 4711) was killed by signal 9 (SIGKILL)\n",
        "step 17, all-reduce #12 (bucket 0)", "its stream broke",
        "look at dmesg", "last output of host2:\n    | I one\n    | W two\n",
        "after that:\n    host0 exited with code 1\n", "/tmp/logs", "137"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(FailureTest, SaysWhenItKnowsLittle) {
  const std::string text = FormatFailure({.when = absl::FromUnixSeconds(0),
                                          .name = "coordinator",
                                          .how = "exited with code 3",
                                          .exit_code = 3});
  EXPECT_THAT(text, HasSubstr("FAILED: coordinator exited with code 3\n"));
  EXPECT_THAT(text, HasSubstr("before the first step"));
  EXPECT_THAT(text, HasSubstr("(none)"));
  EXPECT_THAT(text, Not(HasSubstr("pid")));
  EXPECT_THAT(text, Not(HasSubstr("after that")));
}

TEST(FailureTest, SignalsHaveNames) {
  EXPECT_EQ(DescribeSignal(SIGSEGV), "signal 11 (SIGSEGV)");
  EXPECT_EQ(DescribeSignal(64), "signal 64");
}

}  // namespace
}  // namespace podsim
