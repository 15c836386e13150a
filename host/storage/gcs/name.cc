#include "host/storage/gcs/name.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

constexpr std::size_t kShortestBucket = 3;
constexpr std::size_t kLongestBucket = 222;  // with dots; 63 between them

bool IsBucketLetter(char ch) {
  return absl::ascii_islower(static_cast<unsigned char>(ch)) ||
         absl::ascii_isdigit(static_cast<unsigned char>(ch)) || ch == '-' ||
         ch == '_' || ch == '.';
}

bool IsBucket(std::string_view name) {
  return name.size() >= kShortestBucket && name.size() <= kLongestBucket &&
         std::all_of(name.begin(), name.end(), IsBucketLetter) &&
         name.front() != '.' && name.front() != '-' && name.back() != '.' &&
         name.back() != '-';
}

absl::Status Refused(std::string_view uri, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(uri), ": ", std::string(why)));
}

}  // namespace

absl::StatusOr<GcsName> ParseGcsName(std::string_view uri) {
  constexpr std::string_view kScheme = "gs://";
  if (absl::AsciiStrToLower(std::string(uri.substr(0, kScheme.size()))) !=
      kScheme)
    return Refused(uri, "give gs://BUCKET/NAME");
  const std::string_view rest = uri.substr(kScheme.size());
  GcsName name;
  name.bucket = std::string(rest.substr(0, rest.find('/')));
  if (name.bucket.empty())
    return Refused(uri,
                   "the bucket's name is missing (a variable of the shell may "
                   "be empty); give gs://BUCKET/NAME");
  if (!IsBucket(name.bucket))
    return Refused(uri,
                   "no bucket is called so: 3 to 222 of a-z, 0-9, '-', '_', "
                   "'.'; give gs://BUCKET/NAME");
  for (const char ch : rest.substr(name.bucket.size())) {
    if (ch == '\n' || ch == '\r' || ch == '\0')
      return Refused(uri, "an object's name has no line breaks; take them out");
    if (ch != '/' || (!name.object.empty() && name.object.back() != '/'))
      name.object += ch;
  }
  if (!name.object.empty() && name.object.back() == '/') name.object.pop_back();
  if (name.object.size() > kLongestGcsName)
    return Refused(uri, "an object's name has at most 1,024 bytes; shorten it");
  return name;
}

std::string PercentEncoded(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char ch : text) {
    const auto byte = static_cast<unsigned char>(ch);
    if (absl::ascii_isalnum(byte) || ch == '-' || ch == '.' || ch == '_' ||
        ch == '~') {
      encoded += ch;
    } else {
      encoded += '%';
      encoded += kHex[byte >> 4];
      encoded += kHex[byte & 15];
    }
  }
  return encoded;
}

std::string BucketTarget(const GcsName& name) {
  return "/storage/v1/b/" + PercentEncoded(name.bucket);
}

std::string ObjectTarget(const GcsName& name) {
  return absl::StrCat(BucketTarget(name), "/o/", PercentEncoded(name.object));
}

}  // namespace podsim
