#include "runtime/trace/file_trace.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "job/phases.h"
#include "job/placement.h"
#include "runtime/forecast/drawn_step.h"
#include "runtime/job/ici_fault.h"
#include "runtime/job/restored_program.h"
#include "runtime/job/spec_check.h"
#include "runtime/trace/sim_step_part.h"

namespace podsim {
namespace {

// Steps that a restarted pod makes again count again.
constexpr std::size_t kMostMade = 10 * kMostTracedSteps;

struct FilePhase {
  TraceSpan::Kind kind = TraceSpan::OTHER;
  std::string name;
  double seconds = 0;
  int peer = -1;  // the host that is waited for
};

std::int64_t ToNanoseconds(double seconds) {
  return std::llround(1e9 * seconds);
}

double At(const google::protobuf::RepeatedField<float>& list, int process) {
  return process < list.size() ? static_cast<double>(list.Get(process)) : 0;
}

TraceSpan::Kind KindOf(const std::string& phase) {
  if (phase == kInputPhase.name) return TraceSpan::INPUT;
  if (phase == kComputePhase.name) return TraceSpan::COMPUTE;
  return phase == kUpdatePhase.name ? TraceSpan::UPDATE : TraceSpan::OTHER;
}

// Of the process that came last: all that a step is known to consist of.
std::vector<FilePhase> PhasesOfLast(const StepDone& step) {
  std::vector<FilePhase> phases;
  for (const NamedPhase& phase : PhasesInOrder(step.phases(), kPhaseNames))
    phases.push_back({KindOf(phase.name), phase.label, phase.seconds});
  return phases;
}

// Of another one.
std::vector<FilePhase> PhasesOfProcess(const StepDone& step, int process,
                                       int last_host) {
  std::vector<FilePhase> phases = {
      {TraceSpan::INPUT, "input", At(ByProcess(step, kInputPhase), process)},
      {TraceSpan::COMPUTE, "compute",
       At(ByProcess(step, kComputePhase), process)},
      {TraceSpan::WAIT, "all-reduce",
       At(step.process_seconds_waited(), process), last_host}};
  double rest = step.seconds();
  for (const FilePhase& phase : phases) rest -= phase.seconds;
  phases.push_back({TraceSpan::OTHER, "all-reduce, update and other", rest});
  return phases;
}

class PartOfProcess {
 public:
  PartOfProcess(const JobPlan& plan, int process) : process_(process) {
    const HostRange hosts = HostsOf(plan, process);
    part_.set_process(process);
    part_.set_first_host(hosts.first);
    part_.set_hosts(hosts.end - hosts.first);
    part_.set_cores_per_host(plan.bits().cores_per_host());
  }

  // Steps in the order in which they were made: each ends when all hosts have
  // reported it, and begins no earlier than the one before has ended.
  void AddStep(const JobEvent& event, int last_host) {
    const StepDone& step = event.step();
    const std::int64_t end = ToNanoseconds(event.wall_time());
    const std::int64_t begin =
        std::max(end_, end - ToNanoseconds(step.seconds()));
    if (!std::isfinite(step.seconds()) || begin >= end) return;
    end_ = end;
    AddSpan(step.step(), {TraceSpan::STEP, absl::StrCat("step ", step.step())},
            begin, end);
    const bool is_last = step.process_seconds_waited().empty() ||
                         step.last_process() == process_;
    std::int64_t at = begin;
    for (const FilePhase& phase :
         is_last ? PhasesOfLast(step)
                 : PhasesOfProcess(step, process_, last_host)) {
      if (!(phase.seconds > 0)) continue;
      const std::int64_t next =
          std::min(end, at + ToNanoseconds(phase.seconds));
      if (next > at) AddSpan(step.step(), phase, at, next);
      at = next;
    }
  }

  const TracePart& part() const { return part_; }

 private:
  void AddSpan(std::int64_t step, const FilePhase& phase, std::int64_t begin,
               std::int64_t end) {
    TraceSpan& span = *part_.add_spans();
    span.set_kind(phase.kind);
    span.set_name(phase.name);
    span.set_host(part_.first_host());
    span.set_hosts(part_.hosts());
    span.set_peer(phase.peer);
    span.set_step(step);
    span.set_begin(static_cast<std::uint64_t>(begin));
    span.set_end(static_cast<std::uint64_t>(end));
  }

  const int process_;
  TracePart part_;
  std::int64_t end_ = 0;  // of the step before
};

// As TracedSteps takes them.
JobSpec TracedSpec(JobSpec spec, const std::string& steps) {
  if (!IsTraced(spec)) spec.set_trace("a file");
  if (!steps.empty()) spec.set_trace_steps(steps);
  return spec;
}

bool IsWithin(std::int64_t first, std::int64_t count, std::int64_t all_first,
              std::int64_t all_count) {
  return first >= all_first && count >= 0 && count <= all_count &&
         first + count <= all_first + all_count;
}

// Whether a part, read from a file, is of hosts and cores of the plan.
bool IsOf(const JobPlan& plan, const TracePart& part) {
  constexpr std::int64_t kFarthest = std::int64_t{1} << 61;
  constexpr auto kLatest = static_cast<std::uint64_t>(kFarthest);
  const int cores = plan.bits().cores_per_host();
  return part.cores_per_host() == cores && part.offset_ns() < kFarthest &&
         part.offset_ns() > -kFarthest &&
         IsWithin(part.first_host(), part.hosts(), 0, plan.bits().hosts()) &&
         std::all_of(part.spans().begin(), part.spans().end(),
                     [&](const TraceSpan& span) {
                       return IsWithin(span.host(), span.hosts(),
                                       part.first_host(), part.hosts()) &&
                              IsWithin(span.core(), span.cores(), 0, cores) &&
                              span.peer() < plan.bits().hosts() &&
                              span.begin() <= span.end() &&
                              span.end() < kLatest;
                     });
}

// As the run drew it; else anew: events have plans without their Programs.
absl::StatusOr<DrawnStep> DrawnOf(const std::optional<SimStepPart>& kept,
                                  JobPlan plan, const Slice& slice) {
  if (kept) {
    absl::StatusOr<DrawnStep> drawn = FromProto(*kept);
    if (drawn.ok()) return drawn;
  }
  PODSIM_RETURN_IF_ERROR(RestoreProgram(plan));
  return DrawStep(plan, slice);
}

}  // namespace

void FileTrace::OnLine(const RunLine& line) {
  if (line.kind == "trace_part") OnPart(line.trace_part);
  if (line.trace_sim &&
      sim_bytes_.Add(line.trace_sim->bytes, line.trace_sim->is_last)) {
    SimStepPart sim;
    if (sim.ParseFromString(sim_bytes_.Take())) sim_ = std::move(sim);
  }
  if (!line.trace_file.empty()) own_trace_ = line.trace_file;
  if (!line.event) return;
  if (line.event->has_formed()) OnFormed(line);
  if (moments_) moments_->OnEvent(*line.event);
  if (line.event->has_step()) OnStep(*line.event);
}

// All parts are there, or none is drawn, so that no host is missing.
void FileTrace::OnPart(const std::optional<PieceOfPart>& piece) {
  if (is_part_lost_) return;
  is_part_lost_ = !piece || (joins_ && joined_process_ != piece->process);
  if (is_part_lost_) return;
  joined_process_ = piece->process;
  joins_ = !piece->is_last;
  const bool is_whole = part_bytes_.Add(piece->bytes, piece->is_last);
  if (joins_) return;
  const std::string bytes = part_bytes_.Take();
  TracePart part;
  is_part_lost_ =
      !is_whole || bytes.size() > room_ || !part.ParseFromString(bytes);
  if (is_part_lost_) return;
  room_ -= bytes.size();
  kept_.push_back(std::move(part));
}

void FileTrace::OnFormed(const RunLine& line) {
  const PodFormed& formed = line.event->formed();
  const JobSpec spec = TracedSpec(formed.plan().spec(), steps_);
  if (!plan_ || line.command_start != command_start_) {
    made_.clear();
    seen_ = {};
    own_trace_.clear();
    part_bytes_.Clear();
    sim_bytes_.Clear();
    room_ = kMostKeptBytes;
    joins_ = false;
    is_part_lost_ = false;
    kept_.clear();
    sim_.reset();
    moments_.emplace(spec);
  }
  command_start_ = line.command_start;
  plan_ = formed.plan();
  const StartPoint& start = formed.start();
  range_ = TracedSteps(
      spec, start.step(),
      start.last_step() > 0 ? start.last_step() : formed.plan().train_steps());
}

void FileTrace::OnStep(const JobEvent& event) {
  const std::int64_t step = event.step().step();
  seen_.first = seen_.empty() ? step : std::min(seen_.first, step);
  seen_.last = std::max(seen_.last, step);
  if (step < range_.first || step > range_.last || made_.size() >= kMostMade)
    return;
  made_.push_back(event);
}

// Whether the file has one of the steps that were asked for.
absl::Status FileTrace::CheckMade() const {
  if (steps_.empty() || !made_.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--trace_steps is ", steps_, ", but the file has ",
      seen_.empty() ? "no steps: leave --trace out"
                    : absl::StrCat("the steps ", seen_.first, " to ",
                                   seen_.last, ": give some of these")));
}

TraceParts FileTrace::KeptParts() const {
  StepRange kept;
  TraceParts parts;
  if (is_part_lost_ || joins_) return parts;
  for (const TracePart& part : kept_) {
    if (!IsOf(*plan_, part)) return {};
    TracePart& of_range = parts.parts.emplace_back(part);
    of_range.clear_spans();
    for (const TraceSpan& span : part.spans()) {
      kept.first =
          kept.empty() ? span.step() : std::min(kept.first, span.step());
      kept.last = std::max(kept.last, span.step());
      if (span.step() >= range_.first && span.step() <= range_.last)
        *of_range.add_spans() = span;
    }
  }
  const bool has_all = steps_.empty() ||
                       (kept.first <= range_.first && range_.last <= kept.last);
  return has_all && !kept.empty() && range_.size() <= kMostTracedSteps
             ? parts
             : TraceParts();
}

TraceParts FileTrace::PhaseParts() const {
  TraceParts parts;
  const int processes = plan_->first_host_size();
  for (int process = 0; process < processes; ++process) {
    PartOfProcess part(*plan_, process);
    for (const JobEvent& event : made_) {
      const int last = event.step().last_process();
      part.AddStep(
          event, last >= 0 && last < processes ? plan_->first_host(last) : -1);
    }
    parts.parts.push_back(part.part());
  }
  return parts;
}

absl::StatusOr<Trace> FileTrace::Make() const {
  if (!plan_)
    return absl::FailedPreconditionError(
        "--trace: the file has no plan with its event, which this version of "
        "pod_launch writes once a pod has formed");
  PODSIM_RETURN_IF_ERROR(CheckMade());
  PODSIM_RETURN_IF_ERROR(CheckPlacement(*plan_));
  PODSIM_ASSIGN_OR_RETURN(Slice slice,
                          SliceNamed(plan_->bits().slice(), plan_->spec()));
  PODSIM_ASSIGN_OR_RETURN(slice, WithIciFault(std::move(slice), plan_->spec()));
  const TraceParts kept = KeptParts();
  const bool has_spans = !kept.parts.empty();
  Trace trace = MakeTrace(has_spans ? kept : PhaseParts(), moments_->All(),
                          DrawnOf(sim_, *plan_, slice), *plan_, slice);
  if (has_spans) return trace;
  trace.clocks = {"hosts' steps end when the coordinator has heard of them"};
  trace.notes.push_back(absl::StrCat(
      "of hosts the phases of each step, one after the other; their spans are ",
      own_trace_.empty() ? "kept by traced runs alone"
                         : absl::StrCat("in ", own_trace_),
      is_part_lost_ || joins_
          ? "; what the file has of them is cut short, or too large"
          : ""));
  return trace;
}

}  // namespace podsim
