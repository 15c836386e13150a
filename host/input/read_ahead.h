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

// What an example is read from; and what comes into memory before that, as it
// lies before it in a packed file, and will be read soon.
struct ExamplePieces {
  std::vector<Piece> own;
  std::vector<Piece> before;
};

// What there is to read.
struct PieceSource {
  std::int64_t examples = 0;  // of the stream
  // Appends those of example number i of it. Called with i that never falls.
  std::function<void(std::int64_t i, ExamplePieces& pieces)> pieces;
  // Soon: among so many examples.
  std::int64_t window = 0;
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
  struct Need {
    std::int64_t example = 0;
    Piece piece;
  };
  struct Held {
    std::int64_t last = 0;  // example
    bool own = false;       // an example is read from it
  };

  void Run(const std::stop_token& stop);
  std::optional<Piece> Next(const std::stop_token& stop)
      PODSIM_EXCLUDES(mutex_);
  bool Announce() PODSIM_REQUIRES(mutex_);
  std::int64_t NewBytes(const std::vector<Piece>& pieces) const
      PODSIM_REQUIRES(mutex_);
  void AnnounceOwn() PODSIM_REQUIRES(mutex_);
  void AnnounceBefore() PODSIM_REQUIRES(mutex_);
  void Forget(std::deque<Need>& needs, std::int64_t passed)
      PODSIM_REQUIRES(mutex_);

  const PieceSource source_;

  Mutex mutex_;
  CondVar room_;
  std::int64_t next_ PODSIM_GUARDED_BY(mutex_) = 0;  // to be announced
  std::int64_t passed_ PODSIM_GUARDED_BY(mutex_) = 0;
  // What examples [passed_, next_) need, in their order; likewise what lies
  // before it, with the number by which it must have been needed itself; and of
  // each piece that is held the last of these.
  std::deque<Need> needs_ PODSIM_GUARDED_BY(mutex_);
  std::deque<Need> before_ PODSIM_GUARDED_BY(mutex_);
  std::map<Piece, Held> held_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t held_bytes_ PODSIM_GUARDED_BY(mutex_) = 0;
  std::deque<Piece> to_fetch_ PODSIM_GUARDED_BY(mutex_);
  ExamplePieces scratch_ PODSIM_GUARDED_BY(mutex_);

  std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_READ_AHEAD_H_
