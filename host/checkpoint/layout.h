// What lies where in a model_dir, and what it is called. Pure.
//
//   <model_dir>/
//     200/                               a checkpoint: committed, whole
//       SHA256SUMS                       of every other file: sha256sum -c
//       manifest.json                    CheckpointManifest
//       model-00001-of-00002.safetensors
//       model-00002-of-00002.safetensors
//     300.orbax-checkpoint-tmp-1785/     being written, or left unfinished
//     300.set-aside-1785/                beyond the point where a run began
//
// On a store of objects, which cannot rename, files lie one deeper from the
// beginning, and a marker, written last, says which of them are the checkpoint:
//
//     200/commit_success.txt             "1785"
//     200/1785/manifest.json ...
//
// Whatever has another name belongs to others and is left alone.
#ifndef PODSIM_HOST_CHECKPOINT_LAYOUT_H_
#define PODSIM_HOST_CHECKPOINT_LAYOUT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace podsim {

inline constexpr char kManifestName[] = "manifest.json";
inline constexpr char kSumsName[] = "SHA256SUMS";
inline constexpr char kMarkerName[] = "commit_success.txt";

// Beside the stamps of writers, which are positive: a checkpoint on its way
// out.
inline constexpr std::int64_t kRetiredStamp = 0;

// A directory of an earlier or other run: `stamp` tells the writers apart.
struct StampedStep {
  std::int64_t step = 0;
  std::int64_t stamp = 0;
  bool operator==(const StampedStep&) const = default;
};

std::string StepPath(const std::string& model_dir, std::int64_t step);
std::string UnfinishedPath(const std::string& model_dir, std::int64_t step,
                           std::int64_t stamp);
std::string SetAsidePath(const std::string& model_dir, std::int64_t step,
                         std::int64_t stamp);
// On a store of objects: the files of the holding with this stamp.
std::string StampPath(const std::string& model_dir, std::int64_t step,
                      std::int64_t stamp);
// "model-00001-of-00004.safetensors". Parts count from 1.
std::string PartName(int part, int parts);

// What the generation with this stamp leaves in model_dir while it runs, to see
// that all hosts look at the same one.
std::string WitnessPath(const std::string& model_dir, std::int64_t stamp);

// What the marker says: the stamp; nothing: the files lie beside it.
std::optional<std::int64_t> ParseMarker(std::string_view text);

// The other way round, from the last component of a path (a slash at its end
// is let pass): nothing unless it is exactly such a name.
std::optional<std::int64_t> ParseStep(std::string_view name);
std::optional<StampedStep> ParseUnfinished(std::string_view name);
std::optional<StampedStep> ParseSetAside(std::string_view name);
std::optional<std::int64_t> ParseWitness(std::string_view name);  // its stamp
struct PartNumber {
  int part = 0;
  int parts = 0;
  bool operator==(const PartNumber&) const = default;
};
std::optional<PartNumber> ParsePartName(std::string_view name);

// The last component of a path: "200" of "/m/200/".
std::string NameOf(std::string_view path);

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_LAYOUT_H_
