#include "host/input/csv_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/input/shard_dataset.h"

namespace podsim {
namespace {

constexpr std::size_t kUsualLine = 4096;
constexpr std::size_t kLongestRow = std::size_t{1} << 20;
constexpr char kRange[] = "..";

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

// Up to the end of a line that stands in no quotes; the whole of `bytes` if
// there is none.
std::size_t LineEnd(std::string_view bytes) {
  bool quoted = false;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '"') quoted = !quoted;
    if (bytes[i] == '\n' && !quoted) return i;
  }
  return bytes.size();
}

// The line that comes, with its end; empty: there is none.
absl::StatusOr<std::string_view> NextLine(ByteSource& source,
                                          const std::string& file) {
  for (std::size_t wanted = kUsualLine;; wanted *= 2) {
    PODSIM_ASSIGN_OR_RETURN(const std::string_view bytes, source.Peek(wanted));
    const std::size_t end = LineEnd(bytes);
    if (end < bytes.size()) return bytes.substr(0, end + 1);
    if (bytes.size() < wanted) return bytes;
    if (wanted >= kLongestRow)
      return absl::DataLossError(
          absl::StrCat(file, ": offset ", source.offset(),
                       ": a line of more "
                       "than ",
                       kLongestRow,
                       " bytes, or a quote that does not "
                       "end"));
  }
}

// Where the cells [first, last] of a line begin and end; empty: it has fewer.
std::string_view CellsOf(std::string_view line, const Columns& columns) {
  bool quoted = false;
  std::int64_t column = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != ',' || quoted)) continue;
    if (column == columns.last) return line.substr(begin, i - begin);
    if (++column == columns.first) begin = i + 1;
  }
  return {};
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
  return absl::InvalidArgumentError(absl::StrCat(
      "features: the CSV files have no column ", PrintableLine(name),
      header.empty() ? "; without a header columns are numbers from 0"
                     : absl::StrCat("; their header begins ",
                                    PrintableLine(header.front()))));
}

class CsvFormat final : public ShardFormat {
 public:
  CsvFormat(std::vector<Columns> columns, std::string header)
      : columns_(std::move(columns)), header_(std::move(header)) {}

  std::string name() const override {
    return header_.empty() ? "csv" : "csv with a header";
  }

  absl::Status Scan(ByteSource& source, const std::string& file,
                    ShardRecords& records) const override {
    bool header = !header_.empty();
    for (;;) {
      PODSIM_ASSIGN_OR_RETURN(const std::string_view line,
                              NextLine(source, file));
      if (line.empty()) return absl::OkStatus();
      if (header && WithoutEnd(line) != header_)
        return absl::DataLossError(absl::StrCat(
            file,
            ": offset 0: its first line is not the header of the first "
            "file"));
      // Empty lines are the tail of the record before.
      if (!header && !IsBlank(line)) records.offsets.push_back(source.offset());
      header = false;
      PODSIM_RETURN_IF_ERROR(
          source.Skip(static_cast<std::int64_t>(line.size())));
      records.end = source.offset();
    }
  }

  absl::Status Parse(std::string_view record, std::int64_t offset,
                     const std::string& file, std::string&,
                     absl::Span<RawFeature> features) const override {
    const std::string_view line = WithoutEnd(record.substr(0, LineEnd(record)));
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
  const std::vector<Columns> columns_;  // by field of the schema
  const std::string header_;
};

std::vector<std::string> HeaderCells(const std::string& header) {
  std::vector<std::string> cells;
  for (std::int64_t i = 0; !header.empty(); ++i) {
    const std::string_view cell = CellsOf(header, {.first = i, .last = i});
    if (cell.data() == nullptr) break;
    std::string name(cell);
    absl::string_view trimmed = absl::StripAsciiWhitespace(name);
    if (trimmed.size() >= 2 && trimmed.front() == '"' && trimmed.back() == '"')
      trimmed = trimmed.substr(1, trimmed.size() - 2);
    cells.emplace_back(trimmed);
  }
  return cells;
}

// The first line of the first file that has any.
absl::StatusOr<std::string> FirstLine(const std::vector<ShardFile>& files,
                                      ObjectStore& store) {
  for (const ShardFile& file : files) {
    PODSIM_ASSIGN_OR_RETURN(const std::string start,
                            store.ReadRange(file.path, 0, 2));
    const auto source = OpenSource(file, PackingOf(start), store);
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
