#include "interconnect/transport/shared/shared_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "tests/testing/status_matchers.h"

namespace podsim::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t kBytes = 8192;

TEST(SharedMemory, BothSeeWhatEitherWrites) {
  ASSERT_OK_AND_ASSIGN(auto mine, SharedMemory::Create(kBytes, 4096));
  ASSERT_EQ(mine.bytes().size(), kBytes);
  EXPECT_THAT(mine.bytes(), Each(std::byte{0}));
  ASSERT_OK_AND_ASSIGN(auto theirs, SharedMemory::Open(mine.name(), kBytes));
  mine.bytes().front() = std::byte{1};
  theirs.bytes().back() = std::byte{2};
  EXPECT_EQ(theirs.bytes().front(), std::byte{1});
  EXPECT_EQ(mine.bytes().back(), std::byte{2});
}

TEST(SharedMemory, AnotherProcessOpensItByName) {
  ASSERT_OK_AND_ASSIGN(auto mine, SharedMemory::Create(kBytes, 4096));
  const pid_t child = fork();
  if (child == 0) {
    auto opened = SharedMemory::Open(mine.name(), kBytes);
    if (opened.ok()) opened->bytes()[5] = std::byte{42};
    _exit(opened.ok() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mine.bytes()[5], std::byte{42})
      << "and it stays when that has gone";
}

TEST(SharedMemory, StaysWithWhoHasItAndCannotBeOpenedAnyMore) {
  std::optional<SharedMemory> theirs;
  {
    ASSERT_OK_AND_ASSIGN(auto mine, SharedMemory::Create(kBytes, 4096));
    const SharedMemoryName name = mine.name();
    ASSERT_OK_AND_ASSIGN(theirs, SharedMemory::Open(name, kBytes));
    mine.bytes()[0] = std::byte{9};
    EXPECT_THAT(mine.Fill(), IsOk());
    EXPECT_THAT(SharedMemory::Open(name, kBytes),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("/proc/")));
  }
  EXPECT_EQ(theirs->bytes()[0], std::byte{9});
}

TEST(SharedMemory, SomethingElseUnderTheSameNameIsRefused) {
  ASSERT_OK_AND_ASSIGN(auto mine, SharedMemory::Create(kBytes, 4096));
  SharedMemoryName other = mine.name();
  ++other.nonce;
  EXPECT_THAT(SharedMemory::Open(other, kBytes),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("else")));
  EXPECT_THAT(SharedMemory::Open(mine.name(), 2 * kBytes),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("size")));
  const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  EXPECT_THAT(SharedMemory::Open({.pid = getpid(), .fd = file}, kBytes),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("size")));
  close(file);
}

TEST(SharedMemory, ItsPagesAreThereWhenTheyAreSaidToBe) {
  ASSERT_OK_AND_ASSIGN(auto mine, SharedMemory::Create(kBytes, 4096));
  const int file = dup(mine.name().fd);
  const auto bytes_there = [file] {
    struct stat about {};
    EXPECT_EQ(fstat(file, &about), 0);
    return about.st_blocks * 512;
  };
  const auto at_first = bytes_there();
  EXPECT_LT(at_first, 4096 + kBytes) << "a page of its own, and the bytes";
  EXPECT_THAT(mine.Fill(), IsOk());
  EXPECT_EQ(bytes_there(), 4096 + kBytes);
  close(file);
}

// Whoever maps it must not be ended by the other's ftruncate.
TEST(SharedMemory, CannotBeCutShort) {
  ASSERT_OK_AND_ASSIGN(auto mine, SharedMemory::Create(kBytes, 4096));
  EXPECT_EQ(ftruncate(mine.name().fd, 0), -1);
}

}  // namespace
}  // namespace podsim::testing
