// Several groups of hosts over one transport: a host may be in any number of
// them, with a sink for each.
//
//   GroupMux mux(*transport);
//   Executor all(mux.OfGroup(0), clock,
//                {.host = 1, .group = 0, .hosts = {0, 1, 2, 3}});
//   Executor pair(mux.OfGroup(1), clock,
//                 {.host = 1, .group = 1, .hosts = {1, 3}});
//   while (!all.idle() || !pair.idle()) mux.Poll(absl::Milliseconds(50));
//
// OfGroup gives a Transport for the frames of that group alone. It keeps what
// endpoint.h promises, with these words about what the groups share:
//
// - A frame of a group that has no sink here yet is kept, with its credit: the
//   hosts of a group do not begin at the same moment, and a dropped frame would
//   be missing for ever. So a host must give every group its sink without
//   waiting for a collective of another one first. Up to kMostEarlyFrames are
//   kept for a host; a further one is dropped, and all sinks of the host, later
//   ones too, hear of it as of a bad frame.
// - A bad frame may be of any group: all sinks of the host hear of it, later
//   ones too, as they do of lost peers.
// - The bound on bytes in flight is for a pair of hosts, not for each group.
//   Groups that were refused credit are offered it in turn.
// - A group that leaves (its sink is set to nullptr) takes back its own frames
//   only, and what then comes for it is dropped.
#ifndef PODSIM_INTERCONNECT_TRANSPORT_GROUP_MUX_H_
#define PODSIM_INTERCONNECT_TRANSPORT_GROUP_MUX_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

// Of all groups of one host together; ample for a few collectives' worth.
inline constexpr std::size_t kMostEarlyFrames = 1024;

// Used by one thread, as the transport is.
class GroupMux {
 public:
  // Becomes the sink of all local hosts of `transport`, which must outlive this
  // object and from here on be polled through it.
  explicit GroupMux(Transport& transport);
  // Takes back what is queued; sinks that are still set hear nothing more. (An
  // Executor unsets itself when it dies, so it must die first.)
  ~GroupMux();
  GroupMux(const GroupMux&) = delete;
  GroupMux& operator=(const GroupMux&) = delete;

  // The transport of one group; lives as long as this object. To poll it is to
  // poll all. Its Send refuses other groups' frames (INVALID_ARGUMENT).
  Transport& OfGroup(std::uint32_t group);

  // As Transport::Poll, for the sinks of all groups.
  int Poll(absl::Duration max_wait);

 private:
  class Tap;   // hears the transport for one local host
  class View;  // the transport of one group

  // One group on one host.
  using Member = std::pair<int, std::uint32_t>;
  struct EarlyFrame {
    FrameHeader header;
    Payload payload;
  };
  struct Host {
    std::unique_ptr<Tap> tap;
    // By group; nullptr: the group has left.
    std::map<std::uint32_t, FrameSink*> sinks;
    std::map<std::uint32_t, std::deque<EarlyFrame>> early;
    std::size_t early_frames = 0;
    // By peer: the first bad frame, and its loss.
    std::map<int, absl::Status> bad;
    std::map<int, absl::Status> lost;
  };
  struct Sent {
    Member by;
    std::uint64_t token = 0;  // the group's
  };

  void SetSink(const Member& member, FrameSink* sink);
  absl::StatusOr<SendResult> Send(std::uint32_t group,
                                  const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token);
  absl::StatusOr<SendResult> SendInPlace(std::uint32_t group,
                                         const FrameHeader& header,
                                         std::size_t bytes, MakePayload make,
                                         std::uint64_t token);
  absl::Status CheckGroup(std::uint32_t group, const FrameHeader& header) const;
  // Keeps book of what became of a frame that was sent as next_token_.
  void NoteSent(std::uint32_t group, const FrameHeader& header,
                SendResult result, std::uint64_t token);

  void OnFrame(int host, const FrameHeader& header, Payload payload);
  void OnSendDone(std::uint64_t token);
  void OnCredit(int host, int peer);
  void OnPeerLost(int host, int peer, const absl::Status& why);
  void OnBadFrame(int host, int peer, const absl::Status& why);

  void KeepEarly(int host, const FrameHeader& header, Payload payload);
  void DropEarly(const Member& member);
  // Tells new sinks what they have missed. Returns the number of calls.
  int Greet();
  int TellEarlyFrames(const Member& member);
  // Null if the group has none on this host.
  FrameSink* SinkOf(const Member& member) const;
  bool IsNewcomer(const Member& member) const;
  // Calls `tell` for the sinks of all groups of a host, those apart that Greet
  // will tell.
  void TellAll(int host, const std::function<void(FrameSink&)>& tell);

  Transport& transport_;
  std::map<int, Host> hosts_;  // one entry per local host
  std::map<std::uint32_t, std::unique_ptr<View>> views_;
  std::deque<Member> newcomers_;  // sinks that were not greeted yet
  // By the token that the transport knows: groups count theirs on their own.
  std::unordered_map<std::uint64_t, Sent> sent_;
  std::uint64_t next_token_ = 0;
  // (host, peer) -> groups that were refused credit, in the order of their
  // turn.
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> refused_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TRANSPORT_GROUP_MUX_H_
