// A process is connected when our stream to it is answered and its stream to us
// was let in; it is lost when either ends.
#include "interconnect/transport/grpc/peer_links.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/log.h"
#include "base/rpc/address.h"
#include "base/rpc/credentials.h"
#include "base/status.h"
#include "interconnect/transport/grpc/admission.h"

namespace podsim {
namespace {

// Time that gRPC has to hand back what was cancelled; more is a bug.
constexpr absl::Duration kLinkDrainLimit = absl::Seconds(30);

constexpr absl::Duration kLookAgain = absl::Milliseconds(2);

// After a refusal others may still want to hear theirs, or they would wait for
// us until their time is up.
constexpr absl::Duration kAnswerTime = absl::Milliseconds(200);

// A line that is cut in silence is known after 7 s, a second more than a
// frozen host by its lease: whoever can still reach the coordinator has it
// first.
constexpr int kPingEveryMs = 2000;
constexpr int kPingAnswerMs = 5000;

grpc::ChannelArguments ChannelArgumentsOfIci() {
  grpc::ChannelArguments arguments = DefaultChannelArguments();
  for (const auto& [name, value] : IciArguments()) {
    arguments.SetInt(name, value);
  }
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingEveryMs);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingAnswerMs);
  return arguments;
}

}  // namespace

PeerLinks::PeerLinks(const PodIdentity& identity, PodMap map, bool share,
                     grpc::AsyncGenericService& service, CompletionLoop& loop,
                     Mailbox& mailbox)
    : identity_(identity),
      map_(std::move(map)),
      share_(share),
      service_(service),
      loop_(loop),
      mailbox_(mailbox) {}

bool PeerLinks::Busy() const {
  return std::any_of(peers_.begin(), peers_.end(),
                     [](const auto& it) {
                       const auto& outgoing = it.second.outgoing;
                       return outgoing != nullptr && outgoing->busy();
                     }) ||
         std::any_of(incoming_.begin(), incoming_.end(),
                     [](const auto& stream) {
                       return stream->busy() || stream->listening();
                     });
}

absl::Status PeerLinks::Connect(absl::Duration timeout) {
  const auto arguments = ChannelArgumentsOfIci();
  std::map<int, std::shared_ptr<grpc::Channel>> channels;
  for (const auto& [process, where] : map_.peers) {
    PODSIM_ASSIGN_OR_RETURN(
        channels[process],
        OpenChannel(where.address, identity_.security, arguments));
  }
  ListenForStream();
  for (auto& [process, channel] : channels) {
    IciHello hello;
    hello.set_protocol_version(kIciProtocolVersion);
    hello.set_generation(identity_.generation);
    hello.set_from_process(map_.self);
    hello.set_to_process(process);
    peers_[process].outgoing = std::make_unique<OutgoingStream>(
        std::move(channel), identity_, std::move(hello),
        LaneTo(map_.peers.at(process).address), loop_.queue(), mailbox_, *this);
  }
  const auto until = CompletionLoop::After(timeout);
  while (!Missing().empty()) {
    if (!loop_.RunOne(until)) {
      return BlameUnreached(
          absl::DeadlineExceededError(
              absl::StrCat("not connected after ",
                           absl::FormatDuration(timeout), ": ", Missing())),
          map_, Reached());
    }
    for (const auto& [process, peer] : peers_) {
      if (peer.lost.ok()) continue;
      const absl::Status first = peer.lost;
      Serve(kAnswerTime);
      return first;
    }
    if (loop_.TakeWake()) {
      return absl::CancelledError(
          absl::StrCat("woken before all had connected: ", Missing()));
    }
  }
  return absl::OkStatus();
}

std::unique_ptr<SharedLane> PeerLinks::LaneTo(
    const std::string& address) const {
  const auto where = ParseAddress(address);
  if (!share_ || !where.ok() || !where->is_unix()) return nullptr;
  auto memory = SharedMemory::Create(kSharedLaneBytes, kSharedReadyBytes);
  if (!memory.ok()) {
    Log(LogLevel::kWarning,
        absl::StrCat("frames to ", address, " go over its socket alone: ",
                     std::string(memory.status().message())));
    return nullptr;
  }
  return std::make_unique<SharedLane>(*std::move(memory),
                                      SharedLane::End::kOpener);
}

ReachOfPeers PeerLinks::Reached() const {
  ReachOfPeers reached;
  for (const auto& [process, peer] : peers_) {
    reached[process] = {
        .answers = peer.outgoing->greeted(),
        .calls = peer.incoming != nullptr && peer.incoming->greeted()};
  }
  return reached;
}

std::string PeerLinks::Missing() const {
  return absl::StrJoin(Unreached(map_, Reached()), ", ");
}

void PeerLinks::ListenForStream() {
  if (closing_) return;
  incoming_.push_back(
      std::make_shared<IncomingStream>(identity_, share_, mailbox_, *this));
  incoming_.back()->Listen(service_, loop_.queue());
}

OutgoingStream* PeerLinks::StreamTo(int host) {
  const auto process = map_.process_of.find(host);
  if (process == map_.process_of.end()) return nullptr;
  const auto peer = peers_.find(process->second);
  return peer == peers_.end() ? nullptr : peer->second.outgoing.get();
}

void PeerLinks::Close(absl::Duration linger) {
  closing_ = true;
  for (auto& [process, peer] : peers_) {
    if (peer.outgoing) peer.outgoing->Close();
  }
  const auto until = CompletionLoop::After(linger);
  const auto open = [](const auto& it) {
    return it.second.outgoing && !it.second.outgoing->ended();
  };
  while (std::any_of(peers_.begin(), peers_.end(), open) &&
         loop_.RunOne(until)) {
  }
  CancelAll();
}

void PeerLinks::Drain(absl::Duration patience) {
  const auto limit = CompletionLoop::After(kLinkDrainLimit);
  while (Busy()) {
    PODSIM_CHECK(loop_.RunOne(limit));
    CancelAll();  // a caller may have come meanwhile
  }
  AwaitBytes(AllFrames(), patience);
}

bool PeerLinks::Borrows(const FrameFilter& which) const {
  return std::any_of(peers_.begin(), peers_.end(), [&which](const auto& it) {
    return it.second.outgoing && it.second.outgoing->Borrows(which);
  });
}

void PeerLinks::AwaitBytes(const FrameFilter& which, absl::Duration patience) {
  const auto until = CompletionLoop::After(patience);
  while (Borrows(which) && !CompletionLoop::Passed(until)) {
    // gRPC may let go of bytes without a completion: look now and then.
    loop_.RunOne(std::min(until, CompletionLoop::After(kLookAgain)));
    Tidy();
  }
}

void PeerLinks::Withdraw(const FrameFilter& which, absl::Duration patience) {
  for (auto& [process, peer] : peers_) {
    if (peer.outgoing) peer.outgoing->Withdraw(which);
  }
  AwaitBytes(which, patience);
  for (auto& [process, peer] : peers_) {
    if (peer.outgoing && peer.outgoing->Borrows(which)) peer.outgoing->Cancel();
  }
  AwaitBytes(which, patience);
}

void PeerLinks::Serve(absl::Duration length) {
  const auto until = CompletionLoop::After(length);
  while (loop_.RunOne(until)) {
  }
}

void PeerLinks::CancelAll() {
  for (auto& [process, peer] : peers_) {
    if (peer.outgoing) peer.outgoing->Cancel();
  }
  for (const auto& stream : incoming_) stream->Cancel();
}

void PeerLinks::Tidy() {
  std::erase_if(incoming_, [](const auto& stream) { return stream->ended(); });
  for (auto& [process, peer] : peers_) {
    if (peer.outgoing) peer.outgoing->Tidy();
  }
}

bool PeerLinks::open() const {
  return std::any_of(peers_.begin(), peers_.end(), [](const auto& it) {
    const Peer& peer = it.second;
    return (peer.outgoing && peer.outgoing->sharing()) ||
           (peer.incoming && peer.incoming->sharing());
  });
}

bool PeerLinks::Look() {
  bool came = false;
  for (auto& [process, peer] : peers_) {
    if (peer.incoming && peer.incoming->TakeShared()) came = true;
    if (peer.outgoing && peer.outgoing->TakeShared()) came = true;
  }
  return came;
}

void PeerLinks::SetWaiting(bool waiting) {
  for (auto& [process, peer] : peers_) {
    if (peer.incoming) peer.incoming->SetWaiting(waiting);
    if (peer.outgoing) peer.outgoing->SetWaiting(waiting);
  }
}

void PeerLinks::Lose(int process, const absl::Status& why) {
  Peer& peer = peers_.at(process);
  // What it has sent counts, and came before. (It may also be what ends it.)
  if (peer.incoming != nullptr) peer.incoming->TakeShared();
  if (!peer.lost.ok()) return;
  const IciProcess& where = map_.peers.at(process);
  // "Cancelled" is how gRPC calls a reset; nobody here has cancelled anything.
  peer.lost = Annotate(
      absl::IsCancelled(why) ? absl::CancelledError("it hung up") : why,
      absl::StrCat("process ", process, " at ", where.address));
  for (int i = 0; i < where.host_count; ++i) {
    mailbox_.Push(PeerLost{.peer = where.first_host + i, .why = peer.lost});
  }
  peer.outgoing->Cancel();
  if (peer.incoming != nullptr) peer.incoming->Cancel();
}

void PeerLinks::OnRefused(const std::string& peer, const absl::Status& why) {
  const auto more = refusals_.Admit(clock_.Now());
  if (!more) return;
  Log(LogLevel::kWarning,
      absl::StrCat("refused an ICI stream from ", peer, ": ",
                   std::string(why.message()), LeftOut(*more)));
}

absl::Status PeerLinks::Admit(const IciHello& hello,
                              std::shared_ptr<IncomingStream> stream) {
  PODSIM_RETURN_IF_ERROR(CheckCaller(hello, identity_.generation, map_));
  const int process = hello.from_process();
  Peer& peer = peers_.at(process);
  if (peer.incoming != nullptr || !peer.lost.ok()) {
    return absl::AlreadyExistsError(
        absl::StrCat("process ", process, " has opened its stream before"));
  }
  peer.incoming = std::move(stream);
  return absl::OkStatus();
}

void PeerLinks::OnUnreadableFrame(int process, const absl::Status& why) {
  mailbox_.Push(
      BadFrame{.peer = map_.peers.at(process).first_host, .why = why});
}

}  // namespace podsim
