#include "runtime/data/example_text.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/shard_files.h"

namespace podsim {
namespace {

constexpr std::size_t kShown = 6;  // values of a field

template <typename T>
double ValueAt(std::span<const std::byte> row, std::size_t at) {
  T value;
  std::memcpy(&value, row.data() + at * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double ValueOf(DType type, std::span<const std::byte> row, std::size_t at) {
  switch (type) {
    case DType::kFloat32:
      return ValueAt<float>(row, at);
    case DType::kInt32:
      return ValueAt<std::int32_t>(row, at);
    case DType::kUint32:
      return ValueAt<std::uint32_t>(row, at);
    case DType::kBFloat16: {
      // The upper half of a float32.
      std::uint16_t half = 0;
      std::memcpy(&half, row.data() + at * sizeof(half), sizeof(half));
      const std::uint32_t bits = std::uint32_t{half} << 16;
      float value = 0;
      std::memcpy(&value, &bits, sizeof(value));
      return value;
    }
    case DType::kUint8:
    case DType::kBool:
      return ValueAt<std::uint8_t>(row, at);
  }
  return 0;
}

std::string ValuesText(DType type, std::span<const std::byte> row) {
  const std::size_t count = row.size() / static_cast<std::size_t>(SizeOf(type));
  std::vector<std::string> shown;
  double least = ValueOf(type, row, 0);
  double most = least;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = ValueOf(type, row, i);
    if (i < kShown) shown.push_back(absl::StrFormat("%.6g", value));
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  std::string text = absl::StrJoin(shown, " ");
  if (count > kShown)
    absl::StrAppendFormat(&text, " ... (%s values, %.6g to %.6g, mean %.6g)",
                          FormatCount(static_cast<std::int64_t>(count)), least,
                          most, sum / static_cast<double>(count));
  return text;
}

std::string FilesLine(const char* split, const std::vector<ShardFile>& files) {
  if (files.empty()) return "";
  std::int64_t bytes = 0;
  for (const ShardFile& file : files) bytes += file.bytes;
  const auto base = [](const std::string& path) {
    return path.substr(path.rfind('/') + 1);
  };
  return absl::StrCat(
      split, " ",
      FormatCounted(static_cast<std::int64_t>(files.size()), "file"), ", ",
      FormatBytes(bytes), ": ", PrintableLine(base(files.front().path)),
      files.size() > 1
          ? absl::StrCat(" to ", PrintableLine(base(files.back().path)))
          : "",
      "\n");
}

}  // namespace

ExampleBuffer::ExampleBuffer(const DatasetConfig& config) {
  auto fields = FieldsOf(config);
  PODSIM_CHECK(fields.ok());
  fields_ = *std::move(fields);
  for (const DataField& field : fields_)
    values_.emplace_back(static_cast<std::size_t>(RowBytes(field)));
  rows_.assign(values_.begin(), values_.end());
}

absl::StatusOr<std::string> FilesText(const DataSettings& settings,
                                      ObjectStore& store) {
  PODSIM_ASSIGN_OR_RETURN(
      const SplitFiles files,
      FindDatasetShards(settings.dataset(), settings.path(), store));
  return absl::StrCat(FilesLine("training:", files.train),
                      FilesLine("eval split:", files.eval));
}

std::string SchemaText(const DatasetConfig& config) {
  std::string text;
  const auto fields = FieldsOf(config);
  PODSIM_CHECK(fields.ok());
  for (const DataField& field : *fields)
    absl::StrAppend(&text, "field ", PrintableLine(field.name), ": ",
                    field.type.dtype == DType::kFloat32 ? "float32 " : "",
                    ToString(field.type), "\n");
  if (!config.features().empty())
    absl::StrAppend(&text, "features ", PrintableLine(config.features()), "\n");
  return text;
}

absl::StatusOr<std::string> ExampleText(const Dataset& dataset,
                                        std::int64_t index) {
  ExampleBuffer buffer(dataset.config());
  PODSIM_RETURN_IF_ERROR(
      dataset.Read(Split::kTrain, index, {.in_order = true}, buffer.rows()));
  std::string text = absl::StrCat("example ", index, "\n");
  for (std::size_t i = 0; i < buffer.fields().size(); ++i)
    absl::StrAppend(&text, "  ", PrintableLine(buffer.fields()[i].name), ": ",
                    ValuesText(buffer.fields()[i].type.dtype, buffer.row(i)),
                    "\n");
  return text;
}

}  // namespace podsim
