#include "host/storage/gcs/objects.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/storage.h"

namespace podsim {
namespace {

constexpr std::int64_t kLongestPage = std::int64_t{16} << 20;

std::string BucketTarget(const GcsName& name) {
  return "/storage/v1/b/" + PercentEncoded(name.bucket);
}

std::string ObjectTarget(const GcsName& name) {
  return absl::StrCat(BucketTarget(name), "/o/", PercentEncoded(name.object));
}

// A check that the answer is of such a kind, as GcsCall wants it.
template <typename T>
std::function<absl::Status(const HttpResponse&)> Parses(
    absl::StatusOr<T> (*parse)(std::string_view)) {
  return [parse](const HttpResponse& answer) {
    return answer.status == 200 ? parse(answer.body).status()
                                : absl::OkStatus();
  };
}

}  // namespace

absl::StatusOr<std::optional<GcsObject>> StatGcs(GcsClient& client,
                                                 const GcsName& name) {
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call(
          {.doing = "look at " + name.uri(),
           .target = ObjectTarget(name) + "?fields=name,size,generation,crc32c",
           .check = Parses(&ParseObject)}));
  if (answer.status() != 200) return std::optional<GcsObject>();
  PODSIM_ASSIGN_OR_RETURN(GcsObject object, ParseObject(answer.http.body));
  return std::optional(std::move(object));
}

absl::Status DeleteGcs(GcsClient& client, const GcsName& name,
                       std::int64_t generation) {
  const std::string doing = "delete " + name.uri();
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call({.doing = doing,
                   .method = "DELETE",
                   .target = absl::StrCat(ObjectTarget(name),
                                          "?ifGenerationMatch=", generation)}));
  if (answer.status() == 412)
    return absl::AbortedError(doing + ": it was replaced meanwhile");
  // An earlier attempt of this call may have done it.
  if (answer.status() == 404 && answer.attempts == 1)
    return absl::NotFoundError(absl::StrCat(doing, ": ", kNothingThere));
  return absl::OkStatus();
}

absl::Status CopyGcs(GcsClient& client, const GcsName& from, const GcsName& to,
                     std::int64_t expected) {
  const std::string doing = absl::StrCat("copy ", from.uri(), " to ", to.uri());
  GcsRewrite state;
  // A large object takes several calls, each of which says how to go on.
  do {
    std::string target = absl::StrCat(
        ObjectTarget(from), "/rewriteTo/b/", PercentEncoded(to.bucket), "/o/",
        PercentEncoded(to.object), "?ifGenerationMatch=", expected);
    if (!state.token.empty())
      absl::StrAppend(&target, "&rewriteToken=", PercentEncoded(state.token));
    PODSIM_ASSIGN_OR_RETURN(const GcsAnswer answer,
                            client.Call({.doing = doing,
                                         .method = "POST",
                                         .target = std::move(target),
                                         .check = Parses(&ParseRewrite)}));
    if (answer.status() == 412)
      return absl::AbortedError(doing + ": another wrote it meanwhile");
    if (answer.status() != 200)
      return absl::NotFoundError(absl::StrCat(doing, ": ", kNothingThere));
    PODSIM_ASSIGN_OR_RETURN(state, ParseRewrite(answer.http.body));
  } while (!state.done);
  return absl::OkStatus();
}

absl::StatusOr<GcsPage> ListGcs(GcsClient& client, const GcsName& name,
                                bool flat, const std::string& token, int most) {
  std::string target = absl::StrCat(
      BucketTarget(name), "/o?prefix=", PercentEncoded(name.prefix()),
      "&maxResults=", most,
      "&fields=items(name,size,generation,crc32c),prefixes,nextPageToken");
  if (!flat) absl::StrAppend(&target, "&delimiter=%2F");
  if (!token.empty())
    absl::StrAppend(&target, "&pageToken=", PercentEncoded(token));
  PODSIM_ASSIGN_OR_RETURN(const GcsAnswer answer,
                          client.Call({.doing = "list " + name.uri(),
                                       .target = std::move(target),
                                       .most_bytes = kLongestPage,
                                       .check = Parses(&ParsePage)}));
  if (answer.status() != 200)
    return absl::NotFoundError(
        absl::StrCat("list ", name.uri(), ": no bucket ", name.bucket));
  return ParsePage(answer.http.body);
}

absl::StatusOr<std::string> LocationOfGcs(GcsClient& client,
                                          const GcsName& name) {
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call({.doing = "look at bucket " + name.bucket,
                   .target = BucketTarget(name) + "?fields=location",
                   .check = Parses(&ParseLocation)}));
  if (answer.status() != 200)
    return absl::NotFoundError("no bucket " + name.bucket);
  PODSIM_ASSIGN_OR_RETURN(const std::string location,
                          ParseLocation(answer.http.body));
  return absl::AsciiStrToLower(location);
}

}  // namespace podsim
