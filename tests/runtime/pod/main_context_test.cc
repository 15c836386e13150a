#include "runtime/pod/main_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace podsim {
namespace {

// This process is older than that, and what it did before is not the command's:
// a script may have built the program first, in the same process.
TEST(MainContextTest, TheCommandBeginsWithTheProgram) {
  std::string arguments[] = {"pod_launch", "--model", "mlp"};
  char* argv[] = {arguments[0].data(), arguments[1].data(),
                  arguments[2].data()};
  const SystemClock clock;
  const absl::Time before = clock.Now();
  const LaunchContext context = ContextOfMain(3, argv, clock);
  EXPECT_GE(context.command_start, before);
  EXPECT_LE(context.command_start, clock.Now());
  EXPECT_THAT(context.arguments, ::testing::ElementsAre("--model", "mlp"));
}

}  // namespace
}  // namespace podsim
