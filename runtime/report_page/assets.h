// The files that a page carries, as the build put them into the program
// (third_party/uplot, page.css, page.js).
#ifndef PODSIM_RUNTIME_REPORT_PAGE_ASSETS_H_
#define PODSIM_RUNTIME_REPORT_PAGE_ASSETS_H_

#include <string_view>

namespace podsim {

// uPlot with its licence in a comment.
std::string_view UplotScript();
std::string_view UplotCss();
std::string_view PageScript();
std::string_view PageCss();

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_ASSETS_H_
