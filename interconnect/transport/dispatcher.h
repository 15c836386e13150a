// What every transport of this folder has in common: the sinks of its local
// hosts, the credit accounts of its routes, the queue of events, and frames
// between hosts of one process, which touch no network.
//
// Used by the thread that polls. Only the mailbox may be filled by others.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_DISPATCHER_H_
#define PODSIM_INTERCONNECT_TRANSPORT_DISPATCHER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "interconnect/transport/credit.h"
#include "interconnect/transport/endpoint.h"
#include "interconnect/transport/mailbox.h"

namespace podsim {

class Dispatcher {
 public:
  Dispatcher() : mailbox_(std::make_shared<Mailbox>()) {}
  // Drops what was not delivered.
  ~Dispatcher() { mailbox_->Close(); }
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // `on_starved` is called when a route waits for credit and the receiver
  // should be asked for it; empty if receivers give it back at once.
  void SetHosts(std::vector<int> local_hosts,
                std::function<void(const Route&)> on_starved = nullptr);
  const std::vector<int>& local_hosts() const { return local_hosts_; }
  bool IsLocal(int host) const;

  // REQUIRES: `local_host` is local.
  void SetSink(int local_host, FrameSink* sink);
  // `lent` lives as long as payloads of the host's that were passed on.
  void Lend(int local_host, std::shared_ptr<const void> lent);

  // Shared with payloads and peers that may outlive this object.
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  // Errors: INVALID_ARGUMENT (`from` is not local), UNAVAILABLE (`to` is lost).
  absl::Status CheckRoute(const FrameHeader& header) const;

  // Charges the route for a frame; false: refused for want of credit.
  bool Admit(const FrameHeader& header, std::size_t payload_bytes);

  // Hands an admitted frame to the host behind `destination` without copying.
  // Send-done and credit come back when the receiver lets go of the payload.
  void PassTo(Mailbox& destination, const FrameHeader& header,
              std::span<const std::byte> payload, std::uint64_t token) const;

  // Tells the sinks what has happened up to now (what their answers cause
  // comes with the next call). Returns the number of calls made to sinks.
  int Deliver();

 private:
  // Held by every payload that a local host passed on, and by this object.
  struct Loan {
    std::shared_ptr<const void> bytes;
  };

  int Handle(Arrival& event);
  int Handle(const SendDone& event);
  int Handle(const CreditBack& event);
  int Handle(const BadFrame& event);
  int Handle(const PeerLost& event);
  // Calls `tell` for the sink of `host`, or for all with kAllHosts.
  int Tell(int host, const std::function<void(FrameSink&)>& tell);

  const std::shared_ptr<Mailbox> mailbox_;
  std::vector<int> local_hosts_;
  std::function<void(const Route&)> on_starved_;
  std::map<int, FrameSink*> sinks_;             // one entry per local host
  std::map<int, std::shared_ptr<Loan>> loans_;  // so, too
  std::map<Route, CreditAccount> accounts_;
  std::map<int, absl::Status> lost_;  // peer -> why
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_DISPATCHER_H_
