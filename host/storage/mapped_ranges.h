// Which file is mapped where, for the moment at which its bytes cannot be read:
// a file that is shortened while it is mapped raises SIGBUS at the next read
// beyond its end, and nothing else says which file it was.
#ifndef PODSIM_HOST_STORAGE_MAPPED_RANGES_H_
#define PODSIM_HOST_STORAGE_MAPPED_RANGES_H_

#include <cstddef>
#include <memory>
#include <string>

namespace podsim {

struct MappedNode;

// Forgets the range; call before it is unmapped.
struct ForgetRange {
  void operator()(MappedNode* node) const;
};
using MappedRange = std::unique_ptr<MappedNode, ForgetRange>;

// From now on a SIGBUS within the range writes one line to standard error, with
// the path and the sizes, and ends the process with exit code 1. Any other
// SIGBUS does what it did before the first call. Thread-safe.
MappedRange WatchMapped(const void* begin, std::size_t bytes,
                        const std::string& path);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_MAPPED_RANGES_H_
