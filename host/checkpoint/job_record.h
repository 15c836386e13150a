// What the jobs of a model_dir have written there: kept beside the checkpoints
// as .podsim-job, so that nothing that another wrote, copied or renamed there
// is ever deleted. Pure.
//
//   JobRecord record = *ParseRecord(text);
//   record.Begin(1785);                   // parts are about to be written
//   record.Put({200, 1785, sha256});      // step 200 is about to get its name
//   if (record.IsLeftOver(300, 1785))     // a writer of ours was stopped
#ifndef PODSIM_HOST_CHECKPOINT_JOB_RECORD_H_
#define PODSIM_HOST_CHECKPOINT_JOB_RECORD_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace podsim {

inline constexpr char kRecordName[] = ".podsim-job";

// As RecordedStep of proto/checkpoint.proto.
struct OwnStep {
  std::int64_t step = 0;
  std::int64_t stamp = 0;
  std::string manifest_sha256;
  bool retiring = false;

  bool operator==(const OwnStep&) const = default;
};

class JobRecord {
 public:
  // Saved, gone on from, or put there by pod_ckpt adopt; ascending.
  const std::map<std::int64_t, OwnStep>& steps() const { return steps_; }
  const OwnStep* Find(std::int64_t step) const;
  bool HasBegun(std::int64_t stamp) const { return stamps_.count(stamp) != 0; }
  const std::set<std::int64_t>& stamps() const { return stamps_; }
  // Whether files of `stamp` for `step` are what a writer of ours, or a
  // deletion of ours, left when it was stopped.
  bool IsLeftOver(std::int64_t step, std::int64_t stamp) const;

  // The same of a directory of the model_dir itself, by its name: unfinished,
  // on its way out, or a generation's witness (layout.h).
  bool IsLeftOver(std::string_view name) const;

  // Of the oldest stamps, those without a step are forgotten beyond some
  // hundreds.
  void Begin(std::int64_t stamp);
  void Put(const OwnStep& step);
  void Retire(std::int64_t step);  // no effect: it is not on the record
  void Drop(std::int64_t step);

  bool operator==(const JobRecord&) const = default;

 private:
  std::set<std::int64_t> stamps_;
  std::map<std::int64_t, OwnStep> steps_;
};

// JSON, of proto ModelDirRecord.
std::string RecordJson(const JobRecord& record);
// Errors: DATA_LOSS (not such a text), FAILED_PRECONDITION (a newer format).
absl::StatusOr<JobRecord> ParseRecord(std::string_view json);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_JOB_RECORD_H_
