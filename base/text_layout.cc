#include "base/text_layout.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace podsim {
namespace {

constexpr int kContinuation = 4;  // to the right of a line without a label

bool ContinuesCharacter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Where the lines that continue `line` begin.
int ValueColumn(const std::string& line, int width) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos) return 0;
  const std::size_t gap = line.find("  ", begin);
  // Without a label the line itself may be a continued one.
  const std::size_t value = gap == std::string::npos
                                ? std::string::npos
                                : line.find_first_not_of(' ', gap);
  int column = static_cast<int>(begin);
  if (value != std::string::npos)
    column = ColumnsOf(line.substr(0, value));
  else if (column == 0)
    column = kContinuation;
  return column <= width / 2 ? column : kContinuation;
}

bool IsNumber(const std::string& word) {
  return !word.empty() &&
         word.find_first_not_of("0123456789.,+-") == std::string::npos;
}

bool IsUnit(const std::string& word) {
  static constexpr const char* kUnits[] = {"us",  "ms",  "s",  "B",
                                           "KiB", "MiB", "GiB"};
  const std::size_t end = word.find_last_not_of(".,;:)");
  if (end == std::string::npos) return false;
  const std::string unit = word.substr(0, end + 1);
  return std::find(std::begin(kUnits), std::end(kUnits), unit) !=
         std::end(kUnits);
}

// What stays together, in order.
std::vector<std::string> WordsOf(const std::string& text) {
  const std::vector<std::string> parts =
      absl::StrSplit(text, ' ', absl::SkipEmpty());
  std::vector<std::string> words;
  for (const std::string& part : parts) {
    if (!words.empty() && IsUnit(part) && IsNumber(words.back()))
      absl::StrAppend(&words.back(), std::string(1, kTie), part);
    else
      words.push_back(part);
  }
  return words;
}

// A line under construction, and those before it.
class Lines {
 public:
  Lines(int width, int indent, LongWords long_words)
      : width_(width), indent_(indent), long_words_(long_words) {}

  void Add(const std::string& word) {
    // What follows a word in pieces begins where values do.
    if (std::exchange(in_pieces_, false)) Break(indent_);
    const int columns = ColumnsOf(word);
    const int space = empty_ ? 0 : 1;
    if (column_ + space + columns <= width_) return Append(word);
    const bool too_long = columns > width_ - indent_;
    // Where it stands first on its line there is nothing to gain.
    if (too_long && long_words_ == LongWords::kOverflow && empty_)
      return Append(word);
    if (too_long && long_words_ == LongWords::kCut) return AddPieces(word);
    Break(indent_);
    Append(word);
  }
  // What the first line begins with, or how many columns the caller has
  // written on it.
  void Begin(std::string text) {
    column_ = ColumnsOf(text);
    text_ = std::move(text);
  }
  void Begin(int column) { column_ = column; }
  std::string Take() { return std::move(text_); }

 private:
  void Append(const std::string& word) {
    if (!empty_) text_ += ' ';
    column_ += ColumnsOf(word) + (empty_ ? 0 : 1);
    text_ += word;
    empty_ = false;
  }
  void Break(int indent) {
    text_.erase(text_.find_last_not_of(' ') + 1);
    // Nothing stands on this line yet: it is no line to end.
    const bool fresh = text_.empty() || text_.back() == '\n';
    absl::StrAppend(&text_, fresh ? "" : "\n", std::string(indent, ' '));
    column_ = indent;
    empty_ = true;
  }
  void AddPieces(const std::string& word) {
    const auto room = static_cast<std::size_t>(width_ - kContinuation);
    const std::size_t pieces = (word.size() + room - 1) / room;
    const std::size_t length = (word.size() + pieces - 1) / pieces;
    for (std::size_t begin = 0; begin < word.size();) {
      std::size_t end = std::min(begin + length, word.size());
      while (end < word.size() && ContinuesCharacter(word[end])) ++end;
      Break(kContinuation);
      Append(word.substr(begin, end - begin));
      begin = end;
    }
    in_pieces_ = true;
  }

  const int width_;
  const int indent_;
  const LongWords long_words_;
  std::string text_;
  int column_ = 0;
  bool empty_ = true;       // no word on this line yet
  bool in_pieces_ = false;  // the last word was cut
};

std::string WrapLine(const std::string& line, int width, LongWords long_words) {
  if (ColumnsOf(line) <= width) return line;
  const int indent = ValueColumn(line, width);
  Lines lines(width, indent, long_words);
  // A label keeps its spaces; what takes more than half a line is none.
  std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  if (const std::size_t gap = line.find("  ", begin);
      gap != std::string::npos) {
    const std::size_t value =
        std::min(line.find_first_not_of(' ', gap), line.size());
    if (ColumnsOf(line.substr(0, value)) <= width / 2) begin = value;
  }
  lines.Begin(line.substr(0, begin));
  for (const std::string& word : WordsOf(line.substr(begin))) lines.Add(word);
  return lines.Take();
}

}  // namespace

int ColumnsOf(const std::string& text) {
  return static_cast<int>(text.size() -
                          static_cast<std::size_t>(std::count_if(
                              text.begin(), text.end(), ContinuesCharacter)));
}

std::string Tied(std::string text) {
  std::replace(text.begin(), text.end(), ' ', kTie);
  return text;
}

std::string WrapWords(const std::vector<std::string>& words, int margin,
                      int width) {
  Lines lines(width, margin, LongWords::kOverflow);
  lines.Begin(margin);
  for (const std::string& word : words) lines.Add(word);
  return lines.Take();
}

std::string WrapSentence(const std::string& sentence, int margin, int width) {
  return WrapWords(absl::StrSplit(sentence, ' '), margin, width);
}

std::string WrapAroundCommands(const std::string& text, int width,
                               LongWords long_words) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (std::string& line : lines) {
    if (line.rfind(' ', 0) != 0) line = WrapText(line, width, long_words);
  }
  return absl::StrJoin(lines, "\n");
}

std::string WrapText(const std::string& text, int width, LongWords long_words) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  for (std::string& line : lines) line = WrapLine(line, width, long_words);
  std::string wrapped = absl::StrJoin(lines, "\n");
  std::replace(wrapped.begin(), wrapped.end(), kTie, ' ');
  return wrapped;
}

}  // namespace podsim
