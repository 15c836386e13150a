// Runs a planned job to its end: directory, processes, restarts. What it shows
// of them is the display's, and so pod_launch's or pod_bench's.
#ifndef PODSIM_RUNTIME_POD_JOB_RUNNER_H_
#define PODSIM_RUNTIME_POD_JOB_RUNNER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "host/storage/job_hold.h"
#include "interconnect/topology/slice.h"
#include "proto/job.pb.h"
#include "proto/programs.pb.h"
#include "runtime/pod/main_context.h"
#include "runtime/pod/supervisor.h"
#include "runtime/report/console.h"
#include "runtime/report/metrics_lines.h"

namespace podsim {

struct PlannedJob {
  JobSpec spec;  // what the user asked, merged
  JobPlan plan;  // for this machine's ISA level
  Slice slice;
  // What was decided by looking at the data set's files.
  std::vector<std::string> data_notes = {};
};

// Shows a job while it runs. Called from one thread.
class JobDisplay {
 public:
  virtual ~JobDisplay() = default;
  // Called first, once, before any process starts and when nobody else runs a
  // job in this one's model_dir: only now may files be made or changed.
  // Errors: what keeps the job from starting.
  virtual absl::Status Begin() { return absl::OkStatus(); }
  virtual void OnEvent(const JobEvent& event) = 0;
  // A remark of the launcher's own, of one or more lines.
  virtual void Note(const std::string& text) = 0;
  // Writes the closing words, once, when every process has ended. Returns the
  // exit code.
  virtual int Close(const Outcome& outcome) = 0;
};

// What a figure must carry: `program` with its arguments, this machine's CPUs.
RunContext ContextOf(const std::string& program, const LaunchContext& context);

// "stopped by signal 2 (SIGINT) ..." when it was.
void ShowStop(const Outcome& outcome, Console& console);

// The plan's model_dir, for all generations, so that nobody comes between them.
// Null: nothing is saved. Errors: those of JobHold::Acquire (who holds it).
absl::StatusOr<std::unique_ptr<JobHold>> HoldModelDir(ObjectStore& store,
                                                      const JobPlan& plan);

// Starts, watches and ends the job's processes: what every kind of job has in
// common. `monitor`: what the coordinator serves meanwhile. Errors: what is
// refused before any process starts (a log directory that cannot be written,
// programs that are missing, no token with external hosts, a model_dir that
// another job holds); JobDisplay::Begin's.
absl::StatusOr<int> RunPodJob(const LaunchContext& context,
                              const ElsewhereSettings& options,
                              const PlannedJob& job, Console& console,
                              const Clock& clock, JobDisplay& display,
                              const MonitorSettings& monitor = {});

}  // namespace podsim

#endif  // PODSIM_RUNTIME_POD_JOB_RUNNER_H_
