// A model_dir of a small job, on a disk or in a bucket, and what is done to it:
// starts, pod_ckpt, retention, and folders that others put there.
#ifndef PODSIM_TESTS_RUNTIME_CKPT_MODEL_DIR_WORLD_H_
#define PODSIM_TESTS_RUNTIME_CKPT_MODEL_DIR_WORLD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "host/checkpoint/held_dir.h"
#include "host/storage/storage.h"
#include "proto/job.pb.h"
#include "runtime/ckpt/ckpt.h"
#include "runtime/coordinator/run_start.h"
#include "tests/testing/gcs/gcs_double.h"
#include "tests/testing/gcs/liar.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {

class ModelDirWorld {
 public:
  enum class On { kDisk, kBucket };
  explicit ModelDirWorld(On on);

  bool in_bucket() const { return on_ == On::kBucket; }
  ObjectStore& store() { return *store_; }
  const JobPlan& plan() const { return plan_; }
  const std::string& dir() const { return plan_.spec().model_dir(); }
  std::string Path(std::int64_t step) const;
  SimClock& clock() { return clock_; }

  // What the job saves. The others abort on a failure: they are the scene.
  absl::Status Save(std::int64_t step);
  // A checkpoint of another job, whole, in the place of what lies at `step`.
  void PutAnothers(std::int64_t step);
  // The folder of `from`, as it lies in `source`, in the place of `to`.
  void Copy(ModelDirWorld& source, std::int64_t from, std::int64_t to,
            bool with_marker = true);
  void Delete(std::int64_t step);
  void Damage(std::int64_t step);
  void DeleteFile(const std::string& name);  // below the model_dir

  // The start of a generation: where it begins, and the model_dir prepared.
  absl::StatusOr<RunStart> Begin(const std::string& restore = "");
  // The same without a change.
  absl::StatusOr<RunStart> Look(ObjectStore& store,
                                const std::string& restore = "") const;
  absl::Status Keep(int keep);
  CkptResult Ckpt(const std::string& command);

  // Names from the step's folder on, with their bytes.
  std::map<std::string, std::string> Files(std::int64_t step);
  std::vector<std::string> Names();  // directly in the model_dir
  const OwnStep* OnRecord(std::int64_t step);

  // The bucket, which answers request `at` with a lie.
  std::unique_ptr<ObjectStore> Lying(const Lie& lie, int at, int* made);

 private:
  std::unique_ptr<ObjectStore> Over(std::unique_ptr<Http> http);

  const On on_;
  TempDir temp_;
  SimClock clock_;
  GcsDouble objects_;
  std::unique_ptr<ObjectStore> store_;
  JobPlan plan_;
  std::int64_t stamp_ = 100;
  KeptRecord kept_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_RUNTIME_CKPT_MODEL_DIR_WORLD_H_
