// Pieces of files in memory, at most so many bytes of them, the longest unused
// forgotten first.
#ifndef PODSIM_HOST_INPUT_BLOCK_CACHE_H_
#define PODSIM_HOST_INPUT_BLOCK_CACHE_H_

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"

namespace podsim {

// Bytes of a file of a set; fewer may be there where the file ends.
struct Piece {
  std::int64_t file = 0;
  std::int64_t begin = 0;
  std::int64_t length = 0;

  bool operator<(const Piece& other) const {
    return std::tie(file, begin, length) <
           std::tie(other.file, other.begin, other.length);
  }
};

// Thread-safe.
class BlockCache {
 public:
  using Block = std::shared_ptr<const std::string>;
  using Make = absl::FunctionRef<absl::StatusOr<Block>()>;

  explicit BlockCache(std::int64_t capacity) : capacity_(capacity) {}

  // Null: it is not there.
  Block Find(const Piece& piece) PODSIM_EXCLUDES(mutex_);
  // The piece, or else what `make` makes of it, on this thread. Who asks for a
  // piece that another thread makes waits for that; where it fails, the next
  // one tries, so that each sees an error of its own.
  absl::StatusOr<Block> Get(const Piece& piece, Make make)
      PODSIM_EXCLUDES(mutex_);
  // Keeps it, if there is room beside what is held. What is there under that
  // name stays.
  void Insert(const Piece& piece, Block block) PODSIM_EXCLUDES(mutex_);

  // From now on, or from when it is there, the piece is not forgotten, until it
  // was released as often as it was held.
  void Hold(const Piece& piece) PODSIM_EXCLUDES(mutex_);
  void Release(const Piece& piece) PODSIM_EXCLUDES(mutex_);
  bool IsHeld(const Piece& piece) const PODSIM_EXCLUDES(mutex_);
  // The first that is held, is not there and begins in [begin, end) of a file.
  std::optional<Piece> NextHeld(std::int64_t file, std::int64_t begin,
                                std::int64_t end) const PODSIM_EXCLUDES(mutex_);

  std::int64_t bytes() const PODSIM_EXCLUDES(mutex_);
  std::int64_t capacity() const { return capacity_; }

 private:
  struct Entry {
    Block block;
    std::list<Piece>::iterator use;  // of one that is not held
  };

  Block FindLocked(const Piece& piece) PODSIM_REQUIRES(mutex_);
  void InsertLocked(const Piece& piece, Block block) PODSIM_REQUIRES(mutex_);
  bool MakeRoom(std::int64_t size) PODSIM_REQUIRES(mutex_);

  const std::int64_t capacity_;
  mutable Mutex mutex_;
  CondVar made_;
  // Of those that are not held, newest first.
  std::list<Piece> uses_ PODSIM_GUARDED_BY(mutex_);
  std::map<Piece, Entry> blocks_ PODSIM_GUARDED_BY(mutex_);
  std::map<Piece, std::int64_t> held_ PODSIM_GUARDED_BY(mutex_);  // how often
  std::set<Piece> making_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t bytes_ PODSIM_GUARDED_BY(mutex_) = 0;
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_BLOCK_CACHE_H_
