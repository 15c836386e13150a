// A memfd, opened by the other process under /proc/PID/fd/FD, which the kernel
// allows to the same user alone. Its pages are there before they are touched,
// and its size is sealed: a mapping of a file that has no room, or that
// somebody cuts short, would end whoever touches it.
#include "interconnect/transport/shared/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {
namespace {

constexpr std::size_t kPage = 4096;  // the nonce's; more than any alignment
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

absl::Status Failed(const std::string& what) {
  return absl::UnavailableError(
      absl::StrCat("shared memory: ", what, ": ", std::strerror(errno)));
}

bool IsWhatItSays(int fd, std::size_t bytes) {
  struct stat about {};
  const int seals = fcntl(fd, F_GET_SEALS);  // there may be others
  return seals >= 0 && (seals & kSeals) == kSeals && fstat(fd, &about) == 0 &&
         about.st_size == static_cast<off_t>(kPage + bytes);
}

}  // namespace

absl::Status SharedMemory::Map(int fd, std::size_t bytes) {
  void* const place =
      mmap(nullptr, kPage + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (place == MAP_FAILED) return Failed("mmap");
  memory_ = static_cast<std::byte*>(place);
  size_ = bytes;
  return absl::OkStatus();
}

absl::StatusOr<SharedMemory> SharedMemory::Create(std::size_t bytes,
                                                  std::size_t ready) {
  SharedMemory made;
  const int fd = memfd_create("podsim-ici", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return Failed("memfd_create");
  made.name_ = {.pid = getpid(), .fd = fd};  // closed with `made` from here on
  if (ftruncate(fd, static_cast<off_t>(kPage + bytes)) != 0 ||
      fallocate(fd, 0, 0, static_cast<off_t>(kPage + ready)) != 0 ||
      fcntl(fd, F_ADD_SEALS, kSeals) != 0) {
    return Failed("setting its size");
  }
  PODSIM_RETURN_IF_ERROR(made.Map(fd, bytes));
  if (getentropy(&made.name_.nonce, sizeof(made.name_.nonce)) != 0) {
    return Failed("getentropy");
  }
  std::memcpy(made.memory_, &made.name_.nonce, sizeof(made.name_.nonce));
  return made;
}

absl::StatusOr<SharedMemory> SharedMemory::Open(const SharedMemoryName& name,
                                                std::size_t bytes) {
  const std::string path = absl::StrCat("/proc/", name.pid, "/fd/", name.fd);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return Failed(path);
  SharedMemory opened;
  const absl::Status mapped =
      IsWhatItSays(fd, bytes) ? opened.Map(fd, bytes)
                              : absl::UnavailableError(absl::StrCat(
                                    path, " is no shared memory of that size"));
  close(fd);
  PODSIM_RETURN_IF_ERROR(mapped);
  if (std::memcmp(opened.memory_, &name.nonce, sizeof(name.nonce)) != 0) {
    return absl::UnavailableError(
        absl::StrCat(path, " is the shared memory of somebody else"));
  }
  return opened;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept {
  *this = std::move(other);
}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  std::swap(name_, other.name_);
  return *this;
}

SharedMemory::~SharedMemory() {
  Forget();
  if (memory_ != nullptr) munmap(memory_, kPage + size_);
}

std::span<std::byte> SharedMemory::bytes() const {
  return {memory_ + kPage, size_};
}

SharedMemoryName SharedMemory::name() const {
  PODSIM_CHECK(name_.fd >= 0);
  return name_;
}

absl::Status SharedMemory::Fill() {
  PODSIM_CHECK(name_.fd >= 0);
  const bool filled =
      fallocate(name_.fd, 0, 0, static_cast<off_t>(kPage + size_)) == 0;
  const absl::Status status =
      filled ? absl::OkStatus() : Failed("getting its pages");
  Forget();
  return status;
}

void SharedMemory::Forget() {
  if (name_.fd >= 0) close(std::exchange(name_.fd, -1));
}

}  // namespace podsim
