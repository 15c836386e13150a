// What takes several calls to Cloud Storage, each of which may be answered
// without that it comes any further: a listing's pages, a change that others
// are first to make, the pieces of an upload. It is told of and ended as one
// call is, and gives up after a number of calls that bring nothing.
//
//   GcsHeadway headway(client, "write gs://bucket/a");
//   for (;;) {
//     ... calls; if they have done it: return headway.Done();
//     PODSIM_RETURN_IF_ERROR(headway.Stuck("another wrote it first", 64));
//   }
#ifndef PODSIM_HOST_STORAGE_GCS_HEADWAY_H_
#define PODSIM_HOST_STORAGE_GCS_HEADWAY_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "host/storage/gcs/client.h"
#include "host/storage/store_waits.h"

namespace podsim {

// How often an answer that contradicts another is asked for: a proxy's, or a
// store's that is not in its senses.
inline constexpr int kGcsDenials = 3;

// Of one thread.
class GcsHeadway {
 public:
  // `client` is borrowed.
  GcsHeadway(GcsClient& client, std::string doing);

  // Before another call: how far it is, in bytes that the store has, and in
  // words. Errors: UNAVAILABLE (nobody waits any longer).
  absl::Status At(std::int64_t bytes, const std::string& words);
  // The last call brought something.
  void CameOn() { stuck_ = 0; }
  // It brought nothing: waits before the next, or gives up after `most` in a
  // row. Errors: UNAVAILABLE ("write gs://bucket/a: 64 times another wrote it
  // first"; nobody waits any longer).
  absl::Status Stuck(const std::string& why, int most);
  absl::Status Done();  // OK

 private:
  absl::Status Ended() const;

  GcsClient& client_;
  const std::string doing_;
  StoreWaits::Call spoken_;
  int stuck_ = 0;
};

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_HEADWAY_H_
