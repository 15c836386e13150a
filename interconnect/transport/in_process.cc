// A directory of mailboxes, and a transport that puts events into them.
#include "interconnect/transport/in_process.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/mutex.h"
#include "base/status.h"
#include "interconnect/transport/dispatcher.h"
#include "interconnect/transport/mailbox.h"

namespace podsim {

// Who plays which host. Thread-safe. Mailboxes of hosts that have left stay
// listed; they are closed and drop what they get.
class InProcessNetwork::Directory {
 public:
  void Add(const std::vector<int>& hosts,
           const std::shared_ptr<Mailbox>& mailbox) {
    MutexLock lock(mutex_);
    for (const int host : hosts) {
      PODSIM_CHECK(mailboxes_.emplace(host, mailbox).second);
    }
  }

  // Null if nobody plays `host`.
  std::shared_ptr<Mailbox> Find(int host) const {
    MutexLock lock(mutex_);
    const auto found = mailboxes_.find(host);
    return found == mailboxes_.end() ? nullptr : found->second;
  }

  std::vector<std::shared_ptr<Mailbox>> All() const {
    MutexLock lock(mutex_);
    std::vector<std::shared_ptr<Mailbox>> all;
    for (const auto& [host, mailbox] : mailboxes_) {
      if (std::find(all.begin(), all.end(), mailbox) == all.end()) {
        all.push_back(mailbox);
      }
    }
    return all;
  }

 private:
  mutable Mutex mutex_;
  std::map<int, std::shared_ptr<Mailbox>> mailboxes_ PODSIM_GUARDED_BY(mutex_);
};

namespace {

class InProcessTransport final : public Transport {
 public:
  InProcessTransport(std::shared_ptr<InProcessNetwork::Directory> directory,
                     std::vector<int> local_hosts)
      : directory_(std::move(directory)) {
    dispatcher_.SetHosts(std::move(local_hosts));
    directory_->Add(dispatcher_.local_hosts(), dispatcher_.mailbox());
  }

  ~InProcessTransport() override {
    // Closed first: its senders get their bytes back before the bad news.
    dispatcher_.mailbox()->Close();
    for (const auto& mailbox : directory_->All()) {
      mailbox->DropArrivals([this](const FrameHeader& header) {
        return dispatcher_.IsLocal(header.from);
      });
      for (const int host : local_hosts()) {
        // A status of its own each: copies share a count that
        // ThreadSanitizer cannot follow into Debian's abseil.
        mailbox->Push(PeerLost{
            .peer = host,
            .why = absl::UnavailableError("its transport was shut down")});
      }
    }
  }

  const std::vector<int>& local_hosts() const override {
    return dispatcher_.local_hosts();
  }

  void SetSink(int local_host, FrameSink* sink) override {
    dispatcher_.SetSink(local_host, sink);
    if (sink == nullptr) DropSent(FramesFrom(local_host));
  }

  void Leave(int local_host, std::shared_ptr<const void> lent) override {
    SetSink(local_host, nullptr);
    dispatcher_.Lend(local_host, std::move(lent));
  }

  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override {
    PODSIM_RETURN_IF_ERROR(dispatcher_.CheckRoute(header));
    std::shared_ptr<Mailbox>& destination = known_[header.to];
    if (destination == nullptr) destination = directory_->Find(header.to);
    if (destination == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("host ", header.to, " has not joined the network"));
    }
    if (!dispatcher_.Admit(header, payload.size())) {
      return SendResult::kNoCredit;
    }
    dispatcher_.PassTo(*destination, header, payload, token);
    return SendResult::kQueued;
  }

  int Poll(absl::Duration max_wait) override {
    dispatcher_.mailbox()->WaitFor(max_wait);
    return dispatcher_.Deliver();
  }

  void Wake() override { dispatcher_.mailbox()->Wake(); }

 private:
  // Drops what was sent from here and nobody has been told of.
  void DropSent(const FrameFilter& which) {
    for (const auto& [host, mailbox] : known_) {
      if (mailbox != nullptr) mailbox->DropArrivals(which);
    }
  }

  const std::shared_ptr<InProcessNetwork::Directory> directory_;
  Dispatcher dispatcher_;
  std::map<int, std::shared_ptr<Mailbox>> known_;  // saves the directory's lock
};

}  // namespace

InProcessNetwork::InProcessNetwork()
    : directory_(std::make_shared<Directory>()) {}

InProcessNetwork::~InProcessNetwork() = default;

std::unique_ptr<Transport> InProcessNetwork::Join(
    std::vector<int> local_hosts) {
  PODSIM_CHECK(!local_hosts.empty());
  return std::make_unique<InProcessTransport>(directory_,
                                              std::move(local_hosts));
}

}  // namespace podsim
