// The members of a zip archive, stored or deflated, also beyond 4 GiB (zip64):
// what numpy.savez and savez_compressed write
// (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). Pure.
#ifndef PODSIM_HOST_INPUT_ZIP_H_
#define PODSIM_HOST_INPUT_ZIP_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace podsim {

struct ZipMember {
  std::string name;
  bool deflated = false;
  std::int64_t header = 0;  // where its header begins in the archive,
  std::int64_t offset = 0;  // and its packed bytes, which follow it
  std::int64_t packed = 0;
  std::int64_t unpacked = 0;
  std::uint32_t crc = 0;  // CRC-32 of the unpacked bytes
};

// By the archive's directory, at its end. `file` is for messages.
// Errors: DATA_LOSS (file, offset, reason): cut short, damaged, encrypted,
//   packed in another way, more than 65,535 members, one that claims more bytes
//   than deflate can make of it, two that share bytes of the archive (so that
//   a small file becomes a huge one) or have one name.
absl::StatusOr<std::vector<ZipMember>> ReadZipDirectory(
    std::string_view archive, const std::string& file);

// A member's bytes, its checksum right. Errors: DATA_LOSS.
absl::StatusOr<std::string> ReadZipMember(std::string_view archive,
                                          const ZipMember& member,
                                          const std::string& file);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_ZIP_H_
