#include "runtime/data/conversion.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/schema.h"
#include "host/input/shard_files.h"
#include "host/input/tf_example.h"
#include "host/input/tfrecord.h"
#include "runtime/data/example_text.h"

namespace podsim {
namespace {

// A schema's types are called as the model's.
absl::StatusOr<std::string> ItemOf(const DataField& field) {
  if (field.type.dtype == DType::kBFloat16)
    return absl::InvalidArgumentError(
        absl::StrCat("field ", field.name,
                     " is of bfloat16, which TFRecords have not: store it as "
                     "float32, x.astype(\"float32\") in NumPy, and convert "
                     "that"));
  const auto& sides = field.type.shape.dims;
  const std::vector<std::int64_t> of_example(sides.begin() + 1, sides.end());
  return absl::StrCat(
      field.name, "=", std::string(ToString(field.type.dtype)),
      of_example.empty()
          ? ""
          : absl::StrCat("[", absl::StrJoin(of_example, ","), "]"));
}

absl::Status CheckSteps(const DatasetConfig& config) {
  if (config.features().empty()) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const Schema schema, ParseSchema(config.features()));
  for (const SchemaField& field : schema.fields) {
    std::vector<const char*> steps;
    if (field.steps.crop) steps.push_back("crop");
    if (field.steps.pad > 0) steps.push_back("pad");
    if (field.steps.flip) steps.push_back("flip");
    if (!steps.empty())
      return absl::InvalidArgumentError(absl::StrCat(
          "--features: ", field.input, " has ", absl::StrJoin(steps, " and "),
          ", drawn at random for each example anew; shards would keep one "
          "draw: leave them out"));
  }
  return absl::OkStatus();
}

// Shards of equal length, the last shorter, would leave some without an
// example, which no reader takes.
absl::Status CheckFillsShards(std::int64_t examples, std::int64_t shards) {
  const std::int64_t each =
      (examples + shards - 1) / std::max<std::int64_t>(1, shards);
  const std::int64_t filled = each == 0 ? 0 : (examples + each - 1) / each;
  if (filled == shards) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "shards is ", shards, ", but ", FormatCounted(examples, "example"),
      " at ", each, " in each fill ", filled,
      " of them: give --shards=", std::max<std::int64_t>(1, filled)));
}

absl::Status CheckEmpty(const std::string& output, ObjectStore& store) {
  if (output.empty())
    return absl::InvalidArgumentError(
        "convert needs --output=DIR, where the shards go, such as "
        "--output=shards");
  const auto names = store.List(output);
  if (absl::IsNotFound(names.status()) && store.Stat(output).ok())
    return absl::AlreadyExistsError(absl::StrCat(
        "--output is \"", output,
        "\", but that is a file; give a folder, which is made if need be"));
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names)
    if (name == kUnfinishedName)
      return absl::AlreadyExistsError(absl::StrCat(
          "--output is \"", output, "\", which has ", name,
          ": another conversion writes there, or was ended before it was done; "
          "give another folder, or remove what it left"));
  for (const std::string& name : *names)
    if (absl::StartsWith(name, "train") || absl::StartsWith(name, "eval"))
      return absl::AlreadyExistsError(absl::StrCat(
          "--output is \"", output, "\", which has ", name,
          " already: give an empty folder, or data sets would mix"));
  return absl::OkStatus();
}

template <typename T>
std::vector<std::int64_t> Integers(std::span<const std::byte> row) {
  std::vector<std::int64_t> values(row.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, row.data() + i * sizeof(T), sizeof(T));
    values[i] = value;
  }
  return values;
}

std::string RecordOf(const ExampleBuffer& buffer) {
  ExampleWriter writer;
  for (std::size_t i = 0; i < buffer.fields().size(); ++i) {
    const DataField& field = buffer.fields()[i];
    const std::span<const std::byte> row = buffer.row(i);
    if (field.type.dtype == DType::kFloat32)
      writer.AddFloats(field.name, {reinterpret_cast<const float*>(row.data()),
                                    row.size() / sizeof(float)});
    else if (field.type.dtype == DType::kInt32)
      writer.AddInts(field.name, Integers<std::int32_t>(row));
    else if (field.type.dtype == DType::kUint32)
      writer.AddInts(field.name, Integers<std::uint32_t>(row));
    else
      writer.AddBytes(field.name,
                      {reinterpret_cast<const char*>(row.data()), row.size()});
  }
  return FrameRecord(std::move(writer).Finish());
}

struct Written {
  std::vector<std::string> paths;  // of shards, the one that failed too
  std::int64_t train = 0;          // bytes
  std::int64_t eval = 0;
};

absl::Status WriteSplit(const Dataset& dataset, Split split,
                        std::int64_t shards, const std::string& stem,
                        ObjectStore& store, Written& written) {
  const std::int64_t size = dataset.size(split);
  const std::int64_t each = (size + shards - 1) / shards;
  ExampleBuffer buffer(dataset.config());
  for (std::int64_t shard = 0; shard < shards; ++shard) {
    std::string bytes;
    const std::int64_t end = std::min(size, (shard + 1) * each);
    for (std::int64_t i = shard * each; i < end; ++i) {
      PODSIM_RETURN_IF_ERROR(
          dataset.Read(split, i, {.in_order = true}, buffer.rows()));
      bytes += RecordOf(buffer);
    }
    written.paths.push_back(
        absl::StrFormat("%s-%05d-of-%05d", stem, shard, shards));
    PODSIM_RETURN_IF_ERROR(store.Write(written.paths.back(), bytes));
    (split == Split::kTrain ? written.train : written.eval) +=
        static_cast<std::int64_t>(bytes.size());
  }
  return absl::OkStatus();
}

std::string MarkOf(const DataSettings& settings) {
  return absl::StrCat(settings.output(), "/", kUnfinishedName);
}

absl::Status WriteSplits(const Dataset& dataset, const DataSettings& settings,
                         ObjectStore& store, Written& written) {
  PODSIM_RETURN_IF_ERROR(store.Write(MarkOf(settings), ""));
  PODSIM_RETURN_IF_ERROR(WriteSplit(dataset, Split::kTrain, settings.shards(),
                                    absl::StrCat(settings.output(), "/train"),
                                    store, written));
  if (dataset.size(Split::kEval) == 0) return absl::OkStatus();
  return WriteSplit(dataset, Split::kEval, 1,
                    absl::StrCat(settings.output(), "/eval"), store, written);
}

bool IsGone(const std::string& path, ObjectStore& store) {
  const absl::Status gone = store.Delete(path);
  return gone.ok() || absl::IsNotFound(gone);
}

// Some of a data set would pass for all of it. Returns why it failed, and of
// what is still there how many.
absl::Status TakeBack(const absl::Status& why, const std::string& mark,
                      const std::vector<std::string>& paths,
                      ObjectStore& store) {
  std::int64_t left = 0;
  for (const std::string& path : paths) left += IsGone(path, store) ? 0 : 1;
  if (left == 0 && IsGone(mark, store)) return why;
  if (left == 0)
    return absl::Status(why.code(),
                        absl::StrCat(why.message(), "; ", mark,
                                     " could not be removed and must be before "
                                     "the folder is used"));
  return absl::Status(
      why.code(),
      absl::StrCat(why.message(), "; of what was written, ",
                   FormatCounted(left, "shard"),
                   " could not be removed and must be before it is read"));
}

}  // namespace

absl::StatusOr<std::string> Convert(const Dataset& dataset,
                                    const DataSettings& settings,
                                    ObjectStore& store) {
  PODSIM_RETURN_IF_ERROR(CheckSteps(dataset.config()));
  PODSIM_RETURN_IF_ERROR(
      CheckFillsShards(dataset.size(Split::kTrain), settings.shards()));
  PODSIM_RETURN_IF_ERROR(CheckEmpty(settings.output(), store));
  std::vector<std::string> items;
  const ExampleBuffer buffer(dataset.config());
  for (const DataField& field : buffer.fields()) {
    PODSIM_ASSIGN_OR_RETURN(std::string item, ItemOf(field));
    items.push_back(std::move(item));
  }
  Written written;
  const absl::Status wrote = WriteSplits(dataset, settings, store, written);
  if (!wrote.ok())
    return TakeBack(wrote, MarkOf(settings), written.paths, store);
  PODSIM_RETURN_IF_ERROR(Annotate(
      store.Delete(MarkOf(settings)),
      "all shards are written, but the mark that they are not is still there; "
      "remove it"));
  return absl::StrCat(
      "wrote ", FormatCounted(dataset.size(Split::kTrain), "example"), " in ",
      FormatCounted(settings.shards(), "shard"), ", ",
      FormatBytes(written.train), ", ", FormatCount(dataset.size(Split::kEval)),
      " in the eval split, ", FormatBytes(written.eval),
      "\nread them with --dataset=tfrecord --data_dir=", settings.output(),
      dataset.config().classes() > 1
          ? absl::StrCat(" --classes=", dataset.config().classes())
          : "",
      " --features='", absl::StrJoin(items, ","), "'\n");
}

}  // namespace podsim
