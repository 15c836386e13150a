#include "runtime/trace/sim_tracks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

constexpr std::int64_t kMostSlices = 500'000;
constexpr std::int64_t kPicosecondsPerNanosecond = 1000;

// Of the steps, each by its number.
class Drawing {
 public:
  Drawing(const DrawnStep& step, const SimSteps& steps)
      : step_(step), steps_(steps) {}

  // Of step `number` from 0 on, between two of its moments. Rounded down alike,
  // so that what touches still does.
  TraceSlice SliceOf(std::int64_t number, const std::string& name,
                     SimTime begin, SimTime end) const {
    return {.begin = MomentOf(number, begin),
            .end = MomentOf(number, end),
            .name = name,
            .arguments = {{"step", steps_.first + number}}};
  }

  std::vector<TraceSlice> EachStep(
      const std::vector<DrawnStep::Part>& parts) const {
    std::vector<TraceSlice> slices;
    for (std::int64_t number = 0; number < steps_.count; ++number)
      for (const DrawnStep::Part& part : parts) {
        slices.push_back(SliceOf(number, part.name, part.begin, part.end));
        if (part.bytes > 0)
          slices.back().arguments.push_back({"bytes", part.bytes});
      }
    return slices;
  }

 private:
  std::int64_t MomentOf(std::int64_t number, SimTime time) const {
    const std::int64_t picoseconds =
        number * step_.total.picoseconds() + time.picoseconds();
    return steps_.begin + picoseconds / kPicosecondsPerNanosecond;
  }

  const DrawnStep& step_;
  const SimSteps& steps_;
};

void AppendTo(std::vector<TraceTrack> tracks, TraceProcess& process) {
  std::move(tracks.begin(), tracks.end(), std::back_inserter(process.tracks));
}

// What else a step has.
std::vector<DrawnStep::Part> InputOf(const DrawnStep& step) {
  std::vector<DrawnStep::Part> parts;
  if (step.input > SimTime())
    parts.push_back({"input to the chips", SimTime(), step.input});
  return parts;
}
std::vector<DrawnStep::Part> StoreOf(const DrawnStep& step) {
  std::vector<DrawnStep::Part> parts;
  if (step.store > SimTime())
    parts.push_back({"input from the store", SimTime(), step.store});
  return parts;
}
std::vector<DrawnStep::Part> WholeOf(const DrawnStep& step) {
  std::vector<DrawnStep::Part> parts = {{"step", SimTime(), step.total}};
  if (step.fixed > SimTime())
    parts.push_back({"fixed cost", step.total - step.fixed, step.total});
  return parts;
}

TraceProcess CoresOf(const DrawnStep& step, const SimSteps& steps) {
  TraceProcess process = {.clock = TraceClock::kSim,
                          .name = absl::StrCat("sim: ", steps.slice, " cores"),
                          .tracks = {}};
  if (steps.cores < steps.of_cores)
    absl::StrAppend(&process.name, ", ", steps.cores, " of ", steps.of_cores,
                    " that do the same");
  const Drawing drawing(step, steps);
  AppendTo(InTracks("steps", drawing.EachStep(WholeOf(step)), Nesting::kNested),
           process);
  for (int core = 0; core < steps.cores; ++core)
    AppendTo(InTracks(absl::StrCat("core ", core),
                      drawing.EachStep(step.kernels), Nesting::kDisjoint),
             process);
  AppendTo(
      InTracks("collectives", drawing.EachStep(step.sums), Nesting::kDisjoint),
      process);
  AppendTo(
      InTracks("input", drawing.EachStep(InputOf(step)), Nesting::kDisjoint),
      process);
  AppendTo(
      InTracks("store", drawing.EachStep(StoreOf(step)), Nesting::kDisjoint),
      process);
  return process;
}

TraceProcess LinksOf(const DrawnStep& step, const SimSteps& steps) {
  TraceProcess process = {.clock = TraceClock::kSim,
                          .name = absl::StrCat("sim: ", steps.slice, " links"),
                          .tracks = {}};
  const Drawing drawing(step, steps);
  std::map<std::int32_t, std::pair<std::string, std::vector<TraceSlice>>> links;
  for (std::int64_t number = 0; number < steps.count; ++number)
    for (const DrawnStep::Message& message : step.messages) {
      auto& [name, slices] = links[message.number];
      name = message.link;
      slices.push_back(drawing.SliceOf(number,
                                       absl::StrCat("from chip ", message.from),
                                       message.begin, message.end));
      slices.back().arguments.push_back({"bytes", message.bytes});
    }
  for (auto& [number, link] : links)
    AppendTo(InTracks(absl::StrCat("link ", link.first), std::move(link.second),
                      Nesting::kDisjoint),
             process);
  return process;
}

}  // namespace

std::vector<TraceProcess> SimTracks(const DrawnStep& step,
                                    const SimSteps& steps) {
  std::vector<TraceProcess> processes = {CoresOf(step, steps)};
  if (!step.messages.empty()) processes.push_back(LinksOf(step, steps));
  return processes;
}

std::int64_t DrawnSteps(const DrawnStep& step, std::int64_t count, int cores) {
  const std::int64_t slices =
      static_cast<std::int64_t>(step.kernels.size()) * cores +
      static_cast<std::int64_t>(step.sums.size() + step.messages.size()) + 4;
  return std::clamp<std::int64_t>(kMostSlices / slices, 1,
                                  std::max<std::int64_t>(count, 1));
}

}  // namespace podsim
