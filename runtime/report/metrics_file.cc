#include "runtime/report/metrics_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/output_file.h"
#include "base/status.h"
#include "base/write_error.h"
#include "host/storage/uri_store.h"

namespace podsim {
namespace {

absl::Status FileError(int error, const std::string& path) {
  return absl::Status(absl::ErrnoToStatusCode(error),
                      absl::StrCat("cannot write the metrics file ", path, ": ",
                                   WriteErrorText(error)));
}

bool HoldsSomething(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         info.st_size > 0;
}

absl::Status Lock(const UniqueFd& file, const std::string& path) {
  // A file system without locks keeps nobody from writing.
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("--metrics_file is \"", path,
                   "\", which another job writes now; give another file, or "
                   "wait for that job's end"));
}

// Nobody else moves away what we have locked, and found there.
absl::Status LockBefore(const UniqueFd& file, const std::string& path) {
  PODSIM_RETURN_IF_ERROR(Lock(file, path));
  struct stat locked {};
  struct stat there {};
  if (fstat(file.get(), &locked) == 0 && lstat(path.c_str(), &there) == 0 &&
      locked.st_ino == there.st_ino && locked.st_dev == there.st_dev)
    return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("--metrics_file is \"", path,
                   "\", which another job has just begun; give another file"));
}

// Gives the file of a job that has ended a name that nothing has, and returns
// it.
absl::StatusOr<std::string> SetAside(const std::string& path) {
  const UniqueFd file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.valid()) PODSIM_RETURN_IF_ERROR(LockBefore(file, path));
  for (int number = 1;; ++number) {
    std::string name = absl::StrCat(path, ".", number);
    if (renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, name.c_str(),
                  RENAME_NOREPLACE) == 0)
      return name;
    if (errno != EEXIST)
      return absl::ErrnoToStatus(
          errno, absl::StrCat("cannot keep the metrics file ", path,
                              " of an earlier job as ", name,
                              "; move it away, or name another"));
  }
}

// The same of an object.
absl::StatusOr<std::string> SetAside(ObjectStore& store,
                                     const std::string& path) {
  ConditionalObjects* const objects = store.Conditional(path);
  PODSIM_CHECK(objects != nullptr);
  for (int number = 1;; ++number) {
    std::string name = absl::StrCat(path, ".", number);
    const absl::Status copied = objects->CopyIf(path, name, 0);
    if (copied.ok()) return name;
    if (!absl::IsAborted(copied)) return copied;
  }
}

// A disk that was full took a part of the last line.
bool EndsWithinALine(const UniqueFd& file) {
  struct stat info {};
  if (fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size == 0)
    return false;
  // The same file once more, to be read; it may be one to be written only.
  const UniqueFd reader(open(absl::StrCat("/proc/self/fd/", file.get()).c_str(),
                             O_RDONLY | O_CLOEXEC));
  char last = '\n';
  return reader.valid() &&
         pread(reader.get(), &last, 1, info.st_size - 1) == 1 && last != '\n';
}

}  // namespace

std::string MetricsPath(const JobSpec& spec) {
  if (spec.has_metrics_file()) return spec.metrics_file();
  const std::string& model_dir = spec.model_dir();
  if (model_dir.empty() || !SchemeOf(model_dir).empty() ||
      spec.mode() == words::Mode::eval)
    return "";
  return absl::StrCat(absl::StripSuffix(model_dir, "/"), "/", kMetricsName);
}

absl::StatusOr<MetricsFile> MetricsFile::OpenStored(
    std::unique_ptr<ObjectStore> store, const std::string& path, Start start) {
  absl::StatusOr<std::string> before = store->Read(path);
  if (absl::IsNotFound(before.status())) before = std::string();
  PODSIM_RETURN_IF_ERROR(before.status());
  std::string aside;
  if (start == Start::kFresh && !before->empty()) {
    PODSIM_ASSIGN_OR_RETURN(aside, SetAside(*store, path));
    before->clear();
  }
  PODSIM_ASSIGN_OR_RETURN(
      std::unique_ptr<StoredLog> log,
      StoredLog::Open(std::move(store), path, *std::move(before)));
  return MetricsFile(path, std::move(aside), std::move(log));
}

absl::StatusOr<MetricsFile> MetricsFile::Open(const std::string& path,
                                              Start start) {
  if (!SchemeOf(path).empty()) return OpenStored(NewUriStore(), path, start);
  std::string aside;
  if (start == Start::kFresh && HoldsSomething(path)) {
    PODSIM_ASSIGN_OR_RETURN(aside, SetAside(path));
  }
  absl::StatusOr<UniqueFd> fd = OpenOutput(path, OutputStart::kAppend);
  if (!fd.ok()) return Annotate(fd.status(), "--metrics_file");
  // Behind /dev/stdout may be a file that others write to, too.
  if (!IsOutputDevice(path)) PODSIM_RETURN_IF_ERROR(Lock(*fd, path));
  const bool torn = EndsWithinALine(*fd);
  MetricsFile file(path, std::move(aside), *std::move(fd));
  if (torn) PODSIM_RETURN_IF_ERROR(file.Write(""));
  return file;
}

absl::Status MetricsFile::Write(const std::string& line) {
  if (!status_.ok()) return status_;
  if (log_ != nullptr) {
    log_->Add(line);
    return status_;
  }
  const int error = WriteFully(fd_.get(), line + "\n");
  if (error != 0) status_ = FileError(error, path_);
  return status_;
}

absl::Status MetricsFile::Close() {
  if (log_ != nullptr && status_.ok()) status_ = log_->Close();
  return status_;
}

}  // namespace podsim
