#include "runtime/report_page/html.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"

namespace podsim {

std::string HtmlText(std::string_view text) {
  return absl::StrReplaceAll(Printable(text), {{"&", "&amp;"},
                                               {"<", "&lt;"},
                                               {">", "&gt;"},
                                               {"\"", "&quot;"},
                                               {"'", "&#39;"}});
}

std::string HtmlElement(std::string_view tag, const HtmlAttributes& attributes,
                        std::string_view content) {
  std::string text = "<" + std::string(tag);
  for (const auto& [name, value] : attributes)
    absl::StrAppend(&text, " ", name, "=\"", HtmlText(value), "\"");
  text += ">";
  text += content;
  text += "</" + std::string(tag) + ">";
  return text;
}

std::string HtmlElement(std::string_view tag, std::string_view content) {
  return HtmlElement(tag, {}, content);
}

std::string HtmlTable(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  const char* cell = "th";
  for (const std::vector<std::string>& row : rows) {
    std::string cells;
    for (const std::string& each : row)
      cells += HtmlElement(cell, HtmlText(each));
    text += HtmlElement("tr", cells);
    cell = "td";
  }
  return HtmlElement("div", {{"class", "scroll"}}, HtmlElement("table", text));
}

std::string JsonForHtml(std::string json) {
  return absl::StrReplaceAll(json, {{"<", "\\u003c"}});
}

}  // namespace podsim
