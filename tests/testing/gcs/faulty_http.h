// A line to a store on which things go wrong, by a seed: what a busy store
// answers, what networks lose, and what comes damaged.
#ifndef PODSIM_TESTS_TESTING_GCS_FAULTY_HTTP_H_
#define PODSIM_TESTS_TESTING_GCS_FAULTY_HTTP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "host/storage/http/http.h"

namespace podsim::testing {

class FaultyHttp final : public Http {
 public:
  struct Options {
    std::uint64_t seed = 0;
    // Of a thousand exchanges, how many go wrong.
    int per_mille = 200;
    // Called before exchanges, now and then: others at work in the bucket.
    std::function<void(std::uint64_t random)> others;
  };
  // A stall moves `clock` on. All but `base` are borrowed.
  FaultyHttp(Options options, SimClock* clock, std::unique_ptr<Http> base);

  absl::StatusOr<HttpResponse> Send(const HttpRequest& request) override;

  // From now on nothing goes wrong.
  void Heal();
  // How often each fault was played.
  std::map<std::string, int> played() const;

 private:
  enum class Fault {
    kNone,
    kBusy,         // 503 before anything is done
    kTooMany,      // 429 with Retry-After
    kInternal,     // 500
    kLostRequest,  // reset on the way there
    kLostAnswer,   // done, but the answer is reset
    kStall,        // done, the answer stands still
    kCut,          // the answer ends early
    kFlippedBit,   // in the bytes of a whole object
    kNoJson,       // another answer is garbage
    kExpired,      // 401, as of a token that has ended
    kHalfAPiece,   // the store has a part of an upload's piece, then a reset
  };
  std::uint64_t Draw() PODSIM_REQUIRES(mutex_);
  Fault Choose(const HttpRequest& request) PODSIM_REQUIRES(mutex_);
  absl::StatusOr<HttpResponse> Play(Fault fault, std::uint64_t random,
                                    const HttpRequest& request);

  const Options options_;
  SimClock* const clock_;
  const std::unique_ptr<Http> base_;
  mutable Mutex mutex_;
  std::uint64_t drawn_ PODSIM_GUARDED_BY(mutex_) = 0;
  bool healed_ PODSIM_GUARDED_BY(mutex_) = false;
  std::map<std::string, int> played_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_GCS_FAULTY_HTTP_H_
