#include "runtime/report/svg.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "base/printable.h"

namespace podsim {
namespace {

constexpr const char* kColors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000"};
// Around (0, 0), closed; none: a circle.
constexpr const char* kMarkers[] = {
    "",
    "M-4,-4 L4,-4 L4,4 L-4,4 Z",
    "M0,-5 L5,4 L-5,4 Z",
    "M0,-5.5 L5.5,0 L0,5.5 L-5.5,0 Z",
    "M0,5 L5,-4 L-5,-4 Z",
    "M-5,-2 L-2,-5 L0,-3 L2,-5 L5,-2 L3,0 L5,2 L2,5 L0,3 L-2,5 L-5,2 L-3,0 Z",
    "M-1.5,-5 L1.5,-5 L1.5,-1.5 L5,-1.5 L5,1.5 L1.5,1.5 L1.5,5 L-1.5,5 "
    "L-1.5,1.5 L-5,1.5 L-5,-1.5 L-1.5,-1.5 Z"};
static_assert(std::size(kColors) == std::size(kMarkers));
constexpr char kNameSpace[] = " xmlns=\"http://www.w3.org/2000/svg\"";

}  // namespace

double Scale::At(double value) const {
  const double place = base > 0 ? std::log(value) / std::log(base) : value;
  return begin + (end - begin) * (place - from) / (to - from);
}

Scale LogScale(double base, const std::vector<double>& values, double begin,
               double end) {
  // A power that is not met exactly is still that power.
  constexpr double kNear = 1e-9;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto power = [base](double value) {
    return std::log(value) / std::log(base);
  };
  const double from = std::floor(power(*least) + kNear);
  const double to = std::ceil(power(*most) - kNear);
  return {.from = from,
          .to = std::max(to, from + 1),
          .begin = begin,
          .end = end,
          .base = base};
}

std::vector<double> RoundTicks(double low, double high) {
  constexpr double kMost = 6;  // steps
  constexpr double kNear = 1e-9;
  double step = std::pow(10, std::floor(std::log10((high - low) / 2)));
  for (const double times : {2.0, 2.5, 2.0})
    if ((high - low) / step > kMost) step *= times;  // 1, 2, 5, 10
  std::vector<double> ticks;
  const double first = std::ceil(low / step - kNear);
  for (double i = first; i * step <= high + kNear * step; ++i)
    ticks.push_back(i * step + 0.0);  // no -0
  return ticks;
}

std::vector<double> LogTicks(double low, double high) {
  constexpr double kNear = 1e-9;
  constexpr double kFewDecades = 2.5;
  constexpr std::size_t kLeast = 2;
  const bool few = std::log10(high / low) < kFewDecades;
  std::vector<double> ticks;
  for (double power = std::floor(std::log10(low)); power <= std::log10(high);
       ++power)
    for (const double times : {1.0, 2.0, 5.0}) {
      const double tick = times * std::pow(10, power);
      if (times > 1 && !few) break;
      if (tick >= low * (1 - kNear) && tick <= high * (1 + kNear))
        ticks.push_back(tick);
    }
  return ticks.size() < kLeast ? RoundTicks(low, high) : ticks;
}

std::string ShortNumber(double value) {
  const double size = std::abs(value);
  for (const auto& [unit, letter] :
       {std::pair(1e9, "G"), std::pair(1e6, "M"), std::pair(1e3, "k")})
    if (size >= unit) return absl::StrFormat("%.4g%s", value / unit, letter);
  return absl::StrFormat("%.4g", value);
}

std::string SvgLeftAxis(const Scale& scale, const std::vector<Tick>& ticks,
                        double left, double right) {
  std::string text;
  for (const Tick& tick : ticks) {
    const double y = scale.At(tick.value);
    text += SvgLine(left, y, right, y, kSvgGrid);
    text += SvgWords(left - 6, y + 4, tick.label, "end");
  }
  return text;
}

std::string SvgPicture(double width, double height,
                       const std::string& content) {
  return absl::StrFormat(
      "<svg%s width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" "
      "height=\"100%%\" fill=\"white\"/>\n%s</svg>\n",
      kNameSpace, width, height, width, height, content);
}

std::string SvgInPage(const std::string& picture) {
  return absl::StrReplaceAll(picture, {{kNameSpace, ""}});
}

const char* LineStyle::color() const {
  return kColors[number % std::size(kColors)];
}

std::string LineStyle::Marker(double x, double y,
                              const std::string& title) const {
  const char* const path = kMarkers[number % std::size(kMarkers)];
  const std::string shape = *path == '\0'
                                ? "<circle r=\"4\""
                                : absl::StrCat("<path d=\"", path, "\"");
  return absl::StrFormat(
      "<g transform=\"translate(%.1f,%.1f)\" fill=\"%s\">%s/><title>%s</title>"
      "</g>\n",
      x, y, color(), shape, SvgEscaped(title));
}

std::string SvgWords(double x, double y, const std::string& words,
                     const char* anchor) {
  return absl::StrFormat(
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y,
      anchor, SvgEscaped(words));
}

std::string SvgLine(double x1, double y1, double x2, double y2,
                    const std::string& style) {
  return absl::StrFormat(
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1,
      x2, y2, style);
}

std::string SvgPoint(double x, double y) {
  return absl::StrFormat("%.1f,%.1f ", x, y);
}

std::string SvgEscaped(const std::string& text) {
  return absl::StrReplaceAll(
      Printable(text),
      {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::vector<double> KeptApart(const std::vector<double>& wanted, double gap,
                              double begin, double end) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> kept = wanted;
  double least = begin;
  for (const std::size_t i : order) {
    kept[i] = std::max(wanted[i], least);
    least = kept[i] + gap;
  }
  double most = end;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    kept[*i] = std::min(kept[*i], most);
    most = kept[*i] - gap;
  }
  return kept;
}

}  // namespace podsim
