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

void WatchStream::OnMore() {
  bool stalled = false;
  {
    MutexLock lock(mutex_);
    stalled = writing_ && !cancelled_ && !cancelling_ &&
              clock_.Now() - written_ >= kStalledReader;
    if (stalled) cancelling_ = true;
  }
  if (stalled) {
    context_.TryCancel();
    MutexLock lock(mutex_);
    cancelling_ = false;
    cancelled_ = true;
  }
  Advance();
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
  const std::shared_ptr<WatchStream> self = std::move(self_);
  feed_.Leave(*this);
}

void WatchStream::Advance() {
  EventFeed::Found found;
  {
    MutexLock lock(mutex_);
    if (!begun_ || writing_ || cancelling_ || ended_) return;
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
