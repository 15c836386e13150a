// Listings: pages of names, each of which may be anything.
#include <functional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"
#include "host/storage/gcs/objects.h"

namespace podsim {
namespace {

constexpr std::int64_t kLongestPage = std::int64_t{16} << 20;

// That all names of a page are those that were asked for: they begin with
// `prefix`, and the store lists in their order, so they come after the page
// before.
absl::Status CheckNames(const GcsPage& page, const std::string& prefix,
                        const std::string& after) {
  const auto check = [&](const std::string& name) {
    const char* const wrong =
        !absl::StartsWith(name, prefix) ? "was not asked for"
        : name.size() > kLongestGcsName ? "is longer than any can be"
        : name <= after && !after.empty()
            ? "does not follow those of the page before"
            : nullptr;
    if (wrong == nullptr) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        "a page with the name ", PrintableLine(name.substr(0, kGcsNameSaid)),
        ", which ", wrong));
  };
  for (const GcsObject& object : page.objects)
    PODSIM_RETURN_IF_ERROR(check(object.name));
  for (const std::string& below : page.prefixes)
    PODSIM_RETURN_IF_ERROR(check(below));
  return absl::OkStatus();
}

// As GcsCall wants it.
std::function<absl::Status(const HttpResponse&)> IsPageOf(std::string prefix,
                                                          std::string after) {
  return [prefix = std::move(prefix), after = std::move(after)](
             const HttpResponse& answer) -> absl::Status {
    if (answer.status != 200) return CheckIsAnswer(answer, {404});
    PODSIM_ASSIGN_OR_RETURN(const GcsPage page, ParsePage(answer.body));
    return CheckNames(page, prefix, after);
  };
}

// Of a page of names that begin with `prefix`.
std::string ListTarget(const GcsName& name, const std::string& prefix,
                       int most) {
  return absl::StrCat(
      BucketTarget(name), "/o?prefix=", PercentEncoded(prefix),
      "&maxResults=", most,
      "&fields=items(name,size,generation,crc32c),prefixes,nextPageToken");
}

absl::Status NotItsOwn404(const GcsClient& client, const std::string& doing,
                          const GcsName& name) {
  return absl::UnavailableError(absl::StrCat(
      doing, ": an answer 404 that is not the store's own; is there a bucket ",
      name.bucket, ", and does ", HostOf(client.endpoint()), " serve it?",
      client.IsGoogles() ? "" : " STORAGE_EMULATOR_HOST names another host"));
}

}  // namespace

absl::Status NoBucket(const GcsClient& client, const std::string& doing,
                      const GcsName& name, const HttpResponse& answer) {
  if (!IsErrorOfApi(answer.body, 404)) return NotItsOwn404(client, doing, name);
  return absl::NotFoundError(absl::StrCat(
      doing, ": no bucket ", name.bucket, " at ", HostOf(client.endpoint()),
      "; correct its name, or make it",
      client.IsGoogles()
          ? absl::StrCat(": gcloud storage buckets create gs://", name.bucket)
          : " there (STORAGE_EMULATOR_HOST names another host)"));
}

absl::StatusOr<bool> IsListedGcs(GcsClient& client, const GcsName& name) {
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call({.doing = "list " + name.uri(),
                   .target = ListTarget(name, name.object, 1),
                   .check = IsPageOf(name.object, "")}));
  if (answer.status() != 200)
    return NotItsOwn404(client, "list " + name.uri(), name);
  PODSIM_ASSIGN_OR_RETURN(const GcsPage page, ParsePage(answer.http.body));
  return !page.objects.empty() && page.objects.front().name == name.object;
}

absl::StatusOr<GcsPage> ListGcs(GcsClient& client, const GcsName& name,
                                bool flat, const GcsPlace& place, int most) {
  std::string target = ListTarget(name, name.prefix(), most);
  if (!flat) absl::StrAppend(&target, "&delimiter=%2F");
  if (!place.token.empty())
    absl::StrAppend(&target, "&pageToken=", PercentEncoded(place.token));
  const GcsCall call = {.doing = "list " + name.uri(),
                        .target = std::move(target),
                        .most_bytes = kLongestPage,
                        .check = IsPageOf(name.prefix(), place.after)};
  // That there is no bucket is believed when it is said twice.
  for (int said = 1;; ++said) {
    PODSIM_ASSIGN_OR_RETURN(const GcsAnswer answer, client.Call(call));
    if (answer.status() == 200) return ParsePage(answer.http.body);
    const absl::Status none = NoBucket(client, call.doing, name, answer.http);
    if (said == 2 || !absl::IsNotFound(none)) return none;
  }
}

}  // namespace podsim
