#include "base/status.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace podsim {
namespace {
constexpr char kBlamedHost[] = "podsim/blamed_host";
}  // namespace

absl::Status Annotate(const absl::Status& status, std::string_view context) {
  if (status.ok()) return status;
  absl::Status annotated(
      status.code(),
      absl::StrCat(absl::string_view(context.data(), context.size()), ": ",
                   status.message()));
  status.ForEachPayload(
      [&annotated](absl::string_view url, const absl::Cord& payload) {
        annotated.SetPayload(url, payload);
      });
  return annotated;
}

absl::Status BlameHost(absl::Status status, int host) {
  PODSIM_CHECK(!status.ok());
  status.SetPayload(kBlamedHost, absl::Cord(absl::StrCat(host)));
  return status;
}

int BlamedHost(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kBlamedHost);
  int host = -1;
  if (payload && absl::SimpleAtoi(std::string(*payload), &host)) return host;
  return -1;
}

namespace internal {
void CheckFailed(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, what);
  std::abort();
}
}  // namespace internal
}  // namespace podsim
