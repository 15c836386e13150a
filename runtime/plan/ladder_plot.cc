#include "runtime/plan/ladder_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "runtime/plan/efficiency.h"
#include "runtime/plan/ladder_table.h"
#include "runtime/plan/measured_rows.h"
#include "runtime/plan/run_cost.h"
#include "runtime/plan/slice_axes.h"
#include "runtime/report/svg.h"

namespace podsim {
namespace {

constexpr double kLineHeight = 14;
constexpr double kHourSeconds = 3600;

struct Point {
  std::string slice;
  double chips = 0;
  RunBand hours;
  ShareBand efficiency;
  std::string title;
  // Of a measured run: the whole run with the step that it simulated.
  std::optional<double> measured_hours = {};
  std::string measured_title = {};
};

// A generation's slices from the smallest on.
struct Line {
  std::string generation;
  LineStyle style;
  std::vector<Point> points;
};

std::string MeasuredTitle(const MeasuredRun& run) {
  return absl::StrCat(
      run.path, ": step ", SpanText(run.sim_step_seconds.value_or(0)), " sim",
      run.step_seconds
          ? absl::StrCat(", ", SpanText(*run.step_seconds), " wall")
          : "",
      ", ", FormatCounted(run.steps, "step"));
}

void AddMeasured(const LadderRow& row, Point& point) {
  const std::optional<double> seconds = MeasuredRunSeconds(row);
  if (!seconds) return;
  point.measured_hours = *seconds / kHourSeconds;
  point.measured_title = MeasuredTitle(*row.measured);
}

// "83% (81% to 86%)".
std::string EfficiencyTitle(const ShareBand& efficiency) {
  const std::string text = absl::StrFormat("%.0f%%", 100 * efficiency.forecast);
  const std::string range = ShareRangeText(efficiency);
  return range.empty() ? text : absl::StrCat(text, " (", range, ")");
}

Point PointOf(const LadderRow& row) {
  const RunBand seconds = RunSeconds(row);
  Point point = {
      .slice = row.slice.name,
      .chips = static_cast<double>(row.slice.chips),
      .hours = {seconds.forecast / kHourSeconds, seconds.low / kHourSeconds,
                seconds.high / kHourSeconds},
      .efficiency = EfficiencyOf(row),
      .title = absl::StrCat(row.slice.name, ": ", SpanText(seconds.forecast),
                            " sim (", SpanText(seconds.low), " to ",
                            SpanText(seconds.high), "), efficiency ",
                            EfficiencyTitle(EfficiencyOf(row)))};
  AddMeasured(row, point);
  return point;
}

std::vector<Line> LinesOf(const Ladder& ladder) {
  std::vector<Line> lines;
  for (const LadderRow& row : ladder.rows) {
    if (!row.status.ok()) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& is) {
      return is.generation == row.slice.generation;
    });
    if (line == lines.end())
      line = lines.insert(
          line, {.generation = row.slice.generation, .style = {lines.size()}});
    line->points.push_back(PointOf(row));
  }
  for (Line& line : lines)
    std::stable_sort(
        line.points.begin(), line.points.end(),
        [](const Point& a, const Point& b) { return a.chips < b.chips; });
  return lines;
}

std::vector<double> ValuesOf(
    const std::vector<Line>& lines,
    const std::function<std::vector<double>(const Point&)>& of) {
  std::vector<double> values;
  for (const Line& line : lines)
    for (const Point& point : line.points)
      for (const double value : of(point)) values.push_back(value);
  return values;
}

struct Axes {
  Scale chips;
  Scale hours;
  Scale efficiency;
};

Axes AxesOf(const std::vector<Line>& lines) {
  const std::vector<double> efficiencies = ValuesOf(
      lines,
      [](const Point& point) { return std::vector{point.efficiency.high}; });
  return {
      .chips = ChipScale(
          ValuesOf(lines, [](const Point& p) { return std::vector{p.chips}; })),
      .hours = LogScale(10,
                        ValuesOf(lines,
                                 [](const Point& p) {
                                   return std::vector{
                                       p.hours.low, p.hours.high,
                                       p.measured_hours.value_or(p.hours.low)};
                                 }),
                        kUpperBottom, kUpperTop),
      .efficiency = EfficiencyScale(efficiencies)};
}

std::string DrawAxes(const Axes& axes) {
  std::vector<Tick> hours;
  for (double power = axes.hours.from; power <= axes.hours.to; ++power)
    hours.push_back(
        {std::pow(10, power), SpanText(std::pow(10, power) * kHourSeconds)});
  std::string text = DrawChipAxis(axes.chips) +
                     SvgLeftAxis(axes.hours, hours, kSlicesLeft, kSlicesRight) +
                     DrawEfficiencyAxis(axes.efficiency);
  const double knee = axes.efficiency.At(kKneeEfficiency);
  text += SvgLine(kSlicesLeft, knee, kSlicesRight, knee, kSvgLimit);
  text += SvgWords(kSlicesLeft, kUpperTop - 10,
                   "whole run (sim); shaded: low to high", "start");
  return text + SvgWords(kSlicesLeft, kEfficiencyTop - 10,
                         "scaling efficiency; shaded: low to high; dashed: "
                         "that of the knee",
                         "start");
}

// From low to high, in pixels. Of one point alone the band is a stroke.
std::string DrawBand(const Axes& axes, const Line& line,
                     const std::function<double(const Point&)>& low,
                     const std::function<double(const Point&)>& high) {
  std::string there;
  std::string back;
  for (const Point& point : line.points) {
    const double x = axes.chips.At(point.chips);
    there += SvgPoint(x, low(point));
    back.insert(0, SvgPoint(x, high(point)));
  }
  if (line.points.size() > 1)
    return absl::StrCat("<polygon points=\"", there, back, "\" fill=\"",
                        line.style.color(), "\" fill-opacity=\"0.15\"/>\n");
  return absl::StrCat("<polyline points=\"", there, back, "\" stroke=\"",
                      line.style.color(), "\" stroke-opacity=\"0.4\"/>\n");
}

// Of the run, and of the efficiency where there is more than one slice.
std::string DrawBands(const Axes& axes, const Line& line) {
  std::string text = DrawBand(
      axes, line, [&](const Point& p) { return axes.hours.At(p.hours.low); },
      [&](const Point& p) { return axes.hours.At(p.hours.high); });
  if (line.points.size() > 1)
    text += DrawBand(
        axes, line,
        [&](const Point& p) { return axes.efficiency.At(p.efficiency.low); },
        [&](const Point& p) { return axes.efficiency.At(p.efficiency.high); });
  return text;
}

// `y`: of a point, in pixels.
std::string DrawLine(const Axes& axes, const Line& line,
                     const std::function<double(const Point&)>& y) {
  std::string path;
  std::string markers;
  for (const Point& point : line.points) {
    const double x = axes.chips.At(point.chips);
    path += SvgPoint(x, y(point));
    markers += line.style.Marker(x, y(point), point.title);
  }
  return absl::StrCat("<polyline points=\"", path,
                      "\" fill=\"none\" stroke-width=\"2\" stroke=\"",
                      line.style.color(), "\"/>\n", markers);
}

// A ring around each measured run, which leaves the forecast's marker in sight.
std::string DrawMeasured(const Axes& axes, const Line& line) {
  std::string rings;
  for (const Point& point : line.points)
    if (point.measured_hours)
      rings += absl::StrFormat(
          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"8\" fill=\"none\" "
          "pointer-events=\"all\" stroke-width=\"2\" stroke=\"black\">"
          "<title>%s</title></circle>\n",
          axes.chips.At(point.chips), axes.hours.At(*point.measured_hours),
          SvgEscaped(point.measured_title));
  return rings;
}

bool IsMeasured(const std::vector<Line>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const Line& line) {
    return std::any_of(
        line.points.begin(), line.points.end(),
        [](const Point& point) { return point.measured_hours.has_value(); });
  });
}

// The largest slices' names at the right, each with a stroke to its point.
std::string DrawLabels(const Axes& axes, const std::vector<Line>& lines,
                       const std::function<double(const Point&)>& y, double top,
                       double bottom) {
  std::vector<double> wanted;
  for (const Line& line : lines) wanted.push_back(y(line.points.back()));
  const std::vector<double> kept = KeptApart(wanted, kLineHeight, top, bottom);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    text += SvgLine(axes.chips.At(line.points.back().chips) + 6, wanted[i],
                    kSlicesRight + 8, kept[i],
                    absl::StrCat("stroke=\"", line.style.color(),
                                 "\" stroke-width=\"0.6\""));
    text += line.style.Marker(kSlicesRight + 14, kept[i], line.generation);
    text += SvgWords(kSlicesRight + 24, kept[i] + 4, line.points.back().slice,
                     "start");
  }
  return text;
}

std::string DrawLines(const std::vector<Line>& lines) {
  const Axes axes = AxesOf(lines);
  const auto run = [&](const Point& point) {
    return axes.hours.At(point.hours.forecast);
  };
  const auto efficiency = [&](const Point& point) {
    return axes.efficiency.At(point.efficiency.forecast);
  };
  std::string text = DrawAxes(axes);
  for (const Line& line : lines) text += DrawBands(axes, line);
  for (const Line& line : lines) {
    text += DrawLine(axes, line, run);
    text += DrawLine(axes, line, efficiency);
    text += DrawMeasured(axes, line);
  }
  if (IsMeasured(lines))
    text += SvgWords(kSlicesRight, kUpperTop - 10,
                     "ring: with the step (sim) of a measured run", "end");
  text += DrawLabels(axes, lines, run, kUpperTop, kUpperBottom);
  return text +
         DrawLabels(axes, lines, efficiency, kEfficiencyTop, kEfficiencyBottom);
}

}  // namespace

std::string PlotLadder(const Ladder& ladder) {
  const std::vector<Line> lines = LinesOf(ladder);
  return SlicePicture(absl::StrCat(LadderJobText(ladder),
                                   ": a run on slice after slice, simulated"),
                      lines.empty() ? "" : DrawLines(lines));
}

}  // namespace podsim
