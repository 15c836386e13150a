#include "host/storage/job_hold.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "host/storage/directory_lock.h"
#include "host/storage/object_lease.h"

namespace podsim {
namespace {

void Waiting(const std::string& directory, const std::string& holder) {
  Log(LogLevel::kInfo,
      absl::StrCat(directory, " was last held by ", holder,
                   "; looking for at most ", absl::FormatDuration(kLockLease),
                   " whether it still is"));
}

class DirectoryHold final : public JobHold {
 public:
  explicit DirectoryHold(DirectoryLock lock) : lock_(std::move(lock)) {}

  HoldKey key() const override { return {.lock_fd = lock_.fd()}; }
  absl::Status Renew() override { return lock_.Renew(); }
  std::string change() const override { return ""; }
  absl::Status Announce(const std::string&) override { return lock_.Renew(); }

 private:
  DirectoryLock lock_;
};

class ObjectHold final : public JobHold {
 public:
  ObjectHold(std::unique_ptr<ObjectLease> lease, bool owner)
      : lease_(std::move(lease)), owner_(owner) {}
  // Who comes next waits for it if this fails.
  ~ObjectHold() override {
    if (owner_) static_cast<void>(lease_->Release());
  }

  HoldKey key() const override { return {.lease = lease_->id()}; }
  absl::Status Renew() override { return lease_->Renew(); }
  std::string change() const override { return lease_->change(); }
  absl::Status Announce(const std::string& change) override {
    return lease_->Announce(change);
  }

 private:
  const std::unique_ptr<ObjectLease> lease_;
  const bool owner_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<JobHold>> JobHold::Acquire(
    ObjectStore& store, const std::string& directory) {
  if (store.Conditional(directory) != nullptr) {
    PODSIM_ASSIGN_OR_RETURN(
        auto lease,
        ObjectLease::Acquire(store, directory,
                             {.on_wait = [&](const std::string& holder) {
                               Waiting(directory, holder);
                             }}));
    return std::make_unique<ObjectHold>(std::move(lease), /*owner=*/true);
  }
  PODSIM_ASSIGN_OR_RETURN(DirectoryLock lock,
                          DirectoryLock::Acquire(directory));
  return std::make_unique<DirectoryHold>(std::move(lock));
}

absl::StatusOr<std::unique_ptr<JobHold>> JobHold::Join(
    ObjectStore& store, const std::string& directory, const HoldKey& key) {
  if (store.Conditional(directory) != nullptr) {
    PODSIM_ASSIGN_OR_RETURN(auto lease,
                            ObjectLease::Join(store, directory, key.lease));
    return std::make_unique<ObjectHold>(std::move(lease), /*owner=*/false);
  }
  PODSIM_ASSIGN_OR_RETURN(DirectoryLock lock,
                          DirectoryLock::Inherit(directory, key.lock_fd));
  return std::make_unique<DirectoryHold>(std::move(lock));
}

}  // namespace podsim
