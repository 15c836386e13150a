// Pieces of a picture of lines over two axes, as SVG: scales, axes, markers,
// labels that keep apart. Pure; nothing of it needs a script or a font of its
// own. All drawings of all programs have their axes and colours from here; a
// page gives them those of its theme (runtime/report_page/page.css).
#ifndef PODSIM_RUNTIME_REPORT_SVG_H_
#define PODSIM_RUNTIME_REPORT_SVG_H_

#include <cstddef>
#include <string>
#include <vector>

namespace podsim {

// From a value to where it is drawn; pixels grow to the right and downwards.
struct Scale {
  double from = 0;  // values, of a logarithmic scale their logarithms
  double to = 1;
  double begin = 0;  // pixels
  double end = 1;
  double base = 0;  // of the logarithms; 0: the scale is linear

  double At(double value) const;
};

// Between whole powers of `base` around all of `values`, which are above 0.
Scale LogScale(double base, const std::vector<double>& values, double begin,
               double end);

// Round numbers from `low` to `high`, which are apart: three to seven.
std::vector<double> RoundTicks(double low, double high);
// Of a logarithmic axis, above 0: whole powers of ten, with 2 and 5 of each
// between them where there are few; RoundTicks where there are none.
std::vector<double> LogTicks(double low, double high);
// What a narrow axis has room for: 1200000 is "1.2M".
std::string ShortNumber(double value);

// A place on an axis and what stands there.
struct Tick {
  double value = 0;
  std::string label;
};

// Attributes of the lines of a grid.
inline constexpr char kSvgGrid[] = "stroke=\"#dddddd\"";
// Of a line that marks a limit.
inline constexpr char kSvgLimit[] =
    "stroke=\"#555555\" stroke-dasharray=\"5 4\"";

// The axis at the left: at each tick a line of the grid from `left` to `right`,
// its label before it.
std::string SvgLeftAxis(const Scale& scale, const std::vector<Tick>& ticks,
                        double left, double right);

// A whole picture. It is white, and so large unless its place says otherwise.
std::string SvgPicture(double width, double height, const std::string& content);
// As part of a page of HTML, where it needs no name space: the page then has
// nothing that looks like an address.
std::string SvgInPage(const std::string& picture);

// How a line is told from the others, also without colours: the n-th of seven
// that repeat, which people who see few colours tell apart [Okabe and Ito,
// Color universal design, 2008].
struct LineStyle {
  std::size_t number = 0;

  const char* color() const;
  // Around a place: a circle, a square, a triangle, ...; `title` is shown
  // where a pointer rests.
  std::string Marker(double x, double y, const std::string& title) const;
};

// `anchor`: "start", "middle" or "end".
std::string SvgWords(double x, double y, const std::string& words,
                     const char* anchor);
std::string SvgLine(double x1, double y1, double x2, double y2,
                    const std::string& style);
// "1.0,2.0 " of a place, for lists of points.
std::string SvgPoint(double x, double y);

// '<', '>', '&' and '"' as SVG writes them.
std::string SvgEscaped(const std::string& text);

// Heights near the wanted ones, at least `gap` apart, from `begin` to `end` if
// they have room, in the order of `wanted`.
std::vector<double> KeptApart(const std::vector<double>& wanted, double gap,
                              double begin, double end);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_SVG_H_
