// What pod_data verify finds wrong, of all examples that it reads.
#ifndef PODSIM_RUNTIME_DATA_BAD_EXAMPLES_H_
#define PODSIM_RUNTIME_DATA_BAD_EXAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/mutex.h"

namespace podsim {

// Thread-safe.
class BadExamples {
 public:
  // False: the store fails, so that no other example could be read either.
  bool Add(const absl::Status& status);
  // OK: none was added. Else a line for each of some files, and how many
  // examples are not named.
  absl::Status Result();

 private:
  static constexpr std::size_t kMostLines = 3;

  Mutex mutex_;
  std::set<std::string> files_ PODSIM_GUARDED_BY(mutex_);
  std::vector<absl::Status> lines_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t count_ PODSIM_GUARDED_BY(mutex_) = 0;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_DATA_BAD_EXAMPLES_H_
