// What is called what in Cloud Storage: gs:// URIs, and names inside of URLs.
// Pure.
#ifndef PODSIM_HOST_STORAGE_GCS_NAME_H_
#define PODSIM_HOST_STORAGE_GCS_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace podsim {

// "gs://bucket/a/b": bucket and object. A run of slashes means one, and one at
// the end nothing, as in paths; so objects with such names cannot be reached.
struct GcsName {
  std::string bucket;
  std::string object;  // empty: the bucket itself

  std::string uri() const { return "gs://" + bucket + "/" + object; }
  // What the names of all objects below it begin with.
  std::string prefix() const { return object.empty() ? "" : object + "/"; }
};

// No name has more bytes.
inline constexpr std::size_t kLongestGcsName = 1024;
// As much of a name that was not asked for is in a message.
inline constexpr std::size_t kGcsNameSaid = 200;

// Errors: INVALID_ARGUMENT (no bucket; a bucket's or object's name that Cloud
//   Storage does not take: https://cloud.google.com/storage/docs/buckets#naming
//   and /objects#naming), with what is allowed.
absl::StatusOr<GcsName> ParseGcsName(std::string_view uri);

// Where the JSON API has them: "/storage/v1/b/bucket" and ".../o/object".
std::string BucketTarget(const GcsName& name);
std::string ObjectTarget(const GcsName& name);

// Every byte but letters, digits and -._~ as %XX (RFC 3986, section 2.1).
std::string PercentEncoded(std::string_view text);

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_GCS_NAME_H_
