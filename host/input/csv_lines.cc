#include "host/input/csv_lines.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/other_file.h"
#include "host/input/write_field.h"

namespace podsim {
namespace {

constexpr std::size_t kUsualLine = 4096;
constexpr std::size_t kLongestRow = std::size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Where the cell ends that begins at `at`: at a comma, a newline, or the end of
// `bytes`. A quote that begins it takes in both, up to one that is not doubled;
// any other is a character. npos: that quote does not end.
std::size_t CellEnd(std::string_view bytes, std::size_t at) {
  if (at < bytes.size() && bytes[at] == '"') {
    do {
      at = bytes.find('"', at + 1);
      if (at == std::string_view::npos) return at;
      ++at;
    } while (at < bytes.size() && bytes[at] == '"');
  }
  while (at < bytes.size() && bytes[at] != ',' && bytes[at] != '\n') ++at;
  return at;
}

absl::Status Unended(const CsvLineEnd& end, std::int64_t offset, bool at_end,
                     const std::string& file) {
  const bool quoted = end.quote != std::string_view::npos;
  if (quoted) offset += static_cast<std::int64_t>(end.quote);
  return absl::DataLossError(absl::StrCat(
      file, ": offset ", offset,
      quoted ? ": the quote that begins a cell here does not end"
             : ": a line does not end",
      at_end ? "" : absl::StrCat(" within ", kLongestRow, " bytes"),
      quoted ? "; end it, or take it away"
             : "; write each example on a line of its own"));
}

}  // namespace

CsvLineEnd CsvLineEndOf(std::string_view bytes) {
  const std::size_t newline = std::min(bytes.find('\n'), bytes.size());
  // Few lines have quotes.
  if (bytes.substr(0, newline).find('"') == std::string_view::npos)
    return {.at = newline};
  for (std::size_t begin = 0;;) {
    const std::size_t end = CellEnd(bytes, begin);
    if (end == std::string_view::npos)
      return {.at = bytes.size(), .quote = begin};
    if (end == bytes.size() || bytes[end] == '\n') return {.at = end};
    begin = end + 1;
  }
}

std::string_view WithoutEnd(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

absl::StatusOr<std::string_view> NextCsvLine(ByteSource& source,
                                             const std::string& file) {
  for (std::size_t wanted = kUsualLine;; wanted *= 2) {
    PODSIM_ASSIGN_OR_RETURN(const std::string_view bytes, source.Peek(wanted));
    const CsvLineEnd end = CsvLineEndOf(bytes);
    if (end.at < bytes.size()) return bytes.substr(0, end.at + 1);
    const bool at_end = bytes.size() < wanted;
    if (at_end && end.quote == std::string_view::npos) return bytes;
    if (at_end || wanted >= kLongestRow)
      return Unended(end, source.offset(), at_end, file);
  }
}

absl::Status BeginCsv(ByteSource& source, const std::string& file) {
  PODSIM_ASSIGN_OR_RETURN(const std::string_view start,
                          source.Peek(kOtherFileBytes));
  PODSIM_RETURN_IF_ERROR(CheckIsCsv(start, file));
  if (!start.starts_with(kByteOrderMark)) return absl::OkStatus();
  return source.Skip(static_cast<std::int64_t>(kByteOrderMark.size()));
}

std::size_t CsvCellEnd(std::string_view line, std::size_t at) {
  return std::min(CellEnd(line, at), line.size());
}

std::string_view CsvCellsOf(std::string_view line, const CsvColumns& columns) {
  std::size_t begin = 0;
  std::size_t at = 0;
  for (std::int64_t column = 0;; ++column) {
    if (column == columns.first) begin = at;
    const std::size_t end = CsvCellEnd(line, at);
    if (column == columns.last) return line.substr(begin, end - begin);
    if (end == line.size()) return {};
    at = end + 1;
  }
}

std::int64_t CountCsvCells(std::string_view line) {
  if (line.find('"') == std::string_view::npos)
    return 1 + std::count(line.begin(), line.end(), ',');
  std::int64_t count = 1;
  for (std::size_t at = CellEnd(line, 0); at < line.size(); ++count)
    at = CellEnd(line, at + 1);
  return count;
}

std::vector<std::string> CsvCells(const std::string& line) {
  std::vector<std::string> cells;
  if (line.empty()) return cells;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = CsvCellEnd(line, at);
    cells.push_back(absl::StrReplaceAll(
        WithoutQuotes(absl::string_view(line).substr(at, end - at)),
        {{"\"\"", "\""}}));
    at = end + 1;
  }
  return cells;
}

absl::StatusOr<std::vector<std::string>> FirstCsvLines(
    const std::vector<ShardFile>& files, std::size_t most, ObjectStore& store) {
  std::vector<std::string> lines;
  for (const ShardFile& file : files) {
    PODSIM_ASSIGN_OR_RETURN(const std::string start,
                            store.ReadRange(file.path, 0, 2));
    const auto source = OpenSource(file, PackingOf(start), store);
    PODSIM_RETURN_IF_ERROR(BeginCsv(*source, file.path));
    while (lines.size() < most) {
      PODSIM_ASSIGN_OR_RETURN(const std::string_view line,
                              NextCsvLine(*source, file.path));
      if (line.empty()) break;
      if (!IsBlank(line)) lines.emplace_back(WithoutEnd(line));
      PODSIM_RETURN_IF_ERROR(
          source->Skip(static_cast<std::int64_t>(line.size())));
    }
    if (!lines.empty()) return lines;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      files.front().path, ": it is empty (", FormatBytes(files.front().bytes),
      ", no line)", files.size() > 1 ? ", and so is every other CSV file" : "",
      ": write it again, or give another file"));
}

}  // namespace podsim
