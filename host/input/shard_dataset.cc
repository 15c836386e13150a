#include "host/input/shard_dataset.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/image_warning.h"
#include "host/input/input_memory.h"
#include "host/input/shard_index.h"
#include "host/input/shard_room.h"
#include "host/input/shard_set.h"
#include "host/input/shared_lanes.h"
#include "host/storage/gcs/reading.h"

namespace podsim {
namespace {

// The name in its folder, so that a data set is the same wherever it lies.
std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

void AddShard(const ShardSet& shards, const char* split, Sha256& hash) {
  for (std::size_t i = 0; i < shards.files().size(); ++i) {
    const ShardFile& file = shards.files()[i];
    const IndexedShard& records = shards.records()[i];
    hash.Update(absl::StrCat(split, " ", BaseName(file.path), " ", file.bytes,
                             " ", records.count(), " ", records.end, "\n"));
    hash.Update(std::as_bytes(std::span(records.offsets)));
  }
}

// Packed, on the average; 0: no file is packed.
std::int64_t SpanBytesOf(const ShardSet& shards) {
  std::int64_t bytes = 0;
  std::int64_t spans = 0;
  for (std::size_t i = 0; i < shards.files().size(); ++i) {
    if (shards.records()[i].packing != Packing::kPacked) continue;
    bytes += shards.files()[i].bytes;
    spans += static_cast<std::int64_t>(shards.records()[i].spans.points.size());
  }
  return spans == 0 ? 0 : bytes / spans;
}

// 0: an epoch is a permutation of all records, which jumps about in the index.
std::int64_t WindowOf(const DatasetRequest& request,
                      const std::vector<IndexedShard>& shards) {
  if (request.shuffle_window > 0) return request.shuffle_window;
  std::int64_t records = 0;
  bool packed = false;
  for (const IndexedShard& shard : shards) {
    records += shard.count();
    packed = packed || shard.packing == Packing::kPacked;
  }
  const std::int64_t most =
      request.most_shuffled > 0 ? request.most_shuffled : kMostShuffled;
  return packed || records > most ? kDefaultShuffleWindow : 0;
}

DatasetConfig Describe(const DatasetRequest& request, const Schema& schema,
                       std::int64_t window, std::int64_t lanes,
                       const ShardSet& train, const ShardSet& eval) {
  DatasetConfig config;
  config.set_name(request.name);
  config.set_classes(std::max(1, request.classes));
  config.set_train_examples(train.size());
  config.set_eval_examples(eval.size());
  config.set_shards(static_cast<std::int32_t>(train.files().size()));
  for (const ShardFile& file : train.files())
    config.set_stored_bytes(config.stored_bytes() + file.bytes);
  DescribeSchema(schema, config);
  config.set_packed(train.packed());
  config.set_span_bytes(SpanBytesOf(train));
  config.set_shuffle_window(window);
  config.set_lanes(static_cast<std::int32_t>(lanes));
  Sha256 hash;
  hash.Update(absl::StrCat("shards 1 ", request.name, " ", config.classes(),
                           " ", schema.line, "\n"));
  AddShard(train, "train", hash);
  AddShard(eval, "eval", hash);
  config.set_fingerprint(hash.HexDigest());
  return config;
}

// A lane of packed shards has two spans or more, so that neighbours are not in
// one at the same time, each to unpack it for itself.
std::int64_t MostLanes(const std::vector<IndexedShard>& shards) {
  std::int64_t bytes = 0;
  std::int64_t largest = 0;
  for (const IndexedShard& shard : shards) {
    bytes += shard.end;
    for (std::size_t i = 0; i < shard.spans.points.size(); ++i) {
      const PackedSpan span = shard.spans.Span(i, 0);
      largest = std::max(largest, span.end - span.begin);
    }
  }
  if (largest == 0) return kMostLanes;
  return std::clamp<std::int64_t>(bytes / (2 * largest), 1, kMostLanes);
}

ShardEnds EndsOf(const std::vector<IndexedShard>& shards, std::int64_t window) {
  ShardEnds ends{.window = window, .most_lanes = MostLanes(shards)};
  for (const IndexedShard& shard : shards)
    ends.ends.push_back((ends.ends.empty() ? 0 : ends.ends.back()) +
                        shard.count());
  return ends;
}

class ShardDataset final : public Dataset {
 public:
  ShardDataset(DatasetConfig config, Schema schema,
               std::unique_ptr<const ShardFormat> format,
               std::unique_ptr<const ShardSet> train,
               std::unique_ptr<const ShardSet> eval,
               std::vector<std::string> notes)
      : config_(std::move(config)),
        schema_(std::move(schema)),
        format_(std::move(format)),
        train_(std::move(train)),
        eval_(std::move(eval)),
        ends_(EndsOf(train_->records(), config_.shuffle_window())),
        notes_(std::move(notes)) {}

  std::int64_t size(Split split) const override { return Of(split).size(); }
  const DatasetConfig& config() const override { return config_; }
  const ShardEnds* shards() const override {
    return config_.shuffle_window() > 0 ? &ends_ : nullptr;
  }
  bool index_kept() const override { return train_->index_kept(); }
  bool in_memory() const override { return false; }
  std::vector<std::string> notes() const override { return notes_; }
  std::unique_ptr<ReadAhead> Ahead(Split split,
                                   const ReadOrder& order) const override {
    const ShardSet& shards = Of(split);
    if (!shards.read_ahead() || order.count == 0) return nullptr;
    const auto pieces = [&shards, order](std::int64_t i,
                                         std::vector<Piece>& needed) {
      const std::int64_t at = order.index(i);
      const ReadContext context = {
          .in_order = order.in_order,
          .window = order.window ? order.window(i) : ExampleRange()};
      if (at >= 0) shards.AppendPieces(at, context, needed);
    };
    return std::make_unique<PieceReadAhead>(
        PieceSource{
            .examples = order.count,
            .pieces = pieces,
            .fetch = [&shards](const Piece& piece) { shards.Fetch(piece); },
            .cache = &shards.cache()},
        kGcsReadsInFlight);
  }

  absl::Status Read(Split split, std::int64_t index, const ReadContext& context,
                    ExampleRows rows) const override {
    // Reused from example to example: its memory stays.
    thread_local ShardRecord record;
    thread_local std::string scratch;
    thread_local std::vector<RawFeature> features;
    PODSIM_RETURN_IF_ERROR(Of(split).Read(index, context, record));
    features.assign(schema_.fields.size(), RawFeature());
    {
      const TimedInput timed(context.times, InputPart::kDecode);
      PODSIM_RETURN_IF_ERROR(format_->Parse(record.bytes, record.offset,
                                            *record.file, scratch,
                                            absl::MakeSpan(features)));
    }
    std::string warning;
    const WriteContext to = {.classes = config_.classes(),
                             .training = split == Split::kTrain,
                             .key = context.key,
                             .times = context.times,
                             .warning = &warning};
    for (std::size_t i = 0; i < rows.size(); ++i)
      PODSIM_RETURN_IF_ERROR(
          AtPlace(WriteField(schema_.fields[i], features[i], to, rows[i]),
                  Of(split), record));
    warning_.Say(*record.file, record.offset, warning);
    return absl::OkStatus();
  }

 private:
  // Says where the record lies; of text its line too, which is counted now.
  absl::Status AtPlace(const absl::Status& status, const ShardSet& shards,
                       const ShardRecord& record) const {
    if (status.ok()) return status;
    std::string line;
    if (format_->lines())
      if (const auto number = shards.LineOf(record); number.ok())
        line = absl::StrCat("line ", *number, ", ");
    return Annotate(status, absl::StrCat(*record.file, ": ", line, "offset ",
                                         record.offset));
  }

  const ShardSet& Of(Split split) const {
    return split == Split::kTrain ? *train_ : *eval_;
  }

  const DatasetConfig config_;
  const Schema schema_;
  const std::unique_ptr<const ShardFormat> format_;
  const std::unique_ptr<const ShardSet> train_;
  const std::unique_ptr<const ShardSet> eval_;
  const ShardEnds ends_;
  const std::vector<std::string> notes_;
  mutable ImageWarning warning_;
};

bool IsEmpty(const IndexedShard& shard) { return shard.count() == 0; }

// Nobody wants to train on nothing.
absl::Status CheckHoldsAny(const std::vector<ShardFile>& files,
                           const std::vector<IndexedShard>& records) {
  if (!std::all_of(records.begin(), records.end(), IsEmpty))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      files.front().path, ": it holds no example (",
      FormatBytes(files.front().bytes), ")",
      files.size() > 1 ? ", nor does any other shard for training" : "",
      "; write it again, or give another data_dir"));
}

// Of a data set some of whose shards are empty: that may be so, or a copy may
// have been cut off.
std::string EmptyNote(const std::vector<ShardFile>& files,
                      const std::vector<IndexedShard>& records) {
  const auto first = std::find_if(records.begin(), records.end(), IsEmpty);
  if (first == records.end()) return "";
  const auto count = std::count_if(records.begin(), records.end(), IsEmpty);
  const auto at = static_cast<std::size_t>(first - records.begin());
  return absl::StrCat(FormatCounted(count, "shard"),
                      count == 1 ? " holds" : " hold", " no example (",
                      files[at].path, count == 1 ? ")" : " ...)");
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenShards(
    const DatasetRequest& request, Schema schema,
    std::unique_ptr<const ShardFormat> format, ObjectStore& store,
    std::vector<std::string> notes) {
  PODSIM_ASSIGN_OR_RETURN(SplitFiles files, FindShards(request.data_dir, store,
                                                       format->patterns()));
  if (!files.note.empty()) notes.push_back(files.note);
  // One index of both: a job reads both.
  std::vector<ShardFile> all = files.train;
  all.insert(all.end(), files.eval.begin(), files.eval.end());
  PODSIM_ASSIGN_OR_RETURN(
      const std::shared_ptr<const ShardIndex> index,
      IndexOf(*format, all, request.index_directory, store));
  if (std::string note = EmptyNote(all, index->shards()); !note.empty())
    notes.push_back(std::move(note));
  const auto middle =
      index->shards().begin() + static_cast<std::ptrdiff_t>(files.train.size());
  const std::vector<IndexedShard> of_train(index->shards().begin(), middle);
  PODSIM_RETURN_IF_ERROR(CheckHoldsAny(files.train, of_train));
  const std::int64_t window = WindowOf(request, of_train);
  const std::int64_t lanes =
      window == 0 || of_train.empty() ? 0 : LanesOf(EndsOf(of_train, window));
  const std::int64_t cache_bytes =
      request.reader_bytes > 0 ? request.reader_bytes : kDefaultReaderBytes;
  const std::int64_t train_bytes = TrainReaderBytes(cache_bytes);
  auto train = std::make_unique<const ShardSet>(
      std::move(files.train), index, of_train,
      request.in_order ? 0
                       : LanesHere(lanes, request.hosts_here, request.hosts),
      train_bytes, &store);
  auto eval = std::make_unique<const ShardSet>(
      std::move(files.eval), index,
      std::vector<IndexedShard>(middle, index->shards().end()),
      /*lanes=*/0, cache_bytes - train_bytes, &store);
  DatasetConfig config =
      Describe(request, schema, window, lanes, *train, *eval);
  PODSIM_RETURN_IF_ERROR(
      CheckRoom(*train, *eval, request.in_order ? 0 : window, cache_bytes));
  index->Forget();
  return std::make_shared<ShardDataset>(std::move(config), std::move(schema),
                                        std::move(format), std::move(train),
                                        std::move(eval), std::move(notes));
}

}  // namespace podsim
