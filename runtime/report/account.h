// What became of a job's examples and checkpoints, as text. Pure.
#ifndef PODSIM_RUNTIME_REPORT_ACCOUNT_H_
#define PODSIM_RUNTIME_REPORT_ACCOUNT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "proto/checkpoint.pb.h"
#include "proto/event.pb.h"

namespace podsim {

// The checkpoints that one run saved.
struct Savings {
  std::int64_t count = 0;
  std::int64_t skipped = 0;    // due while the store was silent
  std::int64_t bytes = 0;      // of the last one
  double seconds_paused = 0;   // wall, all together
  double seconds_written = 0;  // wall, all together, beside training
  std::string last;            // its path
  // Steps beyond keep that stay, and why, by the last attempt.
  std::map<std::int64_t, std::string> undeleted = {};
  void Add(const CheckpointSaved& saved);
  void Add(const CheckpointDeleted& deleted);
};

// "8 saved, the last m/4000 (150.59 KiB); each paused training for 1.2 ms (0.1%
// of it) and was written in 8.1 ms". REQUIRES: at least one.
std::string FormatSavings(const Savings& savings, absl::Duration training);

// "8 saved, the last m/4000 (150.59 KiB)". REQUIRES: at least one.
std::string FormatLastSaved(const Savings& savings);

// "2 checkpoints were skipped, as the store was silent".
std::string FormatSkipped(const Savings& savings);

// "2 old checkpoints could not be deleted: delete gs://b/m/10/1785/...: 403",
// the reason of the oldest.
// REQUIRES: some are undeleted.
std::string FormatUndeleted(const Savings& savings);

// "51,200 on v3-8 in 800 steps, then 51,200 on v3-32 in 200 steps". The stints
// follow each other without a gap, so no example is left out or comes twice.
std::string FormatStints(const std::vector<Stint>& stints);

// "68.36 epochs of 1,498: each example 68 or 69 times".
std::string FormatEpochs(std::int64_t examples, std::int64_t dataset_size);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_REPORT_ACCOUNT_H_
