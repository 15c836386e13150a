#include "tests/runtime/ckpt/model_dir_world.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/layout.h"
#include "host/storage/gcs/client.h"
#include "host/storage/gcs/store.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"
#include "tests/runtime/coordinator/saved_run.h"
#include "tests/testing/gcs/double_store.h"

namespace podsim::testing {

ModelDirWorld::ModelDirWorld(On on) : on_(on) {
  objects_.MakeBucket("bucket", "EU");
  store_ = in_bucket() ? Over(NewDoubleHttp(&objects_)) : NewLocalStore();
  plan_ = SmallPlan(in_bucket() ? "gs://bucket/run" : temp_.file("run"));
}

std::unique_ptr<ObjectStore> ModelDirWorld::Over(std::unique_ptr<Http> http) {
  return NewGcsStore(std::make_unique<GcsClient>(
      GcsClient::Options{.endpoint = GcsDoubleOptions().endpoint,
                         .waiter = VirtualWaiter(&clock_)},
      std::move(http), NoTokens()));
}

std::unique_ptr<ObjectStore> ModelDirWorld::Lying(const Lie& lie, int at,
                                                  int* made) {
  return Over(NewLiar(NewDoubleHttp(&objects_), lie, at, made));
}

std::string ModelDirWorld::Path(std::int64_t step) const {
  return StepPath(dir(), step);
}

absl::Status ModelDirWorld::Save(std::int64_t step) {
  return SavePlanned(store(), plan_, step);
}

void ModelDirWorld::PutAnothers(std::int64_t step) {
  ModelDirWorld elsewhere(on_);
  PODSIM_CHECK(SavePlanned(elsewhere.store(), elsewhere.plan(), step, "another",
                           /*stamp=*/42)
                   .ok());
  Copy(elsewhere, step, step);
}

void ModelDirWorld::Copy(ModelDirWorld& source, std::int64_t from,
                         std::int64_t to, bool with_marker) {
  Delete(to);
  for (const auto& [name, bytes] : source.Files(from))
    if (with_marker || NameOf(name) != kMarkerName)
      PODSIM_CHECK(
          store().Write(absl::StrCat(Path(to), "/", name), bytes).ok());
}

void ModelDirWorld::Delete(std::int64_t step) {
  if (!Files(step).empty()) PODSIM_CHECK(store().DeleteTree(Path(step)).ok());
}

void ModelDirWorld::Damage(std::int64_t step) {
  testing::Damage(store(), plan_, step);
}

void ModelDirWorld::DeleteFile(const std::string& name) {
  PODSIM_CHECK(store().Delete(absl::StrCat(dir(), "/", name)).ok());
}

absl::StatusOr<RunStart> ModelDirWorld::Look(ObjectStore& store,
                                             const std::string& restore) const {
  JobSpec spec;
  if (!restore.empty()) spec.set_restore(restore);
  return FindStart(store, spec, plan_);
}

absl::StatusOr<RunStart> ModelDirWorld::Begin(const std::string& restore) {
  PODSIM_ASSIGN_OR_RETURN(RunStart start, Look(store(), restore));
  PODSIM_RETURN_IF_ERROR(Prepare(store(), plan_, ++stamp_, start));
  Leave(store(), plan_, stamp_);
  return start;
}

absl::Status ModelDirWorld::Keep(int keep) {
  return Prune(store(), dir(), keep);
}

CkptResult ModelDirWorld::Ckpt(const std::string& command) {
  return RunCkpt({command, dir()}, store(),
                 absl::FromUnixSeconds(1'500'000'100), /*width=*/0);
}

std::map<std::string, std::string> ModelDirWorld::Files(std::int64_t step) {
  const auto names = FilesBelow(store(), Path(step));
  PODSIM_CHECK(names.ok());
  std::map<std::string, std::string> files;
  for (const std::string& name : *names) {
    const auto bytes = store().Read(name);
    PODSIM_CHECK(bytes.ok());
    files[name.substr(Path(step).size() + 1)] = *bytes;
  }
  return files;
}

std::vector<std::string> ModelDirWorld::Names() {
  auto names = store().List(dir());
  if (!names.ok()) return {};
  std::erase(*names, kRecordName);
  return *std::move(names);
}

const OwnStep* ModelDirWorld::OnRecord(std::int64_t step) {
  auto kept = ReadRecord(store(), dir());
  PODSIM_CHECK(kept.ok());
  kept_ = *std::move(kept);
  return kept_.record.Find(step);
}

}  // namespace podsim::testing
