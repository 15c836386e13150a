#include "runtime/trace/trace_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/output_file.h"
#include "base/status.h"
#include "base/write_error.h"
#include "job/placement.h"
#include "runtime/trace/perfetto.h"
#include "runtime/trace/sim_tracks.h"
#include "runtime/trace/wall_tracks.h"
#include "runtime/trace/xplane.h"

namespace podsim {
namespace {

constexpr int kMostRunsOfASecond = 1000;

// "host 2: +12.3 us, within 40.1 us, by 6 round trips".
std::string ClockText(const TracePart& part) {
  const std::string hosts =
      DescribeHosts({part.first_host(), part.first_host() + part.hosts()});
  if (part.round_trips() == 0)
    return absl::StrCat(hosts, ": not known, no heartbeat was answered");
  return absl::StrFormat("%s: %+.1f us, within %.1f us, by %d round trip%s",
                         hosts, static_cast<double>(part.offset_ns()) / 1e3,
                         static_cast<double>(part.uncertainty_ns()) / 1e3,
                         part.round_trips(),
                         part.round_trips() == 1 ? "" : "s");
}

void NoteParts(const TraceParts& read, const JobPlan& plan, Trace& trace) {
  std::set<int> processes;
  std::int64_t dropped = 0;
  for (const TracePart& part : read.parts) {
    processes.insert(part.process());
    dropped += part.dropped();
    trace.clocks.push_back(ClockText(part));
  }
  for (int process = 0; process < plan.spec().processes(); ++process)
    if (!processes.contains(process))
      trace.notes.push_back(
          absl::StrCat("nothing of ", DescribeHosts(HostsOf(plan, process)),
                       ", whose process left no part that can be read"));
  if (!read.unreadable.empty())
    trace.notes.push_back(
        absl::StrCat("passed over, as no part of a trace or cut short: ",
                     absl::StrJoin(read.unreadable, ", ")));
  if (dropped > 0)
    trace.notes.push_back(absl::StrCat(
        dropped, " spans were dropped for lack of room: trace fewer steps"));
}

// Beside the hosts, as far as it told of anything while they were traced.
void AddCoordinator(const std::vector<CoordinatorMoment>& moments,
                    Trace& trace) {
  std::int64_t end = trace.begin;
  for (const TraceProcess& process : trace.processes)
    for (const TraceTrack& track : process.tracks)
      for (const TraceSlice& slice : track.slices)
        end = std::max(end, slice.end);
  TraceProcess coordinator = CoordinatorTracks(
      moments, trace.first_step, trace.last_step, trace.begin, end);
  if (!coordinator.tracks.empty())
    trace.processes.push_back(std::move(coordinator));
}

// `steps` of them were traced.
void AddSim(const absl::StatusOr<DrawnStep>& drawn, std::int64_t steps,
            const JobPlan& plan, const Slice& slice, Trace& trace) {
  if (!drawn.ok()) {
    trace.notes.push_back(
        absl::StrCat("no simulated steps: ", drawn.status().message()));
    return;
  }
  const int cores = std::min(plan.bits().cores_per_host(), slice.replicas);
  const std::int64_t count = DrawnSteps(*drawn, steps, cores);
  std::vector<TraceProcess> sim =
      SimTracks(*drawn, {.first = trace.first_step,
                         .count = count,
                         .begin = trace.begin,
                         .slice = slice.name,
                         .cores = cores,
                         .of_cores = slice.replicas});
  std::move(sim.begin(), sim.end(), std::back_inserter(trace.processes));
  if (count < steps)
    trace.notes.push_back(
        absl::StrCat("of the simulated steps, which are "
                     "alike, only the first ",
                     count, " are drawn"));
  if (!drawn->no_messages.empty())
    trace.notes.push_back(
        absl::StrCat("no simulated messages: ", drawn->no_messages));
}

absl::Status WriteBytes(const std::string& path, const std::string& bytes) {
  PODSIM_ASSIGN_OR_RETURN(const UniqueFd file,
                          OpenOutput(path, OutputStart::kEmpty));
  const int error = WriteFully(file.get(), bytes);
  if (error == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot write ", path, ": ", WriteErrorText(error)));
}

const char* SuffixOf(TraceClock clock) {
  return clock == TraceClock::kSim ? "_sim" : "_wall";
}

// Makes the folders of the run `run` that its clocks need. False: one of them
// is another run's, and none is made.
absl::StatusOr<bool> MakeRun(const std::string& run,
                             const std::set<TraceClock>& clocks) {
  std::vector<std::string> made;
  for (const TraceClock clock : clocks) {
    const std::string folder = absl::StrCat(run, SuffixOf(clock));
    std::error_code error;
    // Not made: it is there.
    if (std::filesystem::create_directory(folder, error)) {
      made.push_back(folder);
      continue;
    }
    std::error_code ignored;
    for (const std::string& ours : made) std::filesystem::remove(ours, ignored);
    if (error && error != std::errc::file_exists)
      return absl::ErrnoToStatus(error.value(),
                                 absl::StrCat("cannot make ", folder));
    return false;
  }
  return true;
}

// A run's name in `folder` that no other has, though its first step began in
// the same second: made exclusively, so that of two jobs one has it.
absl::StatusOr<std::string> TakeRun(const std::string& folder,
                                    const std::string& time,
                                    const std::set<TraceClock>& clocks) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("cannot make ", folder));
  for (int number = 1; number <= kMostRunsOfASecond; ++number) {
    std::string run = absl::StrCat(folder, "/", time);
    if (number > 1) absl::StrAppend(&run, "_", number);
    PODSIM_ASSIGN_OR_RETURN(const bool is_ours, MakeRun(run, clocks));
    if (is_ours) return run;
  }
  return absl::AlreadyExistsError(
      absl::StrCat(folder, " has ", kMostRunsOfASecond, " runs of ", time,
                   "; give another folder by --profile_dir"));
}

}  // namespace

TraceParts ReadParts(const std::vector<std::string>& files) {
  TraceParts read;
  for (const std::string& path : files) {
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error) continue;
    std::ifstream file(path, std::ios::binary);
    TracePart part;
    if (file && part.ParseFromIstream(&file))
      read.parts.push_back(std::move(part));
    else
      read.unreadable.push_back(std::filesystem::path(path).filename());
  }
  return read;
}

Trace MakeTrace(const TraceParts& read,
                const std::vector<CoordinatorMoment>& moments,
                const absl::StatusOr<DrawnStep>& drawn, const JobPlan& plan,
                const Slice& slice) {
  const std::vector<TracePart>& parts = read.parts;
  Trace trace = {.processes = WallTracks(parts)};
  NoteParts(read, plan, trace);
  const std::set<std::int64_t> steps = StepsOf(parts);
  if (steps.empty()) return trace;
  trace.first_step = *steps.begin();
  trace.last_step = *steps.rbegin();
  trace.begin = *FirstMomentOf(parts);
  AddCoordinator(moments, trace);
  AddSim(drawn, static_cast<std::int64_t>(steps.size()), plan, slice, trace);
  return trace;
}

absl::Status WriteTraceFile(const std::string& path, const Trace& trace) {
  return WriteBytes(path, PerfettoTrace(trace.processes));
}

absl::Status WriteProfiles(const std::string& dir, const Trace& trace) {
  if (trace.first_step == 0) return absl::OkStatus();
  const std::vector<HostProfile> profiles = HostProfiles(trace.processes);
  std::set<TraceClock> clocks;
  for (const HostProfile& profile : profiles) clocks.insert(profile.clock);
  PODSIM_ASSIGN_OR_RETURN(
      const std::string run,
      TakeRun(absl::StrCat(dir, "/plugins/profile"),
              absl::FormatTime("%Y_%m_%d_%H_%M_%S",
                               absl::FromUnixNanos(trace.begin),
                               absl::UTCTimeZone()),
              clocks));
  for (const HostProfile& profile : profiles)
    PODSIM_RETURN_IF_ERROR(
        WriteBytes(absl::StrCat(run, SuffixOf(profile.clock), "/", profile.host,
                                ".xplane.pb"),
                   profile.space.SerializeAsString()));
  return absl::OkStatus();
}

std::vector<TextRow> TraceRows(const std::string& place, const Trace& trace) {
  std::vector<TextRow> rows;
  if (trace.first_step == 0) {
    rows.push_back({"trace", absl::StrCat(place, ": no step was traced")});
  } else {
    rows.push_back(
        {"trace", absl::StrCat(place, ": ",
                               trace.first_step == trace.last_step
                                   ? absl::StrCat("step ", trace.first_step)
                                   : absl::StrCat("steps ", trace.first_step,
                                                  " to ", trace.last_step),
                               ", ", SlicesOf(trace.processes),
                               " spans (wall and sim)")});
    rows.push_back({"", absl::StrCat("clocks against the coordinator's: ",
                                     absl::StrJoin(trace.clocks, "; "))});
  }
  for (const std::string& note : trace.notes) rows.push_back({"", note});
  return rows;
}

}  // namespace podsim
