#include "host/input/shard_set.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

// Large enough that a store's delay is shared by many records, and so small
// that a cache has some of them.
constexpr std::int64_t kBlockBytes = std::int64_t{8} << 20;
constexpr std::int64_t kLeastBlockBytes = std::int64_t{16} << 10;
constexpr std::int64_t kBlocks = 64;

}  // namespace

ShardSet::ShardSet(std::vector<ShardFile> files,
                   std::vector<ShardRecords> records, std::int64_t cache_bytes,
                   ObjectStore* store)
    : files_(std::move(files)),
      records_(std::move(records)),
      store_(store),
      block_bytes_(
          std::clamp(cache_bytes / kBlocks, kLeastBlockBytes, kBlockBytes)),
      fits_(unpacked_bytes() <= cache_bytes),
      cache_(cache_bytes) {
  PODSIM_CHECK(files_.size() == records_.size());
  std::int64_t end = 0;
  for (const ShardRecords& of : records_) {
    ends_.push_back(end += of.count());
    unpackers_.push_back(of.packing == Packing::kPacked
                             ? std::make_unique<Unpacker>()
                             : nullptr);
  }
}

bool ShardSet::packed() const {
  return std::any_of(records_.begin(), records_.end(), [](const auto& of) {
    return of.packing == Packing::kPacked;
  });
}

std::int64_t ShardSet::unpacked_bytes() const {
  std::int64_t bytes = 0;
  for (const ShardRecords& of : records_) bytes += of.end;
  return bytes;
}

absl::Status ShardSet::Read(std::int64_t index, bool in_order,
                            InputTimes* times, ShardRecord& record) const {
  PODSIM_CHECK(index >= 0 && index < size());
  const auto shard = static_cast<std::size_t>(
      std::upper_bound(ends_.begin(), ends_.end(), index) - ends_.begin());
  const ShardRecords& of = records_[shard];
  const std::int64_t at = index - (ends_[shard] - of.count());
  record.offset = of.offsets[static_cast<std::size_t>(at)];
  record.file = &files_[shard].path;
  const std::int64_t length = of.EndOf(at) - record.offset;
  record.bytes.clear();
  if (of.packing == Packing::kPacked || in_order || fits_) {
    PODSIM_RETURN_IF_ERROR(ReadBlocks(shard, length, times, record));
  } else {
    const TimedInput timed(times, InputPart::kRead);
    PODSIM_ASSIGN_OR_RETURN(
        record.bytes, store_->ReadRange(*record.file, record.offset, length));
  }
  if (static_cast<std::int64_t>(record.bytes.size()) == length)
    return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(*record.file, ": offset ", record.offset, ": ",
                   record.bytes.size(), " bytes where a record had ", length,
                   " when the file was indexed: it has been changed since"));
}

absl::Status ShardSet::ReadBlocks(std::size_t shard, std::int64_t length,
                                  InputTimes* times,
                                  ShardRecord& record) const {
  const std::int64_t end = record.offset + length;
  for (std::int64_t at = record.offset; at < end;) {
    const std::int64_t number = at / block_bytes_;
    PODSIM_ASSIGN_OR_RETURN(const BlockCache::Block block,
                            BlockOf(shard, number, times));
    const std::int64_t begin = number * block_bytes_;
    const std::int64_t until =
        std::min(end, begin + static_cast<std::int64_t>(block->size()));
    if (until <= at) return absl::OkStatus();  // the file ends here
    record.bytes.append(*block, static_cast<std::size_t>(at - begin),
                        static_cast<std::size_t>(until - at));
    at = until;
  }
  return absl::OkStatus();
}

absl::StatusOr<BlockCache::Block> ShardSet::BlockOf(std::size_t shard,
                                                    std::int64_t block,
                                                    InputTimes* times) const {
  const BlockCache::Key key = {static_cast<std::int64_t>(shard), block};
  if (BlockCache::Block kept = cache_.Find(key); kept != nullptr) return kept;
  if (records_[shard].packing == Packing::kPacked)
    return Unpack(shard, block, times);
  const TimedInput timed(times, InputPart::kRead);
  PODSIM_ASSIGN_OR_RETURN(
      std::string bytes, store_->ReadRange(files_[shard].path,
                                           block * block_bytes_, block_bytes_));
  auto made = std::make_shared<const std::string>(std::move(bytes));
  cache_.Insert(key, made);
  return made;
}

// Unpacks up to the block, and keeps what lies before it too: its records are
// in the same window.
absl::StatusOr<BlockCache::Block> ShardSet::Unpack(std::size_t shard,
                                                   std::int64_t block,
                                                   InputTimes* times) const {
  const TimedInput timed(times, InputPart::kDecode);
  Unpacker& unpacker = *unpackers_[shard];
  MutexLock lock(unpacker.mutex);
  const auto key = [&](std::int64_t number) {
    return BlockCache::Key(static_cast<std::int64_t>(shard), number);
  };
  // Another thread may have made it meanwhile.
  if (BlockCache::Block kept = cache_.Find(key(block)); kept != nullptr)
    return kept;
  if (unpacker.source == nullptr ||
      unpacker.source->offset() > block * block_bytes_)
    unpacker.source = OpenSource(files_[shard], Packing::kPacked, *store_);
  ByteSource& source = *unpacker.source;
  for (;;) {
    const std::int64_t number = source.offset() / block_bytes_;
    absl::StatusOr<std::string_view> bytes =
        source.Peek(static_cast<std::size_t>(block_bytes_));
    // A reader that failed cannot go on.
    if (!bytes.ok()) {
      unpacker.source = nullptr;
      return bytes.status();
    }
    auto made = std::make_shared<const std::string>(*bytes);
    PODSIM_RETURN_IF_ERROR(
        source.Skip(static_cast<std::int64_t>(made->size())));
    cache_.Insert(key(number), made);
    const bool ended = static_cast<std::int64_t>(made->size()) < block_bytes_;
    if (ended) unpacker.source = nullptr;
    if (number == block) return made;
    if (ended) return std::make_shared<const std::string>();
  }
}

}  // namespace podsim
