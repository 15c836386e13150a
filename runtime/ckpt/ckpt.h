// pod_ckpt as a function: from its arguments to its text and exit code.
#ifndef PODSIM_RUNTIME_CKPT_CKPT_H_
#define PODSIM_RUNTIME_CKPT_CKPT_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "host/storage/storage.h"

namespace podsim {

struct CkptResult {
  int exit_code = 0;  // 1: damaged, unfinished or different; 2: refused
  std::string text;   // for standard output
  std::string error;  // for standard error; each line of one trouble
};

// `args` without the program's name. `width`: the columns that a listing may
// take, 20 or more; 0: any. Changes nothing on the store.
CkptResult RunCkpt(const std::vector<std::string>& args, ObjectStore& store,
                   absl::Time now, int width = 0);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_CKPT_CKPT_H_
