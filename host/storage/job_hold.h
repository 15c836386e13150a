// A model_dir that is one job's: by a lock where it is a directory, by a lease
// where it lies on a store of objects.
//
//   PODSIM_ASSIGN_OR_RETURN(auto hold, JobHold::Acquire(store, model_dir));
//   ... start a process and tell it hold->key() ...
//   PODSIM_ASSIGN_OR_RETURN(auto joined, JobHold::Join(store, model_dir, key));
#ifndef PODSIM_HOST_STORAGE_JOB_HOLD_H_
#define PODSIM_HOST_STORAGE_JOB_HOLD_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/storage.h"

namespace podsim {

// What a process needs to join a holding: one of the two.
struct HoldKey {
  int lock_fd = -1;   // descriptor of a DirectoryLock, to be inherited
  std::string lease;  // id of an ObjectLease
};

// Thread-safe.
class JobHold {
 public:
  virtual ~JobHold() = default;  // frees it, if it was acquired and not joined

  // `store` is borrowed. Errors: those of DirectoryLock::Acquire and
  //   ObjectLease::Acquire.
  static absl::StatusOr<std::unique_ptr<JobHold>> Acquire(
      ObjectStore& store, const std::string& directory);
  // Errors: those of DirectoryLock::Inherit and ObjectLease::Join.
  static absl::StatusOr<std::unique_ptr<JobHold>> Join(
      ObjectStore& store, const std::string& directory, const HoldKey& key);

  virtual HoldKey key() const = 0;
  // A sign of life, to be given every kLockRenewal.
  // Errors: FAILED_PRECONDITION (it was taken over), the store's.
  virtual absl::Status Renew() = 0;
  // What the holder before announced and perhaps did not make.
  virtual std::string change() const = 0;
  // As ObjectLease::Announce; of a directory a sign of life, as nothing there
  // has to be finished by who comes next.
  virtual absl::Status Announce(const std::string& change) = 0;
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_JOB_HOLD_H_
