#include "host/storage/object_lease.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace podsim {
namespace {

using Version = ConditionalObjects::Version;

// How often a holder that cannot be seen is looked at.
constexpr absl::Duration kLook = absl::Seconds(1);
// How often one that comes and goes is tried.
constexpr int kLeaseAttempts = 64;

std::string PathIn(const std::string& directory) {
  return absl::StrCat(directory, "/", kLeaseName);
}

std::string WhoIs(const std::optional<LeaseRecord>& record) {
  if (!record) return "another job";
  return absl::StrCat(
      "pid ", record->holder.pid, " on ", record->holder.host, " since ",
      absl::FormatTime("%Y-%m-%d %H:%M:%S", record->holder.since,
                       absl::LocalTimeZone()));
}

absl::Status LeaseHeldError(const std::string& directory,
                            const std::optional<LeaseRecord>& record) {
  return absl::FailedPreconditionError(absl::StrCat(
      directory, " is held by ", WhoIs(record),
      ": two jobs would spoil each other's checkpoints; wait for it to end, "
      "or give another directory"));
}

// Until the object is another one or has stood still for kLockLease: whether
// it has.
absl::StatusOr<bool> StandsStill(ConditionalObjects& objects,
                                 const std::string& path, const Version& seen,
                                 const Waiter& waiter) {
  const absl::Time end = waiter.now() + kLockLease;
  while (waiter.now() < end) {
    waiter.wait(kLook);
    PODSIM_ASSIGN_OR_RETURN(const auto now, objects.ReadVersion(path));
    if (!now || now->generation != seen.generation) return false;
  }
  return true;
}

// Whether the holder that was seen gives no sign of life; false: it has freed
// the directory. Errors: FAILED_PRECONDITION (it, or another, lives).
absl::StatusOr<bool> IsSilent(ConditionalObjects& objects,
                              const std::string& directory, const Version& seen,
                              const ObjectLease::Options& options) {
  const std::string path = PathIn(directory);
  const std::optional<LeaseRecord> other = ParseLease(seen.bytes);
  if (other && options.is_gone(other->holder)) return true;
  if (options.on_wait) options.on_wait(WhoIs(other));
  PODSIM_ASSIGN_OR_RETURN(const bool still,
                          StandsStill(objects, path, seen, options.waiter));
  if (still) return true;
  PODSIM_ASSIGN_OR_RETURN(const auto now, objects.ReadVersion(path));
  if (!now) return false;
  return LeaseHeldError(directory, ParseLease(now->bytes));
}

}  // namespace

std::string LeaseText(const LeaseRecord& record) {
  return absl::StrCat(LockText(record.holder), "turn=", record.turn,
                      "\nbeat=", record.beat,
                      "\nchange=", absl::CEscape(record.change), "\n");
}

std::optional<LeaseRecord> ParseLease(std::string_view text) {
  const std::string whole(text);
  const auto holder = ParseLock(whole);
  if (!holder) return std::nullopt;
  LeaseRecord record{.holder = *holder};
  bool turn = false;
  bool beat = false;
  for (absl::string_view line : absl::StrSplit(whole, '\n')) {
    if (absl::ConsumePrefix(&line, "turn="))
      turn = absl::SimpleAtoi(line, &record.turn);
    if (absl::ConsumePrefix(&line, "beat="))
      beat = absl::SimpleAtoi(line, &record.beat);
    if (absl::ConsumePrefix(&line, "change=") &&
        !absl::CUnescape(line, &record.change))
      return std::nullopt;
  }
  if (!turn || !beat) return std::nullopt;
  return record;
}

ObjectLease::ObjectLease(ObjectStore& store, std::string path,
                         LeaseRecord record, std::int64_t generation)
    : store_(store),
      path_(std::move(path)),
      id_(record.holder.id),
      record_(std::move(record)),
      generation_(generation) {}

absl::StatusOr<std::unique_ptr<ObjectLease>> ObjectLease::Acquire(
    ObjectStore& store, const std::string& directory, const Options& options) {
  const std::string path = PathIn(directory);
  ConditionalObjects* const objects = store.Conditional(path);
  PODSIM_CHECK(objects != nullptr);
  for (int attempt = 0; attempt < kLeaseAttempts; ++attempt) {
    LeaseRecord ours{.holder = NewLockRecord(), .beat = 1};
    PODSIM_ASSIGN_OR_RETURN(const auto seen, objects->ReadVersion(path));
    if (seen) {
      PODSIM_ASSIGN_OR_RETURN(const bool silent,
                              IsSilent(*objects, directory, *seen, options));
      if (!silent) continue;  // it has ended
      // What it may not have come to is ours to finish.
      if (const auto other = ParseLease(seen->bytes))
        ours.change = other->change;
    }
    const auto taken =
        objects->WriteIf(path, LeaseText(ours), seen ? seen->generation : 0);
    if (taken.ok())
      return std::unique_ptr<ObjectLease>(
          new ObjectLease(store, path, ours, *taken));
    if (!absl::IsAborted(taken.status())) return taken.status();
  }
  return absl::UnavailableError(
      absl::StrCat(path, " comes and goes; try again"));
}

absl::StatusOr<std::unique_ptr<ObjectLease>> ObjectLease::Join(
    ObjectStore& store, const std::string& directory, const std::string& id) {
  const std::string path = PathIn(directory);
  ConditionalObjects* const objects = store.Conditional(path);
  PODSIM_CHECK(objects != nullptr);
  PODSIM_ASSIGN_OR_RETURN(const auto seen, objects->ReadVersion(path));
  const auto record = seen ? ParseLease(seen->bytes) : std::nullopt;
  if (!record || record->holder.id != id)
    return LeaseHeldError(directory, record);
  std::unique_ptr<ObjectLease> lease(
      new ObjectLease(store, path, *record, seen->generation));
  MutexLock lock(lease->mutex_);
  LeaseRecord next = *record;
  ++next.turn;
  PODSIM_RETURN_IF_ERROR(lease->Write(std::move(next)));
  return lease;
}

std::string ObjectLease::change() const {
  MutexLock lock(mutex_);
  return record_.change;
}

absl::Status ObjectLease::Write(LeaseRecord record) {
  record.beat = record_.beat + 1;
  ConditionalObjects& objects = *store_.Conditional(path_);
  auto written = objects.WriteIf(path_, LeaseText(record), generation_);
  if (absl::IsAborted(written.status())) {
    // Or did an earlier write of ours succeed that seemed to have failed?
    PODSIM_ASSIGN_OR_RETURN(const auto now, objects.ReadVersion(path_));
    const auto there = now ? ParseLease(now->bytes) : std::nullopt;
    if (!there || there->holder.id != id_ || there->turn != record_.turn)
      return TakenOver();
    record.beat = there->beat + 1;
    written = objects.WriteIf(path_, LeaseText(record), now->generation);
    if (absl::IsAborted(written.status())) return TakenOver();
  }
  PODSIM_RETURN_IF_ERROR(written.status());
  record_ = std::move(record);
  generation_ = *written;
  return absl::OkStatus();
}

absl::Status ObjectLease::TakenOver() {
  PODSIM_ASSIGN_OR_RETURN(const auto now,
                          store_.Conditional(path_)->ReadVersion(path_));
  if (!now)
    return absl::FailedPreconditionError(absl::StrCat(
        path_,
        " is gone: it was taken over by a job that has ended since, or "
        "deleted by hand; start this job again"));
  const auto record = ParseLease(now->bytes);
  if (record && record->holder.id == id_ && record->turn == record_.turn)
    return absl::UnavailableError(
        absl::StrCat(path_,
                     ": the store denies a change on condition of the "
                     "generation that it names, though this job holds it; try "
                     "again"));
  return absl::FailedPreconditionError(absl::StrCat(
      path_, " was taken over by ", WhoIs(record),
      ": this job gave no sign of life for ", absl::FormatDuration(kLockLease),
      " or more; leave the folder to that job, or give this one "
      "another"));
}

absl::Status ObjectLease::Renew() {
  MutexLock lock(mutex_);
  return Write(record_);
}

absl::Status ObjectLease::Announce(const std::string& change) {
  MutexLock lock(mutex_);
  LeaseRecord record = record_;
  record.change = change;
  return Write(std::move(record));
}

absl::Status ObjectLease::Release() {
  MutexLock lock(mutex_);
  ConditionalObjects& objects = *store_.Conditional(path_);
  // A process that joined may have written it since.
  PODSIM_ASSIGN_OR_RETURN(const auto now, objects.ReadVersion(path_));
  if (!now) return absl::OkStatus();
  const auto record = ParseLease(now->bytes);
  if (!record || record->holder.id != id_) return absl::OkStatus();
  // With a change that is not made, the next job must know of it.
  if (!record->change.empty()) return absl::OkStatus();
  const absl::Status status = objects.DeleteIf(path_, now->generation);
  return absl::IsAborted(status) || absl::IsNotFound(status) ? absl::OkStatus()
                                                             : status;
}

}  // namespace podsim
