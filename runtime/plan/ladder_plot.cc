#include "runtime/plan/ladder_plot.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "runtime/plan/ladder_table.h"

namespace podsim {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 480;
constexpr double kLeft = 90;
constexpr double kRight = 110;
constexpr double kTop = 50;
constexpr double kBottom = 60;
constexpr const char* kColors[] = {"#1f6fb4", "#d1622b", "#2f8f4e", "#8a4fb0",
                                   "#b0303f", "#6b6b6b", "#a58b1c"};

struct Point {
  std::string slice;
  double replicas = 0;
  double rate = 0;
  double low = 0;
  double high = 0;
};

struct Line {
  std::string generation;
  std::string color;
  std::vector<Point> points;

  double ideal(double replicas) const {
    return points.front().rate * replicas / points.front().replicas;
  }
};

std::vector<Line> LinesOf(const Ladder& ladder) {
  std::vector<Line> lines;
  for (const LadderRow& row : ladder.rows) {
    if (!row.status.ok()) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& is) {
      return is.generation == row.slice.generation;
    });
    if (line == lines.end()) {
      lines.push_back({.generation = row.slice.generation,
                       .color = kColors[lines.size() % std::size(kColors)]});
      line = lines.end() - 1;
    }
    const double batch = static_cast<double>(row.forecast.global_batch);
    const double rate = row.forecast.examples_per_second();
    const Band& band = row.forecast.band;
    const bool shaded = !row.forecast.is_unvalidated;
    line->points.push_back(
        {.slice = row.slice.name,
         .replicas = static_cast<double>(row.forecast.replicas),
         .rate = rate,
         .low = shaded ? batch / band.high.seconds() : rate,
         .high = shaded ? batch / band.low.seconds() : rate});
  }
  return lines;
}

// From powers of the base below the least to above the most.
struct Scale {
  double base = 2;
  int from = 0;
  int to = 1;
  double begin = 0;  // where they are drawn
  double end = 1;

  void Cover(double value) {
    const double power = std::log(value) / std::log(base);
    from = std::min(from, static_cast<int>(std::floor(power)));
    to = std::max(to, static_cast<int>(std::ceil(power)));
  }
  double At(double value) const {
    const double power = std::log(value) / std::log(base);
    return begin + (end - begin) * (power - from) / (to - from);
  }
};

struct Axes {
  Scale x = {.base = 2, .begin = kLeft, .end = kWidth - kRight};
  Scale y = {.base = 10, .begin = kHeight - kBottom, .end = kTop};
};

Axes AxesOf(const std::vector<Line>& lines) {
  Axes axes;
  const Point& first = lines.front().points.front();
  axes.x.from = static_cast<int>(std::floor(std::log2(first.replicas)));
  axes.x.to = axes.x.from + 1;
  axes.y.from = static_cast<int>(std::floor(std::log10(first.low)));
  axes.y.to = axes.y.from + 1;
  for (const Line& line : lines)
    for (const Point& point : line.points) {
      axes.x.Cover(point.replicas);
      for (const double value :
           {point.low, point.high, line.ideal(point.replicas)})
        axes.y.Cover(value);
    }
  return axes;
}

std::string Words(double x, double y, const std::string& words,
                  const char* anchor = "middle") {
  return absl::StrFormat(
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y,
      anchor, words);
}

std::string Stroke(double x1, double y1, double x2, double y2,
                   const std::string& style) {
  return absl::StrFormat(
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1,
      x2, y2, style);
}

std::string DrawAxes(const Axes& axes) {
  const std::string gray = "stroke=\"#dddddd\"";
  std::string text;
  for (int power = axes.x.from; power <= axes.x.to; ++power) {
    const double x = axes.x.At(std::exp2(power));
    text += Stroke(x, kTop, x, kHeight - kBottom, gray);
    text += Words(x, kHeight - kBottom + 18,
                  FormatCount(std::llround(std::exp2(power))));
  }
  for (int power = axes.y.from; power <= axes.y.to; ++power) {
    const double y = axes.y.At(std::pow(10, power));
    text += Stroke(kLeft, y, kWidth - kRight, y, gray);
    text += Words(kLeft - 6, y + 4, absl::StrFormat("1e%d", power), "end");
  }
  text += Words((kLeft + kWidth - kRight) / 2, kHeight - 16,
                "what the batch is divided among (cores; chips of v4 and v5p)");
  text += Words(kLeft, kTop - 8, "examples/s (sim)");
  return text;
}

std::string DrawLine(const Axes& axes, const Line& line) {
  std::string there;
  std::string back;
  std::string path;
  for (const Point& point : line.points) {
    const double x = axes.x.At(point.replicas);
    absl::StrAppendFormat(&there, "%.1f,%.1f ", x, axes.y.At(point.low));
    back.insert(0, absl::StrFormat("%.1f,%.1f ", x, axes.y.At(point.high)));
    absl::StrAppendFormat(&path, "%.1f,%.1f ", x, axes.y.At(point.rate));
  }
  const Point& first = line.points.front();
  const Point& last = line.points.back();
  std::string text =
      absl::StrCat("<polygon points=\"", there, back, "\" fill=\"", line.color,
                   "\" fill-opacity=\"0.15\"/>\n");
  text += Stroke(
      axes.x.At(first.replicas), axes.y.At(first.rate),
      axes.x.At(last.replicas), axes.y.At(line.ideal(last.replicas)),
      absl::StrCat("stroke=\"", line.color, "\" stroke-dasharray=\"5 4\""));
  absl::StrAppend(&text, "<polyline points=\"", path,
                  "\" fill=\"none\" stroke-width=\"2\" stroke=\"", line.color,
                  "\"/>\n");
  for (const Point& point : line.points)
    absl::StrAppendFormat(
        &text,
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"><title>%s: %s "
        "examples/s sim</title></circle>\n",
        axes.x.At(point.replicas), axes.y.At(point.rate), line.color,
        point.slice, FormatCount(std::llround(point.rate)));
  return text + Words(axes.x.At(last.replicas) + 8, axes.y.At(last.rate) + 4,
                      last.slice, "start");
}

bool HasBand(const Ladder& ladder) {
  for (const LadderRow& row : ladder.rows)
    if (row.status.ok() && !row.forecast.is_unvalidated) return true;
  return false;
}

}  // namespace

std::string PlotLadder(const Ladder& ladder) {
  const std::vector<Line> lines = LinesOf(ladder);
  std::string text = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" "
      "height=\"100%%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  text += Words(kWidth / 2, 20,
                absl::StrCat(LadderJobText(ladder),
                             ": throughput, simulated; dashed: ideal",
                             HasBand(ladder) ? ", shaded: low to high" : ""));
  if (!lines.empty()) {
    const Axes axes = AxesOf(lines);
    text += DrawAxes(axes);
    for (const Line& line : lines) text += DrawLine(axes, line);
  }
  return text + "</svg>\n";
}

}  // namespace podsim
