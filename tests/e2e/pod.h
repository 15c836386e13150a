// Runs pod_launch as a user would and reads what it leaves behind.
#ifndef PODSIM_TESTS_E2E_POD_H_
#define PODSIM_TESTS_E2E_POD_H_

#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {

// For what a test waits for and does not judge: long enough for a machine that
// is busy with other things, and for a sanitizer's processes.
inline constexpr std::chrono::seconds kDeadline(120);

// Looks again every few milliseconds until `holds` or the time has passed.
bool Eventually(const std::function<bool()>& holds,
                std::chrono::milliseconds timeout);

// Where the programs of this build are.
std::string Program(const std::string& name);

// `flags` with `more`, each of which takes the place of one of its name.
std::vector<std::string> WithFlags(std::vector<std::string> flags,
                                   const std::vector<std::string>& more);

// A pod_launch that runs, its metrics in a file of its own.
class PodRun {
 public:
  explicit PodRun(
      std::vector<std::string> flags,
      const std::vector<std::pair<std::string, std::string>>& environment = {});

  Subprocess& process() { return *process_; }
  const std::string& output() const { return process_->output(); }
  // The output with one space for every run of white space: lines are broken
  // where they grow too long.
  std::string Unwrapped() const;
  // Exit code; see Subprocess::Wait.
  int Wait(std::chrono::seconds timeout = kDeadline);

  // The metrics lines of this kind ("step", "summary", ...), or the first
  // `most` of them: a file may grow faster than it is read.
  std::vector<nlohmann::json> Events(
      const std::string& kind,
      std::size_t most = std::numeric_limits<std::size_t>::max()) const;
  // The one line of this kind; an empty object if there is not exactly one.
  nlohmann::json Event(const std::string& kind) const;

  // Pids of the children called `name`, in the order in which they began.
  std::vector<pid_t> Children(const std::string& name) const;
  // Waits until `count` children called `name` exist.
  bool WaitForChildren(const std::string& name, std::size_t count) const;
  // Waits until the metrics file has `count` lines of this kind; false: the
  // pod ended before, or the time passed. Reads its output meanwhile.
  bool WaitForEvents(const std::string& kind, std::size_t count) const;

 private:
  TempDir directory_;
  std::unique_ptr<Subprocess> process_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_E2E_POD_H_
