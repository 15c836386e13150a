// pod_data as a function: from its arguments to its text and exit code.
#ifndef PODSIM_RUNTIME_DATA_DATA_H_
#define PODSIM_RUNTIME_DATA_DATA_H_

#include <string>
#include <vector>

#include "host/storage/storage.h"

namespace podsim {

struct DataResult {
  int exit_code = 0;  // 1: damaged, or an index not kept; 2: refused
  std::string text;   // for standard output
  std::string error;  // for standard error: one line
};

// `args` without the program's name; an index is kept in `index_directory` of
// this machine (empty: nowhere). Only convert changes anything on the store.
DataResult RunData(const std::vector<std::string>& args, ObjectStore& store,
                   const std::string& index_directory);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_DATA_DATA_H_
