// Keeps a directory to one job at a time, wherever its processes run: on this
// machine, in containers of it, on machines that share the directory.
//
//   PODSIM_ASSIGN_OR_RETURN(DirectoryLock lock, DirectoryLock::Acquire(dir));
//   ...                                  // now and then: lock.Renew()
//
// A file in it, .podsim-lock, says who holds it. Of processes of one machine
// the kernel knows which live: they hold a lock (flock) on the file, and a dead
// one's is free at once. A holder on another machine, which nobody can probe,
// renews the file's time; one that has not for kLockLease counts as dead. Times
// are the file system's own, so that clocks need not agree.
#ifndef PODSIM_HOST_STORAGE_DIRECTORY_LOCK_H_
#define PODSIM_HOST_STORAGE_DIRECTORY_LOCK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace podsim {

inline constexpr char kLockFile[] = ".podsim-lock";
// A file server that is slow for a while loses nobody the directory.
inline constexpr absl::Duration kLockLease = absl::Seconds(30);
inline constexpr absl::Duration kLockRenewal = absl::Seconds(3);

// What the file says of its holder.
struct LockRecord {
  std::string host;
  std::int64_t pid = 0;
  absl::Time since;
  std::string boot;           // of the kernel: the same for its containers
  std::string pid_namespace;  // in which the pid counts
  std::int64_t started = 0;   // ticks from boot to the process's start
  std::string id;             // of this holding

  bool operator==(const LockRecord&) const = default;
};
std::string LockText(const LockRecord& record);
std::optional<LockRecord> ParseLock(absl::string_view text);

// Of this process, with an id that no other holding has.
LockRecord NewLockRecord();
// The record's process can be seen from here, and it has ended.
bool IsGoneFromHere(const LockRecord& record);

// What can be seen of a directory that somebody may hold.
struct LockView {
  bool kernel_holds = false;  // a living process has the kernel's lock
  bool kernel_knows = true;   // the file system has such locks
  std::optional<LockRecord> record;
  absl::Duration silent;  // since the record was written or renewed
  // Whether the record's process lives; none: it cannot be probed from here.
  std::optional<bool> alive;
};
// Whether somebody who lives holds it. `boot`: this kernel's. Pure.
bool IsHeld(const LockView& view, const std::string& boot);

class DirectoryLock {
 public:
  // Makes the directory if need be. A dead holder's lock is taken over; waits
  // up to 5 s for what it had started to end.
  // Errors: FAILED_PRECONDITION (held: by which process, where, since when, how
  //   long ago it gave a sign of life), those of making and writing files.
  static absl::StatusOr<DirectoryLock> Acquire(const std::string& directory);
  // The same holding in a process that inherited descriptor `fd` of it: it
  // lasts until both have ended. Errors: INVALID_ARGUMENT (it is none).
  static absl::StatusOr<DirectoryLock> Inherit(const std::string& directory,
                                               int fd);
  DirectoryLock(DirectoryLock&& other) noexcept
      : path_(std::move(other.path_)),
        record_(std::move(other.record_)),
        fd_(std::exchange(other.fd_, -1)),
        owner_(other.owner_) {}
  DirectoryLock& operator=(DirectoryLock&&) = delete;
  // Acquired: frees the directory, whoever inherited it.
  ~DirectoryLock();

  // For a child to inherit; closes on exec otherwise.
  int fd() const { return fd_; }

  // To be called every kLockRenewal. Thread-safe.
  // Errors: FAILED_PRECONDITION (somebody took the directory over).
  absl::Status Renew() const;

 private:
  DirectoryLock(std::string path, LockRecord record, int fd, bool owner)
      : path_(std::move(path)),
        record_(std::move(record)),
        fd_(fd),
        owner_(owner) {}

  std::string path_;  // of the file
  LockRecord record_;
  int fd_;
  bool owner_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_DIRECTORY_LOCK_H_
