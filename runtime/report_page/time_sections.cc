// Where time went: hosts, all-reduce, input, the whole run, and when.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/report/input_verdict.h"
#include "runtime/report/median.h"
#include "runtime/report_page/bars.h"
#include "runtime/report_page/html.h"
#include "runtime/report_page/rules.h"
#include "runtime/report_page/run_times.h"
#include "runtime/report_page/sections.h"

namespace podsim {
namespace {

// Where nothing is hidden, noise may make it less than nothing.
std::string HiddenText(double part) {
  const double percent = 100 * part;
  return percent < 0.5
             ? "none of it is hidden by the overlap"
             : absl::StrFormat("%.0f%% is hidden by the overlap", percent);
}

// So many processes have a bar; the page says how many there are.
constexpr std::size_t kMostBars = 64;
// Events that the list below the timeline has.
constexpr std::size_t kMostListed = 50;

std::string StragglerTable(const std::vector<ProcessStep>& steps) {
  std::vector<std::vector<std::string>> rows = {
      {"", "came last in", "behind the median"}};
  for (const ProcessStep& each : steps)
    rows.push_back(
        {each.hosts, ShareText(each.came_last), WallText(each.behind)});
  return HtmlTable(rows);
}

// Those that came last most often, in their order.
std::vector<ProcessStep> Shown(std::vector<ProcessStep> steps) {
  if (steps.size() <= kMostBars) return steps;
  std::vector<double> shares;
  shares.reserve(steps.size());
  for (const ProcessStep& each : steps) shares.push_back(each.came_last);
  std::nth_element(shares.begin(), shares.begin() + kMostBars - 1, shares.end(),
                   std::greater<>());
  const double least = shares[kMostBars - 1];
  std::erase_if(steps, [least](const ProcessStep& each) {
    return each.came_last < least;
  });
  if (steps.size() > kMostBars) steps.resize(kMostBars);
  return steps;
}

double SumOfFigure(const StepTable& steps, StepFigure figure) {
  double sum = 0;
  for (const double value : steps[figure])
    if (std::isfinite(value)) sum += value;
  return sum;
}

std::string MillisecondsOf(const StepTable& steps, StepFigure figure) {
  const std::optional<double> median = Median(steps[figure]);
  return median ? WallText(*median) : "";
}

double Place(const RunRecords& run, double wall_time) {
  const double whole = run.last_wall_time - run.first_wall_time;
  return whole > 0 ? (wall_time - run.first_wall_time) / whole : 0;
}

std::string When(const RunRecords& run, double wall_time) {
  return absl::StrFormat("%.1f s", wall_time - run.first_wall_time);
}

std::string CheckpointText(const CheckpointRecord& each) {
  if (each.skipped)
    return absl::StrCat("step ", each.step, ": skipped, the store was silent");
  return absl::StrCat("step ", each.step, ": ", FormatBytes(each.bytes),
                      ", paused ", WallText(each.paused), ", written in ",
                      WallText(each.written));
}

std::string IncidentText(const Incident& each) {
  switch (each.kind) {
    case Incident::Kind::kRestart:
      return absl::StrCat("restart after step ", each.step, ": ",
                          Shortened(each.what));
    case Incident::Kind::kResume:
      return absl::StrCat("resumed from ", Shortened(each.what), ", step ",
                          each.step);
    case Incident::Kind::kFault:
      return absl::StrCat(
          "fault in step ", each.step, ": ", Shortened(each.what), ", host ",
          each.host,
          each.what == "DELAY" ? absl::StrCat(" to host ", each.to) : "",
          each.phase.empty() ? "" : absl::StrCat(", ", Shortened(each.phase)));
  }
  return "";
}

// When each happened, for the list.
using Happened = std::pair<double, std::string>;

std::vector<TimelineLane> LanesOf(const RunRecords& run,
                                  std::vector<Happened>& happened) {
  TimelineLane starts = {"first step of a pod", "note", {}};
  for (std::size_t i = 0; i < run.steps.size(); ++i)
    if (run.steps.begins[i])
      starts.marks.push_back({Place(run, run.steps.wall_time[i]),
                              absl::StrCat("step ", run.steps.step[i])});
  TimelineLane saved = {"checkpoints", "good", {}};
  TimelineLane skipped = {"skipped checkpoints", "bad", {}};
  for (const CheckpointRecord& each : run.checkpoints) {
    TimelineLane& lane = each.skipped ? skipped : saved;
    lane.marks.push_back({Place(run, each.wall_time), CheckpointText(each)});
    happened.emplace_back(each.wall_time, CheckpointText(each));
  }
  TimelineLane faults = {"injected faults", "note", {}};
  TimelineLane restarts = {"restarts and resumes", "bad", {}};
  for (const Incident& each : run.incidents) {
    TimelineLane& lane =
        each.kind == Incident::Kind::kFault ? faults : restarts;
    lane.marks.push_back({Place(run, each.wall_time), IncidentText(each)});
    happened.emplace_back(each.wall_time, IncidentText(each));
  }
  TimelineLane failed = {"failure", "bad", {}};
  if (const auto failure = Failed(run)) {
    failed.marks.push_back(
        {Place(run, run.failure->wall_time), failure->sentence});
    happened.emplace_back(run.failure->wall_time, failure->sentence);
  }
  return {starts, saved, skipped, faults, restarts, failed};
}

std::string ListOf(const RunRecords& run, std::vector<Happened> happened) {
  std::stable_sort(
      happened.begin(), happened.end(),
      [](const Happened& a, const Happened& b) { return a.first < b.first; });
  std::vector<std::vector<std::string>> rows = {{"after (wall)", "what"}};
  for (const auto& [wall_time, what] : happened) {
    if (rows.size() > kMostListed) {
      rows.push_back(
          {"", absl::StrCat(happened.size() - kMostListed, " more")});
      break;
    }
    rows.push_back({When(run, wall_time), what});
  }
  if (rows.size() == 1) return "";
  return HtmlElement("div", {{"class", "data"}}, HtmlTable(rows));
}

}  // namespace

std::string HostsSection(const RunRecords& run) {
  const std::vector<ProcessStep> all = ProcessStepsOf(run);
  const std::vector<ProcessStep> steps = Shown(all);
  std::vector<Bar> bars;
  bars.reserve(steps.size());
  for (const ProcessStep& each : steps)
    bars.push_back({each.hosts, each.parts, ""});
  const std::string some =
      steps.size() < all.size()
          ? absl::StrCat(" The ", steps.size(), " of ", all.size(),
                         " that came last most often.")
          : "";
  return absl::StrCat(
      Section("Where each host's step went",
              "Wall, medians over the steps." + some,
              StackedBars(bars, 0, WallText)),
      all.size() > 1
          ? Section("Stragglers", "Who the others waited for (wall)." + some,
                    StragglerTable(steps))
          : "");
}

std::string AllReduceSection(const RunRecords& run) {
  std::vector<std::vector<std::string>> rows = {{"", "time of a step", ""}};
  if (run.forecast && run.forecast->all_reduce > 0) {
    const ForecastRecord& forecast = *run.forecast;
    const double bound = forecast.reduce_bound;
    rows.push_back({"all-reduce (sim)", SpanText(forecast.all_reduce), ""});
    rows.push_back({"of it exposed (sim)", SpanText(forecast.exposed),
                    ShareText(forecast.exposed / forecast.all_reduce)});
    if (bound > 0)
      rows.push_back(
          {"bound of the links (sim)", SpanText(bound),
           ShareText(bound / forecast.all_reduce) + " of the all-reduce"});
    if (forecast.sound_step)
      rows.push_back({"the step with sound links (sim)",
                      SpanText(*forecast.sound_step),
                      "instead of " + SpanText(forecast.step)});
  }
  if (!run.hosts_steps.empty() && run.hosts_steps.back().input.size() > 1)
    rows.push_back({"exposed between hosts (wall)",
                    MillisecondsOf(run.steps, StepFigure::kReduce), "median"});
  if (run.summary && run.summary->serial_all_reduce)
    rows.push_back({"not overlapped (wall)",
                    WallText(*run.summary->serial_all_reduce),
                    HiddenText(run.summary->overlap_hidden.value_or(0))});
  return rows.size() == 1
             ? ""
             : Section("All-reduce against its bound", "", HtmlTable(rows));
}

std::string InputSection(const RunRecords& run) {
  const double seconds = SumOfFigure(run.steps, StepFigure::kSeconds);
  if (seconds <= 0) return "";
  const double waits = SumOfFigure(run.steps, StepFigure::kInput) / seconds;
  std::optional<double> sim;
  if (run.forecast && run.forecast->step > 0)
    sim = run.forecast->input / run.forecast->step;
  std::vector<std::vector<std::string>> rows = {
      {"for a batch, beside the step (wall)", "median"}};
  const auto add = [&](const char* name, StepFigure figure) {
    if (SumOfFigure(run.steps, figure) > 0)
      rows.push_back({name, MillisecondsOf(run.steps, figure)});
  };
  add("read", StepFigure::kRead);
  add("decode", StepFigure::kDecode);
  add("augment", StepFigure::kAugment);
  add("copy", StepFigure::kCopy);
  rows.push_back(
      {"the step waits", MillisecondsOf(run.steps, StepFigure::kInput)});
  return Section("Input pipeline",
                 InputVerdictText(sim, waits, /*percents=*/true) + ".",
                 HtmlTable(rows));
}

std::string GoodputSection(const RunRecords& run) {
  const RunTime time = RunTimeOf(run);
  return Section(
      "Goodput",
      absl::StrCat(
          "Where ", WallText(time.wall), " of wall time went",
          time.estimated ? ": estimated, as the file has no summary." : "."),
      Waterfall(time.parts, time.wall, WallText));
}

std::string TimelineSection(const RunRecords& run) {
  std::vector<Happened> happened;
  const std::vector<TimelineLane> lanes = LanesOf(run, happened);
  const std::string timeline =
      Timeline(lanes, "0 s", When(run, run.last_wall_time) + " wall");
  return Section("Checkpoints and failures", "",
                 timeline.empty() ? "" : timeline + ListOf(run, happened));
}

}  // namespace podsim
