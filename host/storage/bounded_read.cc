#include "host/storage/bounded_read.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"

namespace podsim {
namespace {

// So much may be read before it is known how much there is, as a far store
// takes long for each request.
constexpr std::int64_t kAtOnce = std::int64_t{8} << 20;

}  // namespace

absl::StatusOr<std::string> ReadAtMost(ObjectStore& store,
                                       std::string_view path,
                                       std::int64_t most) {
  if (most < kAtOnce) {
    absl::StatusOr<std::string> bytes = store.ReadRange(path, 0, most + 1);
    if (!bytes.ok() || static_cast<std::int64_t>(bytes->size()) <= most)
      return bytes;
  }
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t size, store.Size(path));
  if (size > most)
    return absl::OutOfRangeError(absl::StrCat(std::string(path), " has ",
                                              FormatBytes(size), "; at most ",
                                              FormatBytes(most), " are read"));
  return store.ReadRange(path, 0, most);
}

}  // namespace podsim
