// Objects of Cloud Storage, one by one: looked at, read, written and deleted on
// condition that they are of a known generation, so that every call can be made
// again.
#ifndef PODSIM_HOST_STORAGE_GCS_OBJECTS_H_
#define PODSIM_HOST_STORAGE_GCS_OBJECTS_H_

#include <cstdint>
#include <functional>
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

// Of an answer 200, likewise: DATA_LOSS, if it does not describe this object.
absl::Status CheckIsOf(const GcsName& name, const HttpResponse& answer);

// Of a listing or a write, which the store answers otherwise whatever is in the
// bucket: what an answer 404 says. Errors: NOT_FOUND (no such bucket, by the
// API's own word), UNAVAILABLE (it is somebody else's answer).
absl::Status NoBucket(const GcsClient& client, const std::string& doing,
                      const GcsName& name, const HttpResponse& answer);

// Makes a change on condition that the object is of the generation `expected`,
// and again while the store denies it (ABORTED) for an object that is: a few
// times. Errors: those of `change`, UNAVAILABLE (it still denies it).
absl::Status ChangeGcs(GcsClient& client, const GcsName& name,
                       const std::string& doing, std::int64_t expected,
                       const std::function<absl::Status()>& change);

// Whether the store lists it. Errors besides: UNAVAILABLE (what is asked lists
// nothing at all).
absl::StatusOr<bool> IsListedGcs(GcsClient& client, const GcsName& name);

// Of an answer 404 about an object, which is believed in the API's own words,
// or after a listing: of a proxy, or of an emulator, it says nothing alone.
// Errors: UNAVAILABLE (it is listed).
absl::Status CheckIsMissing(GcsClient& client, const GcsName& name,
                            const HttpResponse& answer);

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
  std::int64_t generation = 0;          // 0: not told
  std::optional<std::uint32_t> crc32c;  // of the whole
};
// Errors: DATA_LOSS (the bytes are not of the sum that is told, if one is).
absl::Status CheckGcsSum(std::string_view whole,
                         const std::optional<std::uint32_t>& told);
// `generation` 0: whichever there is. REQUIRES: offset >= 0, length > 0.
// Nothing: no such object, or none of that generation any more.
absl::StatusOr<std::optional<GcsBytes>> ReadGcsRange(GcsClient& client,
                                                     const GcsName& name,
                                                     std::int64_t offset,
                                                     std::int64_t length,
                                                     std::int64_t generation);

// The whole of one generation, several ranges at a time, against its CRC32C.
// Nothing: no such object. Errors: RESOURCE_EXHAUSTED (larger than this
// process's memory), UNAVAILABLE (replaced again and again meanwhile, of
// another sum, or the read says another size than the object has).
absl::StatusOr<std::optional<std::string>> ReadGcsObject(GcsClient& client,
                                                         const GcsName& name);

// Writes the object if its generation is `expected` (0: there is none), in one
// request or, from kUploadAtOnce on, piece by piece; the store checks its
// CRC32C. Errors: ABORTED (it is of another generation), UNAVAILABLE (the store
// says twice that it has other bytes).
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

// A page of the names below `name` that follow `token`, all of which come
// `after` the last of the pages before; `flat`: all of them, else those
// directly below and what the others have in common.
struct GcsPlace {
  std::string token = {};  // empty: the first page
  std::string after = {};
};
absl::StatusOr<GcsPage> ListGcs(GcsClient& client, const GcsName& name,
                                bool flat, const GcsPlace& place, int most);

// Where the bucket is, in lower case: "europe-west4", "eu".
// Errors: NOT_FOUND (no such bucket).
absl::StatusOr<std::string> LocationOfGcs(GcsClient& client,
                                          const GcsName& name);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_OBJECTS_H_
