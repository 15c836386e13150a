#include "host/input/csv_schema.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/csv_lines.h"

namespace podsim {
namespace {

constexpr const char* kLabelColumns[] = {"label", "labels", "target", "class"};
constexpr std::size_t kShownCell = 40;  // bytes of it in a message

struct CsvHead {
  std::vector<std::string> cells;
  bool named = false;     // the cells are names
  std::size_t first = 0;  // the first column that is used
  std::size_t label = 0;

  std::size_t last() const { return cells.size() - 1; }
};

absl::Status NoGuess(const std::string& file, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat(
      file, ": ", why,
      ", or give --features, which columns are which input, such as "
      "--features='features=1..784:uint8[28,28]/255,labels=0:int64'"));
}

bool IsName(const std::string& cell) {
  double number = 0;
  return !cell.empty() && !absl::SimpleAtod(cell, &number);
}

std::size_t LabelColumn(const CsvHead& head) {
  for (const char* name : kLabelColumns)
    for (std::size_t i = head.first; i < head.cells.size(); ++i)
      if (absl::EqualsIgnoreCase(head.cells[i], name)) return i;
  return head.last();
}

// Whether a schema can name the column: no sign of its grammar, no blank, no
// point that would make a range of it, and no other column of that name.
bool IsPlain(const std::vector<std::string>& header, const std::string& name) {
  const auto plain = [](unsigned char ch) {
    return absl::ascii_isalnum(ch) || ch == '_' || ch == '-' || ch == '.';
  };
  return IsName(name) && std::all_of(name.begin(), name.end(), plain) &&
         !absl::StrContains(absl::StrCat(".", name, "."), "..") &&
         std::count(header.begin(), header.end(), name) == 1;
}

std::string KeyIn(const CsvHead& head, std::size_t column) {
  return CsvKeyOf(head.named ? head.cells : std::vector<std::string>(), column);
}

// "column 4 (species)", from 0.
std::string ColumnText(const CsvHead& head, std::size_t column) {
  if (!head.named) return absl::StrCat("column ", column, " (from 0)");
  const std::string name = head.cells[column].substr(0, kShownCell);
  return absl::StrCat("column ", column, " (", PrintableLine(name), ")");
}

// Neither a header nor an example: numbers, and a word where a label is.
absl::Status CheckIsHeader(const CsvHead& head, const std::string& file) {
  if (!head.named) return absl::OkStatus();
  const auto names =
      std::count_if(head.cells.begin(), head.cells.end(), IsName);
  const std::string& label = head.cells[LabelColumn(head)];
  const bool known = std::any_of(
      std::begin(kLabelColumns), std::end(kLabelColumns),
      [&](const char* name) { return absl::EqualsIgnoreCase(label, name); });
  const bool at_end = IsName(head.cells.front()) || IsName(head.cells.back());
  if (names > 1 || known || !at_end || head.cells.front().empty())
    return absl::OkStatus();
  const std::string& word =
      IsName(head.cells.front()) ? head.cells.front() : head.cells.back();
  return NoGuess(
      file, absl::StrCat("its first line holds numbers and the word '",
                         PrintableLine(word.substr(0, kShownCell)),
                         "', so it is no header, and a label must be a whole "
                         "number from 0: number the classes"));
}

// Of a first line that is none of columns; empty: it may be.
std::string NoHeaderHint(const std::string& line) {
  if (line.starts_with('#'))
    return "a comment: delete it, as podsim reads a header and numbers";
  if (absl::StartsWithIgnoreCase(line, "sep="))
    return "which is for Excel alone: delete it";
  if (line.ends_with(',') &&
      line.find_first_not_of("0123456789.+-eE, ") != std::string::npos)
    return "which ends with a comma: delete that of each line, as it makes a "
           "column without a name";
  return "";
}

absl::StatusOr<CsvHead> ReadHead(const std::string& line,
                                 const std::string& file) {
  CsvHead head = {.cells = CsvCells(line)};
  if (const std::string hint = DelimiterHint(line); !hint.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        file, ": its first line is '",
        PrintableLine(line.substr(0, kShownCell)), "', without a comma", hint,
        ": write it with commas between, and points in decimals"));
  if (const std::string hint = NoHeaderHint(line); !hint.empty())
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": its first line is '",
                     PrintableLine(line.substr(0, kShownCell)), "', ", hint));
  head.named = std::any_of(head.cells.begin(), head.cells.end(), IsName);
  if (head.named && head.cells.front().empty()) head.first = 1;
  if (head.last() < head.first + 1)
    return NoGuess(file,
                   absl::StrCat("its first line is '",
                                PrintableLine(line.substr(0, kShownCell)),
                                "', but a label and at least one feature are "
                                "needed, with commas between: write it so"));
  PODSIM_RETURN_IF_ERROR(CheckIsHeader(head, file));
  head.label = LabelColumn(head);
  if (head.label > head.first && head.label < head.last())
    return NoGuess(file, absl::StrCat(ColumnText(head, head.label),
                                      " is the label and has features on both "
                                      "sides: make it the first or the last"));
  return head;
}

}  // namespace

std::string CsvKeyOf(const std::vector<std::string>& header,
                     std::size_t column) {
  if (header.empty()) return absl::StrCat(column);
  return IsPlain(header, header[column]) ? header[column]
                                         : absl::StrCat("#", column);
}

std::string DelimiterHint(const std::string& line) {
  if (absl::StrContains(line, ',') || line.starts_with('#')) return "";
  for (const auto& [sign, name] :
       {std::pair(';', "';'"), std::pair('\t', "a tab"), std::pair('|', "'|'"),
        std::pair(' ', "a blank")})
    if (absl::StrContains(line, sign))
      return absl::StrCat(" (its delimiter looks like ", name,
                          "; podsim reads commas alone)");
  return "";
}

absl::StatusOr<CsvGuess> GuessCsvSchema(const std::string& line,
                                        const std::string& file) {
  PODSIM_ASSIGN_OR_RETURN(const CsvHead head, ReadHead(line, file));
  const bool label_first = head.label == head.first;
  const std::size_t begin = label_first ? head.first + 1 : head.first;
  const std::size_t end = label_first ? head.last() : head.last() - 1;
  CsvGuess guess;
  guess.label = KeyIn(head, head.label);
  guess.cells = static_cast<std::int64_t>(head.cells.size());
  guess.features = absl::StrCat("features=", KeyIn(head, begin), "..",
                                KeyIn(head, end), ":float32[", end - begin + 1,
                                "],labels=", guess.label, ":int64");
  guess.note = absl::StrCat(
      "no --features: ", head.named ? "by its header, " : "without a header, ",
      file.substr(file.rfind('/') + 1), " is read as --features='",
      guess.features, "', the label in ", ColumnText(head, head.label),
      head.first == 1 ? ", column 0 (no name) left out" : "");
  return guess;
}

}  // namespace podsim
