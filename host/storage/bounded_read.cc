#include "host/storage/bounded_read.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "base/units.h"

namespace podsim {

absl::StatusOr<std::string> ReadAtMost(ObjectStore& store,
                                       std::string_view path,
                                       std::int64_t most) {
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t size, store.Size(path));
  if (size > most)
    return absl::OutOfRangeError(absl::StrCat(std::string(path), " has ",
                                              FormatBytes(size), "; at most ",
                                              FormatBytes(most), " are read"));
  return store.ReadRange(path, 0, most);
}

}  // namespace podsim
