#include "host/input/csv_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/csv_cells.h"
#include "host/input/csv_lines.h"
#include "host/input/csv_schema.h"
#include "host/input/shard_dataset.h"
#include "host/input/write_field.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

constexpr char kRange[] = "..";
constexpr std::int64_t kMostNamed = 5;  // columns in a message

// A column of the key `key` of the schema, one end of a range such as
// "height..weight", or all of it.
struct NamedColumn {
  std::string name;
  std::string other_end;
  std::string key;
};

// What a misspelt column may have meant, and what there is.
std::string WhatThereIs(const NamedColumn& column,
                        const std::vector<std::string>& header) {
  constexpr char kPlaces[] =
      "without a header columns are numbers from 0, as in labels=0:int64";
  if (header.empty()) return absl::StrCat("; ", kPlaces);
  if (const std::string hint = DelimiterHint(header.front());
      header.size() == 1 && !hint.empty())
    return absl::StrCat("; their first line is '",
                        PrintableLine(header.front()), "'", hint,
                        ": write them with commas between the columns");
  const std::string first = PrintableLine(header.front());
  double number = 0;
  if (absl::SimpleAtod(first, &number))
    return absl::StrCat("; their first line, which is taken for the header, ",
                        "begins with the number ", first, "; ", kPlaces);
  std::vector<std::string> near = NearestNames(column.name, header);
  std::erase(near, column.other_end);  // which it was not to be
  const auto columns = static_cast<std::int64_t>(header.size());
  const std::vector<std::string> shown(
      header.begin(), header.begin() + std::min(columns, kMostNamed));
  return PrintableLine(absl::StrCat(
      "; ",
      near.empty()
          ? ""
          : absl::StrCat("did you mean ", absl::StrJoin(near, " or "), "? "),
      "the header begins ", absl::StrJoin(shown, ", "), " (",
      FormatCounted(columns, "column"), ")",
      near.empty() ? "; name one of them, or give its place, such as #0" : ""));
}

// "#3" of a file with a header.
bool IsPlace(std::string_view name, std::size_t columns, std::int64_t* place) {
  return name.starts_with('#') &&
         absl::SimpleAtoi(absl::string_view(name.data() + 1, name.size() - 1),
                          place) &&
         *place >= 0 && static_cast<std::size_t>(*place) < columns;
}

// `where`: the files are; empty: unknown.
absl::StatusOr<std::int64_t> ColumnOf(const NamedColumn& column,
                                      const std::vector<std::string>& header,
                                      const std::string& where) {
  const std::string& name = column.name;
  std::int64_t place = 0;
  if (header.empty()) {
    if (absl::SimpleAtoi(name, &place) && place >= 0) return place;
  } else {
    // First, as a column may be called "#0" that is another.
    if (IsPlace(name, header.size(), &place)) return place;
    const auto found = std::find(header.begin(), header.end(), name);
    const auto again = found == header.end()
                           ? found
                           : std::find(found + 1, header.end(), name);
    if (again != header.end())
      return absl::InvalidArgumentError(absl::StrCat(
          "features: ", PrintableLine(name), " is the name of columns ",
          found - header.begin(), " and ", again - header.begin(),
          " (from 0) of the CSV files: give the place of the one that is "
          "meant, #",
          found - header.begin(), " or #", again - header.begin()));
    if (found != header.end()) return found - header.begin();
  }
  const std::string named =
      column.key == name ? name : absl::StrCat(name, " (of ", column.key, ")");
  return absl::InvalidArgumentError(absl::StrCat(
      "features: the CSV files ", where.empty() ? "" : "of ",
      where.empty() ? "" : absl::StrCat(where, " "), "have no column ",
      PrintableLine(named), WhatThereIs(column, header)));
}

class CsvFormat final : public ShardFormat {
 public:
  CsvFormat(std::vector<CsvColumns> columns, std::string header,
            std::optional<CellChecker> checker, std::int64_t cells)
      : columns_(std::move(columns)),
        header_(std::move(header)),
        cells_(header_.empty() ? cells : CountCsvCells(header_)),
        checker_(std::move(checker)) {}

  bool lines() const override { return true; }
  // An index of cells that were looked at is another's.
  std::string name() const override {
    return absl::StrCat(
        header_.empty() ? "csv" : "csv with a header",
        checker_.has_value() ? absl::StrCat(", ", checker_->name()) : "");
  }

  absl::Status Scan(ByteSource& source, const std::string& file,
                    ShardRecords& records) const override {
    bool header = !header_.empty();
    std::int64_t number = 1;
    BadCells bad;
    PODSIM_RETURN_IF_ERROR(BeginCsv(source, file));
    for (;;) {
      records.end = source.offset();
      PODSIM_ASSIGN_OR_RETURN(const std::string_view line,
                              NextCsvLine(source, file));
      if (line.empty()) break;
      if (header && !IsBlank(line) && WithoutEnd(line) != header_)
        return absl::DataLossError(absl::StrCat(
            file, ": offset ", records.end,
            ": its first line is not the header of the first file: ",
            Difference(line),
            "; give all files one header, or leave this one out by a name that "
            "begins with _"));
      // Empty lines are the tail of the record before.
      if (!header && !IsBlank(line)) {
        PODSIM_RETURN_IF_ERROR(CheckCells(line, number, source.offset(), file));
        if (checker_.has_value()) checker_->Look(WithoutEnd(line), number, bad);
        records.offsets.push_back(source.offset());
      }
      header = header && IsBlank(line);
      number += std::count(line.begin(), line.end(), '\n');
      PODSIM_RETURN_IF_ERROR(
          source.Skip(static_cast<std::int64_t>(line.size())));
    }
    return checker_.has_value() ? checker_->Result(bad, file)
                                : absl::OkStatus();
  }

  absl::Status Parse(std::string_view record, std::int64_t offset,
                     const std::string& file, std::string&,
                     absl::Span<RawFeature> features) const override {
    const std::string_view line =
        WithoutEnd(record.substr(0, CsvLineEndOf(record).at));
    for (std::size_t i = 0; i < features.size(); ++i) {
      const std::string_view cells = CsvCellsOf(line, columns_[i]);
      if (cells.data() == nullptr)
        return absl::DataLossError(absl::StrCat(file, ": offset ", offset,
                                                ": the line has no column ",
                                                columns_[i].last, " (from 0)"));
      features[i] = {.kind = RawFeature::Kind::kText,
                     .bytes = cells,
                     .column = columns_[i].first};
    }
    return absl::OkStatus();
  }

 private:
  // How a first line differs from the header.
  std::string Difference(std::string_view line) const {
    const std::vector<std::string> has =
        CsvCells(std::string(WithoutEnd(line)));
    const std::vector<std::string> wanted = CsvCells(header_);
    if (has.size() != wanted.size())
      return absl::StrCat(
          FormatCounted(static_cast<std::int64_t>(has.size()), "column"),
          " where the first has ", wanted.size());
    const auto [is, was] =
        std::mismatch(has.begin(), has.end(), wanted.begin());
    if (is == has.end()) return "other quotes";
    return absl::StrCat("column ", is - has.begin(), " is '",
                        PrintableLine(*is), "', not '", PrintableLine(*was),
                        "'");
  }

  absl::Status CheckCells(std::string_view line, std::int64_t number,
                          std::int64_t offset, const std::string& file) const {
    if (cells_ == 0) return absl::OkStatus();
    const std::int64_t count = CountCsvCells(WithoutEnd(line));
    if (count == cells_) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat(file, ": line ", number, ", offset ", offset,
                     ": a line of ", FormatCounted(count, "cell"), ", but the ",
                     header_.empty() ? "first line" : "header", " has ",
                     FormatCount(cells_), ": mend the line, or delete it"));
  }

  const std::vector<CsvColumns> columns_;  // by field of the schema
  const std::string header_;
  const std::int64_t cells_;  // of each line; 0: of any number
  const std::optional<CellChecker> checker_;
};

// "float32" of "features=x..y:float32[3]".
std::string TypeIn(const std::string& line, const SchemaField& field) {
  const std::size_t item = line.find(absl::StrCat(field.input, "="));
  if (item == line.npos) return "";
  const std::string rest = line.substr(item, line.find(',', item) - item);
  const std::size_t colon = rest.rfind(':');
  const std::size_t begin = colon == rest.npos ? rest.find('=') : colon;
  const std::size_t end = rest.find_first_of("[/+", begin);
  return rest.substr(begin + 1, end == rest.npos ? end : end - begin - 1);
}

// Numbers, and as many columns as the shape has values.
absl::Status CheckNumbers(const Schema& schema, const SchemaField& field,
                          const CsvColumns& of) {
  const std::int64_t columns = of.last - of.first + 1;
  if (field.is_image())
    return absl::InvalidArgumentError(PrintableLine(absl::StrCat(
        "features: ", field.input, "=", field.key,
        " is an image, but a CSV file has numbers: give their type and shape, "
        "such as uint8[28,28]/255, without steps")));
  if (columns == field.elements()) return absl::OkStatus();
  return absl::InvalidArgumentError(PrintableLine(absl::StrCat(
      "features: ", field.input, "=", field.key, " is ",
      FormatCounted(columns, "column"), ", but its shape has ",
      FormatCounted(field.elements(), "value"), ": give ",
      TypeIn(schema.line, field), "[", columns, "], or other columns")));
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
    const Schema& schema, const std::string& header,
    std::optional<std::int32_t> checked_classes, std::int64_t cells,
    const std::string& where) {
  const std::vector<std::string> names = CsvCells(header);
  std::vector<CsvColumns> columns;
  for (const SchemaField& field : schema.fields) {
    const std::vector<std::string> ends = absl::StrSplit(field.key, kRange);
    CsvColumns of;
    PODSIM_ASSIGN_OR_RETURN(
        of.first,
        ColumnOf({ends.front(), ends.back(), field.key}, names, where));
    PODSIM_ASSIGN_OR_RETURN(
        of.last,
        ColumnOf({ends.back(), ends.front(), field.key}, names, where));
    const bool turned = of.last < of.first;
    if (turned || ends.size() > 2)
      return absl::InvalidArgumentError(PrintableLine(
          absl::StrCat("features: ", field.key,
                       " is no range FIRST..LAST of columns: write ",
                       turned ? ends.back() : ends.front(), kRange,
                       turned ? ends.front() : ends.back())));
    PODSIM_RETURN_IF_ERROR(CheckNumbers(schema, field, of));
    columns.push_back(of);
  }
  std::optional<CellChecker> checker;
  if (checked_classes.has_value())
    checker.emplace(schema, columns, names, *checked_classes);
  return std::make_unique<CsvFormat>(std::move(columns), header,
                                     std::move(checker), cells);
}

namespace {

using CsvDataset = absl::StatusOr<std::shared_ptr<const Dataset>>;

// `cells`: of each line of a file without a header; 0: of any number.
CsvDataset OpenDescribed(const DatasetRequest& request, ObjectStore& store,
                         std::vector<std::string> notes,
                         std::optional<std::int32_t> checked_classes,
                         std::int64_t cells = 0) {
  PODSIM_ASSIGN_OR_RETURN(Schema schema, ParseFileSchema(request.features));
  std::string header;
  if (HasHeader(schema)) {
    PODSIM_ASSIGN_OR_RETURN(const SplitFiles files,
                            FindShards(request.data_dir, store));
    PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> lines,
                            FirstCsvLines(files.train, 1, store));
    header = lines.front();
  }
  PODSIM_ASSIGN_OR_RETURN(
      auto format,
      NewCsvFormat(schema, header, checked_classes, cells, request.data_dir));
  return OpenShards(request, std::move(schema), std::move(format), store,
                    std::move(notes));
}

// One more than the largest label of a data set that has nothing else.
absl::StatusOr<std::int32_t> CountClasses(const Dataset& labels) {
  std::int32_t most = 1;
  for (const Split split : {Split::kTrain, Split::kEval})
    for (std::int64_t i = 0; i < labels.size(split); ++i) {
      std::int32_t label = 0;
      const std::span<std::byte> row =
          std::as_writable_bytes(std::span(&label, 1));
      PODSIM_RETURN_IF_ERROR(
          labels.Read(split, i, {.in_order = true}, ExampleRows(&row, 1)));
      if (label < 0 || label >= kMostClasses)
        return absl::InvalidArgumentError(absl::StrCat(
            "example ", i, " of ", split == Split::kTrain ? "training" : "eval",
            " has the label ", label, ", but labels are 0 to ",
            kMostClasses - 1));
      most = std::max(most, label);
    }
  return most + 1;
}

// "features=a..b:float32[2],labels=COLUMN:int64".
std::string GuessWithAnotherLabel(const CsvGuess& guess) {
  return absl::StrReplaceAll(
      guess.features,
      {{absl::StrCat("labels=", guess.label, ":"), "labels=COLUMN:"}});
}

absl::StatusOr<std::int32_t> ClassesOf(const DatasetRequest& request,
                                       const CsvGuess& guess,
                                       ObjectStore& store) {
  DatasetRequest labels = request;
  labels.features = absl::StrCat("labels=", guess.label, ":int64");
  labels.classes = 0;
  labels.in_order = true;
  // Labels are read below, which says what is wrong with them.
  PODSIM_ASSIGN_OR_RETURN(
      const auto dataset,
      OpenDescribed(labels, store, {}, /*checked_classes=*/std::nullopt,
                    guess.cells));
  const auto classes = CountClasses(*dataset);
  if (classes.ok()) return classes;
  // Of a number that is no label: a second look, which says file and line.
  if (absl::IsInvalidArgument(classes.status())) {
    DatasetRequest whole = request;
    whole.features = guess.features;
    PODSIM_RETURN_IF_ERROR(
        OpenDescribed(whole, store, {}, kMostClasses).status());
  }
  return absl::Status(
      classes.status().code(),
      absl::StrCat(classes.status().message(), "; column ", guess.label,
                   " is taken for the label: write its classes as 0, 1, ..., "
                   "or name the column that is the label, --features='",
                   GuessWithAnotherLabel(guess), "'"));
}

// By its first line, and the classes by its labels.
CsvDataset OpenGuessed(DatasetRequest request, ObjectStore& store) {
  PODSIM_ASSIGN_OR_RETURN(const SplitFiles files,
                          FindShards(request.data_dir, store));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> lines,
                          FirstCsvLines(files.train, 1, store));
  PODSIM_ASSIGN_OR_RETURN(
      CsvGuess guess, GuessCsvSchema(lines.front(), files.train.front().path));
  if (request.classes < 2) {
    PODSIM_ASSIGN_OR_RETURN(request.classes, ClassesOf(request, guess, store));
    absl::StrAppend(&guess.note, ", ", request.classes,
                    " classes by the largest label");
  }
  request.features = guess.features;
  return OpenDescribed(request, store, {guess.note}, request.classes);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenCsv(
    const DatasetRequest& request, ObjectStore& store) {
  if (request.data_dir.empty())
    return absl::InvalidArgumentError(
        "data set csv needs the path of its files: a file, a folder, or "
        "DIR/train*.csv, such as data/iris.csv");
  if (request.features.empty()) return OpenGuessed(request, store);
  return OpenDescribed(request, store, {}, request.classes);
}

}  // namespace podsim
