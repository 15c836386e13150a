#include "host/input/csv_cells.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/units.h"
#include "host/input/csv_schema.h"
#include "host/input/plain_number.h"
#include "host/input/write_field.h"

namespace podsim {
namespace {

constexpr char kLabelInput[] = "labels";
constexpr std::size_t kShown = 40;       // bytes of a cell in a message
constexpr std::size_t kMostColumns = 4;  // that are named
constexpr std::size_t kWidestValue = 8;  // bytes

// Where cell `column` of a line begins; npos: it has fewer.
std::size_t CellBegin(std::string_view line, std::int64_t column) {
  std::size_t at = 0;
  for (; column > 0; --column) {
    at = CsvCellEnd(line, at);
    if (at == line.size()) return std::string_view::npos;
    ++at;
  }
  return at;
}

const char* NumberKind(const SchemaField& field) {
  return field.type == FeatureType::kFloat32 ? "decimal" : "whole";
}

// Empty: a job can read it.
std::string WhatIsWrong(const SchemaField& field, std::string_view cell,
                        std::int32_t classes) {
  const absl::string_view bare =
      WithoutQuotes(absl::string_view(cell.data(), cell.size()));
  const std::string plain = WithoutThousands(bare);
  if (!plain.empty() || absl::StrContains(bare, ','))
    return absl::StrCat(
        "'", PrintableLine(std::string(bare.substr(0, kShown))), "' is no ",
        NumberKind(field), " number (",
        plain.empty() ? ""
                      : absl::StrCat("write ", plain,
                                     ", without separators of thousands; "),
        "decimals have a point)");
  SchemaField one = field;
  one.shape.clear();
  std::array<std::byte, kWidestValue> value{};
  const absl::Status written = WriteField(
      one, {.kind = RawFeature::Kind::kText, .bytes = cell},
      {.classes = classes},
      std::span(value).first(static_cast<std::size_t>(SizeOf(one.dtype()))));
  if (written.ok()) return "";
  const std::string why(absl::StripPrefix(
      written.message(),
      absl::StrCat("feature ", PrintableLine(field.key), ": ")));
  // All of a file's labels say how many, and what to do (WayOut).
  return why.substr(0,
                    std::min(why.find(kMoreClasses), why.find(kNumberClasses)));
}

// Keeps the label of a bad cell for which there are too few classes, and
// whether the first is below 0.
void NoteLabel(std::string_view cell, std::int32_t classes, BadCells& bad) {
  std::int64_t label = 0;
  const absl::string_view bare =
      WithoutQuotes(absl::string_view(cell.data(), cell.size()));
  const bool is_label = classes > 1 && absl::SimpleAtoi(bare, &label);
  if (is_label && label < 0 && bad.first.empty()) bad.negative_label = true;
  const bool beyond = is_label && label >= classes && label < kMostClasses;
  if (beyond && (bad.first.empty() || bad.largest_label >= 0))
    bad.largest_label = std::max(bad.largest_label, label);
}

// "features=a..b:float32[2],labels=COLUMN:int64".
std::string WithAnotherLabel(const Schema& schema) {
  std::string line = schema.line;
  for (const SchemaField& field : schema.fields)
    if (field.input == kLabelInput)
      line = absl::StrReplaceAll(
          line, {{absl::StrCat(kLabelInput, "=", field.key, ":"),
                  absl::StrCat(kLabelInput, "=COLUMN:")}});
  return line;
}

// Of lines that lack a column.
std::string WayOutOfShortLines(const BadCells& bad) {
  if (bad.bad_lines < bad.lines)
    return bad.bad_lines == 1 ? "mend the line, or delete it"
                              : "mend such lines, or delete them";
  if (bad.fewest_cells == 1) return "write cells with commas between";
  return absl::StrCat("name columns 0 to ", bad.fewest_cells - 1,
                      " in --features");
}

}  // namespace

CellChecker::CellChecker(Schema schema, std::vector<CsvColumns> columns,
                         std::vector<std::string> header, std::int32_t classes)
    : schema_(std::move(schema)),
      columns_(std::move(columns)),
      header_(std::move(header)),
      classes_(std::max(1, classes)) {}

std::string CellChecker::name() const {
  return absl::StrCat("cells of ", schema_.line, " in ", classes_, " classes");
}

void CellChecker::Look(std::string_view line, std::int64_t number,
                       BadCells& bad) const {
  ++bad.lines;
  bool good = true;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    good = LookAtField(i, line, number, bad) && good;
  if (!good) ++bad.bad_lines;
}

bool CellChecker::LookAtField(std::size_t field, std::string_view line,
                              std::int64_t number, BadCells& bad) const {
  const SchemaField& of = schema_.fields[field];
  const CsvColumns& columns = columns_[field];
  const PlainNumbers plain =
      PlainOf(of, of.input == kLabelInput ? classes_ : 1);
  bool good = true;
  std::size_t at = CellBegin(line, columns.first);
  for (std::int64_t column = columns.first; column <= columns.last; ++column) {
    if (at > line.size()) {  // as npos is
      const std::int64_t cells = CountCsvCells(line);
      if (bad.first.empty()) bad.fewest_cells = cells;
      bad.fewest_cells = std::min(bad.fewest_cells, cells);
      Note(column, number,
           absl::StrCat("the line has ", FormatCounted(cells, "cell"),
                        ", not this one"),
           bad);
      return false;
    }
    std::size_t end = PlainEnd(line, at, plain);
    if (end == std::string_view::npos) {
      end = CsvCellEnd(line, at);
      std::string why = WhatIsWrong(of, line.substr(at, end - at), classes_);
      if (!why.empty() && column == 0 && end == line.size())
        why += DelimiterHint(std::string(line));
      if (!why.empty() && of.input == kLabelInput)
        NoteLabel(line.substr(at, end - at), classes_, bad);
      if (!why.empty()) Note(column, number, why, bad);
      good = good && why.empty();
    }
    at = end + 1;
  }
  return good;
}

void CellChecker::Note(std::int64_t column, std::int64_t number,
                       const std::string& why, BadCells& bad) const {
  if (bad.first.empty())
    bad.first =
        absl::StrCat("line ", number, ": ", ColumnName(column), ": ", why);
  ++bad.by_column[column];
}

// "column 0 (height)", from 0.
std::string CellChecker::ColumnName(std::int64_t column) const {
  const auto at = static_cast<std::size_t>(column);
  return absl::StrCat("column ", column, " (",
                      at < header_.size()
                          ? PrintableLine(header_[at].substr(0, kShown))
                          : "from 0",
                      ")");
}

// "; 12 of 400 lines have such cells: column 0 (height) 11, ...".
std::string CellChecker::CountsText(const BadCells& bad) const {
  if (bad.by_column.size() == 1)
    return bad.bad_lines == 1
               ? ""
               : absl::StrCat("; ", FormatCount(bad.bad_lines), " of ",
                              FormatCounted(bad.lines, "line"),
                              " have no such number there");
  std::vector<std::string> counts;
  for (const auto& [column, count] : bad.by_column) {
    if (counts.size() == kMostColumns) {
      counts.emplace_back("...");
      break;
    }
    counts.push_back(absl::StrCat(ColumnName(column), " ", FormatCount(count)));
  }
  return absl::StrCat("; ", FormatCount(bad.bad_lines), " of ",
                      FormatCounted(bad.lines, "line"),
                      bad.bad_lines == 1 ? " has" : " have",
                      " such cells: ", absl::StrJoin(counts, ", "));
}

// The line of schema with fewer columns; empty: a range cannot leave them out.
std::string CellChecker::FeaturesWithout(const BadCells& bad) const {
  std::string line = schema_.line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const SchemaField& field = schema_.fields[i];
    const auto is_bad = [&](std::int64_t column) {
      return bad.by_column.contains(column);
    };
    CsvColumns left = columns_[i];
    while (left.first <= left.last && is_bad(left.first)) ++left.first;
    while (left.first <= left.last && is_bad(left.last)) --left.last;
    const std::int64_t count = left.last - left.first + 1;
    if (count == columns_[i].last - columns_[i].first + 1) continue;
    for (std::int64_t at = left.first; at <= left.last; ++at)
      if (is_bad(at)) return "";
    if (count < 1 || field.shape.size() != 1) return "";
    const auto key = [&](std::int64_t column) {
      return CsvKeyOf(header_, static_cast<std::size_t>(column));
    };
    const std::size_t begin = line.find(absl::StrCat(field.key, ":"));
    const std::size_t end = line.find(']', begin);
    if (begin == line.npos || end == line.npos) return "";
    const std::string type =
        line.substr(begin + field.key.size(),
                    line.find('[', begin) - begin - field.key.size());
    line.replace(begin, end + 1 - begin,
                 absl::StrCat(key(left.first), "..", key(left.last), type, "[",
                              count, "]"));
  }
  return line == schema_.line ? "" : line;
}

// Whether a field is left with no column.
bool CellChecker::AllAreBad(std::size_t field, const BadCells& bad) const {
  for (std::int64_t at = columns_[field].first; at <= columns_[field].last;
       ++at)
    if (!bad.by_column.contains(at)) return false;
  return true;
}

std::string CellChecker::WayOut(const BadCells& bad,
                                const std::string& file) const {
  if (header_.empty() && bad.bad_lines == 1 && bad.by_column.size() > 1 &&
      bad.first.starts_with("line 1:"))
    return "line 1 looks like a header: give the columns by its names, or as "
           "#0, #1, ...";
  if (bad.fewest_cells > 0) return WayOutOfShortLines(bad);
  if (bad.largest_label >= 0)
    return absl::StrCat("give --classes=", bad.largest_label + 1,
                        ", or number the classes from 0");
  if (bad.negative_label)
    return absl::StrCat(
        "write the classes as 0, 1, ..., leave such lines out, or name another "
        "column: --features='",
        PrintableLine(WithAnotherLabel(schema_)), "'");
  bool drops = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (schema_.fields[i].input == kLabelInput && AllAreBad(i, bad))
      return "labels are whole numbers from 0, below --classes: write them so, "
             "give more --classes, or name another column in --features";
    drops = drops && !AllAreBad(i, bad);
  }
  if (!drops)
    return "write numbers there, or give another type or other columns in "
           "--features";
  const std::string features = FeaturesWithout(bad);
  if (!features.empty())
    return absl::StrCat(
        "write numbers there, or leave the ",
        bad.by_column.size() == 1 ? "column" : "columns", " out: --features='",
        PrintableLine(features), "'",
        classes_ > 1 ? absl::StrCat(" --classes=", classes_) : "");
  std::vector<std::string> places;
  for (const auto& [column, count] : bad.by_column)
    places.push_back(absl::StrCat(column + 1));
  if (header_.empty() || places.size() > kMostColumns || file.ends_with(".gz"))
    return "write numbers there, or drop what has none";
  return absl::StrCat("write numbers there, or drop the ",
                      places.size() == 1 ? "column" : "columns",
                      ": cut -d, --complement -f", absl::StrJoin(places, ","),
                      " ", file, " > numbers.csv");
}

absl::Status CellChecker::Result(const BadCells& bad,
                                 const std::string& file) const {
  if (bad.first.empty()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(file, ": ", bad.first, CountsText(bad),
                   bad.negative_label ? ": " : "; ", WayOut(bad, file)));
}

}  // namespace podsim
