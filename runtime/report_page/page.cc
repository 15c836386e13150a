#include "runtime/report_page/page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/report_page/assets.h"
#include "runtime/report_page/charts.h"
#include "runtime/report_page/html.h"

namespace podsim {
namespace {

using Json = nlohmann::ordered_json;

// Should anything in the page ask for an address, the browser refuses it.
constexpr char kPolicy[] =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

// Facts by name, runs side by side.
std::string CompareTable(const std::vector<JudgedRun>& runs) {
  std::vector<std::string> names;
  std::vector<Facts> facts;
  for (const JudgedRun& judged : runs) {
    Facts own = {{"slice", judged.run.plan.slice},
                 {"model", judged.run.plan.model},
                 {"global batch", absl::StrCat(judged.run.plan.global_batch)}};
    for (auto& fact : FactsOf(judged.run)) own.push_back(std::move(fact));
    own.emplace_back("verdict", Verdict(judged.run, judged.found));
    for (const auto& [name, value] : own)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    facts.push_back(std::move(own));
  }
  std::vector<std::vector<std::string>> rows(1);
  rows[0].push_back("");
  for (const JudgedRun& judged : runs) rows[0].push_back(judged.name);
  for (const std::string& name : names) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(name);
    for (const Facts& own : facts) {
      const auto found = std::ranges::find(
          own, name, [](const auto& fact) { return fact.first; });
      row.push_back(found == own.end() ? "" : found->second);
    }
  }
  return HtmlTable(rows);
}

std::string CompareHtml(const std::vector<JudgedRun>& runs) {
  if (runs.size() < 2) return "";
  std::vector<const RunRecords*> records;
  std::vector<std::string> names;
  for (const JudgedRun& judged : runs) {
    records.push_back(&judged.run);
    names.push_back(judged.name);
  }
  std::string charts;
  for (const Chart& chart : ChartsBeside(records, names))
    charts += ChartHtml(chart);
  return HtmlElement(
      "article",
      absl::StrCat(HtmlElement("h2", "Side by side"), CompareTable(runs),
                   HtmlElement("div", {{"class", "charts"}}, charts)));
}

// Of several the worst: which, and what.
std::string TopVerdict(const std::vector<JudgedRun>& runs) {
  if (runs.size() < 2) return "";
  std::string items;
  for (const JudgedRun& judged : runs)
    items += HtmlElement(
        "li", HtmlText(absl::StrCat(judged.name, ": ",
                                    Verdict(judged.run, judged.found))));
  return HtmlElement("ul", {{"class", "verdicts"}}, items);
}

std::string Head(const std::string& title) {
  return absl::StrCat(
      "<head><meta charset=\"utf-8\">",
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">",
      "<meta http-equiv=\"Content-Security-Policy\" content=\"", kPolicy, "\">",
      HtmlElement("title", HtmlText(title)),
      HtmlElement("style", std::string(UplotCss()) + std::string(PageCss())),
      "</head>");
}

// "a.jsonl" of "runs/a.jsonl", where `folder` is "runs/".
std::string CommonFolder(const std::vector<RunRecords>& runs) {
  std::string common = runs.front().path;
  for (const RunRecords& run : runs) {
    const auto [end, other] = std::ranges::mismatch(common, run.path);
    common.erase(end, common.end());
  }
  const std::size_t slash = common.rfind('/');
  return slash == common.npos ? "" : common.substr(0, slash + 1);
}

// `name`: of the browser's tab.
std::string WholePage(const std::string& name, const std::string& heading,
                      const std::string& content,
                      const std::vector<JudgedRun>& runs) {
  std::string body = absl::StrCat(
      HtmlElement(
          "header",
          absl::StrCat(HtmlElement("h1", HtmlText(heading)),
                       HtmlElement("button", {{"id", "tables"}}, "tables"))),
      content, TopVerdict(runs), CompareHtml(runs));
  for (const JudgedRun& judged : runs) body += RunHtml(judged);
  // Behind all that it draws.
  body += HtmlElement("script", UplotScript());
  body += HtmlElement("script", PageScript());
  return absl::StrCat("<!DOCTYPE html>\n<html lang=\"en\">", Head(name),
                      HtmlElement("body", body), "</html>\n");
}

}  // namespace

std::string ReportPage(const std::vector<JudgedRun>& runs) {
  return WholePage(runs.size() == 1 ? runs.front().name : "podsim report",
                   "podsim report", "", runs);
}

std::string PageOfRuns(const std::string& title, const std::string& content,
                       const std::vector<JudgedRun>& runs) {
  return WholePage(title, title, content, runs);
}

std::string DiagnosisJson(const std::vector<JudgedRun>& runs) {
  Json all = Json::array();
  for (const JudgedRun& judged : runs) {
    Json findings = Json::array();
    for (const Finding& each : judged.found)
      findings.push_back({{"kind", NameOf(each.sickness)},
                          {"share", each.share},
                          {"sentence", each.sentence},
                          {"flag", each.flag}});
    const StepTable& steps = judged.run.steps;
    all.push_back({{"path", judged.run.path},
                   {"verdict", Verdict(judged.run, judged.found)},
                   {"status", StatusText(judged.run)},
                   {"steps", steps.size() == 0 ? 0 : steps.step.back()},
                   {"findings", findings}});
  }
  Json whole;
  whole["runs"] = std::move(all);
  return whole.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string> NamesOfRuns(const std::vector<RunRecords>& runs) {
  if (runs.empty()) return {};
  const std::string folder = CommonFolder(runs);
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const RunRecords& run : runs) {
    const std::string path = run.path.substr(folder.size());
    std::string name = SettingText(run.plan, "run_name", path);
    if (!taken.insert(name).second) name = absl::StrCat(name, " (", path, ")");
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace podsim
