// A store that says for how long somebody has waited for it, so that who waits
// is not taken for frozen: a call has a deadline of its own (the store's budget
// for trying again), which is longer than a step should ever take.
//
//   StoreWatch watch;
//   auto store = WatchStore(NewUriStore(), &watch);
//   ... on another thread: watch.longest_wait(absl::Now())
#ifndef PODSIM_HOST_STORAGE_WATCHED_STORE_H_
#define PODSIM_HOST_STORAGE_WATCHED_STORE_H_

#include <cstdint>
#include <memory>
#include <set>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "host/storage/storage.h"

namespace podsim {

// Thread-safe.
class StoreWatch {
 public:
  void Begin(absl::Time at) PODSIM_EXCLUDES(mutex_);
  void End(absl::Time began) PODSIM_EXCLUDES(mutex_);
  // One that nobody was to be told of has come back.
  void Count() PODSIM_EXCLUDES(mutex_);
  // Of the calls that are under way, how long the oldest has taken; zero: there
  // is none.
  absl::Duration longest_wait(absl::Time now) const PODSIM_EXCLUDES(mutex_);
  // Calls that have come back, so far; those of this machine's files, too.
  std::int64_t done() const PODSIM_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::multiset<absl::Time> began_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t done_ PODSIM_GUARDED_BY(mutex_) = 0;
};

// Tells `watch` (borrowed) of calls that read and write; of those for files of
// this machine only that they have come back.
std::unique_ptr<ObjectStore> WatchStore(std::unique_ptr<ObjectStore> base,
                                        StoreWatch* watch);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_WATCHED_STORE_H_
