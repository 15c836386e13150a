#include "base/build.h"

#include "absl/strings/str_cat.h"

namespace podsim {

std::string BuildId() {
  return absl::StrCat(PODSIM_VERSION, " ",
#if defined(__clang__)
                      "clang ",
#else
                      "g++ ",
#endif
                      __VERSION__, " ", PODSIM_REVISION);
}

}  // namespace podsim
