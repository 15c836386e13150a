#include "host/input/image_warning.h"

#include "absl/strings/str_cat.h"
#include "base/log.h"

namespace podsim {

void ImageWarning::Say(const std::string& file, std::int64_t offset,
                       const std::string& warning) {
  if (warning.empty() || said_.exchange(true)) return;
  Log(LogLevel::kWarning,
      absl::StrCat(file, ": offset ", offset, ": ", warning,
                   "; the image is used as far as libjpeg reads it, and so are "
                   "others like it without another line"));
}

}  // namespace podsim
