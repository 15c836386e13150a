// Fetches what a stream of examples will need before it does, many reads at a
// time, so that the delays of a store that is far away hide behind one another.
#ifndef PODSIM_HOST_INPUT_READ_AHEAD_H_
#define PODSIM_HOST_INPUT_READ_AHEAD_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "host/input/block_cache.h"

namespace podsim {

// Whoever reads a stream says how far it is. Thread-safe.
class ReadAhead {
 public:
  virtual ~ReadAhead() = default;
  // All examples of the stream before number `i` were read. Never blocks on a
  // store.
  virtual void Passed(std::int64_t i) = 0;
};

// What there is to read.
struct PieceSource {
  std::int64_t examples = 0;  // of the stream
  // Appends what example number i of it is read from. Called with i that never
  // falls.
  std::function<void(std::int64_t i, std::vector<Piece>& pieces)> pieces;
  // Brings it into `cache`, from many threads. What fails is left to who reads
  // it: the error is of its example then.
  std::function<void(const Piece& piece)> fetch;
  BlockCache* cache = nullptr;  // borrowed
};

// Holds in the cache what the stream has before it, up to all that fits.
class PieceReadAhead final : public ReadAhead {
 public:
  PieceReadAhead(PieceSource source, int threads);
  ~PieceReadAhead() override;  // waits for reads in flight
  void Passed(std::int64_t i) override PODSIM_EXCLUDES(mutex_);

 private:
  void Run(const std::stop_token& stop);
  std::optional<Piece> Next(const std::stop_token& stop)
      PODSIM_EXCLUDES(mutex_);
  bool Announce() PODSIM_REQUIRES(mutex_);
  void Release(const Piece& piece) PODSIM_REQUIRES(mutex_);

  const PieceSource source_;

  Mutex mutex_;
  CondVar room_;
  std::int64_t next_ PODSIM_GUARDED_BY(mutex_) = 0;  // to be announced
  std::int64_t passed_ PODSIM_GUARDED_BY(mutex_) = 0;
  // What examples [passed_, next_) need, in their order; and of each piece the
  // last of them.
  struct Need {
    std::int64_t example = 0;
    Piece piece;
  };
  std::deque<Need> needs_ PODSIM_GUARDED_BY(mutex_);
  std::map<Piece, std::int64_t> last_need_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t held_bytes_ PODSIM_GUARDED_BY(mutex_) = 0;
  std::deque<Piece> to_fetch_ PODSIM_GUARDED_BY(mutex_);
  std::vector<Piece> scratch_ PODSIM_GUARDED_BY(mutex_);

  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_READ_AHEAD_H_
