#include "runtime/coordinator/watch_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/rpc/status.h"
#include "base/status.h"

namespace podsim {

void WatchStream::Begin(const WatchRequest& request) {
  self_ = shared_from_this();
  const EventFeed::Entry entry = feed_.Enter(self_, request);
  {
    MutexLock lock(mutex_);
    place_ = entry.place;
    begun_ = true;
    ended_ = !entry.status.ok();
  }
  if (entry.status.ok())
    Advance();
  else
    End(entry.status, entry.nearest);
}

WatchStream::Stall WatchStream::TakeStall() {
  if (!writing_ || cancelled_ || hung_up_) return Stall::kNone;
  const absl::Duration silent = clock_.Now() - written_;
  if (!ended_ && silent >= kStalledReader) {
    ended_ = true;
    return Stall::kTold;
  }
  if (!ended_ || silent < kStalledReader + kLastWords) return Stall::kNone;
  hung_up_ = true;
  return Stall::kHungUp;
}

void WatchStream::OnMore() {
  Stall stall = Stall::kNone;
  std::uint64_t next = 0;
  {
    MutexLock lock(mutex_);
    stall = TakeStall();
    next = place_.next;
  }
  if (stall == Stall::kTold)
    return End(
        absl::ResourceExhaustedError(absl::StrCat(
            "this reader has taken nothing for ",
            absl::ToInt64Seconds(kStalledReader), " s; go on from ", next)),
        next);
  if (stall == Stall::kHungUp) return HangUp();
  Advance();
}

void WatchStream::HangUp() {
  MutexLock lock(context_mutex_);
  if (!done_) context_.TryCancel();
}

void WatchStream::OnWriteDone(bool ok) {
  {
    MutexLock lock(mutex_);
    writing_ = false;
    if (!ok) cancelled_ = true;  // the connection broke
  }
  Advance();
}

void WatchStream::OnCancel() {
  {
    MutexLock lock(mutex_);
    cancelled_ = true;
  }
  Advance();
}

void WatchStream::OnDone() {
  {
    MutexLock lock(context_mutex_);
    done_ = true;
  }
  const std::shared_ptr<WatchStream> self = std::move(self_);
  feed_.Leave(*this);
}

void WatchStream::Advance() {
  EventFeed::Found found;
  {
    MutexLock lock(mutex_);
    if (!begun_ || writing_ || ended_) return;
    if (cancelled_)
      found.status = absl::CancelledError("the reader has hung up");
    else
      found = feed_.Next(place_);
    if (!found.status.ok() || found.ended)
      ended_ = true;
    else if (found.bytes == nullptr)
      return;
    else
      writing_ = true;
    written_ = clock_.Now();
  }
  if (found.bytes == nullptr) return End(found.status, found.nearest);
  PODSIM_CHECK(outgoing_.ParseFromString(*found.bytes));
  outgoing_.set_newest(found.newest);
  StartWrite(&outgoing_);
}

void WatchStream::End(const absl::Status& status, std::uint64_t nearest) {
  if (nearest != 0)
    context_.AddTrailingMetadata(kNextSequenceKey, absl::StrCat(nearest));
  Finish(ToGrpcStatus(status));
}

}  // namespace podsim
