// Where a ladder's runs have their files: in a folder for each slice of
// --ladder_dir, or without one in a private folder that goes with the ladder.
#ifndef PODSIM_RUNTIME_LADDER_RUNG_FILES_H_
#define PODSIM_RUNTIME_LADDER_RUNG_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/pod/private_dir.h"

namespace podsim {

class RungFiles {
 public:
  // `ladder_dir`: made with the first run; empty: private. Errors:
  // INVALID_ARGUMENT (it lies on a store, or is a file); those of
  // PrivateDir::Create.
  static absl::StatusOr<RungFiles> Open(const std::string& ladder_dir);

  // Empty without --ladder_dir: nothing is kept.
  std::string results() const;
  // The page of the ladder; likewise.
  std::string page() const;
  bool kept() const { return !ladder_dir_.empty(); }

  // The slice's folder is made. `is_first`: of its runs, the one whose files
  // have no seed in their names: "job.txt", "metrics.jsonl". Errors: as of
  // mkdir.
  struct OfRun {
    std::string job;
    std::string metrics;
  };
  absl::StatusOr<OfRun> ForRun(const std::string& slice, std::uint64_t seed,
                               bool is_first) const;
  // Where that run's metrics are.
  std::string MetricsOf(const std::string& slice, std::uint64_t seed,
                        bool is_first) const;

 private:
  OfRun PathsOf(const std::string& slice, std::uint64_t seed,
                bool is_first) const;
  explicit RungFiles(std::string ladder_dir)
      : ladder_dir_(std::move(ladder_dir)) {}
  std::string ladder_dir_;
  std::optional<PrivateDir> private_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_LADDER_RUNG_FILES_H_
