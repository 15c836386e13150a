// Supervision of real processes: shells that play coordinator and hosts and
// die, hang or refuse to end. No test waits for time to pass: children tell
// each other through FIFOs when they are where the test wants them.
#ifndef PODSIM_TESTS_RUNTIME_POD_SUPERVISOR_FIXTURE_H_
#define PODSIM_TESTS_RUNTIME_POD_SUPERVISOR_FIXTURE_H_

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/pod/pipe.h"
#include "runtime/pod/supervisor.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {

// The most that may pass from the first failure to the launcher's end.
inline constexpr absl::Duration kWholeEnd = absl::Seconds(5);

inline constexpr char kFailedLine[] =
    R"({"failed":{"host":1,"process":1,"step":"17","phase":"all-reduce",)"
    R"("message":"lost it","lost":true}})";
inline constexpr char kDoneLine[] = R"({"done":{"weightsHash":"feed"}})";

inline std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class SupervisorTest : public ::testing::Test {
 protected:
  SupervisorTest() {
    auto signals = StopSignals::Block();
    PODSIM_CHECK(signals.ok());
    signals_.emplace(*std::move(signals));
    error_file_ = dir_.file("stderr");
    error_fd_ = UniqueFd(open(error_file_.c_str(),
                              O_CREAT | O_WRONLY | O_CLOEXEC | O_APPEND, 0600));
    console_.emplace(error_fd_.get(), error_fd_.get());
    PODSIM_CHECK(mkfifo(dir_.file("fifo").c_str(), 0600) == 0);
    NewSupervisor({});
  }

  void NewSupervisor(const SupervisorOptions& options) {
    supervisor_.reset();
    supervisor_ = std::make_unique<Supervisor>(
        options, *signals_, *console_, clock_,
        [this](const JobEvent& event) { events_.push_back(event); });
  }

  // In scripts: $EVENTS is where events go, $FIFO a FIFO of the test.
  ProcessSpec Shell(const std::string& name, const std::string& script) {
    return {.name = name,
            .argv = {"/bin/sh", "-c", script},
            .environment = {{"FIFO", dir_.file("fifo")}}};
  }

  void StartCoordinator(const std::string& script) {
    auto events = MakePipe();
    ASSERT_THAT(events, IsOk());
    ProcessSpec spec = Shell("coordinator", script);
    const int fd = events->write_end.get();
    spec.environment.emplace_back("EVENTS", absl::StrCat("/proc/self/fd/", fd));
    spec.inherited_fds = {fd};
    ASSERT_THAT(
        supervisor_->StartCoordinator(spec, std::move(events->read_end)),
        IsOk());
  }

  void StartHost(int index, const std::string& script) {
    ASSERT_THAT(
        supervisor_->StartHost(Shell(absl::StrCat("host", index), script)),
        IsOk());
  }

  Outcome Run() {
    const absl::Time begin = clock_.Now();
    const Outcome outcome = supervisor_->Run();
    EXPECT_LT(clock_.Now() - begin, kWholeEnd);
    return outcome;
  }

  // All children are collected, not merely told to go.
  static void ExpectNoChildren() {
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

  std::string Errors() const { return ReadAll(error_file_); }

  TempDir dir_;
  SystemClock clock_;
  std::optional<StopSignals> signals_;
  std::string error_file_;
  UniqueFd error_fd_;
  std::optional<Console> console_;
  std::vector<JobEvent> events_;
  std::unique_ptr<Supervisor> supervisor_;
};

inline std::string Emit(const std::string& line) {
  return absl::StrCat("echo '", line, "' > $EVENTS; ");
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_POD_SUPERVISOR_FIXTURE_H_
