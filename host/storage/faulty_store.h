// A store that goes wrong on purpose: writes that fail, writes that are torn,
// and a process that is killed between one operation and the next.
//
//   FaultyStore store(real.get());
//   store.FailNextWrite(absl::ResourceExhaustedError("No space left"));
#ifndef PODSIM_HOST_STORAGE_FAULTY_STORE_H_
#define PODSIM_HOST_STORAGE_FAULTY_STORE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "host/storage/wrapper.h"

namespace podsim {

// Thread-safe. Passes on what it is not told to spoil.
class FaultyStore final : public ObjectStoreWrapper, public ConditionalObjects {
 public:
  // `base` is borrowed and must outlive this.
  explicit FaultyStore(ObjectStore* base) : ObjectStoreWrapper(base) {}

  // The write after the next `after` ones fails with `status`, its path before
  // the message, and changes nothing. REQUIRES: !status.ok(), after >= 0.
  void FailNextWrite(absl::Status status, int after = 0);
  // That write says OK and keeps only its first `bytes`: a disk that lied.
  void TearNextWrite(std::int64_t bytes, int after = 0);
  // After `operations` more that change something, every call fails with
  // CANCELLED, as if the process were gone. A tree is deleted object by object.
  void StopAfter(int operations);

  // That changed something, so far.
  int operations() const;
  // Writes that were failed or torn, so far.
  int faults() const;

  absl::StatusOr<std::string> Read(std::string_view path) override;
  absl::StatusOr<std::string> ReadRange(std::string_view path,
                                        std::int64_t offset,
                                        std::int64_t length) override;
  absl::StatusOr<ObjectStat> Stat(std::string_view path) override;
  absl::Status Write(std::string_view path, std::string_view bytes) override;
  absl::StatusOr<std::vector<std::string>> List(
      std::string_view prefix) override;
  absl::Status Delete(std::string_view path) override;
  absl::Status DeleteTree(std::string_view directory) override;
  absl::Status Rename(std::string_view from, std::string_view to) override;
  // Its writes fail and are torn as the others are.
  ConditionalObjects* Conditional(std::string_view path) override;
  absl::StatusOr<std::vector<Listed>> ListTree(
      std::string_view directory) override;
  absl::StatusOr<std::optional<Version>> ReadVersion(
      std::string_view path) override;
  absl::StatusOr<std::int64_t> WriteIf(std::string_view path,
                                       std::string_view bytes,
                                       std::int64_t expected) override;
  absl::Status DeleteIf(std::string_view path, std::int64_t expected) override;
  absl::Status CopyIf(std::string_view from, std::string_view to,
                      std::int64_t expected) override;

 private:
  struct Fault {
    absl::Status status;     // OK: the write is torn
    std::int64_t bytes = 0;  // that a torn write keeps
  };

  void Plan(int after, Fault fault);
  // The fault of the write that is beginning, if it has one.
  std::optional<Fault> NextWrite();
  absl::Status CheckRunning() const;
  absl::Status CountOperation();

  mutable Mutex mutex_;
  int writes_ PODSIM_GUARDED_BY(mutex_) = 0;
  int operations_ PODSIM_GUARDED_BY(mutex_) = 0;
  int faults_ PODSIM_GUARDED_BY(mutex_) = 0;
  std::optional<int> last_operation_ PODSIM_GUARDED_BY(mutex_);
  std::map<int, Fault> planned_ PODSIM_GUARDED_BY(mutex_);  // by write
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_FAULTY_STORE_H_
