// A pod of scripted processes around a Membership in virtual time, and the
// messages that hosts send.
#ifndef PODSIM_TESTS_RUNTIME_COORDINATOR_POD_SCRIPT_H_
#define PODSIM_TESTS_RUNTIME_COORDINATOR_POD_SCRIPT_H_

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "proto/coordinator.pb.h"
#include "proto/event.pb.h"
#include "proto/job.pb.h"
#include "runtime/coordinator/membership.h"

namespace podsim::testing {

// `hosts` spread evenly over `processes`, batches of 32 examples; heartbeat
// limit 5 s, stall limit 10 s, 30 s to form, 3 s to shut down.
JobPlan TestPlan(int hosts, int processes, int steps);

// From the seed to the plan's last step.
StartPoint StartOf(const JobPlan& plan);

Join JoinOf(int process);
HostMessage ReadyMessage();
HostMessage BeatMessage(std::uint64_t progress, std::int64_t step,
                        const std::string& phase);
HostMessage StepMessage(int host, std::int64_t step, std::uint64_t hash = 7);
HostMessage EvalMessage(int host, std::int64_t step);
HostMessage FailureMessage(int host, absl::StatusCode code,
                           const std::string& message, int blamed = -1);
// An all_reduce of one size; a host's report of a row of it, in which host h
// takes h + 1 seconds, has h wrong values and (h + 1) x 1000 bytes.
JobPlan BenchTestPlan(int hosts, int processes);
HostMessage BenchMessage(int host, std::int64_t row);
HostMessage DoneMessage(const std::string& hash);

// How often the owner of a Membership ticks.
inline constexpr absl::Duration kTick = absl::Milliseconds(100);

class PodScript {
 public:
  // `begins`: it is known from the first where the pod begins.
  explicit PodScript(JobPlan plan, bool begins = true);

  // Where the pod begins has been found.
  void Begin();
  void Refuse(const absl::Status& status);
  void SignOfLife();
  absl::Status Join(const Join& join);
  void Send(int process, const HostMessage& message);
  void Close(int process);
  void Stop(const std::string& reason);
  void Drain(const std::string& reason);
  void Committed(std::int64_t step, const absl::Status& status);
  void Tick();
  // Time in which the owner of the machine does not run.
  void StandStill(absl::Duration duration) { now_ += duration; }
  // Lets `duration` pass in ticks. At every other one each process in `alive`
  // beats; those in `moving` count progress too.
  void Pass(absl::Duration duration, const std::set<int>& alive = {},
            const std::set<int>& moving = {});

  // Everybody joins; then is ready too; then reports all steps.
  void JoinAll();
  void Run();
  void Train();
  // Every open process closes its stream, as on Abort or Finish.
  void CloseAll();

  // Of what has been sent to a process, how many of one kind.
  int sent(int process, CoordinatorMessage::MessageCase kind) const;
  // The last message of a kind that was sent to a process.
  CoordinatorMessage last(int process,
                          CoordinatorMessage::MessageCase kind) const;
  // Events of one kind.
  std::vector<JobEvent> events(JobEvent::EventCase kind) const;
  // REQUIRES: exactly one JobFailed.
  JobFailed failed() const;

  Membership& machine() { return machine_; }
  absl::Time now() const { return now_; }
  const JobPlan& plan() const { return plan_; }
  std::string phase = "compute";  // of beats
  std::map<int, std::string> phase_of;
  std::vector<std::string> isas_planned;
  std::vector<CheckpointManifest> commits;  // asked for
  std::vector<std::string> logged;
  absl::StatusOr<JobPlan> final_plan;
  absl::StatusOr<std::vector<std::string>> differences =
      std::vector<std::string>();

 private:
  void Collect();

  const JobPlan plan_;
  absl::Time now_ = absl::FromUnixSeconds(1000);
  std::map<int, std::uint64_t> progress_;
  std::set<int> closed_;
  std::vector<SendAction> sent_;
  std::vector<JobEvent> events_;
  Membership machine_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_COORDINATOR_POD_SCRIPT_H_
