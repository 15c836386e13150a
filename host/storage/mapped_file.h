// A file of this machine in memory, which all that map it share.
#ifndef PODSIM_HOST_STORAGE_MAPPED_FILE_H_
#define PODSIM_HOST_STORAGE_MAPPED_FILE_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "host/storage/mapped_ranges.h"

namespace podsim {

class MappedFile {
 public:
  // To be read alone. Whoever shortens the file while it is mapped ends the
  // process that reads there, with one line that names the file
  // (mapped_ranges.h).
  // Errors: those of OpenRegularFile; RESOURCE_EXHAUSTED (no room for a map).
  static absl::StatusOr<MappedFile> Open(const std::string& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(other.size_),
        range_(std::move(other.range_)) {}
  MappedFile& operator=(MappedFile&&) = delete;

  std::string_view bytes() const {
    return {static_cast<const char*>(data_), size_};
  }
  // Gives back the memory that mirrors the file: what is read again comes from
  // the disk, or from what the machine still has of it.
  void Forget() const;

 private:
  MappedFile(void* data, std::size_t size, MappedRange range)
      : data_(data), size_(size), range_(std::move(range)) {}

  void* data_;
  std::size_t size_;
  MappedRange range_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_MAPPED_FILE_H_
