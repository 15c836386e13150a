// Text for people, broken into lines that fit the columns that there are. Pure.
// A column is a character: bytes that continue one in UTF-8 take none.
//
//   WrapText(message, TerminalWidth(2), LongWords::kCut);
//   absl::StrCat("  wrap        ", WrapSentence(why, 14), "\n");
#ifndef PODSIM_BASE_TEXT_LAYOUT_H_
#define PODSIM_BASE_TEXT_LAYOUT_H_

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

// `words`, spaces between them, in lines that begin behind `margin` columns
// (the first one's are the caller's) and end without a space or a newline. None
// is longer than `width`, if its words allow.
std::string WrapWords(const std::vector<std::string>& words, int margin,
                      int width = kTextColumns);
// The same for a sentence.
std::string WrapSentence(const std::string& sentence, int margin,
                         int width = kTextColumns);

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

// The same for text with commands that people copy: lines that begin with a
// space stay whole.
std::string WrapAroundCommands(const std::string& text, int width,
                               LongWords long_words);

// The columns of `text`.
int ColumnsOf(const std::string& text);

}  // namespace podsim

#endif  // PODSIM_BASE_TEXT_LAYOUT_H_
