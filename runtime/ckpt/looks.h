// How often a model_dir is looked at whose job deletes whatever was listed.
#ifndef PODSIM_RUNTIME_CKPT_LOOKS_H_
#define PODSIM_RUNTIME_CKPT_LOOKS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace podsim {

inline constexpr int kLooks = 10;

// After so many.
inline absl::Status DeletedEachTime(const std::string& model_dir) {
  return absl::AbortedError(absl::StrCat(
      model_dir, ": a running job deleted each checkpoint before it was read, ",
      kLooks, " times; look again, or give the job a larger --keep"));
}

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_LOOKS_H_
