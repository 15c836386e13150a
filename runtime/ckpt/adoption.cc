#include "runtime/ckpt/adoption.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/catalog.h"
#include "host/checkpoint/folders.h"
#include "host/checkpoint/held_dir.h"
#include "host/checkpoint/job_record.h"
#include "host/checkpoint/layout.h"
#include "host/checkpoint/locate.h"
#include "host/checkpoint/ownership.h"
#include "host/checkpoint/renamed.h"
#include "host/checkpoint/runs_below.h"
#include "host/storage/job_hold.h"
#include "host/storage/no_file.h"

namespace podsim {
namespace {

// A model_dir that no job has meanwhile.
struct Taken {
  std::unique_ptr<JobHold> hold;
  Folders folders;
};

// The folder of a run that has a checkpoint at `path`.
std::string RunOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

// Before it is held, as a lock would be left in somebody's other folder.
absl::Status CheckIsModelDir(ObjectStore& store, const std::string& path,
                             const char* command) {
  if (store.Stat(absl::StrCat(path, "/", kManifestName)).ok())
    return absl::InvalidArgumentError(absl::StrCat(
        path, " is a checkpoint, and ", command,
        " takes the folder of a run: pod_ckpt ", command, " ", RunOf(path)));
  PODSIM_ASSIGN_OR_RETURN(const Folders folders, LookAt(store, path));
  const KeptRecord& kept = folders.kept;
  const bool has_record = !kept.trouble.empty() || kept.generation != 0 ||
                          kept.record != JobRecord() ||
                          store.Stat(absl::StrCat(path, "/", kRecordName)).ok();
  if (has_record || !folders.steps.empty() || !folders.leftovers.empty())
    return absl::OkStatus();
  if (const auto runs = RunsBelow(store, path); !runs.empty())
    return absl::NotFoundError(absl::StrCat(path, ButRunsDo(runs),
                                            "; give the folder of a run: "
                                            "pod_ckpt ",
                                            command, " ", runs[0].path));
  return absl::NotFoundError(
      absl::StrCat(path, " holds no checkpoint, nor the record of a run (",
                   kRecordName, "); give the folder of a run, its model_dir"));
}

absl::StatusOr<Taken> Take(ObjectStore& store, const std::string& model_dir,
                           const char* command) {
  if (absl::IsNotFound(store.List(model_dir).status()))
    return NoFolder(store, model_dir, "the folder of a run, its model_dir");
  Taken taken;
  PODSIM_RETURN_IF_ERROR(CheckIsModelDir(store, model_dir, command));
  PODSIM_ASSIGN_OR_RETURN(taken.hold, JobHold::Acquire(store, model_dir));
  PODSIM_ASSIGN_OR_RETURN(taken.folders, LookAt(store, model_dir));
  return taken;
}

// What is damaged has no hash: a run sets it aside, and never deletes it.
std::string Adopt(ObjectStore& store, const std::string& path,
                  std::int64_t step, std::vector<OwnStep>& adopted) {
  const absl::StatusOr<CheckpointAt> found = ReadManifest(store, path);
  if (found.ok()) {
    adopted.push_back(OwnStepOf(*found));
    return absl::StrCat(path, ": taken over\n");
  }
  if (RenamedFrom(found.status()))
    return absl::StrCat(found.status().message(), "; not taken over\n");
  const auto files = FilesOf(store, path);
  CheckpointAt at{.path = path, .files = files.value_or(path), .step = step};
  adopted.push_back(OwnStepOf(at));
  return absl::StrCat(found.status().message(),
                      "; taken over, to be set aside by a run\n");
}

}  // namespace

absl::StatusOr<std::string> AdoptCheckpoints(ObjectStore& store,
                                             const std::string& model_dir) {
  PODSIM_ASSIGN_OR_RETURN(const Taken taken, Take(store, model_dir, "adopt"));
  PODSIM_ASSIGN_OR_RETURN(HeldDir held, HeldDir::Open(store, model_dir));
  held.Distrust();
  std::string text;
  std::vector<OwnStep> adopted;
  PODSIM_ASSIGN_OR_RETURN(
      const std::vector<std::int64_t> strangers,
      FindStrangers(store, model_dir, taken.folders, /*begin=*/-1));
  for (const std::int64_t step : strangers)
    absl::StrAppend(&text,
                    Adopt(store, StepPath(model_dir, step), step, adopted));
  if (text.empty())
    return absl::StrCat("no checkpoint in ", model_dir,
                        " that is not on its record\n");
  PODSIM_RETURN_IF_ERROR(held.Note([&](JobRecord& record) {
    for (const OwnStep& own : adopted) record.Put(own);
  }));
  return text;
}

absl::StatusOr<std::string> CleanLeftovers(ObjectStore& store,
                                           const std::string& model_dir) {
  PODSIM_ASSIGN_OR_RETURN(const Taken taken, Take(store, model_dir, "clean"));
  // A listing that lacks a file shows a whole one as a half: two must agree.
  PODSIM_ASSIGN_OR_RETURN(const Folders again, LookAt(store, model_dir));
  std::string text;
  for (const std::string& name : taken.folders.leftovers) {
    if (std::find(again.leftovers.begin(), again.leftovers.end(), name) ==
        again.leftovers.end())
      continue;
    const std::string path = absl::StrCat(model_dir, "/", name);
    PODSIM_RETURN_IF_ERROR(store.DeleteTree(path));
    absl::StrAppend(&text, path, ": removed\n");
  }
  if (text.empty())
    return absl::StrCat("no unfinished folder in ", model_dir,
                        " that is not on its record\n");
  return text;
}

}  // namespace podsim
