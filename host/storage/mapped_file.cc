#include "host/storage/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>

#include "base/status.h"
#include "host/storage/posix_file.h"

namespace podsim {

absl::StatusOr<MappedFile> MappedFile::Open(const std::string& path) {
  PODSIM_ASSIGN_OR_RETURN(const FileDescriptor file, OpenRegularFile(path));
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t size, FileSize(file, path));
  if (size == 0) return MappedFile(nullptr, 0, nullptr);
  const auto bytes = static_cast<std::size_t>(size);
  void* data = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) return ErrnoStatus(errno, "mapping", path);
  return MappedFile(data, bytes, WatchMapped(data, bytes, path));
}

void MappedFile::Forget() const {
  if (data_ != nullptr) madvise(data_, size_, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  range_.reset();
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace podsim
