#include "host/input/shard_set.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/input_memory.h"
#include "host/storage/gcs/reading.h"

namespace podsim {
namespace {

bool AnyFar(const std::vector<ShardFile>& files, const ObjectStore& store) {
  return std::any_of(files.begin(), files.end(), [&](const ShardFile& file) {
    return !store.CanMap(file.path);
  });
}

bool AnyPacked(const std::vector<IndexedShard>& records) {
  return std::any_of(records.begin(), records.end(), [](const auto& of) {
    return of.packing == Packing::kPacked;
  });
}

// Of each lane's part of the window, that a reader is in the middle of: fewer
// would be begun again and again.
constexpr std::int64_t kLeastOpenOfLane = 2;
constexpr std::int64_t kMostOpenOfLane = 3;
// Of such a reader, beside the packed bytes: what zlib has.
constexpr std::int64_t kOpenSpanBytes = std::int64_t{48} << 10;

std::int64_t UnpackedBytes(const std::vector<IndexedShard>& records) {
  std::int64_t bytes = 0;
  for (const IndexedShard& of : records) bytes += of.end;
  return bytes;
}

// What is kept, less what is being read, unless that is all that there is.
std::int64_t Capacity(std::int64_t cache_bytes, std::int64_t all_bytes,
                      bool packed, bool far, std::int64_t block_bytes) {
  std::int64_t reading = packed ? cache_bytes / 4 : 0;  // the open spans
  if (far && (packed || all_bytes > cache_bytes))
    reading += std::min(block_bytes * kGcsReadsInFlight, cache_bytes / 4);
  return cache_bytes - reading;
}

std::size_t MostOpen(std::int64_t cache_bytes, std::int64_t lanes,
                     std::int64_t stream_bytes) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(
      cache_bytes / 4 / (stream_bytes + kOpenSpanBytes),
      kLeastOpenOfLane * lanes, kMostOpenOfLane * lanes));
}

}  // namespace

ShardSet::ShardSet(std::vector<ShardFile> files,
                   std::shared_ptr<const ShardIndex> index,
                   std::vector<IndexedShard> records, std::int64_t lanes,
                   std::int64_t cache_bytes, ObjectStore* store)
    : files_(std::move(files)),
      index_(std::move(index)),
      records_(std::move(records)),
      store_(store),
      packed_(AnyPacked(records_)),
      lanes_(lanes),
      far_(AnyFar(files_, *store)),
      block_bytes_(lanes > 0 ? LaneBlockBytes(cache_bytes, lanes)
                             : ReaderBlockBytes(cache_bytes)),
      stream_bytes_(
          LaneStreamBytes(cache_bytes, std::max<std::int64_t>(lanes, 1))),
      window_bytes_(cache_bytes / 2 / std::max<std::int64_t>(lanes, 1)),
      cache_(Capacity(cache_bytes, UnpackedBytes(records_), packed_, far_,
                      block_bytes_)),
      fits_(UnpackedBytes(records_) <= cache_.capacity()),
      open_(MostOpen(cache_bytes, std::max<std::int64_t>(lanes, 1),
                     stream_bytes_)) {
  PODSIM_CHECK(files_.size() == records_.size());
  std::int64_t end = 0;
  for (const IndexedShard& of : records_) ends_.push_back(end += of.count());
}

std::int64_t ShardSet::unpacked_bytes() const {
  return UnpackedBytes(records_);
}

ShardSet::Place ShardSet::PlaceOf(std::int64_t index) const {
  PODSIM_CHECK(index >= 0 && index < size());
  const auto shard = static_cast<std::size_t>(
      std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  const IndexedShard& of = records_[shard];
  const std::int64_t at = index - (ends_[shard] - of.count());
  const std::int64_t offset = of.offsets[static_cast<std::size_t>(at)];
  return {.shard = shard, .offset = offset, .length = of.EndOf(at) - offset};
}

bool ShardSet::InBlocks(std::size_t shard, bool in_order) const {
  return in_order || lanes_ > 0 || fits_ || IsPacked(shard);
}

PackedSpan ShardSet::SpanAt(std::size_t shard, std::int64_t offset) const {
  const PackedSpans& spans = records_[shard].spans;
  return spans.Span(spans.At(offset), files_[shard].bytes);
}

// The block that has the byte at `offset`; of a packed file, of the same span.
Piece ShardSet::BlockAt(std::size_t shard, std::int64_t offset) const {
  std::int64_t first = 0;
  std::int64_t end = records_[shard].end;
  if (IsPacked(shard)) {
    const PackedSpan span = SpanAt(shard, offset);
    first = span.begin;
    end = span.end;
  }
  const std::int64_t begin =
      first + (offset - first) / block_bytes_ * block_bytes_;
  return {.file = static_cast<std::int64_t>(shard),
          .begin = begin,
          .length = std::min(block_bytes_, end - begin)};
}

void ShardSet::AppendPieces(std::int64_t index, bool in_order,
                            std::vector<Piece>& pieces) const {
  const Place place = PlaceOf(index);
  if (!InBlocks(place.shard, in_order)) {
    pieces.push_back({.file = static_cast<std::int64_t>(place.shard),
                      .begin = place.offset,
                      .length = place.length});
    return;
  }
  for (std::int64_t at = place.offset; at < place.offset + place.length;) {
    pieces.push_back(BlockAt(place.shard, at));
    at = pieces.back().begin + pieces.back().length;
  }
}

absl::Status ShardSet::Fetch(const Piece& piece) const {
  return IsPacked(static_cast<std::size_t>(piece.file))
             ? Unpack(piece, nullptr).status()
             : Get(piece, nullptr).status();
}

absl::Status ShardSet::Read(std::int64_t index, bool in_order,
                            InputTimes* times, ShardRecord& record) const {
  const Place place = PlaceOf(index);
  record.offset = place.offset;
  record.file = &files_[place.shard].path;
  record.bytes.clear();
  PODSIM_RETURN_IF_ERROR(InBlocks(place.shard, in_order)
                             ? ReadBlocks(place, times, record.bytes)
                             : ReadAlone(place, times, record.bytes));
  if (static_cast<std::int64_t>(record.bytes.size()) == place.length)
    return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      *record.file, ": offset ", record.offset, ": ", record.bytes.size(),
      " bytes where a record had ", place.length,
      " when the file was indexed: it has been changed since"));
}

absl::Status ShardSet::ReadBlocks(const Place& place, InputTimes* times,
                                  std::string& bytes) const {
  const std::int64_t end = place.offset + place.length;
  for (std::int64_t at = place.offset; at < end;) {
    const Piece piece = BlockAt(place.shard, at);
    PODSIM_ASSIGN_OR_RETURN(
        const BlockCache::Block block,
        IsPacked(place.shard) ? Unpack(piece, times) : Get(piece, times));
    const std::int64_t until =
        std::min(end, piece.begin + static_cast<std::int64_t>(block->size()));
    if (until <= at) return absl::OkStatus();  // the file ends here
    bytes.append(*block, static_cast<std::size_t>(at - piece.begin),
                 static_cast<std::size_t>(until - at));
    at = until;
  }
  return absl::OkStatus();
}

// Of a store that is far it may have been fetched ahead.
absl::Status ShardSet::ReadAlone(const Place& place, InputTimes* times,
                                 std::string& bytes) const {
  if (!far_) {
    const TimedInput timed(times, InputPart::kRead);
    PODSIM_ASSIGN_OR_RETURN(
        bytes, store_->ReadRange(files_[place.shard].path, place.offset,
                                 place.length));
    return absl::OkStatus();
  }
  PODSIM_ASSIGN_OR_RETURN(const BlockCache::Block block,
                          Get({.file = static_cast<std::int64_t>(place.shard),
                               .begin = place.offset,
                               .length = place.length},
                              times));
  bytes = *block;
  return absl::OkStatus();
}

// Of a plain file. The time is that of its read, or of the wait for it.
absl::StatusOr<BlockCache::Block> ShardSet::Get(const Piece& piece,
                                                InputTimes* times) const {
  const TimedInput timed(times, InputPart::kRead);
  return cache_.Get(piece, [&]() -> absl::StatusOr<BlockCache::Block> {
    PODSIM_ASSIGN_OR_RETURN(
        std::string bytes,
        store_->ReadRange(files_[static_cast<std::size_t>(piece.file)].path,
                          piece.begin, piece.length));
    return std::make_shared<const std::string>(std::move(bytes));
  });
}

// Unpacks its span up to the block, and keeps what lies before it in the lane's
// part of a window, or is held. What lies further before is another host's.
absl::StatusOr<BlockCache::Block> ShardSet::Unpack(const Piece& piece,
                                                   InputTimes* times) const {
  if (BlockCache::Block kept = cache_.Find(piece); kept != nullptr) return kept;
  const TimedInput timed(times, InputPart::kDecode);
  const auto shard = static_cast<std::size_t>(piece.file);
  const OpenSpans::Name name = {shard, records_[shard].spans.At(piece.begin)};
  const std::shared_ptr<OpenSpans::Reader> reader = open_.Use(name);
  MutexLock lock(reader->mutex);
  // Another thread may have made it meanwhile.
  if (BlockCache::Block kept = cache_.Find(piece); kept != nullptr) return kept;
  if (reader->span == nullptr || reader->span->offset() > piece.begin)
    reader->span = std::make_unique<SpanReader>(
        files_[shard], SpanAt(shard, piece.begin), *store_, stream_bytes_);
  for (;;) {
    const std::int64_t begin = reader->span->offset();
    absl::StatusOr<std::string> bytes = reader->span->Next(block_bytes_);
    if (!bytes.ok() || reader->span->ended()) {
      open_.Close(reader);
      reader->span = nullptr;
    }
    PODSIM_RETURN_IF_ERROR(bytes.status());
    auto made = std::make_shared<const std::string>(*std::move(bytes));
    const Piece block = BlockAt(shard, begin);
    if (fits_ || piece.begin - begin <= window_bytes_ || cache_.IsHeld(block))
      cache_.Insert(block, made);
    if (begin == piece.begin) return made;
  }
}

}  // namespace podsim
