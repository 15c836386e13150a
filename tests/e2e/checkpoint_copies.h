// Many whole checkpoints in a bucket without training for them: copies of one
// that a job has saved there, as if each were of a step of its own.
#ifndef PODSIM_TESTS_E2E_CHECKPOINT_COPIES_H_
#define PODSIM_TESTS_E2E_CHECKPOINT_COPIES_H_

#include <cstdint>
#include <map>
#include <string>

#include "host/checkpoint/job_record.h"
#include "proto/checkpoint.pb.h"
#include "tests/testing/gcs/gcs_double.h"

namespace podsim::testing {

class CheckpointCopies {
 public:
  // Of the checkpoint of `step` in gs://`bucket`/`model_dir`; `objects` is
  // borrowed. REQUIRES: it is there.
  CheckpointCopies(GcsDouble& objects, const std::string& bucket,
                   const std::string& model_dir, std::int64_t step);

  // A copy in another model_dir of that bucket, as a writer with this stamp
  // would have left it, and what its job's record would say of it.
  // REQUIRES: `step` has as many digits as the original's.
  OwnStep Put(const std::string& model_dir, std::int64_t step,
              std::int64_t stamp);

 private:
  GcsDouble& objects_;
  const std::string bucket_;
  CheckpointManifest manifest_;
  std::map<std::string, std::string> parts_;  // bytes, by name
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_E2E_CHECKPOINT_COPIES_H_
