// Memory that two processes of one machine share, without a name in any
// directory: the one who made it tells the other where the kernel lists it.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_SHARED_SHARED_MEMORY_H_
#define PODSIM_INTERCONNECT_TRANSPORT_SHARED_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"

namespace podsim {

// Where to find it, and how to know that it is the right one: the other process
// may live in a container of its own, where the same numbers mean another file.
struct SharedMemoryName {
  std::int64_t pid = 0;
  std::int32_t fd = -1;
  std::uint64_t nonce = 0;
};

// Mapped until this object dies, whatever becomes of the other process: the
// memory can neither shrink nor grow. Zero bytes at first. Move-only.
class SharedMemory {
 public:
  // The first `ready` bytes are there at once; the others must not be touched
  // by anybody before Fill, for many pairs of processes never need them.
  // Errors: UNAVAILABLE (the system gives none).
  static absl::StatusOr<SharedMemory> Create(std::size_t bytes,
                                             std::size_t ready);
  // Maps what another process has created, and still has by name.
  // Errors: UNAVAILABLE (not there, not ours to open, or not what was named).
  static absl::StatusOr<SharedMemory> Open(const SharedMemoryName& name,
                                           std::size_t bytes);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  // What `bytes` were asked for; begins at the beginning of a page.
  std::span<std::byte> bytes() const;
  // REQUIRES: Create made it, and Fill was not called.
  SharedMemoryName name() const;
  // All bytes are there, and nobody can open it any more; those who have keep
  // it. REQUIRES: as for name.
  // Errors: UNAVAILABLE (the system has no more memory).
  absl::Status Fill();

 private:
  SharedMemory() = default;
  void Forget();
  absl::Status Map(int fd, std::size_t bytes);

  std::byte* memory_ = nullptr;  // the page with the nonce, then the bytes
  std::size_t size_ = 0;
  SharedMemoryName name_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_SHARED_SHARED_MEMORY_H_
