// Pieces of HTML, each closed where it is opened, and JSON that may stand in a
// page. Pure.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_HTML_H_
#define PODSIM_RUNTIME_REPORT_PAGE_HTML_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace podsim {

// Text for a place between tags or in a quoted attribute: & < > " ' are named,
// and what is not Printable (base/printable.h) is spelled out.
std::string HtmlText(std::string_view text);

// <tag name="value">content</tag>. Values are escaped here, `content` is HTML.
using HtmlAttributes = std::vector<std::pair<std::string, std::string>>;
std::string HtmlElement(std::string_view tag, const HtmlAttributes& attributes,
                        std::string_view content);
std::string HtmlElement(std::string_view tag, std::string_view content);

// Cells are text. The first row of cells is the head.
std::string HtmlTable(const std::vector<std::vector<std::string>>& rows);

// For <script type="application/json">: no "<" is left, so neither </script>
// nor <!-- is.
std::string JsonForHtml(std::string json);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_HTML_H_
