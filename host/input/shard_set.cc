#include "host/input/shard_set.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/input_memory.h"

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

std::int64_t UnpackedBytes(const std::vector<IndexedShard>& records) {
  std::int64_t bytes = 0;
  for (const IndexedShard& of : records) bytes += of.end;
  return bytes;
}

std::int64_t SpansOf(const std::vector<IndexedShard>& records) {
  std::int64_t spans = 0;
  for (const IndexedShard& of : records)
    spans += static_cast<std::int64_t>(of.spans.points.size());
  return spans;
}

ReaderParts PartsOf(const std::vector<IndexedShard>& records,
                    std::int64_t lanes, std::int64_t bytes) {
  return AnyPacked(records) ? PartsOfPacked(bytes, lanes, SpansOf(records))
                            : PartsOfPlain(bytes, lanes);
}

// Not kept: what is open and on its way. Of plain files nothing, where they are
// of this machine or all that there is.
std::int64_t ReadingBytes(const std::vector<IndexedShard>& records,
                          const ReaderParts& parts, bool far,
                          std::int64_t bytes) {
  if (AnyPacked(records)) return parts.open_bytes + parts.arriving_bytes;
  return far && UnpackedBytes(records) > bytes ? parts.arriving_bytes : 0;
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
      parts_(PartsOf(records_, lanes, cache_bytes)),
      cache_(std::max<std::int64_t>(
          0, cache_bytes - ReadingBytes(records_, parts_, far_, cache_bytes))),
      fits_(UnpackedBytes(records_) <= cache_.capacity()),
      open_(static_cast<std::size_t>(parts_.open_spans)) {
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

OpenSpans::Name ShardSet::SpanOf(const Piece& piece) const {
  const auto shard = static_cast<std::size_t>(piece.file);
  return {.file = shard, .span = records_[shard].spans.At(piece.begin)};
}

PackedSpan ShardSet::SpanAt(std::size_t shard, std::int64_t offset) const {
  const PackedSpans& spans = records_[shard].spans;
  return spans.Span(spans.At(offset), files_[shard].bytes);
}

// The one that has the byte at `offset`: of a packed file the span, and unless
// all of it is kept, what a window has of that, as one block: no other window
// needs any of it, and it is unpacked at once, so that a span is open in its
// middle only where a window ends there.
ShardSet::Part ShardSet::PartOf(const Place& place, std::int64_t offset,
                                const ReadContext& context) const {
  Part part = {.file = static_cast<std::int64_t>(place.shard),
               .end = records_[place.shard].end,
               .block = parts_.block_bytes};
  if (!IsPacked(place.shard)) return part;
  const PackedSpan span = SpanAt(place.shard, offset);
  part.begin = span.begin;
  part.end = span.end;
  if (context.in_order || context.window.empty() || fits_) return part;
  const Place last = PlaceOf(context.window.end - 1);
  part.begin = std::max(part.begin, PlaceOf(context.window.first).offset);
  part.end = std::min(part.end, last.offset + last.length);
  part.block = part.end - part.begin;
  return part;
}

// The one that has the byte at `offset`.
Piece ShardSet::BlockAt(const Part& part, std::int64_t offset) const {
  const std::int64_t begin =
      part.begin + (offset - part.begin) / part.block * part.block;
  return {.file = part.file,
          .begin = begin,
          .length = std::min(part.block, part.end - begin)};
}

void ShardSet::AppendPieces(std::int64_t index, const ReadContext& context,
                            std::vector<Piece>& pieces) const {
  const Place place = PlaceOf(index);
  if (!InBlocks(place.shard, context.in_order)) {
    pieces.push_back({.file = static_cast<std::int64_t>(place.shard),
                      .begin = place.offset,
                      .length = place.length});
    return;
  }
  const std::int64_t end = place.offset + place.length;
  for (std::int64_t at = place.offset; at < end;) {
    pieces.push_back(BlockAt(PartOf(place, at, context), at));
    at = pieces.back().begin + pieces.back().length;
  }
}

void ShardSet::Fetch(const Piece& piece) const {
  const auto shard = static_cast<std::size_t>(piece.file);
  if (!IsPacked(shard)) {
    Get(piece, nullptr).IgnoreError();
    return;
  }
  const std::shared_ptr<OpenSpans::Reader> reader = open_.Use(SpanOf(piece));
  const PackedSpan span = SpanAt(shard, piece.begin);
  std::optional<Piece> next = piece;
  // Twice: another may have come while this thread found that there is no more.
  for (int round = 0; round < 2 && next.has_value(); ++round) {
    if (reader->ahead.exchange(true)) return;
    bool good = true;
    while (good && next.has_value()) {
      good = Unpack(*next, 0, nullptr).ok();
      next = cache_.NextHeld(piece.file, next->begin + next->length, span.end);
    }
    reader->ahead = false;
    if (!good) return;
    next = cache_.NextHeld(piece.file, span.begin, span.end);
  }
}

absl::Status ShardSet::Read(std::int64_t index, const ReadContext& context,
                            ShardRecord& record) const {
  const Place place = PlaceOf(index);
  record.offset = place.offset;
  record.file = &files_[place.shard].path;
  record.bytes.clear();
  PODSIM_RETURN_IF_ERROR(InBlocks(place.shard, context.in_order)
                             ? ReadBlocks(place, context, record.bytes)
                             : ReadAlone(place, context.times, record.bytes));
  if (static_cast<std::int64_t>(record.bytes.size()) == place.length)
    return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      *record.file, ": offset ", record.offset, ": ", record.bytes.size(),
      " bytes where a record had ", place.length,
      " when the file was indexed: it has been changed since; start again"));
}

absl::Status ShardSet::ReadBlocks(const Place& place,
                                  const ReadContext& context,
                                  std::string& bytes) const {
  const std::int64_t end = place.offset + place.length;
  for (std::int64_t at = place.offset; at < end;) {
    const Piece piece = BlockAt(PartOf(place, at, context), at);
    const std::int64_t before = context.in_order ? parts_.arriving_bytes : 0;
    PODSIM_ASSIGN_OR_RETURN(const BlockCache::Block block,
                            IsPacked(place.shard)
                                ? Unpack(piece, before, context.times)
                                : Get(piece, context.times));
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

// Unpacks its span up to the block, and keeps what lies there if all is kept,
// it is held, or other threads may be at it: the last `before` bytes, of what
// is read in order. What lies further before is another host's.
absl::StatusOr<BlockCache::Block> ShardSet::Unpack(const Piece& piece,
                                                   std::int64_t before,
                                                   InputTimes* times) const {
  if (BlockCache::Block kept = cache_.Find(piece); kept != nullptr) return kept;
  const TimedInput timed(times, InputPart::kDecode);
  const auto shard = static_cast<std::size_t>(piece.file);
  const std::shared_ptr<OpenSpans::Reader> reader = open_.Use(SpanOf(piece));
  MutexLock lock(reader->mutex);
  // Another thread may have made it meanwhile.
  if (BlockCache::Block kept = cache_.Find(piece); kept != nullptr) return kept;
  if (reader->span == nullptr || reader->span->offset() > piece.begin)
    reader->span =
        std::make_unique<SpanReader>(files_[shard], SpanAt(shard, piece.begin),
                                     *store_, parts_.stream_bytes);
  for (;;) {
    const std::int64_t begin = reader->span->offset();
    const std::int64_t left = piece.begin - begin;
    const std::int64_t odd = left % parts_.block_bytes;
    const Piece block = {.file = piece.file,
                         .begin = begin,
                         .length = left == 0  ? piece.length
                                   : odd == 0 ? parts_.block_bytes
                                              : odd};
    absl::StatusOr<std::string> bytes = reader->span->Next(block.length);
    if (!bytes.ok()) {
      open_.Close(reader);
      reader->span = nullptr;
      return bytes.status();
    }
    auto made = std::make_shared<const std::string>(*std::move(bytes));
    if (left == 0 || fits_ || cache_.IsHeld(block) ||
        (odd == 0 && left <= before))
      cache_.Insert(block, made);
    // Who begins the span now finds what is kept of it.
    if (reader->span->ended()) {
      open_.Close(reader);
      reader->span = nullptr;
    }
    if (left == 0) return made;
  }
}

absl::StatusOr<std::int64_t> ShardSet::LineOf(const ShardRecord& record) const {
  constexpr std::int64_t kAtOnce = std::int64_t{1} << 20;
  const auto file = std::find_if(
      files_.begin(), files_.end(),
      [&](const ShardFile& of) { return &of.path == record.file; });
  PODSIM_CHECK(file != files_.end());
  const auto shard = static_cast<std::size_t>(file - files_.begin());
  const auto source = OpenSource(*file, records_[shard].packing, *store_);
  std::int64_t line = 1;
  while (source->offset() < record.offset) {
    const std::int64_t wanted =
        std::min(kAtOnce, record.offset - source->offset());
    PODSIM_ASSIGN_OR_RETURN(const std::string_view bytes,
                            source->Peek(static_cast<std::size_t>(wanted)));
    if (bytes.empty()) break;
    const auto count = static_cast<std::ptrdiff_t>(
        std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(wanted)));
    line += std::count(bytes.begin(), bytes.begin() + count, '\n');
    PODSIM_RETURN_IF_ERROR(source->Skip(count));
  }
  return line;
}

}  // namespace podsim
