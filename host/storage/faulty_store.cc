#include "host/storage/faulty_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {

void FaultyStore::FailNextWrite(absl::Status status, int after) {
  PODSIM_CHECK(!status.ok());
  Plan(after, {.status = std::move(status)});
}

void FaultyStore::TearNextWrite(std::int64_t bytes, int after) {
  Plan(after, {.bytes = bytes});
}

void FaultyStore::Plan(int after, Fault fault) {
  PODSIM_CHECK(after >= 0);
  MutexLock lock(mutex_);
  planned_[writes_ + after] = std::move(fault);
}

void FaultyStore::StopAfter(int operations) {
  MutexLock lock(mutex_);
  last_operation_ = operations_ + operations;
}

int FaultyStore::operations() const {
  MutexLock lock(mutex_);
  return operations_;
}

int FaultyStore::faults() const {
  MutexLock lock(mutex_);
  return faults_;
}

std::optional<FaultyStore::Fault> FaultyStore::NextWrite() {
  MutexLock lock(mutex_);
  auto planned = planned_.extract(writes_++);
  if (planned.empty()) return std::nullopt;
  ++faults_;
  return std::move(planned.mapped());
}

absl::Status FaultyStore::CheckRunning() const {
  MutexLock lock(mutex_);
  if (!last_operation_ || operations_ < *last_operation_)
    return absl::OkStatus();
  return absl::CancelledError("stopped on purpose");
}

absl::Status FaultyStore::CountOperation() {
  PODSIM_RETURN_IF_ERROR(CheckRunning());
  MutexLock lock(mutex_);
  ++operations_;
  return absl::OkStatus();
}

absl::StatusOr<std::string> FaultyStore::Read(std::string_view path) {
  PODSIM_RETURN_IF_ERROR(CheckRunning());
  return ObjectStoreWrapper::Read(path);
}

absl::StatusOr<std::string> FaultyStore::ReadRange(std::string_view path,
                                                   std::int64_t offset,
                                                   std::int64_t length) {
  PODSIM_RETURN_IF_ERROR(CheckRunning());
  return ObjectStoreWrapper::ReadRange(path, offset, length);
}

absl::StatusOr<ObjectStat> FaultyStore::Stat(std::string_view path) {
  PODSIM_RETURN_IF_ERROR(CheckRunning());
  return ObjectStoreWrapper::Stat(path);
}

absl::Status FaultyStore::Write(std::string_view path, std::string_view bytes) {
  PODSIM_RETURN_IF_ERROR(CountOperation());
  const std::optional<Fault> fault = NextWrite();
  if (!fault) return ObjectStoreWrapper::Write(path, bytes);
  if (!fault->status.ok())
    return Annotate(fault->status, absl::StrCat("write ", std::string(path)));
  return ObjectStoreWrapper::Write(path, bytes.substr(0, fault->bytes));
}

absl::StatusOr<std::vector<std::string>> FaultyStore::List(
    std::string_view prefix) {
  PODSIM_RETURN_IF_ERROR(CheckRunning());
  return ObjectStoreWrapper::List(prefix);
}

absl::Status FaultyStore::Delete(std::string_view path) {
  PODSIM_RETURN_IF_ERROR(CountOperation());
  return ObjectStoreWrapper::Delete(path);
}

absl::Status FaultyStore::DeleteTree(std::string_view directory) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          List(directory));
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(std::string(directory), "/", name);
    PODSIM_RETURN_IF_ERROR(name.back() == '/' ? DeleteTree(path)
                                              : Delete(path));
  }
  // The directory itself, and what List hides; some stores have it no more.
  PODSIM_RETURN_IF_ERROR(CountOperation());
  const absl::Status status = ObjectStoreWrapper::DeleteTree(directory);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

absl::Status FaultyStore::Rename(std::string_view from, std::string_view to) {
  PODSIM_RETURN_IF_ERROR(CountOperation());
  return ObjectStoreWrapper::Rename(from, to);
}

ConditionalObjects* FaultyStore::Conditional(std::string_view path) {
  return ObjectStoreWrapper::Conditional(path) == nullptr ? nullptr : this;
}

absl::StatusOr<std::vector<ConditionalObjects::Listed>> FaultyStore::ListTree(
    std::string_view directory) {
  PODSIM_RETURN_IF_ERROR(CheckRunning());
  return ObjectStoreWrapper::Conditional(directory)->ListTree(directory);
}

absl::StatusOr<std::optional<ConditionalObjects::Version>>
FaultyStore::ReadVersion(std::string_view path) {
  PODSIM_RETURN_IF_ERROR(CheckRunning());
  return ObjectStoreWrapper::Conditional(path)->ReadVersion(path);
}

absl::StatusOr<std::int64_t> FaultyStore::WriteIf(std::string_view path,
                                                  std::string_view bytes,
                                                  std::int64_t expected) {
  PODSIM_RETURN_IF_ERROR(CountOperation());
  const std::optional<Fault> fault = NextWrite();
  if (fault && !fault->status.ok())
    return Annotate(fault->status, absl::StrCat("write ", std::string(path)));
  return ObjectStoreWrapper::Conditional(path)->WriteIf(
      path, fault ? bytes.substr(0, fault->bytes) : bytes, expected);
}

absl::Status FaultyStore::DeleteIf(std::string_view path,
                                   std::int64_t expected) {
  PODSIM_RETURN_IF_ERROR(CountOperation());
  return ObjectStoreWrapper::Conditional(path)->DeleteIf(path, expected);
}

absl::Status FaultyStore::CopyIf(std::string_view from, std::string_view to,
                                 std::int64_t expected) {
  PODSIM_RETURN_IF_ERROR(CountOperation());
  return ObjectStoreWrapper::Conditional(from)->CopyIf(from, to, expected);
}

}  // namespace podsim
