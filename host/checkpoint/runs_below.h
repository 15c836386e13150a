// Runs below a folder that is none itself: for messages, where a folder of
// several model_dirs is given in the place of one.
#ifndef PODSIM_HOST_CHECKPOINT_RUNS_BELOW_H_
#define PODSIM_HOST_CHECKPOINT_RUNS_BELOW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "host/storage/storage.h"

namespace podsim {

struct RunBelow {
  std::string path;       // its model_dir
  std::int64_t step = 0;  // its newest checkpoint's, told from names
};

// Folders in `directory`, and where none is one, folders in those; by name. At
// most 128 listings; what cannot be listed is passed over.
std::vector<RunBelow> RunsBelow(ObjectStore& store,
                                const std::string& directory);

// " holds no checkpoint itself, but runs/a does (step 40)", "..., but runs/a
// (step 40), runs/b (step 7) and 3 more do", to stand behind the folder's name.
// Empty: of no runs. Pure.
std::string ButRunsDo(const std::vector<RunBelow>& runs);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_RUNS_BELOW_H_
