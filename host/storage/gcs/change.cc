// Deleting and copying, and what an answer 412 to any change is worth.
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/storage/gcs/headway.h"
#include "host/storage/gcs/objects.h"
#include "host/storage/storage.h"

namespace podsim {
namespace {

// Calls in a row after which a copy had come no further.
constexpr int kMostIdleRewrites = 8;

absl::Status DeleteOnce(GcsClient& client, const GcsName& name,
                        std::int64_t generation, const std::string& doing) {
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
  if (answer.status() != 404) return absl::OkStatus();
  PODSIM_RETURN_IF_ERROR(CheckIsMissing(client, name, answer.http));
  // An earlier attempt of this call may have done it.
  if (answer.attempts > 1) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(doing, ": ", kNothingThere));
}

absl::Status CopyOnce(GcsClient& client, const GcsName& from, const GcsName& to,
                      std::int64_t expected, const std::string& doing) {
  GcsHeadway headway(client, doing);
  GcsRewrite state;
  // A large object takes several calls, each of which says how to go on.
  for (;;) {
    const std::int64_t before = state.copied;
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
                     .check = [](const HttpResponse& http) {
                       return http.status == 200
                                  ? ParseRewrite(http.body).status()
                                  : CheckIsAnswer(http, {404, 412});
                     }}));
    if (answer.status() == 412)
      return absl::AbortedError(doing + ": another wrote it meanwhile");
    if (answer.status() != 200) {
      PODSIM_RETURN_IF_ERROR(CheckIsMissing(client, from, answer.http));
      return absl::NotFoundError(absl::StrCat(doing, ": ", kNothingThere));
    }
    PODSIM_ASSIGN_OR_RETURN(state, ParseRewrite(answer.http.body));
    if (state.done) return headway.Done();
    const std::string far =
        absl::StrCat("it came no further than ", state.copied, " bytes");
    PODSIM_RETURN_IF_ERROR(headway.At(state.copied, far));
    if (state.copied > before) {
      headway.CameOn();
    } else {
      PODSIM_RETURN_IF_ERROR(headway.Stuck(far, kMostIdleRewrites));
    }
  }
}

}  // namespace

absl::Status ChangeGcs(GcsClient& client, const GcsName& name,
                       const std::string& doing, std::int64_t expected,
                       const std::function<absl::Status()>& change) {
  GcsHeadway headway(client, doing);
  for (;;) {
    const absl::Status status = change();
    if (!absl::IsAborted(status)) return status;
    PODSIM_ASSIGN_OR_RETURN(const auto there, StatGcs(client, name));
    if ((there ? there->generation : 0) != expected) return status;
    PODSIM_RETURN_IF_ERROR(headway.Stuck(
        absl::StrCat(
            "the store answered 412, a condition that does not hold, though ",
            there ? absl::StrCat("the object is still of generation ", expected)
                  : std::string("there is still no such object")),
        kGcsDenials));
  }
}

absl::Status DeleteGcs(GcsClient& client, const GcsName& name,
                       std::int64_t generation) {
  const std::string doing = "delete " + name.uri();
  return ChangeGcs(client, name, doing, generation,
                   [&] { return DeleteOnce(client, name, generation, doing); });
}

absl::Status CopyGcs(GcsClient& client, const GcsName& from, const GcsName& to,
                     std::int64_t expected) {
  const std::string doing = absl::StrCat("copy ", from.uri(), " to ", to.uri());
  return ChangeGcs(client, to, doing, expected,
                   [&] { return CopyOnce(client, from, to, expected, doing); });
}

}  // namespace podsim
