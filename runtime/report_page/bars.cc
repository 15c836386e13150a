#include "runtime/report_page/bars.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/report_page/html.h"

namespace podsim {
namespace {

// A lane's marks that are told apart: a timeline is some 700 pixels wide.
constexpr int kPlaces = 350;

double SumOfParts(const NamedSeconds& parts) {
  double sum = 0;
  for (const auto& [name, value] : parts) sum += value;
  return sum;
}

std::string Percent(double part) {
  return absl::StrFormat("%.3f%%", 100 * std::clamp(part, 0.0, 1.0));
}

std::string PartText(const std::string& name, double value, double whole,
                     ValueText text) {
  return absl::StrFormat("%s %s (%.1f%%)", name, text(value),
                         whole > 0 ? 100 * value / whole : 0.0);
}

std::string Legend(const NamedSeconds& parts) {
  std::string items;
  int color = 0;
  for (const auto& [name, value] : parts)
    items += HtmlElement(
        "li", absl::StrCat(
                  HtmlElement("span",
                              {{"class", absl::StrCat("key c", color++)}}, ""),
                  HtmlText(name)));
  return HtmlElement("ul", {{"class", "legend"}}, items);
}

std::string OneBar(const Bar& bar, double whole, ValueText text) {
  std::string boxes;
  int color = 0;
  const double own = SumOfParts(bar.parts);
  for (const auto& [name, value] : bar.parts) {
    const std::string style = absl::StrCat("width:", Percent(value / whole));
    boxes += HtmlElement("span",
                         {{"class", absl::StrCat("part c", color++)},
                          {"style", style},
                          {"title", PartText(name, value, own, text)}},
                         "");
  }
  return HtmlElement(
      "div", {{"class", "row"}},
      absl::StrCat(
          HtmlElement("span", {{"class", "name"}}, HtmlText(bar.name)),
          HtmlElement("span", {{"class", "bar"}}, boxes),
          HtmlElement("span", {{"class", "value"}},
                      HtmlText(bar.note.empty() ? text(own) : bar.note))));
}

std::string BarTable(const std::vector<Bar>& bars, ValueText text) {
  std::vector<std::vector<std::string>> rows(1);
  rows[0].push_back("");
  for (const auto& [name, value] : bars.front().parts) rows[0].push_back(name);
  for (const Bar& bar : bars) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(bar.name);
    for (const auto& [name, value] : bar.parts) row.push_back(text(value));
  }
  return HtmlElement("div", {{"class", "data"}}, HtmlTable(rows));
}

// Of several at one place the first; how many there are is said with it.
std::string Marks(const TimelineLane& lane) {
  std::string boxes;
  std::set<int> taken;
  for (const TimelineMark& mark : lane.marks) {
    const double at = std::clamp(mark.at, 0.0, 1.0);
    if (!taken.insert(static_cast<int>(at * kPlaces)).second) continue;
    boxes += HtmlElement("span",
                         {{"class", absl::StrCat("mark ", lane.style)},
                          {"style", absl::StrCat("left:", Percent(at))},
                          {"title", mark.what}},
                         "");
  }
  return boxes;
}

}  // namespace

std::string StackedBars(const std::vector<Bar>& bars, double whole,
                        ValueText text) {
  if (bars.empty()) return "";
  for (const Bar& bar : bars) whole = std::max(whole, SumOfParts(bar.parts));
  if (!(whole > 0)) return "";
  std::string lines = Legend(bars.front().parts);
  for (const Bar& bar : bars) lines += OneBar(bar, whole, text);
  lines += HtmlElement("p", {{"class", "axis"}},
                       absl::StrCat("0 to ", HtmlText(text(whole))));
  return HtmlElement("div", {{"class", "bars"}}, lines + BarTable(bars, text));
}

std::string Waterfall(const NamedSeconds& parts, double whole, ValueText text) {
  if (parts.empty() || !(whole > 0)) return "";
  std::string lines;
  double begin = 0;
  int color = 2;  // what is productive, and then what is lost
  for (const auto& [name, value] : parts) {
    const std::string style =
        absl::StrCat("margin-left:", Percent(begin / whole),
                     ";width:", Percent(value / whole));
    const std::string box =
        HtmlElement("span",
                    {{"class", absl::StrCat("part c", color)},
                     {"style", style},
                     {"title", PartText(name, value, whole, text)}},
                    "");
    lines += HtmlElement(
        "div", {{"class", "row"}},
        absl::StrCat(
            HtmlElement("span", {{"class", "name"}}, HtmlText(name)),
            HtmlElement("span", {{"class", "bar"}}, box),
            HtmlElement("span", {{"class", "value"}},
                        HtmlText(absl::StrFormat("%s, %.1f%%", text(value),
                                                 100 * value / whole)))));
    begin += value;
    color = 1;
  }
  return HtmlElement(
      "div", {{"class", "bars"}},
      absl::StrCat(lines,
                   HtmlElement("p", {{"class", "axis"}},
                               absl::StrCat("0 to ", HtmlText(text(whole))))));
}

std::string Timeline(const std::vector<TimelineLane>& lanes,
                     std::string_view begin, std::string_view end) {
  std::string lines;
  for (const TimelineLane& lane : lanes) {
    if (lane.marks.empty()) continue;
    lines += HtmlElement(
        "div", {{"class", "row"}},
        absl::StrCat(
            HtmlElement("span", {{"class", "name"}}, HtmlText(lane.name)),
            HtmlElement("span", {{"class", "bar lane"}}, Marks(lane)),
            HtmlElement("span", {{"class", "value"}},
                        absl::StrCat(lane.marks.size()))));
  }
  if (lines.empty()) return "";
  return HtmlElement(
      "div", {{"class", "bars"}},
      absl::StrCat(lines, HtmlElement("p", {{"class", "axis"}},
                                      absl::StrCat(HtmlText(begin), " to ",
                                                   HtmlText(end)))));
}

}  // namespace podsim
