#include "runtime/ladder/climb_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/units.h"
#include "runtime/ladder/climb_table.h"
#include "runtime/plan/svg.h"

namespace podsim {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 640;
constexpr double kLeft = 80;
constexpr double kRight = kWidth - 130;
// Panels from their top to their bottom.
constexpr double kLossTop = 60;
constexpr double kLossBottom = 360;
constexpr double kEfficiencyTop = 420;
constexpr double kEfficiencyBottom = 580;
constexpr char kGrid[] = "stroke=\"#dddddd\"";
constexpr char kDashed[] = "stroke=\"#555555\" stroke-dasharray=\"5 4\"";
constexpr LineStyle kPassed = {0};
constexpr LineStyle kFailed = {1};

// A run's loss, or a rung's efficiency.
struct Point {
  double chips = 0;
  double value = 0;
  bool failed = false;
  std::string title;
};

struct Picture {
  std::optional<LossBand> band;
  std::vector<Point> losses;  // finite ones
  std::vector<Point> efficiencies;
  std::vector<const Rung*> planned;
};

Picture PictureOf(const Climb& climb) {
  Picture picture;
  if (!climb.verdicts.empty() && climb.verdicts.front().passed())
    picture.band = BandOf(climb.rungs.front().runs);
  const bool of_eval = !picture.band || picture.band->of_eval;
  for (std::size_t i = 0; i < climb.rungs.size(); ++i) {
    const Rung& rung = climb.rungs[i];
    if (!rung.plan.refused.empty()) continue;
    picture.planned.push_back(&rung);
    const double chips = rung.plan.chips;
    const bool failed =
        i < climb.verdicts.size() && !climb.verdicts[i].passed();
    picture.efficiencies.push_back(
        {chips, rung.plan.efficiency, failed,
         absl::StrFormat("%s: %.0f%% (sim)", rung.plan.slice,
                         100 * rung.plan.efficiency)});
    for (const RungRun& run : rung.runs) {
      const double loss = of_eval ? run.eval_loss.value_or(NAN) : run.last_loss;
      if (!std::isfinite(loss)) continue;
      picture.losses.push_back(
          {chips, loss, failed,
           absl::StrFormat("%s, seed %d: %.4g", rung.plan.slice, run.seed,
                           loss)});
    }
  }
  return picture;
}

// From 0 to the largest loss, or to the band's end.
Scale LossScale(const Picture& picture) {
  double most = picture.band ? picture.band->high() : 0;
  double least = 0;
  for (const Point& point : picture.losses) {
    most = std::max(most, point.value);
    least = std::min(least, point.value);
  }
  if (most <= least) most = least + 1;
  return {.from = least,
          .to = most + 0.05 * (most - least),
          .begin = kLossBottom,
          .end = kLossTop};
}

Scale EfficiencyScale(const Picture& picture) {
  constexpr double kTick = 0.2;
  double best = 1;
  for (const Point& point : picture.efficiencies)
    best = std::max(best, std::ceil(point.value / kTick) * kTick);
  return {
      .from = 0, .to = best, .begin = kEfficiencyBottom, .end = kEfficiencyTop};
}

std::string DrawChips(const Scale& chips) {
  std::string text;
  for (double power = chips.from; power <= chips.to; ++power) {
    const double x = chips.At(std::exp2(power));
    text += SvgLine(x, kLossTop, x, kLossBottom, kGrid);
    text += SvgLine(x, kEfficiencyTop, x, kEfficiencyBottom, kGrid);
    text += SvgWords(x, kEfficiencyBottom + 18,
                     FormatCount(std::llround(std::exp2(power))), "middle");
  }
  return text + SvgWords((kLeft + kRight) / 2, kHeight - 16, "chips", "middle");
}

// Five lines, at equal distances.
std::string DrawLossAxis(const Scale& scale) {
  constexpr int kLines = 5;
  std::string text;
  for (int i = 0; i < kLines; ++i) {
    const double loss = scale.from + (scale.to - scale.from) * i / (kLines - 1);
    const double y = scale.At(loss);
    text += SvgLine(kLeft, y, kRight, y, kGrid);
    text += SvgWords(kLeft - 6, y + 4, absl::StrFormat("%.3g", loss), "end");
  }
  return text;
}

std::string DrawEfficiencyAxis(const Scale& scale,
                               const std::optional<double>& until) {
  std::string text;
  for (int fifth = 0; fifth <= std::lround(5 * scale.to); ++fifth) {
    const double y = scale.At(0.2 * fifth);
    text += SvgLine(kLeft, y, kRight, y, kGrid);
    text += SvgWords(kLeft - 6, y + 4, absl::StrCat(20 * fifth, "%"), "end");
  }
  if (until) {
    const double y = scale.At(*until);
    text += SvgLine(kLeft, y, kRight, y, kDashed);
  }
  return text;
}

std::string DrawBand(const LossBand& band, const Scale& scale) {
  const double top = scale.At(band.high());
  const double mean = scale.At(band.mean);
  return absl::StrFormat(
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
             "fill=\"%s\" fill-opacity=\"0.15\"/>\n",
             kLeft, top, kRight - kLeft, scale.At(band.low()) - top,
             kPassed.color()) +
         SvgLine(kLeft, mean, kRight, mean, kDashed);
}

std::string DrawPoints(const std::vector<Point>& points, const Scale& chips,
                       const Scale& values) {
  std::string text;
  for (const Point& point : points)
    text +=
        (point.failed ? kFailed : kPassed)
            .Marker(chips.At(point.chips), values.At(point.value), point.title);
  return text;
}

std::string DrawLine(const std::vector<Point>& points, const Scale& chips,
                     const Scale& values) {
  std::string path;
  for (const Point& point : points)
    path += SvgPoint(chips.At(point.chips), values.At(point.value));
  return absl::StrCat("<polyline points=\"", path,
                      "\" fill=\"none\" stroke-width=\"2\" stroke=\"",
                      kPassed.color(), "\"/>\n");
}

// What the markers mean, and the slices' names above them.
std::string DrawWords(const Climb& climb, const Picture& picture,
                      const Scale& chips) {
  const bool of_eval = !picture.band || picture.band->of_eval;
  std::string text =
      SvgWords(kLeft, kLossTop - 10,
               absl::StrCat(of_eval ? "eval loss" : "training loss",
                            picture.band ? "; shaded: what passes" : ""),
               "start");
  text += SvgWords(
      kLeft, kEfficiencyTop - 10,
      absl::StrCat("scaling efficiency (sim)", climb.limits.least_efficiency
                                                   ? "; dashed: that of --until"
                                                   : ""),
      "start");
  for (const Rung* rung : picture.planned)
    text += SvgWords(chips.At(rung->plan.chips), kLossBottom + 16,
                     rung->plan.slice, "middle");
  const double x = kRight + 14;
  text += kPassed.Marker(x, kLossTop + 10, "passed");
  text += SvgWords(x + 10, kLossTop + 14, "passed, not run", "start");
  text += kFailed.Marker(x, kLossTop + 30, "failed");
  return text + SvgWords(x + 10, kLossTop + 34, "failed", "start");
}

}  // namespace

std::string PlotClimb(const Climb& climb) {
  std::string text = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" "
      "height=\"100%%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  text += SvgWords(kWidth / 2, 24,
                   absl::StrCat(climb.job, ": trained on slice after slice"),
                   "middle");
  const Picture picture = PictureOf(climb);
  if (picture.planned.empty()) return text + "</svg>\n";
  std::vector<double> numbers;
  for (const Rung* rung : picture.planned) numbers.push_back(rung->plan.chips);
  const Scale chips = LogScale(2, numbers, kLeft, kRight);
  const Scale losses = LossScale(picture);
  const Scale efficiencies = EfficiencyScale(picture);
  text += DrawChips(chips) + DrawLossAxis(losses) +
          DrawEfficiencyAxis(efficiencies, climb.limits.least_efficiency);
  if (picture.band) text += DrawBand(*picture.band, losses);
  text += DrawLine(picture.efficiencies, chips, efficiencies);
  text += DrawPoints(picture.losses, chips, losses);
  text += DrawPoints(picture.efficiencies, chips, efficiencies);
  return text + DrawWords(climb, picture, chips) + "</svg>\n";
}

}  // namespace podsim
