// How a program begins and ends: with whatever descriptors, signals and limits
// it was started.
#include "base/program.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/write_error.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::TempDir;
using ::testing::HasSubstr;

class ProgramTest : public ::testing::Test {
 protected:
  // Runs `program` in a process of its own, standard error in a file. Returns
  // its exit code, or 128 + the signal that ended it.
  int Run(const std::function<int()>& program) {
    const pid_t child = fork();
    if (child == 0) {
      const int error = open(error_.c_str(), O_CREAT | O_WRONLY, 0600);
      dup2(error, STDERR_FILENO);
      // In a thread, as an exception must not get to GoogleTest's handlers.
      std::thread([&] { _exit(program()); }).join();
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string Said() const {
    std::ifstream file(error_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempDir dir_;
  std::string error_ = dir_.file("stderr");
};

TEST_F(ProgramTest, ClosedStreamsKeepTheirNumbers) {
  const std::string path = dir_.file("precious");
  EXPECT_EQ(Run([&] {
              for (const int fd : {0, 1, 2}) close(fd);
              BeginProgram();
              const int file = open(path.c_str(), O_CREAT | O_WRONLY, 0600);
              std::printf("progress\n");
              std::fflush(stdout);
              return file > STDERR_FILENO ? 0 : 1;
            }),
            0);
  std::ifstream file(path);
  EXPECT_EQ(file.get(), std::ifstream::traits_type::eof());
}

TEST_F(ProgramTest, OpenStreamsAreLeftAlone) {
  EXPECT_EQ(Run([] {
              BeginProgram();
              const char text[] = "still here";
              return write(STDERR_FILENO, text, sizeof(text)) > 0 ? 0 : 1;
            }),
            0);
  EXPECT_THAT(Said(), HasSubstr("still here"));
}

TEST_F(ProgramTest, AParentThatIgnoresChildrenDoesNotHideTheirEnd) {
  EXPECT_EQ(Run([] {
              std::signal(SIGCHLD, SIG_IGN);
              BeginProgram();
              const pid_t child = fork();
              if (child == 0) _exit(7);
              int status = 0;
              if (waitpid(child, &status, 0) != child) return 1;
              return WEXITSTATUS(status);
            }),
            7);
}

TEST_F(ProgramTest, AFileBeyondTheLimitIsAnErrorWithTheLimitsName) {
  EXPECT_EQ(Run([] {
              BeginProgram();
              const rlimit small = {.rlim_cur = 2048, .rlim_max = 2048};
              setrlimit(RLIMIT_FSIZE, &small);
              const int file = memfd_create("limited", MFD_CLOEXEC);
              const int error = WriteFully(file, std::string(5000, 'x'));
              std::fprintf(stderr, "%s\n", WriteErrorText(error).c_str());
              return error == EFBIG && lseek(file, 0, SEEK_END) == 2048 ? 0 : 1;
            }),
            0);
  EXPECT_THAT(Said(), HasSubstr("larger than this process may write (ulimit -f "
                                "2, in KiB); raise the limit"));
}

TEST(WriteErrorTest, TheSystemsWordsWhereNoLimitOfThisProcessIsMet) {
  EXPECT_EQ(WriteErrorText(ENOSPC), "No space left on device");
  EXPECT_EQ(WriteErrorText(EFBIG), "File too large");
}

TEST_F(ProgramTest, ResultsThatNobodyGotAreNone) {
  const auto print_to = [](const char* path, int code) {
    return [=] {
      BeginProgram();
      dup2(open(path, O_WRONLY), STDOUT_FILENO);
      std::printf("a result\n");
      return EndProgram(code);
    };
  };
  EXPECT_EQ(Run(print_to("/dev/full", 0)), 1);
  EXPECT_THAT(Said(), HasSubstr("No space left on device"));
  EXPECT_EQ(Run(print_to("/dev/full", 2)), 2);
  EXPECT_EQ(Run(print_to("/dev/null", 0)), 0);
}

TEST_F(ProgramTest, TooFewFilesAreNamedBeforeTheyRunOut) {
  EXPECT_EQ(Run([] {
              const rlimit some = {.rlim_cur = 16, .rlim_max = 64};
              setrlimit(RLIMIT_NOFILE, &some);
              BeginProgram();
              if (!CheckOpenFiles(64).ok()) return 1;  // it was raised
              const absl::Status status = CheckOpenFiles(65);
              const std::string said(status.message());
              return absl::IsResourceExhausted(status) &&
                             said.find("ulimit -n 64 ") != std::string::npos
                         ? 0
                         : 2;
            }),
            0);
}

TEST_F(ProgramTest, OurOwnBugsStillAbort) {
  EXPECT_EQ(Run([] {
              BeginProgram();
              std::abort();
              return 0;
            }),
            128 + SIGABRT);
  EXPECT_EQ(Said(), "");
}

// A sanitizer's shadow memory is beyond any limit.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// The address space that this process has now, and a little more.
void LimitAddressSpace() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto limit =
      static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + (128L << 20));
  const rlimit space = {.rlim_cur = limit, .rlim_max = limit};
  setrlimit(RLIMIT_AS, &space);
}

TEST_F(ProgramTest, AThreadTooManyIsOneLineThatNamesTheLimit) {
  EXPECT_EQ(Run([] {
              BeginProgram();
              LimitAddressSpace();
              std::vector<std::jthread> threads;
              for (;;) threads.emplace_back([] { pause(); });
              return 0;
            }),
            1);
  EXPECT_THAT(Said(), HasSubstr("cannot start another thread: ulimit -v "));
}

TEST_F(ProgramTest, ThreadsAreCountedBeforeALibraryNeedsThem) {
  EXPECT_EQ(Run([] {
              BeginProgram();
              if (!CheckThreads(4).ok()) return 1;
              LimitAddressSpace();
              const absl::Status status = CheckThreads(1000);
              const std::string said(status.message());
              return absl::IsResourceExhausted(status) &&
                             said.find("ulimit -v ") != std::string::npos
                         ? 0
                         : 2;
            }),
            0);
}

TEST_F(ProgramTest, ALibraryThatAbortsForWantOfThreadsIsExplained) {
  EXPECT_EQ(Run([] {
              BeginProgram();
              LimitAddressSpace();
              pthread_t thread = 0;
              while (pthread_create(
                         &thread, nullptr,
                         [](void*) -> void* {
                           pause();
                           return nullptr;
                         },
                         nullptr) == 0) {
              }
              std::abort();
              return 0;
            }),
            1);
  EXPECT_THAT(Said(), HasSubstr("cannot go on: ulimit -v "));
}

TEST_F(ProgramTest, MemoryThatCannotBeHadNamesTheLimit) {
  EXPECT_EQ(Run([] {
              BeginProgram();
              LimitAddressSpace();
              for (;;) {
                // Touched, so that it is not optimised away.
                static_cast<volatile char*>(::operator new(1 << 20))[0] = 1;
              }
              return 0;
            }),
            1);
  EXPECT_THAT(Said(), HasSubstr("out of memory: ulimit -v "));
}

#endif

}  // namespace
}  // namespace podsim
