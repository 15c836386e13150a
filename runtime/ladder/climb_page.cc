#include "runtime/ladder/climb_page.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "runtime/ladder/climb_plot.h"
#include "runtime/ladder/climb_table.h"
#include "runtime/report/run_files.h"
#include "runtime/report/svg.h"
#include "runtime/report_page/html.h"
#include "runtime/report_page/page.h"

namespace podsim {
namespace {

std::string VerdictText(const Climb& climb) {
  if (climb.failed())
    return absl::StrCat(climb.rungs[climb.verdicts.size() - 1].plan.slice,
                        " failed: ", climb.verdicts.back().reason);
  if (climb.done()) return "every slice passed";
  return absl::StrCat("stopped before ",
                      climb.rungs[climb.verdicts.size()].plan.slice);
}

// What is wrong, and what to change.
std::string ClimbVerdict(const Climb& climb) {
  const bool is_well = climb.done() && !climb.failed();
  std::string text =
      HtmlElement("p", {{"class", is_well ? "verdict well" : "verdict sick"}},
                  HtmlText(VerdictText(climb)));
  if (climb.failed() && !climb.verdicts.back().change.empty())
    text += HtmlElement(
        "p",
        HtmlElement("strong", HtmlText(absl::StrCat(
                                  "change ", climb.verdicts.back().change))));
  return text;
}

std::string ClimbHtml(const Climb& climb) {
  std::string notes;
  for (const std::string& note : ClimbNotes(climb))
    notes += HtmlElement("li", HtmlText(note));
  const auto rows = ClimbRows(climb);
  return HtmlElement(
      "article",
      absl::StrCat(HtmlElement("h2", HtmlText(climb.job)), ClimbVerdict(climb),
                   rows.empty() ? "" : HtmlTable(rows),
                   HtmlElement("ul", {{"class", "notes"}}, notes),
                   HtmlElement("div", {{"class", "wide"}},
                               SvgInPage(PlotClimb(climb)))));
}

}  // namespace

std::vector<NamedRun> RunsOfClimb(const Climb& climb, const RungFiles& files,
                                  ObjectStore& store) {
  std::vector<NamedRun> runs;
  for (const Rung& rung : climb.rungs)
    for (std::size_t i = 0; i < rung.runs.size(); ++i) {
      const std::string& slice = rung.plan.slice;
      const std::uint64_t seed = rung.runs[i].seed;
      auto run = ReadRun(store, files.MetricsOf(slice, seed, i == 0));
      if (!run.ok()) continue;
      runs.emplace_back(
          rung.runs.size() == 1 ? slice : absl::StrCat(slice, ", seed ", seed),
          *std::move(run));
    }
  return runs;
}

std::string ClimbPage(const Climb& climb, std::vector<NamedRun> runs) {
  std::vector<JudgedRun> judged;
  for (NamedRun& named : runs) {
    std::vector<Finding> found = Diagnose(named.second);
    judged.push_back({std::move(named.second), named.first, std::move(found)});
  }
  return PageOfRuns("podsim ladder", ClimbHtml(climb), judged);
}

}  // namespace podsim
