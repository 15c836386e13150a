// Puts a distance between this process and some of its paths: what is read and
// written there takes the round trips and the bandwidth of a store that is far
// away, wall. The bytes are those of the store beneath.
//
//   auto store = NewDistantStore(NewUriStore(), {{"gs://b", link}});
//   store->Read("gs://b/x");    // not before link says that it has arrived
#ifndef PODSIM_HOST_STORAGE_DISTANT_STORE_H_
#define PODSIM_HOST_STORAGE_DISTANT_STORE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "host/storage/storage.h"
#include "host/storage/waiter.h"

namespace podsim {

// Of this process to one place, either direction.
struct StoreDistance {
  double round_trip_seconds = 0;  // from a request to the first of its bytes
  // A round trip takes that much less to that much more, drawn evenly; at most
  // the round trip itself counts.
  double jitter_seconds = 0;
  double bytes_per_second = 0;  // of all that is under way together; above 0
};

struct DistantPlace {
  std::string prefix;  // "gs://bucket", "/data/x": that, and all below it
  StoreDistance distance;
};

// One direction of a line: carries one answer's bytes after another, first
// come, first served. Thread-safe.
class StoreLine {
 public:
  explicit StoreLine(double bytes_per_second)
      : bytes_per_second_(bytes_per_second) {}
  // When the last of `bytes` has passed, the first of which could do so at
  // `ready`. Does not wait.
  absl::Time Carry(absl::Time ready, std::int64_t bytes);

 private:
  const double bytes_per_second_;
  Mutex mutex_;
  absl::Time free_ PODSIM_GUARDED_BY(mutex_) = absl::InfinitePast();
};

// A call takes a round trip, and its bytes their turn on the line; where the
// store beneath takes longer, that is how long it takes. Of two places with one
// path in both, the first counts. `seed` draws the jitter. Thread-safe; a call
// blocks for as long as it takes. Errors: the store's.
std::unique_ptr<ObjectStore> NewDistantStore(
    std::unique_ptr<ObjectStore> base, const std::vector<DistantPlace>& places,
    Waiter waiter = SystemWaiter(), std::uint64_t seed = 1);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_DISTANT_STORE_H_
