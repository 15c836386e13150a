// The metrics file: JSON lines, one object a line, for programs.
//
//   {"event":"plan",...}     once, when the pod has formed
//   {"event":"step",...}     one per step
//   {"event":"eval",...}     one per evaluation
//   {"event":"checkpoint",...}, {"event":"restart",...}, {"event":"fault",...}
//                            when one is saved, happens, is injected
//   {"event":"summary",...}  once, at the end of a run that finished
//   {"event":"failure",...}  instead of it, for one that did not
//
// Each line is one write, so a killed run leaves whole lines. Times are wall
// time unless the key begins with "simulated_". Not thread-safe.
#ifndef PODSIM_RUNTIME_REPORT_METRICS_FILE_H_
#define PODSIM_RUNTIME_REPORT_METRICS_FILE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/event.pb.h"
#include "runtime/report/failure.h"
#include "runtime/report/summary.h"

namespace podsim {

// What a figure must carry to be worth anything later.
struct RunContext {
  std::string command;  // as typed
  std::string cpu;      // of this machine
  int cpus = 0;
};

// One line of the file each, without the newline. Pure.
std::string PlanLine(const JobPlan& plan, double wall_time,
                     const RunContext& context);
std::string StepLine(const StepDone& step, double wall_time);
std::string EvalLine(const EvalDone& eval, double wall_time);
std::string SavedLine(const CheckpointSaved& saved, double wall_time);
std::string RestartLine(const JobRestarting& restart, double wall_time);
std::string FaultLine(const FaultStruck& fault, double wall_time);
std::string SummaryLine(const RunSummary& summary);
std::string FailureLine(const FailureReport& failure);

class MetricsFile {
 public:
  // Creates or empties the file.
  // Errors: PERMISSION_DENIED, NOT_FOUND, ... naming the path and the reason.
  static absl::StatusOr<MetricsFile> Create(const std::string& path);
  MetricsFile(MetricsFile&& other) noexcept;
  MetricsFile& operator=(MetricsFile&&) = delete;
  ~MetricsFile();

  // The first error is kept: later calls return it and write nothing.
  absl::Status Write(const std::string& line);
  const absl::Status& status() const { return status_; }

 private:
  MetricsFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_;
  absl::Status status_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_METRICS_FILE_H_
