// Sinks may send, replace themselves or release payloads from within a call, so
// nothing here holds an iterator across one.
#include "interconnect/transport/dispatcher.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"

namespace podsim {

void Dispatcher::SetHosts(std::vector<int> local_hosts,
                          std::function<void(const Route&)> on_starved) {
  local_hosts_ = std::move(local_hosts);
  std::sort(local_hosts_.begin(), local_hosts_.end());
  on_starved_ = std::move(on_starved);
  for (const int host : local_hosts_) {
    sinks_[host] = nullptr;
    loans_[host] = std::make_shared<Loan>();
  }
}

bool Dispatcher::IsLocal(int host) const { return sinks_.contains(host); }

void Dispatcher::SetSink(int local_host, FrameSink* sink) {
  PODSIM_CHECK(IsLocal(local_host));
  sinks_[local_host] = sink;
  if (sink == nullptr) return;
  for (const auto& [peer, why] : lost_) {
    mailbox_->Push(PeerLost{.host = local_host, .peer = peer, .why = why});
  }
}

void Dispatcher::Lend(int local_host, std::shared_ptr<const void> lent) {
  std::shared_ptr<Loan>& loan = loans_.at(local_host);
  loan->bytes = std::move(lent);
  loan = std::make_shared<Loan>();
}

absl::Status Dispatcher::CheckRoute(const FrameHeader& header) const {
  if (!IsLocal(header.from)) {
    return absl::InvalidArgumentError(
        absl::StrCat("host ", header.from, " is not played by this process (",
                     absl::StrJoin(local_hosts_, ", "), " are)"));
  }
  if (const auto lost = lost_.find(header.to); lost != lost_.end()) {
    return absl::UnavailableError(
        absl::StrCat("host ", header.to, " is lost: ", lost->second.message()));
  }
  return absl::OkStatus();
}

bool Dispatcher::Admit(const FrameHeader& header, std::size_t payload_bytes) {
  const Route route = RouteOf(header);
  CreditAccount& account =
      accounts_.try_emplace(route, route.lane).first->second;
  if (account.Take(ChargeOf(payload_bytes))) return true;
  if (account.ShouldAsk() && on_starved_) on_starved_(route);
  return false;
}

void Dispatcher::PassTo(Mailbox& destination, const FrameHeader& header,
                        std::span<const std::byte> payload,
                        std::uint64_t token) const {
  Payload::Parts parts;
  if (!payload.empty()) parts.push_back(payload);
  auto release = [sender = mailbox_, route = RouteOf(header),
                  charge = ChargeOf(payload.size()), token,
                  loan = loans_.at(header.from)] {
    sender->Push(SendDone{.host = route.from, .token = token});
    sender->Push(CreditBack{.route = route, .charge = charge});
  };
  destination.Push(
      Arrival{.header = header,
              .payload = Payload(std::move(parts), std::move(release))});
}

int Dispatcher::Deliver() {
  int delivered = 0;
  for (std::size_t budget = mailbox_->size(); budget > 0; --budget) {
    std::optional<Event> event = mailbox_->Pop();
    if (!event) break;
    delivered += std::visit([this](auto& it) { return Handle(it); }, *event);
  }
  return delivered;
}

int Dispatcher::Tell(int host, const std::function<void(FrameSink&)>& tell) {
  int told = 0;
  for (const int local : local_hosts_) {
    if (host != kAllHosts && host != local) continue;
    if (FrameSink* sink = sinks_[local]; sink != nullptr) {
      tell(*sink);
      ++told;
    }
  }
  return told;
}

int Dispatcher::Handle(Arrival& event) {
  const auto sink = sinks_.find(event.header.to);
  if (sink == sinks_.end() || sink->second == nullptr ||
      lost_.contains(event.header.from)) {
    return 0;  // the payload is released as the event dies
  }
  sink->second->OnFrame(event.header, std::move(event.payload));
  return 1;
}

int Dispatcher::Handle(const SendDone& event) {
  const auto sink = sinks_.find(event.host);
  if (sink == sinks_.end() || sink->second == nullptr) return 0;
  sink->second->OnSendDone(event.token);
  return 1;
}

int Dispatcher::Handle(const CreditBack& event) {
  const auto found = accounts_.find(event.route);
  if (found == accounts_.end()) return 0;  // the peer was lost meanwhile
  CreditAccount& account = found->second;
  account.Return(event.charge);
  if (account.Reopen()) {
    const int peer = event.route.to;
    return Tell(event.route.from,
                [peer](FrameSink& sink) { sink.OnCredit(peer); });
  }
  if (account.ShouldAsk() && on_starved_) on_starved_(event.route);
  return 0;
}

int Dispatcher::Handle(const BadFrame& event) {
  return Tell(event.host, [&event](FrameSink& sink) {
    sink.OnBadFrame(event.peer, event.why);
  });
}

int Dispatcher::Handle(const PeerLost& event) {
  if (event.host == kAllHosts) {
    if (!lost_.emplace(event.peer, event.why).second) return 0;
    std::erase_if(accounts_, [&event](const auto& account) {
      return account.first.to == event.peer;
    });
  }
  return Tell(event.host, [&event](FrameSink& sink) {
    sink.OnPeerLost(event.peer, event.why);
  });
}

}  // namespace podsim
