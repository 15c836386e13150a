#include "runtime/data/data.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/dataset.h"
#include "host/input/dataset_kinds.h"
#include "host/input/place_kind.h"
#include "host/input/shard_files.h"
#include "host/input/whole_series.h"
#include "host/storage/uri_store.h"
#include "proto/programs.pb.h"
#include "runtime/data/bad_examples.h"
#include "runtime/data/conversion.h"
#include "runtime/data/example_text.h"
#include "runtime/data/record_keys.h"
#include "runtime/data/unread_settings.h"
#include "runtime/files/output_clash.h"
#include "settings/check.h"
#include "settings/command_line.h"
#include "settings/pasted.h"
#include "settings/programs.h"
#include "settings/setting.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr int kDamaged = 1;
constexpr int kRefused = 2;
constexpr std::int64_t kAtOnce = 256;  // examples that a thread verifies

std::string CountsText(const DatasetConfig& config) {
  std::string text = absl::StrCat(
      FormatCounted(config.train_examples(), "example"), " for training, ",
      FormatCount(config.eval_examples()), " in the eval split");
  if (config.shards() > 0)
    absl::StrAppend(&text, ", ", FormatCounted(config.shards(), "shard"),
                    " of training");
  if (config.packed()) absl::StrAppend(&text, ", packed");
  return text;
}

absl::StatusOr<std::string> Index(const Dataset& dataset,
                                  const std::string& directory) {
  const std::string counts = CountsText(dataset.config());
  if (dataset.config().shards() == 0)
    return absl::StrCat(counts, "\nno index: this data set has none\n");
  if (directory.empty())
    return absl::FailedPreconditionError(absl::StrCat(
        counts,
        "; the index is not kept: neither XDG_CACHE_HOME nor HOME is set; set "
        "one of them"));
  if (!dataset.index_kept())
    return absl::FailedPreconditionError(
        absl::StrCat(counts, "; the index is not kept under ", directory,
                     ": the warning before says why"));
  return absl::StrCat(counts, "\nkept under ", directory, "\n");
}

absl::StatusOr<std::string> Show(const Dataset& dataset,
                                 const DataSettings& settings,
                                 ObjectStore& store) {
  const DatasetConfig& config = dataset.config();
  std::string text = absl::StrCat(config.name(), ": ", CountsText(config),
                                  "\nfingerprint ", config.fingerprint(), "\n");
  if (config.shards() > 0) {
    PODSIM_ASSIGN_OR_RETURN(const std::string files,
                            FilesText(settings, store));
    absl::StrAppend(&text, files);
  }
  for (const std::string& note : dataset.notes())
    absl::StrAppend(&text, "note: ", note, "\n");
  absl::StrAppend(&text, SchemaText(config));
  const std::int64_t count =
      std::min<std::int64_t>(settings.examples(), dataset.size(Split::kTrain));
  for (std::int64_t i = 0; i < count; ++i) {
    PODSIM_ASSIGN_OR_RETURN(const std::string example, ExampleText(dataset, i));
    absl::StrAppend(&text, example);
  }
  return text;
}

// Of TFRecords that no schema describes: what is in them, and one to begin
// with.
absl::StatusOr<std::string> ShowKeys(const DataSettings& settings,
                                     ObjectStore& store) {
  constexpr std::int64_t kRecordsShown = 16;
  PODSIM_ASSIGN_OR_RETURN(const SplitFiles files,
                          FindShards(settings.path(), store));
  PODSIM_ASSIGN_OR_RETURN(const std::string lines, FilesText(settings, store));
  PODSIM_ASSIGN_OR_RETURN(const RecordKeys keys,
                          ReadRecordKeys(files.train, kRecordsShown, store));
  if (keys.records == 0)
    return absl::InvalidArgumentError(
        absl::StrCat(settings.path(),
                     " holds no record: its files are empty; write them "
                     "again (pod_data convert writes shards)"));
  std::string text = absl::StrCat("tfrecord: no --features, so the first ",
                                  FormatCounted(keys.records, "record"),
                                  " are shown\n", lines, KeysText(keys));
  const std::string features = GuessFeatures(keys);
  if (!features.empty())
    return absl::StrCat(text, "schema to begin with: --features='",
                        PrintableLine(features), "'\n");
  return absl::StrCat(text,
                      "no schema is offered: it takes features of a fixed "
                      "length and a whole number for labels\n");
}

absl::Status CheckShards(const Dataset& dataset, const DataSettings& settings,
                         ObjectStore& store) {
  if (dataset.config().shards() == 0) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(
      const SplitFiles files,
      FindDatasetShards(settings.dataset(), settings.path(), store));
  for (const auto* split : {&files.train, &files.eval})
    for (const ShardFile& file : *split)
      if (file.bytes == 0)
        return absl::DataLossError(absl::StrCat(
            file.path,
            ": it is empty: write it again, or delete it if the data set has "
            "no example for it"));
  PODSIM_RETURN_IF_ERROR(CheckWholeSeries(files.train, store));
  return CheckWholeSeries(files.eval, store);
}

absl::StatusOr<std::string> Verify(const Dataset& dataset,
                                   const DataSettings& settings,
                                   ObjectStore& store) {
  PODSIM_RETURN_IF_ERROR(CheckShards(dataset, settings, store));
  BadExamples bad;
  for (const Split split : {Split::kTrain, Split::kEval}) {
    const std::int64_t size = dataset.size(split);
    PODSIM_RETURN_IF_ERROR(
        OnSomeThreads((size + kAtOnce - 1) / kAtOnce, [&](std::int64_t part) {
          ExampleBuffer buffer(dataset.config());
          const std::int64_t end = std::min(size, (part + 1) * kAtOnce);
          for (std::int64_t i = part * kAtOnce; i < end; ++i) {
            const absl::Status read =
                dataset.Read(split, i, {.in_order = true}, buffer.rows());
            if (!read.ok() && !bad.Add(read)) return read;
          }
          return absl::OkStatus();
        }));
  }
  PODSIM_RETURN_IF_ERROR(bad.Result());
  return absl::StrCat("good: ", CountsText(dataset.config()), "\n");
}

// Defaults as a job's.
DatasetRequest RequestOf(const DataSettings& settings,
                         const std::string& index_directory) {
  DatasetRequest request = {.name = settings.dataset(),
                            .data_dir = settings.path(),
                            .classes = settings.classes(),
                            .examples = settings.synthetic_examples(),
                            .seed = settings.seed(),
                            .features = settings.features(),
                            .index_directory = index_directory,
                            .in_order = true};
  if (request.name != "synthetic") return request;
  request.example_shape = {settings.example_shape().begin(),
                           settings.example_shape().end()};
  if (request.example_shape.empty()) request.example_shape = {28, 28};
  if (request.classes == 0) request.classes = 10;
  return request;
}

// A data set without files, and a path beside it, which nothing would read.
absl::Status CheckPathIsRead(const DataSettings& settings) {
  const DatasetKind* const kind = FindDatasetKind(settings.dataset());
  if (kind == nullptr || kind->files != nullptr || settings.path().empty())
    return absl::OkStatus();
  const bool converts = settings.command() == words::DataCommand::convert;
  return absl::InvalidArgumentError(absl::StrCat(
      "path is \"", settings.path(), "\", but ", settings.dataset(),
      settings.dataset() == "synthetic" ? " is made from the seed"
                                        : " are built in",
      ", without files: leave the path out",
      converts && settings.output().empty()
          ? absl::StrCat("; the shards go to --output=", settings.path())
      : converts ? absl::StrCat("; the shards go to --output, which is ",
                                settings.output())
                 : ""));
}

// "pod_data show digits": the name of a data set where its files are meant.
absl::Status CheckPathIsNoDataset(const DataSettings& settings,
                                  bool names_dataset, ObjectStore& store) {
  const std::string& path = settings.path();
  if (names_dataset || FindDatasetKind(path) == nullptr ||
      store.List(path).ok() || store.Stat(path).ok())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("path is \"", path,
                   "\", but there is no such file or folder; a data set is "
                   "named by --dataset=",
                   path));
}

// "pod_data index runs/a/100".
absl::Status CheckPathIsNoCheckpoint(const std::string& path,
                                     ObjectStore& store) {
  if (path.empty() || !store.Stat(absl::StrCat(path, "/manifest.json")).ok())
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, " is a checkpoint, not a data set: pod_ckpt show ",
                   path, " says what it holds; give the folder of the shards"));
}

// Shards beside the data set's own files would pass for some of them.
absl::Status CheckIsElsewhere(const DataSettings& settings) {
  if (settings.path().empty() || settings.output().empty())
    return absl::OkStatus();
  return CheckOutputsApart(
      {.read = {{.name = "path", .path = settings.path()}},
       .written = {{.name = "--output", .path = settings.output()}}});
}

absl::StatusOr<std::string> Run(const DataSettings& settings,
                                ObjectStore& store,
                                const std::string& index_directory) {
  PODSIM_RETURN_IF_ERROR(CheckPathIsRead(settings));
  PODSIM_RETURN_IF_ERROR(CheckServed(settings.path()));
  PODSIM_RETURN_IF_ERROR(CheckServed(settings.output()));
  PODSIM_RETURN_IF_ERROR(CheckIsRead(settings.path()));
  PODSIM_RETURN_IF_ERROR(CheckIsElsewhere(settings));
  PODSIM_RETURN_IF_ERROR(CheckPathIsNoCheckpoint(settings.path(), store));
  PODSIM_RETURN_IF_ERROR(
      CheckPlaceKind(settings.dataset(), settings.path(), store));
  if (settings.command() == words::DataCommand::show &&
      settings.dataset() == "tfrecord" && settings.features().empty() &&
      !settings.path().empty() && !IsOfNumpy(settings.path()))
    return ShowKeys(settings, store);
  PODSIM_ASSIGN_OR_RETURN(
      const auto dataset,
      OpenDataset(RequestOf(settings, index_directory), store));
  switch (settings.command()) {
    case words::DataCommand::show:
      return Show(*dataset, settings, store);
    case words::DataCommand::verify:
      return Verify(*dataset, settings, store);
    case words::DataCommand::convert:
      return Convert(*dataset, settings, store);
    default:
      return Index(*dataset, index_directory);
  }
}

DataResult Failed(const absl::Status& status,
                  const std::vector<std::string>& args) {
  const bool refused =
      absl::IsNotFound(status) || absl::IsInvalidArgument(status) ||
      absl::IsAlreadyExists(status) || absl::IsResourceExhausted(status) ||
      absl::IsPermissionDenied(status);
  return {.exit_code = refused ? kRefused : kDamaged,
          .text = {},
          .error = std::string(NamePasted(status, PodData(), args).message())};
}

}  // namespace

DataResult RunData(const std::vector<std::string>& args, ObjectStore& store,
                   const std::string& index_directory) {
  DataSettings settings;
  absl::StatusOr<CommandLine> line =
      ParseCommandLine(PodData(), args, /*variables=*/{}, {&settings});
  if (!line.ok()) return Failed(line.status(), args);
  if (!line->text.empty()) return {.text = std::move(line->text), .error = {}};
  if (const std::string named = DatasetOfPath(settings.path());
      !named.empty() && !settings.has_dataset())
    settings.set_dataset(named);
  const bool names_dataset = settings.has_dataset();
  // Before defaults are filled in.
  if (const absl::Status read =
          CheckCommandReads(WordOf(settings.command()), settings,
                            {{"output", {"convert"}},
                             {"shards", {"convert"}},
                             {"examples", {"show"}}});
      !read.ok())
    return Failed(read, args);
  const DataSettings given = settings;
  FillDefaults(settings);
  if (const absl::Status unread = CheckAreRead(given, settings.dataset());
      !unread.ok())
    return Failed(unread, args);
  if (const absl::Status named =
          CheckPathIsNoDataset(settings, names_dataset, store);
      !named.ok())
    return Failed(named, args);
  absl::StatusOr<std::string> text = Run(settings, store, index_directory);
  if (!text.ok()) return Failed(text.status(), args);
  return {.text = *std::move(text), .error = {}};
}

}  // namespace podsim
