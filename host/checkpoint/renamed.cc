#include "host/checkpoint/renamed.h"

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/locate.h"
#include "host/checkpoint/manifest.h"
#include "host/storage/bounded_read.h"

namespace podsim {
namespace {

constexpr char kRenamedFrom[] = "podsim/renamed_from";

// "runs/a/70/" and 60: "runs/a/60".
std::string Sibling(std::string path, std::int64_t step) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? absl::StrCat(step)
                            : StepPath(path.substr(0, slash + 1), step);
}

// What makes it a checkpoint again, before "move it away".
std::string WayBack(ObjectStore& store, const std::string& path,
                    const std::string& right) {
  if (store.List(right).ok()) return absl::StrCat(right, " is there, too: ");
  return absl::StrCat(store.CanRename(path)
                          ? absl::StrCat("mv ", path, " ", right)
                          : absl::StrCat("copy it to ", right),
                      " to go on from it, or ");
}

}  // namespace

absl::Status CheckName(ObjectStore& store, const std::string& path,
                       const std::string& files, std::int64_t step) {
  const auto named = ParseStep(NameOf(path));
  if (!named || *named == step) return absl::OkStatus();
  const bool is_run = files != path && ParseStep(NameOf(files)) == step;
  absl::Status renamed = absl::FailedPreconditionError(
      is_run ? absl::StrCat("the folder of a run, whose step ", step, " is ",
                            files, "; --model_dir=", path,
                            " goes on from it, or move it away")
             : absl::StrCat("renamed: it holds step ", step, "; ",
                            WayBack(store, path, Sibling(path, step)),
                            "move it away"));
  renamed.SetPayload(kRenamedFrom, absl::Cord(absl::StrCat(step)));
  return renamed;
}

absl::StatusOr<bool> HoldsAnotherStep(ObjectStore& store,
                                      const std::string& files,
                                      std::int64_t step) {
  const auto json = ReadAtMost(store, absl::StrCat(files, "/", kManifestName),
                               kMaxManifestBytes);
  if (absl::IsNotFound(json.status())) {
    PODSIM_RETURN_IF_ERROR(CheckIsMissing(store, files, kManifestName));
    return false;
  }
  if (absl::IsOutOfRange(json.status())) return false;
  PODSIM_RETURN_IF_ERROR(json.status());
  const auto manifest = ParseManifest(*json);
  return manifest.ok() && manifest->step() != step;
}

std::optional<std::int64_t> RenamedFrom(const absl::Status& status) {
  const auto payload = status.GetPayload(kRenamedFrom);
  std::int64_t step = 0;
  if (payload && absl::SimpleAtoi(std::string(*payload), &step)) return step;
  return std::nullopt;
}

}  // namespace podsim
