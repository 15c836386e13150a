// What comes before a pod may form: the coordinator looks where it begins, and
// whoever joins meanwhile is told so.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/coordinator/membership.h"

namespace podsim {
namespace {

// Between two lines that tell of the same wait.
constexpr absl::Duration kLookingNews = absl::Seconds(10);

}  // namespace

void Membership::SendLooking(int process, const std::string& what) {
  CoordinatorMessage message;
  message.mutable_looking()->set_what(what);
  Send(process, std::move(message));
}

void Membership::OnLooked(absl::Time now, absl::StatusOr<PodStart> start) {
  if (!active()) return;
  PODSIM_CHECK(looking());
  if (!start.ok()) {
    Fail(now, {.status = start.status(), .refused = true});
    Settle(now);
    return;
  }
  start_ = *std::move(start);
  end_step_ = plan_.spec().mode() == words::Mode::eval
                  ? start_->point.step()
                  : std::max(start_->point.step(), start_->point.last_step());
  forming_since_ = last_waiting_ = now;
  for (int p = 0; p < processes(); ++p) SendLooking(p, "");
  MaybeForm(now);
  Settle(now);
}

void Membership::OnSignOfLife(absl::Time now) {
  if (!active() || !looking()) return;
  forming_since_ = now;
  for (int p = 0; p < processes(); ++p) SendLooking(p, options_.looking);
}

void Membership::CheckLooking(absl::Time now) {
  const absl::Duration limit =
      absl::Seconds(plan_.spec().initialization_timeout());
  const absl::Duration left = limit - (now - forming_since_);
  if (left <= absl::ZeroDuration()) {
    Fail(now, {.status = absl::DeadlineExceededError(absl::StrCat(
                   "the coordinator looks for ", options_.looking,
                   ", and has had no answer for ", absl::FormatDuration(limit),
                   "; --initialization_timeout raises the limit"))});
    return;
  }
  if (now < next_looking_) return;
  next_looking_ = now + kLookingNews;
  JobEvent event;
  event.mutable_waiting()->set_looking(options_.looking);
  event.mutable_waiting()->set_seconds_left(absl::ToDoubleSeconds(left));
  Emit(now, std::move(event));
}

}  // namespace podsim
