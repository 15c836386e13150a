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

  // Moments are rounded down alike, so that what touches still does.
  std::vector<TraceSlice> EachStep(
      const std::vector<SimulatedSpan>& spans) const {
    std::vector<TraceSlice> slices;
    for (std::int64_t number = 0; number < steps_.count; ++number)
      for (const SimulatedSpan& span : spans) {
        slices.push_back({.begin = MomentOf(number, span.begin),
                          .end = MomentOf(number, span.end),
                          .name = span.name,
                          .arguments = {{"step", steps_.first + number}}});
        if (span.bytes > 0)
          slices.back().arguments.push_back({"bytes", span.bytes});
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

// None of no length. (g++ 12 fails on spans given here without a `begin`.)
std::vector<SimulatedSpan> Spans(std::vector<SimulatedSpan> spans) {
  std::erase_if(
      spans, [](const SimulatedSpan& span) { return span.begin == span.end; });
  return spans;
}

TraceProcess CoresOf(const DrawnStep& step, const SimSteps& steps) {
  TraceProcess process = {.clock = TraceClock::kSim,
                          .name = absl::StrCat("sim: ", steps.slice, " cores"),
                          .tracks = {}};
  if (steps.cores < steps.of_cores)
    absl::StrAppend(&process.name, ", ", steps.cores, " of ", steps.of_cores,
                    " that do the same");
  const Drawing drawing(step, steps);
  const auto add = [&](const std::string& track,
                       const std::vector<SimulatedSpan>& spans,
                       Nesting nesting = Nesting::kDisjoint) {
    AppendTo(InTracks(track, drawing.EachStep(spans), nesting), process);
  };
  const SimTime total = step.total;
  add("steps",
      Spans(
          {{.kind = SpanKind::kStep,
            .begin = SimTime(),
            .end = total,
            .name = "step"},
           {.begin = total - step.fixed, .end = total, .name = "fixed cost"}}),
      Nesting::kNested);
  for (int core = 0; core < steps.cores; ++core)
    add(absl::StrCat("core ", core), step.kernels);
  add("collectives", step.sums);
  add("input", Spans({{.kind = SpanKind::kInput,
                       .begin = SimTime(),
                       .end = step.input,
                       .name = "input to the chips"}}));
  add("store", Spans({{.kind = SpanKind::kInput,
                       .begin = SimTime(),
                       .end = step.store,
                       .name = "input from the store"}}));
  return process;
}

TraceProcess LinksOf(const DrawnStep& step, const SimSteps& steps) {
  TraceProcess process = {.clock = TraceClock::kSim,
                          .name = absl::StrCat("sim: ", steps.slice, " links"),
                          .tracks = {}};
  const Drawing drawing(step, steps);
  std::map<int, std::vector<SimulatedSpan>> links;
  for (const SimulatedSpan& message : step.messages)
    links[message.link].push_back(message);
  for (const auto& [link, messages] : links)
    AppendTo(InTracks(absl::StrCat("link ", step.links.at(link)),
                      drawing.EachStep(messages), Nesting::kDisjoint),
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
