// Whether a page's tags close each other, and whether it asks for anything.
#ifndef PODSIM_TESTS_RUNTIME_REPORT_PAGE_HTML_BALANCE_H_
#define PODSIM_TESTS_RUNTIME_REPORT_PAGE_HTML_BALANCE_H_

#include <string>
#include <string_view>
#include <vector>

namespace podsim::testing {

// The first tag that closes no open one, or stays open; empty: none. What
// stands in script and style is no HTML.
std::string UnbalancedTag(std::string_view html);

// Of what makes a browser load something, what the page has.
std::vector<std::string> LoadsOf(std::string_view html);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_REPORT_PAGE_HTML_BALANCE_H_
