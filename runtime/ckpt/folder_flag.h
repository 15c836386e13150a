// "show runs/a --step 20": a folder, or a step of it, behind a flag, as other
// programs have it. Pure.
#ifndef PODSIM_RUNTIME_CKPT_FOLDER_FLAG_H_
#define PODSIM_RUNTIME_CKPT_FOLDER_FLAG_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace podsim {

// Of the arguments of pod_ckpt, which has no such flag. INVALID_ARGUMENT: the
// flag, and the command that was meant, "pod_ckpt show runs/a/20". OK: they
// are not so, or lack a part of it.
absl::Status CheckFolderIsNoFlag(const std::vector<std::string>& args);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_FOLDER_FLAG_H_
