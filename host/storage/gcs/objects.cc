#include "host/storage/gcs/objects.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "base/status.h"

namespace podsim {

absl::Status CheckIsAnswer(const HttpResponse& answer,
                           const std::vector<int>& statuses) {
  if (std::find(statuses.begin(), statuses.end(), answer.status) !=
      statuses.end())
    return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("an answer ", answer.status, ", which is none to this"));
}

absl::Status CheckIsOf(const GcsName& name, const HttpResponse& answer) {
  PODSIM_ASSIGN_OR_RETURN(const GcsObject object, ParseObject(answer.body));
  if (object.name == name.object) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "an answer about ", PrintableLine(object.name.substr(0, kGcsNameSaid))));
}

absl::Status CheckIsMissing(GcsClient& client, const GcsName& name,
                            const HttpResponse& answer) {
  if (IsErrorOfApi(answer.body, 404)) return absl::OkStatus();
  PODSIM_ASSIGN_OR_RETURN(const bool listed, IsListedGcs(client, name));
  if (!listed) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(
      "look at ", name.uri(),
      ": the store lists it and answers 404; is something else answering?"));
}

absl::StatusOr<std::optional<GcsObject>> StatGcs(GcsClient& client,
                                                 const GcsName& name) {
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call(
          {.doing = "look at " + name.uri(),
           .target = ObjectTarget(name) + "?fields=name,size,generation,crc32c",
           .check = [&](const HttpResponse& http) {
             return http.status == 200 ? CheckIsOf(name, http)
                                       : CheckIsAnswer(http, {404});
           }}));
  if (answer.status() == 404) {
    PODSIM_RETURN_IF_ERROR(CheckIsMissing(client, name, answer.http));
    return std::optional<GcsObject>();
  }
  PODSIM_ASSIGN_OR_RETURN(GcsObject object, ParseObject(answer.http.body));
  return std::optional(std::move(object));
}

absl::StatusOr<std::string> LocationOfGcs(GcsClient& client,
                                          const GcsName& name) {
  PODSIM_ASSIGN_OR_RETURN(
      const GcsAnswer answer,
      client.Call({.doing = "look at bucket " + name.bucket,
                   .target = BucketTarget(name) + "?fields=location",
                   .check = [](const HttpResponse& http) {
                     return http.status == 200
                                ? ParseLocation(http.body).status()
                                : CheckIsAnswer(http, {404});
                   }}));
  if (answer.status() != 200)
    return absl::NotFoundError("no bucket " + name.bucket);
  PODSIM_ASSIGN_OR_RETURN(const std::string location,
                          ParseLocation(answer.http.body));
  return absl::AsciiStrToLower(location);
}

}  // namespace podsim
