#include "host/input/csv_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/shard_dataset.h"
#include "host/input/write_field.h"

namespace podsim {
namespace {

constexpr std::size_t kUsualLine = 4096;
constexpr std::size_t kLongestRow = std::size_t{1} << 20;
constexpr char kRange[] = "..";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct Columns {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

std::string_view WithoutEnd(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

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

struct LineEnd {
  std::size_t at = 0;  // of its newline; the end of the bytes: there is none
  std::size_t quote = std::string_view::npos;  // one before that does not end
};

LineEnd LineEndOf(std::string_view bytes) {
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

absl::Status Unended(const LineEnd& end, std::int64_t offset, bool at_end,
                     const std::string& file) {
  const bool quoted = end.quote != std::string_view::npos;
  if (quoted) offset += static_cast<std::int64_t>(end.quote);
  return absl::DataLossError(absl::StrCat(
      file, ": offset ", offset,
      quoted ? ": the quote that begins a cell here does not end"
             : ": a line does not end",
      at_end ? "" : absl::StrCat(" within ", kLongestRow, " bytes")));
}

// The line that comes, with its end; empty: there is none.
absl::StatusOr<std::string_view> NextLine(ByteSource& source,
                                          const std::string& file) {
  for (std::size_t wanted = kUsualLine;; wanted *= 2) {
    PODSIM_ASSIGN_OR_RETURN(const std::string_view bytes, source.Peek(wanted));
    const LineEnd end = LineEndOf(bytes);
    if (end.at < bytes.size()) return bytes.substr(0, end.at + 1);
    const bool at_end = bytes.size() < wanted;
    if (at_end && end.quote == std::string_view::npos) return bytes;
    if (at_end || wanted >= kLongestRow)
      return Unended(end, source.offset(), at_end, file);
  }
}

// Passes over what some programs begin a file of UTF-8 with.
absl::Status SkipByteOrderMark(ByteSource& source) {
  PODSIM_ASSIGN_OR_RETURN(const std::string_view bytes,
                          source.Peek(kByteOrderMark.size()));
  if (bytes != kByteOrderMark) return absl::OkStatus();
  return source.Skip(static_cast<std::int64_t>(bytes.size()));
}

// The cells [first, last] of a line; null: it has fewer.
std::string_view CellsOf(std::string_view line, const Columns& columns) {
  std::size_t begin = 0;
  std::size_t at = 0;
  for (std::int64_t column = 0;; ++column) {
    if (column == columns.first) begin = at;
    const std::size_t end = std::min(CellEnd(line, at), line.size());
    if (column == columns.last) return line.substr(begin, end - begin);
    if (end == line.size()) return {};
    at = end + 1;
  }
}

std::int64_t CountCells(std::string_view line) {
  if (line.find('"') == std::string_view::npos)
    return 1 + std::count(line.begin(), line.end(), ',');
  std::int64_t count = 1;
  for (std::size_t at = CellEnd(line, 0); at < line.size(); ++count)
    at = CellEnd(line, at + 1);
  return count;
}

std::vector<std::string> HeaderCells(const std::string& header) {
  std::vector<std::string> cells;
  if (header.empty()) return cells;
  for (std::size_t at = 0; at <= header.size();) {
    const std::size_t end = std::min(CellEnd(header, at), header.size());
    cells.push_back(absl::StrReplaceAll(
        WithoutQuotes(absl::string_view(header).substr(at, end - at)),
        {{"\"\"", "\""}}));
    at = end + 1;
  }
  return cells;
}

std::string WhatThereIs(const std::vector<std::string>& header) {
  constexpr char kPlaces[] = "without a header columns are numbers from 0";
  if (header.empty()) return absl::StrCat("; ", kPlaces);
  const std::string first = PrintableLine(header.front());
  double number = 0;
  if (!absl::SimpleAtod(first, &number))
    return absl::StrCat("; their header begins ", first);
  return absl::StrCat("; their first line, which is taken for the header, ",
                      "begins with the number ", first, "; ", kPlaces);
}

absl::StatusOr<std::int64_t> ColumnOf(const std::string& name,
                                      const std::vector<std::string>& header) {
  std::int64_t place = 0;
  if (header.empty()) {
    if (absl::SimpleAtoi(name, &place) && place >= 0) return place;
  } else {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found != header.end()) return found - header.begin();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("features: the CSV files have no column ",
                   PrintableLine(name), WhatThereIs(header)));
}

class CsvFormat final : public ShardFormat {
 public:
  CsvFormat(std::vector<Columns> columns, std::string header)
      : columns_(std::move(columns)),
        header_(std::move(header)),
        cells_(header_.empty() ? 0 : CountCells(header_)) {}

  std::string name() const override {
    return header_.empty() ? "csv" : "csv with a header";
  }

  absl::Status Scan(ByteSource& source, const std::string& file,
                    ShardRecords& records) const override {
    bool header = !header_.empty();
    PODSIM_RETURN_IF_ERROR(SkipByteOrderMark(source));
    for (;;) {
      records.end = source.offset();
      PODSIM_ASSIGN_OR_RETURN(const std::string_view line,
                              NextLine(source, file));
      if (line.empty()) return absl::OkStatus();
      if (header && WithoutEnd(line) != header_)
        return absl::DataLossError(absl::StrCat(
            file,
            ": offset 0: its first line is not the header of the first "
            "file"));
      // Empty lines are the tail of the record before.
      if (!header && !IsBlank(line)) {
        PODSIM_RETURN_IF_ERROR(CheckCells(line, source.offset(), file));
        records.offsets.push_back(source.offset());
      }
      header = false;
      PODSIM_RETURN_IF_ERROR(
          source.Skip(static_cast<std::int64_t>(line.size())));
    }
  }

  absl::Status Parse(std::string_view record, std::int64_t offset,
                     const std::string& file, std::string&,
                     absl::Span<RawFeature> features) const override {
    const std::string_view line =
        WithoutEnd(record.substr(0, LineEndOf(record).at));
    for (std::size_t i = 0; i < features.size(); ++i) {
      const std::string_view cells = CellsOf(line, columns_[i]);
      if (cells.data() == nullptr)
        return absl::DataLossError(absl::StrCat(file, ": offset ", offset,
                                                ": the line has no column ",
                                                columns_[i].last, " (from 0)"));
      features[i] = {.kind = RawFeature::Kind::kText, .bytes = cells};
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckCells(std::string_view line, std::int64_t offset,
                          const std::string& file) const {
    if (header_.empty()) return absl::OkStatus();
    const std::int64_t count = CountCells(WithoutEnd(line));
    if (count == cells_) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        file, ": offset ", offset, ": a line of ", FormatCounted(count, "cell"),
        ", but the header has ", FormatCount(cells_)));
  }

  const std::vector<Columns> columns_;  // by field of the schema
  const std::string header_;
  const std::int64_t cells_;  // of the header
};

// The first line of the first file that has any.
absl::StatusOr<std::string> FirstLine(const std::vector<ShardFile>& files,
                                      ObjectStore& store) {
  for (const ShardFile& file : files) {
    PODSIM_ASSIGN_OR_RETURN(const std::string start,
                            store.ReadRange(file.path, 0, 2));
    const auto source = OpenSource(file, PackingOf(start), store);
    PODSIM_RETURN_IF_ERROR(SkipByteOrderMark(*source));
    PODSIM_ASSIGN_OR_RETURN(const std::string_view line,
                            NextLine(*source, file.path));
    if (!IsBlank(line)) return std::string(WithoutEnd(line));
  }
  return absl::InvalidArgumentError(
      "the CSV files are all empty: there is no header");
}

}  // namespace

bool HasHeader(const Schema& schema) {
  for (const SchemaField& field : schema.fields)
    for (const absl::string_view name : absl::StrSplit(field.key, kRange)) {
      std::int64_t place = 0;
      if (!absl::SimpleAtoi(name, &place)) return true;
    }
  return false;
}

absl::StatusOr<std::unique_ptr<const ShardFormat>> NewCsvFormat(
    const Schema& schema, const std::string& header) {
  const std::vector<std::string> names = HeaderCells(header);
  std::vector<Columns> columns;
  for (const SchemaField& field : schema.fields) {
    const std::vector<std::string> ends = absl::StrSplit(field.key, kRange);
    Columns of;
    PODSIM_ASSIGN_OR_RETURN(of.first, ColumnOf(ends.front(), names));
    PODSIM_ASSIGN_OR_RETURN(of.last, ColumnOf(ends.back(), names));
    if (of.last < of.first || ends.size() > 2)
      return absl::InvalidArgumentError(
          absl::StrCat("features: ", PrintableLine(field.key),
                       " is no range FIRST..LAST of columns"));
    columns.push_back(of);
  }
  return std::make_unique<CsvFormat>(std::move(columns), header);
}

absl::StatusOr<std::shared_ptr<const Dataset>> OpenCsv(
    const DatasetRequest& request, ObjectStore& store) {
  if (request.data_dir.empty() || request.features.empty())
    return absl::InvalidArgumentError(
        "data set csv needs --data_dir=DIR (or DIR/train*.csv) and --features, "
        "which columns are which input, such as --features='features=1..784:"
        "uint8[28,28]/255,labels=0:int64'");
  PODSIM_ASSIGN_OR_RETURN(Schema schema, ParseSchema(request.features));
  std::string header;
  if (HasHeader(schema)) {
    PODSIM_ASSIGN_OR_RETURN(const SplitFiles files,
                            FindShards(request.data_dir, store));
    PODSIM_ASSIGN_OR_RETURN(header, FirstLine(files.train, store));
  }
  PODSIM_ASSIGN_OR_RETURN(auto format, NewCsvFormat(schema, header));
  return OpenShards(request, std::move(schema), std::move(format), store);
}

}  // namespace podsim
