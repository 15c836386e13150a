// Checkpoints of a small model, saved and committed as a pod would.
#ifndef PODSIM_TESTS_HOST_CHECKPOINT_CHECKPOINT_FIXTURE_H_
#define PODSIM_TESTS_HOST_CHECKPOINT_CHECKPOINT_FIXTURE_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "host/checkpoint/commit.h"
#include "host/storage/storage.h"
#include "models/graph/program.h"
#include "proto/checkpoint.pb.h"

namespace podsim::testing {

// An MLP of 3x4 features with these widths, 5 classes and momentum: weights
// and slots.
Program TrainedMlp(const std::vector<int>& hidden,
                   const std::string& rule = "momentum");

// Variables that differ from each other and between seeds.
std::vector<float> SomeVariables(const Program& program, std::uint64_t seed);

inline constexpr int kHosts = 4;
inline constexpr std::int64_t kStamp = 1785;
inline constexpr std::int64_t kBatch = 256;

// Writes all hosts' parts and gives the manifest that belongs to them.
absl::StatusOr<CheckpointManifest> WriteParts(
    ObjectStore& store, const std::string& model_dir, const Program& program,
    const std::vector<float>& variables, std::int64_t step,
    std::int64_t stamp = kStamp);

// The same and the commit.
absl::Status SaveCheckpoint(ObjectStore& store, const std::string& model_dir,
                            const Program& program,
                            const std::vector<float>& variables,
                            std::int64_t step, std::int64_t stamp = kStamp);

// What a job does that holds the model_dir alone (commit.h), its record read
// anew each time.
absl::Status Begin(ObjectStore& store, const std::string& model_dir,
                   std::int64_t stamp);
absl::Status Commit(ObjectStore& store, const std::string& model_dir,
                    std::int64_t stamp, const CheckpointManifest& manifest,
                    const AnnounceChange& announce = {});
absl::Status Prune(
    ObjectStore& store, const std::string& model_dir, int keep,
    std::int64_t proved = std::numeric_limits<std::int64_t>::max(),
    const AnnounceChange& announce = {}, const OnPruned& on_pruned = {});
absl::Status Clean(ObjectStore& store, const std::string& model_dir,
                   const AnnounceChange& announce = {});
absl::Status SetAside(ObjectStore& store, const std::string& model_dir,
                      std::int64_t step, std::int64_t stamp);

// Paths of all files below a directory; none: there is no such directory.
absl::StatusOr<std::vector<std::string>> FilesBelow(
    ObjectStore& store, const std::string& directory);

// Stores that a checkpoint may lie on.
struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<ObjectStore>()> make;
};
std::vector<StoreKind> StoreKinds();

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_HOST_CHECKPOINT_CHECKPOINT_FIXTURE_H_
