// A deque with the number of its front; see event_log.h.
#include "runtime/coordinator/event_log.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {

void EventLog::Append(const JobEvent& event) {
  WatchedEvent watched;
  watched.set_generation(generation_);
  watched.set_sequence(end());
  *watched.mutable_event() = event;
  auto bytes = std::make_shared<const std::string>(watched.SerializeAsString());
  if (event.has_formed()) {
    formed_ = bytes;
    formed_sequence_ = watched.sequence();
  }
  bytes_ += bytes->size();
  kept_.push_back(std::move(bytes));
  while (bytes_ > max_bytes_ && kept_.size() > 1) GiveUpOldest();
}

void EventLog::GiveUpOldest() {
  bytes_ -= kept_.front()->size();
  kept_.pop_front();
  ++first_;
}

std::uint64_t EventLog::SafelyKept() const {
  std::size_t after = bytes_;
  std::uint64_t sequence = first_;
  for (const Bytes& bytes : kept_) {
    if (after <= max_bytes_ / 4 * 3 || sequence + 1 == end()) break;
    after -= bytes->size();
    ++sequence;
  }
  return sequence;
}

absl::StatusOr<LogPlace> EventLog::Find(const WatchRequest& request) const {
  const std::uint64_t from = request.from_sequence();
  if (from == 0 || request.generation() != generation_)
    return LogPlace{.next = SafelyKept(), .wants_formed = true};
  if (from < first_)
    return absl::OutOfRangeError(
        absl::StrCat("event ", from, " is no longer kept; events from ", first_,
                     " on are: ask from there, or from 0"));
  if (from > end())
    return absl::OutOfRangeError(absl::StrCat(
        "event ", from, " is asked for, and ", end(),
        " comes next; ask from there, or from 0 for all that is kept"));
  return LogPlace{.next = from, .wants_formed = false};
}

absl::StatusOr<EventLog::Bytes> EventLog::Next(LogPlace& place) const {
  if (std::exchange(place.wants_formed, false) && formed_ != nullptr &&
      formed_sequence_ < place.next)
    return formed_;
  if (place.next < first_)
    return absl::ResourceExhaustedError(absl::StrCat(
        "this reader was too slow: event ", place.next,
        " is no longer kept; go on from ", first_, ", the oldest that is"));
  if (place.next == end()) return Bytes();
  return kept_[place.next++ - first_];
}

}  // namespace podsim
