#include "runtime/trace/xplane.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace podsim {
namespace {

namespace xp = ::tensorflow::profiler;

constexpr std::int64_t kPicoseconds = 1000;  // of a nanosecond
// The lines by which XProf knows a TPU's steps and ops
// (xprof: xla/tsl/profiler/utils/xplane_schema.cc).
constexpr char kStepsLine[] = "Steps";
constexpr char kOpsLine[] = "XLA Ops";
constexpr char kEnvironment[] = "Task Environment";
constexpr std::uint64_t kProgram = 1;  // all ops are of one program
constexpr char kCategory[] = "compute";

bool IsCore(const TraceTrack& track) {
  return absl::StartsWith(track.name, "core ");
}

// "step 20", or of the simulated ones "step".
bool IsStep(const TraceSlice& slice) {
  return slice.name == "step" || absl::StartsWith(slice.name, "step ");
}

// In which the training thread waits for it; a step has one.
bool IsInput(const TraceTrack& track, const TraceSlice& slice) {
  return track.name == "steps" && slice.name == "input";
}

const TraceTrack* StepsTrack(const TraceProcess& process) {
  for (const TraceTrack& track : process.tracks)
    if (track.name == "steps") return &track;
  return nullptr;
}

std::int64_t StepOf(const TraceSlice& slice) {
  for (const TraceArgument& argument : slice.arguments)
    if (argument.name == "step") return std::get<std::int64_t>(argument.value);
  return 0;
}

// A plane that is being filled.
class PlaneWriter {
 public:
  // `start`: nanoseconds since 1970; no event is before it.
  PlaneWriter(xp::XSpace& space, const std::string& name, std::int64_t start)
      : start_(start), plane_(*space.add_planes()) {
    plane_.set_id(space.planes_size() - 1);
    plane_.set_name(name);
  }

  xp::XLine& AddLine(const std::string& name) {
    xp::XLine& line = *plane_.add_lines();
    line.set_id(plane_.lines_size());
    line.set_display_id(plane_.lines_size());
    line.set_name(name);
    return line;
  }

  void AddTime(const std::string& name, std::int64_t nanoseconds) {
    SetNumber(name, static_cast<std::uint64_t>(nanoseconds),
              *plane_.add_stats());
  }

  xp::XEvent& AddEvent(const TraceSlice& slice, const std::string& name,
                       xp::XLine& line) {
    xp::XEvent& event = *line.add_events();
    event.set_metadata_id(EventId(name));
    event.set_offset_ps((slice.begin - start_) * kPicoseconds);
    event.set_duration_ps((slice.end - slice.begin) * kPicoseconds);
    line.set_duration_ps(
        std::max(line.duration_ps(), event.offset_ps() + event.duration_ps()));
    for (const TraceArgument& argument : slice.arguments) {
      xp::XStat& stat = *event.add_stats();
      // XProf groups what is of a step by this.
      stat.set_metadata_id(
          StatId(argument.name == "step" ? "group_id" : argument.name));
      if (const auto* number = std::get_if<std::int64_t>(&argument.value))
        stat.set_int64_value(*number);
      else
        stat.set_str_value(std::get<std::string>(argument.value));
    }
    return event;
  }

  // As AddEvent, of an op. XProf counts the time of an op only if its metadata
  // has both ids (xprof: xprof/utils/op_metrics_db_utils.cc); without them it
  // calls the device idle. 0 is a whole program's symbol id.
  void AddOp(const TraceSlice& slice, xp::XLine& line) {
    AddEvent(slice, slice.name, line);
    const std::int64_t id = EventId(slice.name);
    xp::XEventMetadata& op = (*plane_.mutable_event_metadata())[id];
    if (op.stats_size() > 0) return;
    SetNumber("program_id", kProgram, *op.add_stats());
    SetNumber("symbol_id", static_cast<std::uint64_t>(id), *op.add_stats());
    SetText("hlo_category", kCategory, *op.add_stats());
  }

  // As AddEvent, of a wait for input. XProf takes what so marked events last
  // out of the devices' idle time (xprof: xprof/convert/
  // xplane_to_step_events.cc; the name is of xla/tsl/profiler/utils/
  // xplane_schema.cc).
  void AddInput(const TraceSlice& slice, xp::XLine& line) {
    xp::XEvent& event = AddEvent(slice, slice.name, line);
    SetText("_ipl_stage_name", slice.name, *event.add_stats());
  }

 private:
  void SetNumber(const std::string& name, std::uint64_t value,
                 xp::XStat& stat) {
    stat.set_metadata_id(StatId(name));
    stat.set_uint64_value(value);
  }
  void SetText(const std::string& name, const std::string& value,
               xp::XStat& stat) {
    stat.set_metadata_id(StatId(name));
    stat.set_str_value(value);
  }
  std::int64_t EventId(const std::string& name) {
    const auto [at, is_new] = events_.try_emplace(
        name, static_cast<std::int64_t>(events_.size()) + 1);
    if (is_new) {
      xp::XEventMetadata& entry =
          (*plane_.mutable_event_metadata())[at->second];
      entry.set_id(at->second);
      entry.set_name(name);
    }
    return at->second;
  }
  std::int64_t StatId(const std::string& name) {
    const auto [at, is_new] =
        stats_.try_emplace(name, static_cast<std::int64_t>(stats_.size()) + 1);
    if (is_new) {
      xp::XStatMetadata& entry = (*plane_.mutable_stat_metadata())[at->second];
      entry.set_id(at->second);
      entry.set_name(name);
    }
    return at->second;
  }

  const std::int64_t start_;
  xp::XPlane& plane_;
  std::map<std::string, std::int64_t> events_;
  std::map<std::string, std::int64_t> stats_;
};

// "wall: host 2" is host2; the simulated hosts do the same, and are the first.
std::string HostName(const TraceProcess& process) {
  absl::string_view name = process.name;
  return absl::ConsumePrefix(&name, "wall: host ") ? absl::StrCat("host", name)
                                                   : std::string("host0");
}

// The first moment of a clock's processes: XProf counts from there, as times
// since 1970 are more picoseconds than it can count.
std::int64_t StartOf(const std::vector<TraceProcess>& processes,
                     TraceClock clock) {
  auto start = std::numeric_limits<std::int64_t>::max();
  for (const TraceProcess& process : processes) {
    if (process.clock != clock) continue;
    for (const TraceTrack& track : process.tracks)
      for (const TraceSlice& slice : track.slices)
        start = std::min(start, slice.begin);
  }
  return start;
}

std::int64_t StopOf(const TraceProcess& process) {
  std::int64_t stop = 0;
  for (const TraceTrack& track : process.tracks)
    for (const TraceSlice& slice : track.slices)
      stop = std::max(stop, slice.end);
  return stop;
}

void AddDevice(const TraceTrack& core, const TraceProcess& process, int device,
               std::int64_t start, xp::XSpace& space) {
  PlaneWriter plane(space, absl::StrCat("/device:TPU:", device), start);
  xp::XLine& steps = plane.AddLine(kStepsLine);
  if (const TraceTrack* track = StepsTrack(process))
    for (const TraceSlice& slice : track->slices)
      if (IsStep(slice))
        plane.AddEvent(slice, absl::StrCat(StepOf(slice)), steps);
  xp::XLine& ops = plane.AddLine(kOpsLine);
  for (const TraceSlice& slice : core.slices) plane.AddOp(slice, ops);
}

void AddHost(const TraceProcess& process, std::int64_t start,
             xp::XSpace& space) {
  PlaneWriter plane(space, "/host:CPU", start);
  for (const TraceTrack& track : process.tracks) {
    if (IsCore(track)) continue;
    xp::XLine& line = plane.AddLine(track.name);
    for (const TraceSlice& slice : track.slices)
      if (IsInput(track, slice))
        plane.AddInput(slice, line);
      else
        plane.AddEvent(slice, slice.name, line);
  }
}

}  // namespace

std::vector<HostProfile> HostProfiles(
    const std::vector<TraceProcess>& processes) {
  std::vector<HostProfile> profiles;
  for (const TraceProcess& process : processes) {
    if (std::none_of(process.tracks.begin(), process.tracks.end(), IsCore))
      continue;
    HostProfile& profile = profiles.emplace_back();
    profile.clock = process.clock;
    profile.host = HostName(process);
    profile.space.add_hostnames(profile.host);
    const std::int64_t start = StartOf(processes, process.clock);
    int device = 0;
    for (const TraceTrack& track : process.tracks)
      if (IsCore(track))
        AddDevice(track, process, device++, start, profile.space);
    AddHost(process, start, profile.space);
    PlaneWriter environment(profile.space, kEnvironment, start);
    environment.AddTime("profile_start_time", start);
    environment.AddTime("profile_stop_time", StopOf(process));
  }
  return profiles;
}

}  // namespace podsim
