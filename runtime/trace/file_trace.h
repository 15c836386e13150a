// A trace from a metrics file, after the run: the simulated steps, what the
// coordinator heard and when, and of hosts the spans that the traced run kept
// there; where it kept none, or of other steps, the phases of each step.
//
//   FileTrace file("20:25");
//   RunLines lines([&](const RunLine& line) { file.OnLine(line); });
//   ...
//   PODSIM_ASSIGN_OR_RETURN(const Trace trace, file.Make());
//
// A traced run keeps its simulated step there too, and so does any run whose
// model is of a file; of others the plan's model is compiled once more.
#ifndef PODSIM_RUNTIME_TRACE_FILE_TRACE_H_
#define PODSIM_RUNTIME_TRACE_FILE_TRACE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "job/traced_steps.h"
#include "proto/event.pb.h"
#include "proto/trace.pb.h"
#include "runtime/report/kept_pieces.h"
#include "runtime/report/run_line.h"
#include "runtime/trace/trace_file.h"
#include "runtime/trace/traced_moments.h"

namespace podsim {

// One thread at a time.
class FileTrace {
 public:
  // `steps`: "20:25", checked by ParseStepRange. Empty: those that the run
  // traced, or else those that it would have.
  explicit FileTrace(std::string steps) : steps_(std::move(steps)) {}

  // Of a job that was launched several times the last launch counts.
  void OnLine(const RunLine& line);
  // Errors: FAILED_PRECONDITION (no pod has formed), INVALID_ARGUMENT (the file
  // has none of `steps`), those of the plan's slice.
  absl::StatusOr<Trace> Make() const;

 private:
  // Of all parts, and of the simulated step: a file may say anything. 50 steps
  // of v3-128 come to 0.9 MB.
  static constexpr std::size_t kMostKeptBytes = std::size_t{1} << 27;

  void OnPart(const std::optional<PieceOfPart>& piece);
  void OnFormed(const RunLine& line);
  void OnStep(const JobEvent& event);
  absl::Status CheckMade() const;
  // What the run kept of the steps that are asked for; empty: not all of it.
  TraceParts KeptParts() const;
  // The phases of each step, one after the other.
  TraceParts PhaseParts() const;

  const std::string steps_;
  std::optional<absl::Time> command_start_;
  std::optional<JobPlan> plan_;
  std::optional<TracedMoments> moments_;
  StepRange range_;
  StepRange seen_;              // from the first step to the last
  std::vector<JobEvent> made_;  // steps
  std::string own_trace_;       // that the run wrote itself
  JoinedPieces part_bytes_{kMostKeptBytes};
  JoinedPieces sim_bytes_{kMostKeptBytes};
  std::size_t room_ = kMostKeptBytes;
  bool joins_ = false;      // pieces of a part that lacks its last one
  int joined_process_ = 0;  // whose they are
  bool is_part_lost_ = false;
  std::vector<TracePart> kept_;     // by processes of all the pod's generations
  std::optional<SimStepPart> sim_;  // that the run drew
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TRACE_FILE_TRACE_H_
