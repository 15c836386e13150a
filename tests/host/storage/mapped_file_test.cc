// Files in memory, also those that somebody shortens meanwhile.
#include "host/storage/mapped_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::TempDir;

constexpr std::size_t kMappedBytes = 12288;  // three pages of 4 KiB

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest() { std::ofstream(path_) << std::string(kMappedBytes, 'x'); }
  // Reads each page, as a child does in an exit test.
  static int Sum(const MappedFile& file) {
    int sum = 0;
    for (std::size_t at = 0; at < file.bytes().size(); at += 4096)
      sum += static_cast<const volatile char&>(file.bytes()[at]);
    return sum;
  }

  TempDir dir_;
  std::string path_ = dir_.file("train.npy");
};

TEST_F(MappedFileTest, HasTheFilesBytesAlsoWhenMoved) {
  ASSERT_OK_AND_ASSIGN(MappedFile file, MappedFile::Open(path_));
  const MappedFile moved = std::move(file);
  EXPECT_EQ(moved.bytes(), std::string(kMappedBytes, 'x'));
  moved.Forget();
  EXPECT_EQ(Sum(moved), 3 * 'x');
}

TEST_F(MappedFileTest, AFileShortenedMeanwhileIsNamed) {
  ASSERT_OK_AND_ASSIGN(const MappedFile other, MappedFile::Open(path_));
  ASSERT_OK_AND_ASSIGN(MappedFile file, MappedFile::Open(path_));
  const MappedFile moved = std::move(file);
  EXPECT_EXIT(
      {
        if (truncate(path_.c_str(), 4096) != 0) _exit(7);
        std::jthread([&] { Sum(moved); });
        _exit(0);
      },
      ::testing::ExitedWithCode(1),
      "E .*/train.npy: it was shortened from 12288 to 4096 bytes while it was "
      "read; leave a data set as it is");
}

TEST_F(MappedFileTest, AFileThatIsReplacedMeanwhileIsReadOn) {
  ASSERT_OK_AND_ASSIGN(const MappedFile file, MappedFile::Open(path_));
  std::ofstream(dir_.file("new")) << "short";
  ASSERT_EQ(rename(dir_.file("new").c_str(), path_.c_str()), 0);
  EXPECT_EQ(Sum(file), 3 * 'x');
}

TEST_F(MappedFileTest, OtherBusErrorsEndAsEver) {
  ASSERT_OK_AND_ASSIGN(const MappedFile file, MappedFile::Open(path_));
  EXPECT_EXIT(
      {
        raise(SIGBUS);
        _exit(0);
      },
      [](int status) { return status != 0; }, "");
}

}  // namespace
}  // namespace podsim
