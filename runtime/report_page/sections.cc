#include "runtime/report_page/sections.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/units.h"
#include "runtime/forecast/format_forecast.h"
#include "runtime/report/format.h"
#include "runtime/report/median.h"
#include "runtime/report_page/bars.h"
#include "runtime/report_page/charts.h"
#include "runtime/report_page/html.h"
#include "runtime/report_page/rules.h"
#include "runtime/report_page/run_times.h"

namespace podsim {
namespace {

std::string BytesText(double bytes) {
  return FormatBytes(static_cast<std::int64_t>(bytes));
}

// Sentences on what is odd about the file.
std::vector<std::string> NotesOf(const RunRecords& run) {
  std::vector<std::string> notes;
  if (run.cut_off) notes.push_back("the last line of the file is half written");
  if (run.bad_lines > 0)
    notes.push_back(absl::StrCat(FormatCounted(run.bad_lines, "line"),
                                 run.bad_lines == 1 ? " is" : " are",
                                 " no record and left out"));
  if (run.steps.size() > 0 && !run.forecast)
    notes.push_back(
        "the file has no forecast: what is sim is shown as far as it is there");
  return notes;
}

void AddFact(const char* name, std::string value, Facts& facts) {
  if (!value.empty()) facts.emplace_back(name, std::move(value));
}

std::string ChartsHtml(const RunRecords& run) {
  std::string text;
  for (const Chart& chart : ChartsOf(run)) text += ChartHtml(chart);
  return text.empty() ? "" : HtmlElement("div", {{"class", "charts"}}, text);
}

std::string MemorySection(const PlanRecord& plan) {
  if (plan.hbm_bytes <= 0) return "";
  NamedSeconds parts;
  for (const auto& [name, bytes] : plan.hbm)
    parts.emplace_back(name, static_cast<double>(bytes));
  if (parts.empty())
    parts.emplace_back("all", static_cast<double>(plan.hbm_bytes));
  const std::string of =
      absl::StrCat(FormatBytes(plan.hbm_bytes), " of ",
                   FormatBytes(plan.hbm_available), " (sim)");
  std::string text =
      StackedBars({{absl::StrCat("HBM of a ", plan.replica), parts, of}},
                  static_cast<double>(plan.hbm_available), BytesText);
  if (plan.bytes_per_process > 0)
    text += HtmlTable(
        {{"of this machine, as planned", "bytes"},
         {"of each process", FormatBytes(plan.bytes_per_process)},
         {"and of each of its hosts", FormatBytes(plan.bytes_per_host)}});
  return Section("Memory", "", text);
}

std::vector<std::vector<std::string>> PlanRows(const PlanRecord& plan) {
  return {{"plan", ""},
          {"model", plan.model},
          {"data set", plan.dataset},
          {"slice",
           absl::StrCat(plan.slice, ": ", FormatCounted(plan.hosts, "host"),
                        ", ", FormatCounted(plan.cores, "core"), " in ",
                        FormatCounted(plan.processes, "process"))},
          {"batch", absl::StrCat(FormatCount(plan.global_batch), ": ",
                                 FormatCount(plan.batch_per_core), " per ",
                                 plan.replica)},
          {"steps", FormatCount(plan.train_steps)},
          {"optimizer", absl::StrFormat("%s, learning rate %.4g",
                                        plan.optimizer, plan.learning_rate)},
          {"machine",
           absl::StrCat(plan.cpu, ", ", FormatCounted(plan.cpus, "CPU"))},
          {"plan hash", plan.hash},
          {"command", plan.command}};
}

std::string PlanSection(const PlanRecord& plan) {
  std::vector<std::vector<std::string>> settings = {{"flag", "value"}};
  for (const auto& [flag, value] : plan.settings)
    settings.push_back({"--" + flag, value});
  std::string text;
  if (!plan.warnings.empty()) {
    std::string items;
    for (const std::string& warning : plan.warnings)
      items += HtmlElement("li", HtmlText(warning));
    text = HtmlElement("ul", {{"class", "notes"}}, items);
  }
  text += HtmlTable(PlanRows(plan));
  text += HtmlElement("details",
                      absl::StrCat(HtmlElement("summary", "all settings"),
                                   HtmlTable(settings)));
  return Section("Plan", "", text);
}

std::string FactsHtml(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts)
    text += HtmlElement(
        "div", {{"class", "fact"}},
        absl::StrCat(HtmlElement("span", {{"class", "what"}}, HtmlText(name)),
                     HtmlElement("strong", HtmlText(value))));
  return HtmlElement("div", {{"class", "facts"}}, text);
}

std::string GoodputText(const RunRecords& run) {
  const RunTime time = RunTimeOf(run);
  if (time.parts.empty() || time.parts.front().first != "productive") return "";
  return absl::StrFormat("%s%.1f%%", time.estimated ? "about " : "",
                         100 * time.parts.front().second / time.wall);
}

// Of the last step; nullopt where it is not finite.
std::optional<double> LastOf(const RunRecords& run, StepFigure figure) {
  if (run.steps.size() == 0) return std::nullopt;
  return Median({run.steps[figure].back()});
}

}  // namespace

std::string Section(const std::string& title, const std::string& sentence,
                    const std::string& content) {
  if (content.empty()) return "";
  return HtmlElement(
      "section",
      absl::StrCat(HtmlElement("h3", HtmlText(title)),
                   sentence.empty() ? "" : HtmlElement("p", HtmlText(sentence)),
                   content));
}

Facts FactsOf(const RunRecords& run) {
  Facts facts;
  AddFact("status", StatusText(run), facts);
  if (const auto loss = LastOf(run, StepFigure::kLoss))
    AddFact("loss", absl::StrFormat("%.4g", *loss), facts);
  if (run.summary && run.summary->eval_accuracy) {
    AddFact("eval accuracy", FormatPercent(*run.summary->eval_accuracy), facts);
  } else if (const auto accuracy = LastOf(run, StepFigure::kAccuracy)) {
    AddFact("accuracy", FormatPercent(*accuracy), facts);
  }
  if (const auto rate = Median(run.steps[StepFigure::kRate]))
    AddFact("throughput (wall)", absl::StrCat(FormatRate(*rate), " examples/s"),
            facts);
  if (run.forecast) {
    const ForecastRecord& forecast = *run.forecast;
    AddFact("throughput (sim)",
            forecast.step > 0
                ? absl::StrCat(
                      FormatRate(static_cast<double>(run.plan.global_batch) /
                                 forecast.step),
                      " examples/s")
                : "",
            facts);
    AddFact("step time (sim)", SpanText(forecast.step), facts);
    if (forecast.high > 0)
      AddFact("band of the forecast (sim)",
              RangeText({SimTime::Seconds(forecast.low),
                         SimTime::Seconds(forecast.high)}),
              facts);
    AddFact("bound (sim)", forecast.how, facts);
    if (forecast.efficiency)
      AddFact("scaling efficiency (sim)", FormatPercent(*forecast.efficiency),
              facts);
  }
  if (run.summary && run.summary->mfu)
    AddFact("MFU (sim)", FormatPercent(*run.summary->mfu), facts);
  AddFact("goodput (wall)", GoodputText(run), facts);
  return facts;
}

std::string VerdictHtml(const JudgedRun& judged) {
  const bool is_well = judged.found.empty();
  std::string text =
      HtmlElement("p", {{"class", is_well ? "verdict well" : "verdict sick"}},
                  HtmlText(Verdict(judged.run, judged.found)));
  std::string items;
  for (std::size_t i = 1; i < judged.found.size(); ++i)
    items += HtmlElement("li", HtmlText(judged.found[i].sentence));
  for (const std::string& note : NotesOf(judged.run))
    items += HtmlElement("li", HtmlText("note: " + note));
  if (!items.empty()) text += HtmlElement("ul", {{"class", "notes"}}, items);
  return text;
}

std::string RunHtml(const JudgedRun& judged) {
  const RunRecords& run = judged.run;
  return HtmlElement(
      "article",
      absl::StrCat(HtmlElement("h2", HtmlText(judged.name)),
                   VerdictHtml(judged), FactsHtml(FactsOf(run)),
                   ChartsHtml(run), HostsSection(run), AllReduceSection(run),
                   InputSection(run), GoodputSection(run), TimelineSection(run),
                   MemorySection(run.plan), PlanSection(run.plan)));
}

}  // namespace podsim
