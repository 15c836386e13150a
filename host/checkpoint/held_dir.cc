#include "host/checkpoint/held_dir.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/checkpoint/manifest.h"
#include "host/storage/bounded_read.h"

namespace podsim {
namespace {

// How often another process of the same job may have written it meanwhile.
constexpr int kWriters = 8;

std::string RecordPath(const std::string& model_dir) {
  return absl::StrCat(model_dir, "/", kRecordName);
}

void Believe(const std::string& path, const std::string& text,
             KeptRecord& kept) {
  absl::StatusOr<JobRecord> record = ParseRecord(text);
  if (record.ok()) {
    kept.record = *std::move(record);
    return;
  }
  kept.trouble = absl::StrCat(path, ": ", record.status().message());
}

}  // namespace

absl::StatusOr<KeptRecord> ReadRecord(ObjectStore& store,
                                      const std::string& model_dir) {
  const std::string path = RecordPath(model_dir);
  KeptRecord kept;
  if (ConditionalObjects* const objects = store.Conditional(path)) {
    PODSIM_ASSIGN_OR_RETURN(const auto version, objects->ReadVersion(path));
    if (!version) return kept;
    kept.generation = version->generation;
    Believe(path, version->bytes, kept);
    return kept;
  }
  const auto text = ReadAtMost(store, path, kMaxManifestBytes);
  if (absl::IsNotFound(text.status())) return kept;
  if (text.ok()) {
    Believe(path, *text, kept);
  } else {
    kept.trouble = std::string(text.status().message());
  }
  return kept;
}

HeldDir::HeldDir(ObjectStore& store, std::string path, AnnounceChange announce,
                 KeptRecord kept)
    : store_(&store),
      path_(std::move(path)),
      announce_(std::move(announce)),
      kept_(std::move(kept)) {}

absl::StatusOr<HeldDir> HeldDir::Open(ObjectStore& store, std::string path,
                                      AnnounceChange announce) {
  PODSIM_ASSIGN_OR_RETURN(KeptRecord kept, ReadRecord(store, path));
  return HeldDir(store, std::move(path), std::move(announce), std::move(kept));
}

absl::Status HeldDir::Announce(const std::string& change) {
  announced_ = change;
  return announce_ == nullptr ? absl::OkStatus() : announce_(change);
}

absl::Status HeldDir::Explain(absl::Status failed) {
  if (!absl::IsFailedPrecondition(failed) && !absl::IsAlreadyExists(failed) &&
      !absl::IsNotFound(failed) && !absl::IsDataLoss(failed))
    return failed;
  absl::Status held = Announce(std::string(announced_));
  return absl::IsFailedPrecondition(held) ? held : failed;
}

absl::Status HeldDir::Write(const JobRecord& record) {
  const std::string path = RecordPath(path_);
  const std::string json = RecordJson(record);
  ConditionalObjects* const objects = store_->Conditional(path);
  if (objects == nullptr) {
    // No write of a disk has a condition: whether it is still held.
    PODSIM_RETURN_IF_ERROR(Announce(std::string(announced_)));
    return store_->Write(path, json);
  }
  PODSIM_ASSIGN_OR_RETURN(kept_.generation,
                          objects->WriteIf(path, json, kept_.generation));
  return absl::OkStatus();
}

absl::Status HeldDir::Note(const std::function<void(JobRecord&)>& change) {
  absl::Status status;
  for (int writer = 0; writer < kWriters; ++writer) {
    if (!kept_.trouble.empty()) return absl::OkStatus();
    JobRecord record = kept_.record;
    change(record);
    if (record == kept_.record) return absl::OkStatus();
    status = Write(record);
    if (status.ok()) kept_.record = std::move(record);
    if (!absl::IsAborted(status)) return status;
    // A holder before this one was still at it; unless this one is the one
    // before.
    PODSIM_RETURN_IF_ERROR(Announce(std::string(announced_)));
    PODSIM_ASSIGN_OR_RETURN(kept_, ReadRecord(*store_, path_));
  }
  return status;
}

}  // namespace podsim
