// Bars, a waterfall and a timeline as boxes of HTML, which need no script and
// fit any width. Pure.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_BARS_H_
#define PODSIM_RUNTIME_REPORT_PAGE_BARS_H_

#include <string>
#include <string_view>
#include <vector>

#include "runtime/report_page/run_times.h"

namespace podsim {

// How a value is written: "12.3 ms", "1.50 GiB".
using ValueText = std::string (*)(double value);

struct Bar {
  std::string name;
  NamedSeconds parts;  // or bytes
  std::string note;    // behind the bar; may be empty
};

// A line for each, whose parts have the colours 0, 1, 2, ... and the widths of
// their shares of `whole` (0: of the longest bar), with a legend and what an
// axis would say.
std::string StackedBars(const std::vector<Bar>& bars, double whole,
                        ValueText text);

// One line for each part, which begins where the one before ends.
std::string Waterfall(const NamedSeconds& parts, double whole, ValueText text);

// A mark on a line from 0 to 1. Of marks of a kind that lie closer than a
// drawing shows one stands for all.
struct TimelineMark {
  double at = 0;
  std::string what;  // told where the pointer rests
};
struct TimelineLane {
  std::string name;
  std::string style;  // a class of page.css: "good", "bad", "note"
  std::vector<TimelineMark> marks;
};
// `begin` and `end`: what stands below its ends.
std::string Timeline(const std::vector<TimelineLane>& lanes,
                     std::string_view begin, std::string_view end);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_BARS_H_
