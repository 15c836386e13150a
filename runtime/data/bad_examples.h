// What pod_data verify finds wrong, of all examples that it reads.
#ifndef PODSIM_RUNTIME_DATA_BAD_EXAMPLES_H_
#define PODSIM_RUNTIME_DATA_BAD_EXAMPLES_H_

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
  // OK: none was added. Else a line for each of some reasons, whatever files
  // and numbers they are said of: the first example, how many there are and in
  // which other files; and how many examples have another reason.
  absl::Status Result();

 private:
  struct Kind {
    std::string reason;
    absl::Status first;
    std::string file;  // of the first
    std::set<std::string> other_files;
    std::int64_t examples = 1;
  };
  static std::string TextOf(const Kind& kind);

  Mutex mutex_;
  std::vector<Kind> kinds_ PODSIM_GUARDED_BY(mutex_);
  std::int64_t others_ PODSIM_GUARDED_BY(mutex_) = 0;  // examples
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_DATA_BAD_EXAMPLES_H_
