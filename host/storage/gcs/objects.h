// Objects of Cloud Storage, one by one: looked at, read, written and deleted on
// condition that they are of a known generation, so that every call can be made
// again.
#ifndef PODSIM_HOST_STORAGE_GCS_OBJECTS_H_
#define PODSIM_HOST_STORAGE_GCS_OBJECTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "host/storage/gcs/answers.h"
#include "host/storage/gcs/client.h"
#include "host/storage/gcs/name.h"

namespace podsim {

// Errors of all: those of GcsClient::Call.

// Of an answer that came, as GcsCall::check wants it: DATA_LOSS, if its status
// is none of these.
absl::Status CheckIsAnswer(const HttpResponse& answer,
                           const std::vector<int>& statuses);

// What there is; nothing: no such object, by the API's own word or by a listing
// that was begun after another 404. Errors: UNAVAILABLE (the listing has it).
absl::StatusOr<std::optional<GcsObject>> StatGcs(GcsClient& client,
                                                 const GcsName& name);

// Bytes [offset, offset + length) and what whole they are of; shorter only at
// the end. The length is checked, and of a whole object its CRC32C, if the
// store tells it.
struct GcsBytes {
  std::string bytes;
  std::int64_t total = 0;
  std::int64_t generation = 0;          // 0: not told, or the object is empty
  std::optional<std::uint32_t> crc32c;  // of the whole
};
// `generation` 0: whichever there is. REQUIRES: offset >= 0, length > 0.
// Nothing: no such object, or none of that generation any more.
absl::StatusOr<std::optional<GcsBytes>> ReadGcsRange(GcsClient& client,
                                                     const GcsName& name,
                                                     std::int64_t offset,
                                                     std::int64_t length,
                                                     std::int64_t generation);

// The whole of one generation, several ranges at a time, against its CRC32C.
// Nothing: no such object. Errors: ABORTED (replaced again and again
// meanwhile), RESOURCE_EXHAUSTED (larger than this process's memory),
// UNAVAILABLE (the read says another size than the object has).
absl::StatusOr<std::optional<std::string>> ReadGcsObject(GcsClient& client,
                                                         const GcsName& name);

// Writes the object if its generation is `expected` (0: there is none), in one
// request or, from kUploadAtOnce on, piece by piece; the store checks its
// CRC32C. Errors: ABORTED (it is of another generation).
inline constexpr std::int64_t kUploadAtOnce = std::int64_t{8} << 20;
absl::StatusOr<GcsObject> UploadGcs(GcsClient& client, const GcsName& name,
                                    std::string_view bytes,
                                    std::int64_t expected);

// Deletes that generation. Errors: NOT_FOUND (there was none at the first
// attempt), ABORTED (it is another by now).
absl::Status DeleteGcs(GcsClient& client, const GcsName& name,
                       std::int64_t generation);

// Copies within the store, if `to` is of the generation `expected`.
// Errors: NOT_FOUND (no `from`), ABORTED (`to` is of another generation).
absl::Status CopyGcs(GcsClient& client, const GcsName& from, const GcsName& to,
                     std::int64_t expected);

// A page of the names below `name` that follow `token`; `flat`: all of them,
// else those directly below and what the others have in common.
absl::StatusOr<GcsPage> ListGcs(GcsClient& client, const GcsName& name,
                                bool flat, const std::string& token, int most);

// Where the bucket is, in lower case: "europe-west4", "eu".
// Errors: NOT_FOUND (no such bucket).
absl::StatusOr<std::string> LocationOfGcs(GcsClient& client,
                                          const GcsName& name);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_OBJECTS_H_
