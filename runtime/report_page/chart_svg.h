// Line charts as drawings that need no script: for a notebook's cell, a README,
// and a page whose scripts do not run. Pure.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_CHART_SVG_H_
#define PODSIM_RUNTIME_REPORT_PAGE_CHART_SVG_H_

#include <string>
#include <vector>

#include "runtime/report_page/charts.h"

namespace podsim {

// One chart; the legend has each curve's last value. At most some 4 KB for
// each two curves, however many steps there are. As part of a page of HTML.
std::string ChartSvg(const Chart& chart);

// Several below each other as one picture, which may be a file. Of none: one
// that says so.
std::string ChartsSvg(const std::vector<Chart>& charts);

// What a notebook's cell has room for. Of one run loss, throughput beside the
// forecast, and the model's first metric; of several loss and throughput, named
// by `names`.
std::vector<Chart> ChartsInShort(const std::vector<const RunRecords*>& runs,
                                 const std::vector<std::string>& names);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_CHART_SVG_H_
