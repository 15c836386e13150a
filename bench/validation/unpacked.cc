#include "bench/validation/unpacked.h"

#include <zlib.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace podsim::validation {

absl::StatusOr<std::string> Unpacked(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr)
    return absl::NotFoundError(absl::StrCat(path, ": cannot be opened"));
  std::string text;
  std::string piece(1 << 16, '\0');
  int size = gzread(file, piece.data(), static_cast<unsigned>(piece.size()));
  while (size > 0) {
    text.append(piece.data(), static_cast<std::size_t>(size));
    size = gzread(file, piece.data(), static_cast<unsigned>(piece.size()));
  }
  if (gzclose(file) != Z_OK || size < 0)
    return absl::DataLossError(
        absl::StrCat(path, ": the gzip data is corrupt or cut short"));
  return text;
}

}  // namespace podsim::validation
