#include "base/status.h"

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace podsim {

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  return absl::Status(
      status.code(),
      absl::StrCat(absl::string_view(context.data(), context.size()), ": ",
                   status.message()));
}

namespace internal {
void CheckFailed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what);
  std::abort();
}
}  // namespace internal
}  // namespace podsim
