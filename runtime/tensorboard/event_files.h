// The event files of a run of TensorBoard: TFRecords in files whose names say
// when they were begun (place.h). On this machine a file grows; in a bucket,
// which cannot append, each piece is an object of its own.
#ifndef PODSIM_RUNTIME_TENSORBOARD_EVENT_FILES_H_
#define PODSIM_RUNTIME_TENSORBOARD_EVENT_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/clock.h"
#include "host/storage/storage.h"

namespace podsim {

// Names of the files of one process, all different. One thread at a time.
class EventFileNames {
 public:
  // `clock` outlives this.
  EventFileNames(const Clock& clock, std::string host, std::int64_t pid)
      : clock_(clock), host_(std::move(host)), pid_(pid) {}

  // Of a file that begins now.
  std::string Next();
  // Seconds since 1970.
  double Now() const;

 private:
  const Clock& clock_;
  const std::string host_;
  const std::int64_t pid_;
  std::int64_t number_ = 0;
};

// One thread at a time.
class EventFiles {
 public:
  virtual ~EventFiles() = default;
  // What follows goes to a file that is not there yet.
  virtual void StartFile() = 0;
  // Writes whole records behind those before; of none, what a call before could
  // not write. Blocks. Errors: the file's or the store's, naming it.
  virtual absl::Status Append(std::string_view records) = 0;
  // Whether another Append may mend an error: a part of a record in a file
  // would keep readers from all that follows.
  virtual bool TriesAgain() const = 0;
};

// A record as a file has it, framed (host/input/tfrecord.h): `event`
// serialized.
std::string EventRecord(const std::string& event);

// In `folder` of this machine, made by the first StartFile or with the first
// record, and never again.
std::unique_ptr<EventFiles> NewLocalEventFiles(
    std::string folder, std::shared_ptr<EventFileNames> names);
// Below `folder` of `store`: each Append writes an object, and one that failed
// is written again with what has come since.
std::unique_ptr<EventFiles> NewStoredEventFiles(
    std::string folder, std::unique_ptr<ObjectStore> store,
    std::shared_ptr<EventFileNames> names);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_EVENT_FILES_H_
