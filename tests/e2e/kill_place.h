// Where the jobs of a sweep save: a directory each, or a place in a bucket.
#ifndef PODSIM_TESTS_E2E_KILL_PLACE_H_
#define PODSIM_TESTS_E2E_KILL_PLACE_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/testing/gcs/gcs_server.h"

namespace podsim::testing {

class KillPlace {
 public:
  virtual ~KillPlace() = default;
  virtual std::string model_dir() const = 0;
  virtual std::vector<std::pair<std::string, std::string>> environment()
      const = 0;
  // What in model_dir is no finished checkpoint.
  virtual std::string LeftBehind() const = 0;
  // Steps of the checkpoints that are finished.
  virtual std::set<std::int64_t> Committed() const = 0;
  // Steps of the checkpoints that are unfinished.
  virtual std::vector<std::int64_t> Unfinished() const = 0;
};

// A directory of its own, gone with the object.
std::unique_ptr<KillPlace> NewDirectoryPlace();
// Under a name of its own in the bucket "bucket" of `server`, which is
// borrowed.
std::unique_ptr<KillPlace> NewBucketPlace(GcsServer* server);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_E2E_KILL_PLACE_H_
