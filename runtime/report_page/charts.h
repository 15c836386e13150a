// Line charts: which rows of a run are drawn, as data for page.js and as a
// table and a still drawing for who has no scripts. Pure.
#ifndef PODSIM_RUNTIME_REPORT_PAGE_CHARTS_H_
#define PODSIM_RUNTIME_REPORT_PAGE_CHARTS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/report/run_records.h"

namespace podsim {

// Colours are numbers of a palette (page.css).
struct ChartSeries {
  std::string label;  // with its unit or clock: "loss", "examples/s wall"
  int color = 0;
  bool dashed = false;
  bool points = false;         // few values: each has a dot
  bool spans_gaps = false;     // a line through what lies between two values
  std::vector<double> values;  // by x; not finite: there is none
};

// What it is of, for who shows some charts alone.
enum class ChartKind : std::uint8_t { kOther, kLoss, kMetric, kRate };

struct Chart {
  std::string title;
  std::string unit;           // of the y axis
  bool log = false;           // the y axis; values are above 0
  std::vector<double> steps;  // ascending, each once
  std::vector<ChartSeries> series;
  std::vector<std::pair<int, int>> bands;  // between two of the series, filled

  ChartKind kind = ChartKind::kOther;

  bool empty() const { return steps.size() < 2 || series.empty(); }
};

// Those of one run that it has figures for.
std::vector<Chart> ChartsOf(const RunRecords& run);

// Loss and throughput of several runs, named by `names`, on top of each other.
std::vector<Chart> ChartsBeside(const std::vector<const RunRecords*>& runs,
                                const std::vector<std::string>& names);

// The drawing's place with its data, its table, and a drawing that needs no
// script.
std::string ChartHtml(const Chart& chart);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_PAGE_CHARTS_H_
