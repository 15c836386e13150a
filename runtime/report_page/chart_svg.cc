#include "runtime/report_page/chart_svg.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/report/svg.h"
#include "runtime/report_page/statistics.h"

namespace podsim {
namespace {

// Pixels. A phone shows all of the width.
constexpr double kChartWidth = 480;
constexpr double kPlotLeft = 64;
constexpr double kPlotRight = kChartWidth - 14;
constexpr double kPlotHeight = 140;
constexpr double kTitleHeight = 20;
constexpr double kLegendLine = 16;
constexpr double kBelowPlot = 36;  // numbers and name of the axis of steps
constexpr double kKeyWidth = 24;
constexpr double kWideLetter = 7;  // at most, of 12 pixels' height
// In each the lowest and the highest value of a curve.
constexpr std::size_t kDrawnBuckets = 80;

// Names and last values of the curves, in lines as wide as the chart.
struct LegendKey {
  std::size_t series = 0;
  double x = 0;
  double y = 0;
  std::string words;
};

struct KeyList {
  std::vector<LegendKey> keys;
  double height = 0;
};

// Where the drawing's top is at 0.
struct Frame {
  Scale steps;
  Scale values;
  double top = 0;
  double bottom = 0;
};

std::vector<double> FiniteOf(const Chart& chart) {
  std::vector<double> values;
  for (const ChartSeries& each : chart.series)
    for (const double value : each.values)
      if (std::isfinite(value) && (!chart.log || value > 0))
        values.push_back(value);
  return values;
}

std::string LastText(const ChartSeries& series) {
  for (auto value = series.values.rbegin(); value != series.values.rend();
       ++value)
    if (std::isfinite(*value))
      return absl::StrCat(series.label, ": ", ShortNumber(*value));
  return series.label;
}

KeyList KeysOf(const Chart& chart) {
  KeyList legend;
  double x = kPlotLeft;
  double y = kTitleHeight + kLegendLine - 4;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    std::string words = LastText(chart.series[i]);
    const double width =
        kKeyWidth + kWideLetter * static_cast<double>(words.size());
    if (x > kPlotLeft && x + width > kPlotRight) {
      x = kPlotLeft;
      y += kLegendLine;
    }
    legend.keys.push_back({i, x, y, std::move(words)});
    x += width;
  }
  legend.height = y + 4 - kTitleHeight;
  return legend;
}

// A linear axis begins at 0, unless values are below it.
Scale ValueScale(const Chart& chart, double top, double bottom) {
  const std::vector<double> values = FiniteOf(chart);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  Scale scale = {.from = chart.log ? std::log10(*least) : std::min(0.0, *least),
                 .to = chart.log ? std::log10(*most) : *most,
                 .begin = bottom,
                 .end = top,
                 .base = chart.log ? 10.0 : 0.0};
  constexpr double kMargin = 0.04;
  const double margin = kMargin * (scale.to - scale.from);
  if (chart.log) scale.from -= margin;
  scale.to += margin;
  // All of them are the same.
  if (!(scale.to - scale.from > 1e-9 * std::abs(scale.to))) {
    if (chart.log) scale.from -= 0.1;
    scale.to += chart.log ? 0.1 : std::max(1e-9, 0.1 * std::abs(scale.to));
  }
  return scale;
}

std::string DrawFrame(const Chart& chart, const Frame& frame) {
  const Scale& values = frame.values;
  std::vector<Tick> ticks;
  for (const double value :
       chart.log ? LogTicks(std::pow(10, values.from), std::pow(10, values.to))
                 : RoundTicks(values.from, values.to))
    ticks.push_back({value, ShortNumber(value)});
  std::string text = SvgLeftAxis(values, ticks, kPlotLeft, kPlotRight);
  for (const double step : RoundTicks(frame.steps.from, frame.steps.to)) {
    const double x = frame.steps.At(step);
    text += SvgLine(x, frame.top, x, frame.bottom, kSvgGrid);
    text += SvgWords(x, frame.bottom + 14, ShortNumber(step), "middle");
  }
  return text + SvgWords((kPlotLeft + kPlotRight) / 2, frame.bottom + 29,
                         "step", "middle");
}

bool IsDrawn(const Chart& chart, double value) {
  return std::isfinite(value) && (!chart.log || value > 0);
}

// The places of a curve that are drawn, as text; empty: a gap. Of neighbours at
// the same height the outer ones, but where each has a dot.
std::vector<std::string> PlacesOf(const Chart& chart, const ChartSeries& series,
                                  const Frame& frame) {
  const std::vector<double>* const column = &series.values;
  std::vector<std::string> places;
  std::vector<double> heights;
  for (const std::size_t row : RowsToDraw({&column, 1}, kDrawnBuckets)) {
    const double value = series.values[row];
    const bool drawn = IsDrawn(chart, value);
    if (!drawn && series.spans_gaps) continue;
    const double y = drawn ? std::round(10 * frame.values.At(value)) : NAN;
    const std::size_t count = heights.size();
    if (!series.points && count >= 2 && heights[count - 1] == y &&
        heights[count - 2] == y) {
      places.pop_back();
      heights.pop_back();
    }
    heights.push_back(y);
    places.push_back(drawn ? SvgPoint(frame.steps.At(chart.steps[row]), y / 10)
                           : "");
  }
  return places;
}

// A line, broken at gaps; with a dot at each place of a curve that has few.
std::string DrawSeries(const Chart& chart, const ChartSeries& series,
                       const Frame& frame) {
  const LineStyle style = {static_cast<std::size_t>(series.color % 6)};
  std::string line;
  std::string dots;
  bool in_gap = true;
  for (const std::string& place : PlacesOf(chart, series, frame)) {
    if (!place.empty()) absl::StrAppend(&line, in_gap ? "M" : "", place);
    if (!place.empty() && series.points)
      absl::StrAppend(&dots, "M", place, "h0");
    in_gap = place.empty();
  }
  std::string text = absl::StrFormat(
      "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"%s/>\n",
      line, style.color(), series.dashed ? " stroke-dasharray=\"6 4\"" : "");
  if (!dots.empty())
    absl::StrAppendFormat(&text,
                          "<path d=\"%s\" stroke=\"%s\" stroke-width=\"6\" "
                          "stroke-linecap=\"round\"/>\n",
                          dots, style.color());
  return text;
}

// What lies between two curves, where both are drawn.
std::string DrawChartBand(const Chart& chart, const std::pair<int, int>& band,
                          const Frame& frame) {
  const auto& low = chart.series[static_cast<std::size_t>(band.first)];
  const auto& high = chart.series[static_cast<std::size_t>(band.second)];
  const std::vector<double>* const columns[] = {&low.values, &high.values};
  std::string there;
  std::string back;
  for (const std::size_t row : RowsToDraw(columns, kDrawnBuckets / 4)) {
    if (!IsDrawn(chart, low.values[row]) || !IsDrawn(chart, high.values[row]))
      continue;
    const double x = frame.steps.At(chart.steps[row]);
    there += SvgPoint(x, frame.values.At(low.values[row]));
    back.insert(0, SvgPoint(x, frame.values.At(high.values[row])));
  }
  return absl::StrCat(
      "<polygon points=\"", there, back, "\" fill=\"",
      LineStyle{static_cast<std::size_t>(low.color % 6)}.color(),
      "\" fill-opacity=\"0.15\"/>\n");
}

std::string DrawLegend(const Chart& chart, const KeyList& legend) {
  std::string text;
  for (const LegendKey& key : legend.keys) {
    const ChartSeries& series = chart.series[key.series];
    const std::string color =
        LineStyle{static_cast<std::size_t>(series.color % 6)}.color();
    text +=
        SvgLine(key.x, key.y - 4, key.x + kKeyWidth - 6, key.y - 4,
                absl::StrCat("stroke=\"", color, "\" stroke-width=\"",
                             series.points ? 4 : 2, "\"",
                             series.dashed ? " stroke-dasharray=\"6 4\"" : ""));
    text += SvgWords(key.x + kKeyWidth - 2, key.y, key.words, "start");
  }
  return text;
}

double HeightOf(const Chart& chart) {
  return kTitleHeight + KeysOf(chart).height + 8 + kPlotHeight + kBelowPlot;
}

// The chart with its top at 0. REQUIRES: it has a value.
std::string DrawChart(const Chart& chart) {
  const KeyList legend = KeysOf(chart);
  Frame frame;
  frame.top = kTitleHeight + legend.height + 8;
  frame.bottom = frame.top + kPlotHeight;
  frame.steps = {.from = chart.steps.front(),
                 .to = chart.steps.back(),
                 .begin = kPlotLeft,
                 .end = kPlotRight};
  frame.values = ValueScale(chart, frame.top, frame.bottom);
  const std::string unit = absl::StartsWith(chart.title, chart.unit)
                               ? ""
                               : absl::StrCat(" (", chart.unit, ")");
  std::string text = SvgWords(kPlotLeft, 14, chart.title + unit, "start");
  text += DrawLegend(chart, legend) + DrawFrame(chart, frame);
  for (const auto& band : chart.bands)
    text += DrawChartBand(chart, band, frame);
  for (const ChartSeries& series : chart.series)
    text += DrawSeries(chart, series, frame);
  return text;
}

bool HasDrawing(const Chart& chart) {
  return !chart.empty() && !FiniteOf(chart).empty();
}

}  // namespace

std::string ChartSvg(const Chart& chart) {
  return SvgInPage(ChartsSvg({chart}));
}

std::string ChartsSvg(const std::vector<Chart>& charts) {
  std::string text;
  double height = 0;
  for (const Chart& chart : charts) {
    if (!HasDrawing(chart)) continue;
    absl::StrAppendFormat(&text,
                          "<g transform=\"translate(0,%.0f)\">\n%s</g>\n",
                          height, DrawChart(chart));
    height += HeightOf(chart);
  }
  if (text.empty())
    return SvgPicture(
        kChartWidth, 40,
        SvgWords(kChartWidth / 2, 24, "fewer than two steps: there is no curve",
                 "middle"));
  return SvgPicture(kChartWidth, height, text);
}

std::vector<Chart> ChartsInShort(const std::vector<const RunRecords*>& runs,
                                 const std::vector<std::string>& names) {
  if (runs.size() > 1) return ChartsBeside(runs, names);
  std::vector<Chart> kept;
  bool has_metric = false;
  for (Chart& chart : ChartsOf(*runs.front())) {
    const bool always =
        chart.kind == ChartKind::kLoss || chart.kind == ChartKind::kRate;
    if (!always && (chart.kind != ChartKind::kMetric || has_metric)) continue;
    has_metric |= chart.kind == ChartKind::kMetric;
    kept.push_back(std::move(chart));
  }
  return kept;
}

}  // namespace podsim
