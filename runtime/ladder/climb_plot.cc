#include "runtime/ladder/climb_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/ladder/climb_table.h"
#include "runtime/plan/slice_axes.h"
#include "runtime/report/svg.h"

namespace podsim {
namespace {

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

std::vector<double> ValuesOf(const std::vector<Point>& points,
                             double (*of)(const Point&)) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const Point& point : points) values.push_back(of(point));
  return values;
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
          .begin = kUpperBottom,
          .end = kUpperTop};
}

std::string DrawLossAxis(const Scale& scale) {
  std::vector<Tick> ticks;
  for (const double loss : RoundTicks(scale.from, scale.to))
    ticks.push_back({loss, ShortNumber(loss)});
  return SvgLeftAxis(scale, ticks, kSlicesLeft, kSlicesRight);
}

std::string DrawUntil(const Scale& efficiencies,
                      const std::optional<double>& until) {
  if (!until) return "";
  const double y = efficiencies.At(*until);
  return SvgLine(kSlicesLeft, y, kSlicesRight, y, kSvgLimit);
}

std::string DrawBand(const LossBand& band, const Scale& scale) {
  const double top = scale.At(band.high());
  const double mean = scale.At(band.mean);
  return absl::StrFormat(
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
             "fill=\"%s\" fill-opacity=\"0.15\"/>\n",
             kSlicesLeft, top, kSlicesRight - kSlicesLeft,
             scale.At(band.low()) - top, kPassed.color()) +
         SvgLine(kSlicesLeft, mean, kSlicesRight, mean, kSvgLimit);
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
      SvgWords(kSlicesLeft, kUpperTop - 10,
               absl::StrCat(of_eval ? "eval loss" : "training loss",
                            picture.band ? "; shaded: what passes" : ""),
               "start");
  text += SvgWords(
      kSlicesLeft, kEfficiencyTop - 10,
      absl::StrCat("scaling efficiency (sim)", climb.limits.least_efficiency
                                                   ? "; dashed: that of --until"
                                                   : ""),
      "start");
  for (const Rung* rung : picture.planned)
    text += SvgWords(chips.At(rung->plan.chips), kUpperBottom + 16,
                     rung->plan.slice, "middle");
  const double x = kSlicesRight + 14;
  text += kPassed.Marker(x, kUpperTop + 10, "passed");
  text += SvgWords(x + 10, kUpperTop + 14, "passed, not run", "start");
  text += kFailed.Marker(x, kUpperTop + 30, "failed");
  return text + SvgWords(x + 10, kUpperTop + 34, "failed", "start");
}

}  // namespace

std::string PlotClimb(const Climb& climb) {
  const std::string title =
      absl::StrCat(climb.job, ": trained on slice after slice");
  const Picture picture = PictureOf(climb);
  if (picture.planned.empty()) return SlicePicture(title, "");
  const Scale chips = ChipScale(
      ValuesOf(picture.efficiencies, [](const Point& p) { return p.chips; }));
  const Scale losses = LossScale(picture);
  const Scale efficiencies = EfficiencyScale(
      ValuesOf(picture.efficiencies, [](const Point& p) { return p.value; }));
  std::string text = DrawChipAxis(chips) + DrawLossAxis(losses) +
                     DrawEfficiencyAxis(efficiencies) +
                     DrawUntil(efficiencies, climb.limits.least_efficiency);
  if (picture.band) text += DrawBand(*picture.band, losses);
  text += DrawLine(picture.efficiencies, chips, efficiencies);
  text += DrawPoints(picture.losses, chips, losses);
  text += DrawPoints(picture.efficiencies, chips, efficiencies);
  return SlicePicture(title, text + DrawWords(climb, picture, chips));
}

}  // namespace podsim
