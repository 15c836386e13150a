#include "tests/runtime/report_page/html_balance.h"

#include <set>

namespace podsim::testing {
namespace {

// "div" of "div class=..." and "/div".
std::string NameIn(std::string_view tag) {
  return std::string(tag.substr(0, tag.find_first_of(" \t\n")));
}

// Where the tag ends that begins at `at`: behind its ">", outside quotes.
std::size_t EndOfTag(std::string_view html, std::size_t at) {
  char quote = 0;
  for (; at < html.size(); ++at) {
    if (quote == 0 && html[at] == '>') return at;
    if (quote != 0 && html[at] == quote) {
      quote = 0;
    } else if (quote == 0 && (html[at] == '"' || html[at] == '\'')) {
      quote = html[at];
    }
  }
  return html.npos;
}

}  // namespace

std::string UnbalancedTag(std::string_view html) {
  static const std::set<std::string> kVoid = {"meta", "br", "!DOCTYPE"};
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != html.npos;
       at = html.find('<', at)) {
    const std::size_t end = EndOfTag(html, at);
    if (end == html.npos) return std::string(html.substr(at, 40));
    const std::string name = NameIn(html.substr(at + 1, end - at - 1));
    const bool closes_itself = html[end - 1] == '/';  // of a drawing
    at = end + 1;
    if (name.starts_with("/")) {
      if (open.empty() || open.back() != name.substr(1)) return name;
      open.pop_back();
      continue;
    }
    if (closes_itself || kVoid.contains(name)) continue;
    open.push_back(name);
    if (name == "script" || name == "style") at = html.find("</" + name, at);
  }
  return open.empty() ? "" : open.back();
}

std::vector<std::string> LoadsOf(std::string_view html) {
  std::vector<std::string> found;
  for (const char* load :
       {"src=", "href=", "url(", "@import", "<link", "<img", "<iframe",
        "<object", "<embed", "fetch(", "XMLHttpRequest", "import(", "WebSocket",
        "sendBeacon", "http://", "https://"})
    if (html.find(load) != html.npos) found.emplace_back(load);
  return found;
}

}  // namespace podsim::testing
