// Gzip, unpacked with a bound: a small file that claims to be a huge one costs
// no more memory than its reader said it may.
#ifndef PODSIM_HOST_INPUT_GUNZIP_H_
#define PODSIM_HOST_INPUT_GUNZIP_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace podsim {

// The first `length` unpacked bytes, fewer if there are no more. `file` is for
// messages. Errors: DATA_LOSS (corrupt or cut: file, offset, reason).
absl::StatusOr<std::string> GunzipPrefix(std::string_view packed,
                                         std::int64_t length,
                                         const std::string& file);

// The most packed bytes that `unpacked` ones can need, and some room for names
// in headers: a file of more is none that a packer made.
std::int64_t MostPackedBytes(std::int64_t unpacked);

// Everything, checksum verified. Errors: also DATA_LOSS when it unpacks to more
// than `limit` bytes.
absl::StatusOr<std::string> Gunzip(std::string_view packed, std::int64_t limit,
                                   const std::string& file);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_GUNZIP_H_
