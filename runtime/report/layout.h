// Text for people, fitted to the columns that there are. Pure. A column is a
// character: bytes that continue one in UTF-8 take none.
#ifndef PODSIM_RUNTIME_REPORT_LAYOUT_H_
#define PODSIM_RUNTIME_REPORT_LAYOUT_H_

#include <string>
#include <vector>

namespace podsim {

// Where nothing else is known, and where lines would become long to read.
inline constexpr int kTextColumns = 80;

// A space at which no line may end. Between a number and a unit of time or
// memory none is needed.
inline constexpr char kTie = '\x1f';
// `text` with a tie for every space.
std::string Tied(std::string text);

// What becomes of a word that has no room in a line of its own.
enum class LongWords { kOverflow, kCut };

// `text` with its longer lines broken at spaces, so that none exceeds `width`
// columns. What follows goes where the line's value begins: behind its label
// and two or more spaces, or a little to the right of its begin. A word that
// is longer than that leaves room for goes to a line of its own; one that is
// longer than that too overflows, or is cut into pieces of like length. Ties
// become spaces; lines that fit stay as they are.
// REQUIRES: width >= 20.
std::string WrapText(const std::string& text, int width, LongWords long_words);

// The parts of a line and how long each is wanted: the one of the least rank
// goes first.
struct LinePart {
  std::string text;
  int rank = 0;
};
// As many of `parts`, two spaces between them, as `width` columns hold; at
// least the one of the highest rank. width <= 0: all.
std::string FitParts(const std::vector<LinePart>& parts, int width);

// The columns of `text`.
int ColumnsOf(const std::string& text);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_LAYOUT_H_
