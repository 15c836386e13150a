// The lines of a metrics file (metrics_file.h): JSON, one object a line, for
// programs. Times are wall time unless the key begins with "simulated_".
//
//   {"event":"joined",...}   one per host process that has joined the pod
//   {"event":"left",...}     one per host process that has joined and gone
//                            before the pod has formed
//   {"event":"refused",...}  when one was turned away, and why; of many some
//   {"event":"waiting",...}  every 10 s while the pod forms: which processes
//                            have not joined, which are not ready; at its end
//                            which still write their trace ("tracing"), or how
//                            many checkpoints are to be committed
//   {"event":"resume",...}   when a job goes on from a checkpoint: steps after
//                            its step come again, with the same numbers
//   {"event":"plan",...}     when the pod has formed; "hbm" has the parts of
//                            hbm_bytes_per_core, "first_host" the first host of
//                            each process
//   {"event":"forecast",...} before the first step, which waits for it: a step
//                            without faults, in seconds with its band, and
//                            what it is compared with (yardsticks.h)
//   {"event":"step",...}     one per step; the lists at its end are by process,
//                            in microseconds; waited_us is empty in a pod of
//                            one process. simulated_seconds is what the step
//                            takes on the pod, simulated_time what all steps of
//                            the run took there so far; neither is there where
//                            the job has no forecast
//   {"event":"started",...}  when all hosts of the pod are ready to train
//   {"event":"eval",...}     one per evaluation
//   {"event":"no_eval",...}  instead, of a job without an eval split
//   {"event":"checkpoint",...}, {"event":"checkpoint_skipped",...},
//   {"event":"restart",...}, {"event":"fault",...}
//                            when one is saved, is not, happens, is injected
//   {"event":"checkpoint_deleted",...}
//                            when one beyond --keep is gone, or why it stays
//   {"event":"done",...}, {"event":"failed",...}
//                            when a pod has ended; one that failed may be
//                            started again
//   {"event":"trace_part",...}  of a traced run, at its end: of each process a
//                            TracePart (proto/trace.proto), in pieces
//                            (kept_pieces.h); "last" says whether it is the
//                            last one
//   {"event":"trace_sim",...}  likewise, once: the simulated step, a
//                            SimStepPart; also of a run that is not traced
//                            whose model is of a file, while it trains
//   {"event":"trace",...}    of a traced run, behind them: where its spans are,
//                            and by host process how far its clock is off the
//                            coordinator's, and how exactly that is known
//   {"event":"summary",...}  once, at the end of a run that finished
//   {"event":"failure",...}  instead of it, for one that did not
//
// Lines of events of proto/event.proto end with the key "proto": what else the
// event has, as protobuf's JSON (event_line.h).
#ifndef PODSIM_RUNTIME_REPORT_METRICS_LINES_H_
#define PODSIM_RUNTIME_REPORT_METRICS_LINES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/event.pb.h"
#include "proto/trace.pb.h"
#include "runtime/forecast/job_forecast.h"
#include "runtime/forecast/pod_clock.h"
#include "runtime/forecast/yardsticks.h"
#include "runtime/report/failure.h"
#include "runtime/report/summary.h"

namespace podsim {

// What a figure must carry to be worth anything later.
struct RunContext {
  std::string command;  // as typed
  std::string cpu;      // of this machine
  int cpus = 0;
  std::string plan_text = {};  // for people, of several lines
  std::optional<absl::Time> command_start = {};
};

// A trace that the run has written. Empty: it has not.
struct TraceRecord {
  std::string trace;        // the file
  std::string profile_dir;  // for XProf
  std::int64_t first_step = 0;
  std::int64_t last_step = 0;
  std::int64_t spans = 0;  // of both clocks
  struct Clock {
    int process = 0;
    int first_host = 0;
    int hosts = 0;
    // What the coordinator's is ahead of it, and how far that may be off, by so
    // many heartbeats; 0: it is not known.
    std::int64_t offset_ns = 0;
    std::int64_t uncertainty_ns = 0;
    std::int64_t round_trips = 0;
  };
  std::vector<Clock> clocks;
  std::vector<TracePart> parts;    // of each process what it kept
  std::optional<SimStepPart> sim;  // nullopt: there is no simulated step
};

// One line of the file each, without the newline. Pure.
std::string JoinedLine(const HostJoined& joined, double wall_time);
std::string LeftLine(const HostLeft& left, double wall_time);
std::string RefusedLine(const HostRefused& refused, double wall_time);
std::string WaitingLine(const PodWaiting& waiting, double wall_time);
std::string PlanLine(const JobPlan& plan, double wall_time,
                     const RunContext& context);
std::string ResumeLine(const StartPoint& start, const JobPlan& plan,
                       double wall_time);
std::string ForecastLine(const JobForecast& forecast,
                         const Yardsticks& yardsticks, double wall_time);
// `pod`: the simulated clock; nullopt: it is not known.
std::string StepLine(const StepDone& step, double wall_time,
                     const std::optional<PodTime>& pod = std::nullopt);
std::string StartedLine(double wall_time);
std::string EvalLine(const EvalDone& eval, double wall_time);
// Of a job without an eval split.
std::string NoEvalLine(const EvalDone& eval, double wall_time);
std::string DoneLine(const JobDone& done, double wall_time);
std::string FailedLine(const JobFailed& failed, double wall_time);
std::string DeletedLine(const CheckpointDeleted& deleted, double wall_time);
std::string SavedLine(const CheckpointSaved& saved, double wall_time);
std::string SkippedLine(const CheckpointSkipped& skipped, double wall_time);
std::string RestartLine(const JobRestarting& restart, double wall_time);
std::string FaultLine(const FaultStruck& struck, double wall_time);
std::string TraceLine(const TraceRecord& trace);
// "trace_part": one of trace.parts, a line for each piece of it.
std::vector<std::string> TracePartLines(const TracePart& part);
// "trace_sim", likewise.
std::vector<std::string> TraceSimLines(const SimStepPart& sim);
std::string SummaryLine(const RunSummary& summary);
std::string FailureLine(const FailureReport& failure);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_METRICS_LINES_H_
