#include "runtime/pod/pipe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

TEST(ReadAvailableTest, GivesWhatIsThereAndClosesAtTheEnd) {
  ASSERT_OK_AND_ASSIGN(Pipe pipe, MakePipe());
  EXPECT_EQ(ReadAvailable(pipe.read_end), "") << "it must not wait";
  EXPECT_TRUE(pipe.read_end.valid());
  // More than is read at once, less than a pipe holds.
  const std::string text(50'000, 'x');
  ASSERT_EQ(write(pipe.write_end.get(), text.data(), text.size()), text.size());
  EXPECT_EQ(ReadAvailable(pipe.read_end), text);
  ASSERT_EQ(write(pipe.write_end.get(), "end", 3), 3);
  pipe.write_end.Reset();
  EXPECT_EQ(ReadAvailable(pipe.read_end), "end");
  EXPECT_FALSE(pipe.read_end.valid());
  EXPECT_EQ(ReadAvailable(pipe.read_end), "");
}

}  // namespace
}  // namespace podsim
