#include "host/storage/gcs/objects.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/storage.h"

namespace podsim {
namespace {

constexpr std::int64_t kLongestPage = std::int64_t{16} << 20;
// A call copies a MiB or more, and an object has 5 TiB at most.
constexpr int kMostRewrites = 10'000;

std::string BucketTarget(const GcsName& name) {
  return "/storage/v1/b/" + PercentEncoded(name.bucket);
}

std::string ObjectTarget(const GcsName& name) {
  return absl::StrCat(BucketTarget(name), "/o/", PercentEncoded(name.object));
}

// A check that the answer is of such a kind, or one of `others`, as GcsCall
// wants it.
template <typename T>
std::function<absl::Status(const HttpResponse&)> Parses(
    absl::StatusOr<T> (*parse)(std::string_view),
    std::vector<int> others = {404}) {
  return [parse, others = std::move(others)](const HttpResponse& answer) {
    if (answer.status == 200) return parse(answer.body).status();
    return CheckIsAnswer(answer, others);
  };
}

// Of a listing, which a store answers whatever is in the bucket.
absl::Status NotItsOwn404(const GcsClient& client, const GcsName& name) {
  return absl::UnavailableError(absl::StrCat(
      "list ", name.uri(),
      ": an answer 404 that is not the store's own; is "
      "there a bucket ",
      name.bucket, ", and does ", HostOf(client.endpoint()), " serve it?"));
}

// Of a page of names that begin with `prefix`.
std::string ListTarget(const GcsName& name, const std::string& prefix,
                       int most) {
  return absl::StrCat(
      BucketTarget(name), "/o?prefix=", PercentEncoded(prefix),
      "&maxResults=", most,
      "&fields=items(name,size,generation,crc32c),prefixes,nextPageToken");
}

// The first of the names that begin with the object's own, which it is itself
// if it is there.
absl::StatusOr<bool> IsListed(GcsClient& client, const GcsName& name) {
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call({.doing = "list " + name.uri(),
                   .target = ListTarget(name, name.object, 1),
                   .check = Parses(&ParsePage)}));
  if (answer.status() != 200) return NotItsOwn404(client, name);
  PODSIM_ASSIGN_OR_RETURN(const GcsPage page, ParsePage(answer.http.body));
  return !page.objects.empty() && page.objects.front().name == name.object;
}

// A 404 that is not in the API's own words, of a proxy or of an emulator, says
// nothing alone.
absl::Status CheckIsMissing(GcsClient& client, const GcsName& name,
                            const HttpResponse& answer) {
  if (IsErrorOfApi(answer.body, 404)) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const bool listed, IsListed(client, name));
  if (!listed) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "look at ", name.uri(),
      ": the store lists it and answers 404; is something else answering?"));
}

}  // namespace

absl::Status CheckIsAnswer(const HttpResponse& answer,
                           const std::vector<int>& statuses) {
  if (std::find(statuses.begin(), statuses.end(), answer.status) !=
      statuses.end())
    return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("an answer ", answer.status, ", which is none to this"));
}

absl::StatusOr<std::optional<GcsObject>> StatGcs(GcsClient& client,
                                                 const GcsName& name) {
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call(
          {.doing = "look at " + name.uri(),
           .target = ObjectTarget(name) + "?fields=name,size,generation,crc32c",
           .check = Parses(&ParseObject)}));
  if (answer.status() == 404) {
    PODSIM_RETURN_IF_ERROR(CheckIsMissing(client, name, answer.http));
    return std::optional<GcsObject>();
  }
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
                                          "?ifGenerationMatch=", generation),
                   .check = [](const HttpResponse& http) {
                     return CheckIsAnswer(http, {200, 204, 404, 412});
                   }}));
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
  for (int calls = 0; !state.done; ++calls) {
    if (calls == kMostRewrites)
      return absl::UnavailableError(
          absl::StrCat(doing, ": not done after ", calls, " calls"));
    std::string target = absl::StrCat(
        ObjectTarget(from), "/rewriteTo/b/", PercentEncoded(to.bucket), "/o/",
        PercentEncoded(to.object), "?ifGenerationMatch=", expected);
    if (!state.token.empty())
      absl::StrAppend(&target, "&rewriteToken=", PercentEncoded(state.token));
    PODSIM_ASSIGN_OR_RETURN(
        const GcsAnswer answer,
        client.Call({.doing = doing,
                     .method = "POST",
                     .target = std::move(target),
                     .check = Parses(&ParseRewrite, {404, 412})}));
    if (answer.status() == 412)
      return absl::AbortedError(doing + ": another wrote it meanwhile");
    if (answer.status() != 200)
      return absl::NotFoundError(absl::StrCat(doing, ": ", kNothingThere));
    PODSIM_ASSIGN_OR_RETURN(state, ParseRewrite(answer.http.body));
  }
  return absl::OkStatus();
}

absl::StatusOr<GcsPage> ListGcs(GcsClient& client, const GcsName& name,
                                bool flat, const std::string& token, int most) {
  std::string target = ListTarget(name, name.prefix(), most);
  if (!flat) absl::StrAppend(&target, "&delimiter=%2F");
  if (!token.empty())
    absl::StrAppend(&target, "&pageToken=", PercentEncoded(token));
  const GcsCall call = {.doing = "list " + name.uri(),
                        .target = std::move(target),
                        .most_bytes = kLongestPage,
                        .check = Parses(&ParsePage)};
  // That there is no bucket is believed when it is said twice.
  for (int said = 0; said < 2; ++said) {
    PODSIM_ASSIGN_OR_RETURN(const GcsAnswer answer, client.Call(call));
    if (answer.status() == 200) return ParsePage(answer.http.body);
    if (!IsErrorOfApi(answer.http.body, 404)) return NotItsOwn404(client, name);
  }
  return absl::NotFoundError(
      absl::StrCat(call.doing, ": no bucket ", name.bucket));
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
