#include "runtime/trace/coordinator_tracks.h"

#include <cmath>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

std::int64_t Nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

std::vector<TraceSlice> SlicesIn(const std::vector<CoordinatorMoment>& moments,
                                 bool of_steps, std::int64_t first,
                                 std::int64_t last, std::int64_t begin,
                                 std::int64_t end) {
  std::vector<TraceSlice> slices;
  for (const CoordinatorMoment& moment : moments) {
    if (moment.is_step != of_steps) continue;
    const bool is_shown = of_steps ? moment.step >= first && moment.step <= last
                                   : moment.end >= begin && moment.begin <= end;
    if (is_shown)
      slices.push_back({.begin = moment.begin,
                        .end = moment.end,
                        .name = moment.name,
                        .arguments = {{"step", moment.step}}});
  }
  return slices;
}

}  // namespace

std::optional<CoordinatorMoment> MomentOf(const JobEvent& event) {
  const std::int64_t at = Nanoseconds(event.wall_time());
  CoordinatorMoment moment = {.begin = at, .end = at};
  if (event.has_step()) {
    moment.is_step = true;
    moment.step = event.step().step();
    moment.name = absl::StrCat("step ", moment.step, " reported by all hosts");
  } else if (event.has_eval()) {
    moment.step = event.eval().step();
    moment.name =
        absl::StrCat("evaluation after step ", moment.step, " reported");
  } else if (event.has_saved()) {
    moment.step = event.saved().step();
    moment.begin = at - Nanoseconds(event.saved().seconds_written());
    moment.name = absl::StrCat("checkpoint of step ", moment.step,
                               ": written and committed");
  } else if (event.has_fault()) {
    moment.step = event.fault().step();
    moment.name = "a planned fault strikes";
  } else if (event.has_restarting()) {
    moment.name = absl::StrCat("the pod starts again, generation ",
                               event.restarting().generation());
  } else if (event.has_failed()) {
    moment.name = "the job fails";
  } else {
    return std::nullopt;
  }
  return moment;
}

TraceProcess CoordinatorTracks(const std::vector<CoordinatorMoment>& moments,
                               std::int64_t first, std::int64_t last,
                               std::int64_t begin, std::int64_t end) {
  TraceProcess process = {
      .clock = TraceClock::kWall, .name = "wall: coordinator", .tracks = {}};
  for (const bool of_steps : {true, false}) {
    std::vector<TraceTrack> tracks =
        InTracks(of_steps ? "reports" : "events",
                 SlicesIn(moments, of_steps, first, last, begin, end),
                 Nesting::kDisjoint);
    std::move(tracks.begin(), tracks.end(), std::back_inserter(process.tracks));
  }
  return process;
}

}  // namespace podsim
