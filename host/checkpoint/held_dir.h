// A model_dir in the hands of the one job that holds it, with the record of
// what its jobs wrote there. Whatever changes a model_dir goes through it.
//
//   PODSIM_ASSIGN_OR_RETURN(HeldDir held, HeldDir::Open(store, dir, announce));
//   held.Note([&](JobRecord& record) { record.Begin(stamp); });
//
// Not thread-safe: one thread at a time.
#ifndef PODSIM_HOST_CHECKPOINT_HELD_DIR_H_
#define PODSIM_HOST_CHECKPOINT_HELD_DIR_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/checkpoint/job_record.h"
#include "host/storage/storage.h"

namespace podsim {

// On a store of objects: says what is about to be changed to whoever may come
// after this process, or that all is done ("" does). Only when it gives OK is
// the change made. Empty: nobody else comes.
using AnnounceChange = std::function<absl::Status(const std::string& change)>;

// The record that is kept in a model_dir; an empty one: there is none.
struct KeptRecord {
  JobRecord record;
  // Why it cannot be believed, in one line; then `record` is empty.
  std::string trouble;
  std::int64_t generation = 0;  // on a store of objects; 0: there is none
};
// Errors: the store's.
absl::StatusOr<KeptRecord> ReadRecord(ObjectStore& store,
                                      const std::string& model_dir);

class HeldDir {
 public:
  // Reads the record. `store` is borrowed. REQUIRES: the model_dir is held.
  // Errors: the store's.
  static absl::StatusOr<HeldDir> Open(ObjectStore& store, std::string path,
                                      AnnounceChange announce = {});

  ObjectStore& store() const { return *store_; }
  const std::string& path() const { return path_; }
  const JobRecord& record() const { return kept_.record; }
  // A record that cannot be believed is empty, and is not written over.
  const std::string& trouble() const { return kept_.trouble; }

  // Changes the record and writes it, before what it speaks of is done.
  // `change` may be called again, on what another process of this job wrote.
  // Errors: FAILED_PRECONDITION (another job holds the model_dir), the store's.
  absl::Status Note(const std::function<void(JobRecord&)>& change);
  absl::Status Announce(const std::string& change);
  // Why a change failed: that another job has taken the model_dir over, by its
  // name, or `failed` itself. A store that does not answer is not asked again.
  absl::Status Explain(absl::Status failed);

  // From here on a record that cannot be believed counts as none, and is
  // written over. For who was asked to.
  void Distrust() { kept_.trouble.clear(); }

 private:
  HeldDir(ObjectStore& store, std::string path, AnnounceChange announce,
          KeptRecord kept);
  absl::Status Write(const JobRecord& record);

  ObjectStore* store_;
  std::string path_;
  AnnounceChange announce_;
  std::string announced_;
  KeptRecord kept_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_CHECKPOINT_HELD_DIR_H_
