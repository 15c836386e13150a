// Keeps a prefix of a store of objects to one job at a time, across machines,
// and what it changes there in order with whoever comes after it.
//
//   PODSIM_ASSIGN_OR_RETURN(auto lease, ObjectLease::Acquire(store, dir, {}));
//   ...                        // every kLockRenewal: lease->Renew()
//   lease->Announce("commit 300 1785");    // then the change itself
//   lease->Announce("");                   // it is done
//
// One object below it, .podsim-lease, says who holds it, and is only ever
// written on condition of the generation that its holder wrote last. Whoever
// takes a silent holder's place writes it too: from then on the old holder's
// next Renew or Announce fails, however long it was stopped. A change that was
// announced and perhaps not made is the new holder's to finish first, so that
// what the old one still does of it finds it done.
//
// Silence is measured by the taker's own clock: the object stays as it is for
// kLockLease. A holder of this machine whose process is gone is silent at once.
#ifndef PODSIM_HOST_STORAGE_OBJECT_LEASE_H_
#define PODSIM_HOST_STORAGE_OBJECT_LEASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "host/storage/directory_lock.h"
#include "host/storage/storage.h"
#include "host/storage/waiter.h"

namespace podsim {

inline constexpr char kLeaseName[] = ".podsim-lease";

// What the object says.
struct LeaseRecord {
  LockRecord holder;
  std::int64_t turn = 0;  // of the holder's processes, one after the other
  std::int64_t beat = 0;  // how often it was written
  std::string change;     // announced and perhaps not made; one line

  bool operator==(const LeaseRecord&) const = default;
};
std::string LeaseText(const LeaseRecord& record);
std::optional<LeaseRecord> ParseLease(std::string_view text);

// Thread-safe.
class ObjectLease {
 public:
  struct Options {
    Waiter waiter = SystemWaiter();
    // Whether the process that a record names is gone; for tests.
    bool (*is_gone)(const LockRecord& record) = &IsGoneFromHere;
    // Called before a wait that may take kLockLease, with whose it is.
    std::function<void(const std::string& holder)> on_wait = {};
  };

  // Waits while it cannot be seen whether the holder lives: up to kLockLease.
  // `store` is borrowed. REQUIRES: store.Conditional(directory).
  // Errors: FAILED_PRECONDITION (held, by whom), the store's.
  static absl::StatusOr<std::unique_ptr<ObjectLease>> Acquire(
      ObjectStore& store, const std::string& directory, const Options& options);
  // The same holding, in a process that its holder started and told its id;
  // whoever had it before, of the same id, has it no more.
  // Errors: FAILED_PRECONDITION (somebody else has it by now), the store's.
  static absl::StatusOr<std::unique_ptr<ObjectLease>> Join(
      ObjectStore& store, const std::string& directory, const std::string& id);

  const std::string& id() const { return id_; }
  // What whoever held it before had announced last; empty: nothing.
  std::string change() const;

  // A sign of life. Errors: FAILED_PRECONDITION (taken over, by whom), the
  // store's.
  absl::Status Renew();
  // The same, and what is about to be changed; empty: nothing more is.
  // Only when it gives OK may the change be made.
  absl::Status Announce(const std::string& change);
  // Frees it, if it is still this one's. Errors: the store's.
  absl::Status Release();

 private:
  ObjectLease(ObjectStore& store, std::string path, LeaseRecord record,
              std::int64_t generation);
  absl::Status Write(LeaseRecord record) PODSIM_REQUIRES(mutex_);
  // Of a write that came too late: who has it now. Errors besides: UNAVAILABLE
  // (nobody else).
  absl::Status TakenOver() PODSIM_REQUIRES(mutex_);

  ObjectStore& store_;
  const std::string path_;  // of the object
  const std::string id_;
  mutable Mutex mutex_;
  LeaseRecord record_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t generation_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_OBJECT_LEASE_H_
