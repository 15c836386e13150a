#include "host/storage/gcs/headway.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

// Whoever was first has long done.
constexpr absl::Duration kLongestPause = absl::Seconds(1);

}  // namespace

GcsHeadway::GcsHeadway(GcsClient& client, std::string doing)
    : client_(client),
      doing_(std::move(doing)),
      spoken_(client.options().waits, doing_, absl::InfiniteDuration(),
              StoreWaits::Signs::kOwn) {}

absl::Status GcsHeadway::Ended() const {
  return absl::UnavailableError(absl::StrCat(
      doing_, ": ", spoken_.why(), " (given up: ", spoken_.why_ended(), ")"));
}

absl::Status GcsHeadway::At(std::int64_t bytes, const std::string& words) {
  if (spoken_.why_ended().empty()) spoken_.Awaits(words);
  return spoken_.GoOn(bytes) ? absl::OkStatus() : Ended();
}

absl::Status GcsHeadway::Stuck(const std::string& why, int most) {
  if (++stuck_ >= most)
    return absl::UnavailableError(
        absl::StrCat(doing_, ": ", most, " times ", why));
  spoken_.Failed(why);
  const absl::Duration pause = client_.BackOffAfter(stuck_, kLongestPause);
  return spoken_.Pause(pause, client_.options().waiter) ? absl::OkStatus()
                                                        : Ended();
}

absl::Status GcsHeadway::Done() {
  spoken_.Answered();
  return absl::OkStatus();
}

}  // namespace podsim
