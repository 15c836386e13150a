// Sets a checkpoint on a store of objects aside: a copy, then a deletion.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/object_commit.h"

namespace podsim {

namespace {

using Listed = ConditionalObjects::Listed;

// Of a directory that will be deleted once it is copied: a wrong answer would
// leave files out of the copy.
absl::StatusOr<std::vector<Listed>> ListTwice(ObjectStore& store,
                                              const std::string& path) {
  ConditionalObjects& objects = *store.Conditional(path);
  PODSIM_ASSIGN_OR_RETURN(auto files, objects.ListTree(path));
  PODSIM_ASSIGN_OR_RETURN(const auto again, objects.ListTree(path));
  const bool same =
      std::equal(files.begin(), files.end(), again.begin(), again.end(),
                 [](const Listed& a, const Listed& b) {
                   return a.name == b.name && a.generation == b.generation;
                 });
  if (!same)
    return absl::UnavailableError(
        absl::StrCat(path, ": two listings of the store differ; try again"));
  return files;
}

// `to` has each of `files` in its length.
absl::Status CheckCopy(ObjectStore& store, const std::vector<Listed>& files,
                       const std::string& to) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<Listed> copied,
                          store.Conditional(to)->ListTree(to));
  for (const Listed& file : files) {
    const bool whole =
        std::any_of(copied.begin(), copied.end(), [&](const Listed& copy) {
          return copy.name == file.name && copy.bytes == file.bytes;
        });
    if (!whole)
      return absl::UnavailableError(absl::StrCat(
          to, "/", file.name, " is missing or of another length than ",
          "what was copied there; try again"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SetObjectsAside(HeldDir& held, const OwnStep& own,
                             const std::string& to) {
  ObjectStore& store = held.store();
  const std::string from = StepPath(held.path(), own.step);
  PODSIM_ASSIGN_OR_RETURN(auto files, ListTwice(store, from));
  std::stable_partition(files.begin(), files.end(), [](const Listed& file) {
    return file.name != kMarkerName;
  });
  for (const Listed& file : files) {
    PODSIM_ASSIGN_OR_RETURN(const std::string bytes,
                            store.Read(absl::StrCat(from, "/", file.name)));
    PODSIM_RETURN_IF_ERROR(
        store.Write(absl::StrCat(to, "/", file.name), bytes));
  }
  PODSIM_RETURN_IF_ERROR(CheckCopy(store, files, to));
  PODSIM_RETURN_IF_ERROR(
      held.Note([&](JobRecord& record) { record.Retire(own.step); }));
  std::optional<std::int64_t> marker;
  for (const Listed& file : files)
    if (file.name == kMarkerName) marker = file.generation;
  return RemoveObjects(held, own.step, FilesOfOwn(files, own), marker);
}

}  // namespace podsim
