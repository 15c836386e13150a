// The shards of a split, record by record, in whatever order.
//
// A record of a plain file is one ranged read, or comes from blocks of its file
// that are kept: where its neighbours are read too (in order, within a window),
// or all files of the split fit in memory. Packed files are unpacked from the
// restart points of the index, span by span, and kept in blocks as well.
#ifndef PODSIM_HOST_INPUT_SHARD_SET_H_
#define PODSIM_HOST_INPUT_SHARD_SET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "host/input/block_cache.h"
#include "host/input/dataset.h"
#include "host/input/input_memory.h"
#include "host/input/open_spans.h"
#include "host/input/shard_format.h"
#include "host/input/shard_index.h"

namespace podsim {

// A record, to be checked and parsed.
struct ShardRecord {
  std::string bytes;
  std::int64_t offset = 0;            // in its unpacked file
  const std::string* file = nullptr;  // its path, for messages
};

// Thread-safe.
class ShardSet {
 public:
  // `store` is borrowed and must outlive the set. What it keeps and is at in
  // packed files takes at most `cache_bytes`, or as much as reads need that are
  // under way, if that is more (then kept_bytes() is 0); of plain files each
  // thread that reads has one block more.
  // `lanes` (epoch_order.h) that are read here: neighbours are always read too,
  // in so many places side by side; 0: records in any order.
  // `records`, of `index`, are those of `files`.
  ShardSet(std::vector<ShardFile> files,
           std::shared_ptr<const ShardIndex> index,
           std::vector<IndexedShard> records, std::int64_t lanes,
           std::int64_t cache_bytes, ObjectStore* store);

  std::int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  const std::vector<ShardFile>& files() const { return files_; }
  const std::vector<IndexedShard>& records() const { return records_; }
  const std::vector<std::int64_t>& ends() const { return ends_; }
  bool index_kept() const { return index_->kept(); }
  // Whether any file is.
  bool packed() const { return packed_; }
  std::int64_t unpacked_bytes() const;
  const ReaderParts& parts() const { return parts_; }
  // At most, of files.
  std::int64_t kept_bytes() const { return cache_.capacity(); }

  // Reads take so long that they should be ahead of who needs them.
  bool read_ahead() const { return far_; }
  // Appends what Read reads it from. REQUIRES: likewise; read_ahead().
  void AppendPieces(std::int64_t index, const ReadContext& context,
                    std::vector<Piece>& pieces) const;
  // Brings it into memory, unless it is there, or another thread fetches of the
  // same span, which then comes to it if it is held. What fails is left to
  // Read.
  void Fetch(const Piece& piece) const;
  // Its capacity may be held, and as many reads of a block as kGcsReadsInFlight
  // be on their way to it.
  BlockCache& cache() const { return cache_; }

  // The line of its file, from 1, that a record of text begins in: reads the
  // file up to there, for messages. Errors: those of Read.
  absl::StatusOr<std::int64_t> LineOf(const ShardRecord& record) const;

  // Example `index`, counted through all files. REQUIRES: it is below size().
  // Errors: the store's; DATA_LOSS (a file that is shorter than when it was
  //   indexed, packed bytes that are damaged).
  absl::Status Read(std::int64_t index, const ReadContext& context,
                    ShardRecord& record) const;

 private:
  // Where an example lies.
  struct Place {
    std::size_t shard = 0;
    std::int64_t offset = 0;
    std::int64_t length = 0;
  };

  // Of a file, which is cut into blocks from its begin.
  struct Part {
    std::int64_t file = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t block = 0;  // bytes
  };

  Place PlaceOf(std::int64_t index) const;
  bool IsPacked(std::size_t shard) const {
    return records_[shard].packing == Packing::kPacked;
  }
  OpenSpans::Name SpanOf(const Piece& piece) const;
  PackedSpan SpanAt(std::size_t shard, std::int64_t offset) const;
  bool InBlocks(std::size_t shard, bool in_order) const;
  Part PartOf(const Place& place, std::int64_t offset,
              const ReadContext& context) const;
  Piece BlockAt(const Part& part, std::int64_t offset) const;
  absl::StatusOr<BlockCache::Block> Get(const Piece& piece,
                                        InputTimes* times) const;
  absl::StatusOr<BlockCache::Block> Unpack(const Piece& piece,
                                           std::int64_t before,
                                           InputTimes* times) const;
  absl::Status ReadBlocks(const Place& place, const ReadContext& context,
                          std::string& bytes) const;
  absl::Status ReadAlone(const Place& place, InputTimes* times,
                         std::string& bytes) const;

  const std::vector<ShardFile> files_;
  const std::shared_ptr<const ShardIndex> index_;  // has what records_ views
  const std::vector<IndexedShard> records_;
  std::vector<std::int64_t> ends_;
  ObjectStore* const store_;
  const bool packed_;
  const std::int64_t lanes_;
  const bool far_;  // whether any file is no file of this machine
  const ReaderParts parts_;
  mutable BlockCache cache_;
  const bool fits_;  // all of it in the cache
  mutable OpenSpans open_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SHARD_SET_H_
