// What Cloud Storage's JSON API answers, as values. Pure; what it was given may
// be anything.
// Fields: https://cloud.google.com/storage/docs/json_api/v1/objects#resource
#ifndef PODSIM_HOST_STORAGE_GCS_ANSWERS_H_
#define PODSIM_HOST_STORAGE_GCS_ANSWERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace podsim {

struct GcsObject {
  std::string name;
  std::int64_t size = 0;
  std::int64_t generation = 0;
  std::optional<std::uint32_t> crc32c;
};

struct GcsPage {
  std::vector<GcsObject> objects;
  std::vector<std::string> prefixes;
  std::string next;  // page token; empty: this was the last
};

struct GcsRewrite {
  bool done = false;
  std::string token;        // to go on with, if it is not
  std::int64_t copied = 0;  // bytes so far; 0 if it is not said
};

struct GcsToken {
  std::string token;
  absl::Duration lasts;
};

// Errors of all: DATA_LOSS, saying which field is missing or wrong. The text
// itself is never in a message: it may hold a secret.
absl::StatusOr<GcsObject> ParseObject(std::string_view json);
absl::StatusOr<GcsPage> ParsePage(std::string_view json);
absl::StatusOr<GcsRewrite> ParseRewrite(std::string_view json);
// "EUROPE-WEST4" of a bucket's resource.
absl::StatusOr<std::string> ParseLocation(std::string_view json);
// access_token and expires_in of an OAuth 2.0 answer (RFC 6749, section 5.1).
absl::StatusOr<GcsToken> ParseToken(std::string_view json);

// What an error's answer says of itself: "Precondition Failed
// (conditionNotMet)"; empty: nothing that could be read. At most a line.
std::string ErrorText(std::string_view json);

// Whether an answer of this status is the API's own word for it, and not the
// page of a proxy, or nothing: {"error": {"code": 404, ...}}.
bool IsErrorOfApi(std::string_view json, int status);

// Whether it begins as a page for people does.
bool IsHtml(std::string_view body);

// "n03x6A==", as the API writes a CRC32C: base64 of its four bytes, the highest
// first.
std::string Crc32cText(std::uint32_t crc);
std::optional<std::uint32_t> ParseCrc32c(std::string_view text);
// Of the header x-goog-hash: "crc32c=n03x6A==,md5=...".
std::optional<std::uint32_t> Crc32cOfHeader(std::string_view header);
// How the API and podsim's messages say it: "12 bytes, CRC32C n03x6A==".
std::string SizeAndSum(std::int64_t size, std::optional<std::uint32_t> crc32c);
// "bytes 0-9/100" of a Content-Range: the whole's length.
std::optional<std::int64_t> TotalOfRange(std::string_view header);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_ANSWERS_H_
