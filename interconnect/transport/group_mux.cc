// Sinks may send, replace themselves or others, and release payloads from
// within a call: after each one, whoever is told next is looked up anew.
#include "interconnect/transport/group_mux.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace podsim {

class GroupMux::Tap final : public FrameSink {
 public:
  Tap(GroupMux& mux, int host) : mux_(mux), host_(host) {}

  void OnFrame(const FrameHeader& header, Payload payload) override {
    mux_.OnFrame(host_, header, std::move(payload));
  }
  void OnSendDone(std::uint64_t token) override { mux_.OnSendDone(token); }
  void OnCredit(int peer) override { mux_.OnCredit(host_, peer); }
  void OnPeerLost(int peer, const absl::Status& why) override {
    mux_.OnPeerLost(host_, peer, why);
  }
  void OnBadFrame(int peer, const absl::Status& why) override {
    mux_.OnBadFrame(host_, peer, why);
  }

 private:
  GroupMux& mux_;
  const int host_;
};

class GroupMux::View final : public Transport {
 public:
  View(GroupMux& mux, std::uint32_t group) : mux_(mux), group_(group) {}

  const std::vector<int>& local_hosts() const override {
    return mux_.transport_.local_hosts();
  }
  void SetSink(int local_host, FrameSink* sink) override {
    mux_.SetSink({local_host, group_}, sink);
  }
  void TakeBack(int local_host, std::uint32_t group) override {
    if (group == group_) mux_.transport_.TakeBack(local_host, group);
  }
  absl::StatusOr<SendResult> Send(const FrameHeader& header,
                                  std::span<const std::byte> payload,
                                  std::uint64_t token) override {
    return mux_.Send(group_, header, payload, token);
  }
  absl::StatusOr<SendResult> SendInPlace(const FrameHeader& header,
                                         std::size_t bytes, MakePayload make,
                                         std::uint64_t token) override {
    return mux_.SendInPlace(group_, header, bytes, make, token);
  }
  int Poll(absl::Duration max_wait) override { return mux_.Poll(max_wait); }
  void Wake() override { mux_.transport_.Wake(); }

 private:
  GroupMux& mux_;
  const std::uint32_t group_;
};

GroupMux::GroupMux(Transport& transport) : transport_(transport) {
  for (const int host : transport_.local_hosts()) {
    hosts_[host].tap = std::make_unique<Tap>(*this, host);
    transport_.SetSink(host, hosts_[host].tap.get());
  }
}

GroupMux::~GroupMux() {
  for (const auto& [host, state] : hosts_) transport_.SetSink(host, nullptr);
}

Transport& GroupMux::OfGroup(std::uint32_t group) {
  std::unique_ptr<View>& view = views_[group];
  if (view == nullptr) view = std::make_unique<View>(*this, group);
  return *view;
}

void GroupMux::SetSink(const Member& member, FrameSink* sink) {
  const auto& [host, group] = member;
  PODSIM_CHECK(hosts_.contains(host));
  hosts_.at(host).sinks[group] = sink;
  if (sink != nullptr) {
    if (!IsNewcomer(member)) newcomers_.push_back(member);
    return;
  }
  DropEarly(member);
  const std::size_t unfinished = std::erase_if(
      sent_, [&](const auto& sent) { return sent.second.by == member; });
  if (unfinished > 0) transport_.TakeBack(host, group);
}

absl::Status GroupMux::CheckGroup(std::uint32_t group,
                                  const FrameHeader& header) const {
  if (header.key.group == group) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "frame of group ", header.key.group, " from host ", header.from,
      " to host ", header.to, ", sent over the transport of group ", group));
}

void GroupMux::NoteSent(std::uint32_t group, const FrameHeader& header,
                        SendResult result, std::uint64_t token) {
  if (result == SendResult::kQueued) {
    sent_[next_token_++] = {.by = {header.from, group}, .token = token};
  } else if (result == SendResult::kNoCredit) {
    std::vector<std::uint32_t>& turns = refused_[{header.from, header.to}];
    if (std::find(turns.begin(), turns.end(), group) == turns.end()) {
      turns.push_back(group);
    }
  }
}

absl::StatusOr<SendResult> GroupMux::Send(std::uint32_t group,
                                          const FrameHeader& header,
                                          std::span<const std::byte> payload,
                                          std::uint64_t token) {
  PODSIM_RETURN_IF_ERROR(CheckGroup(group, header));
  PODSIM_ASSIGN_OR_RETURN(const SendResult result,
                          transport_.Send(header, payload, next_token_));
  NoteSent(group, header, result, token);
  return result;
}

absl::StatusOr<SendResult> GroupMux::SendInPlace(std::uint32_t group,
                                                 const FrameHeader& header,
                                                 std::size_t bytes,
                                                 MakePayload make,
                                                 std::uint64_t token) {
  PODSIM_RETURN_IF_ERROR(CheckGroup(group, header));
  PODSIM_ASSIGN_OR_RETURN(
      const SendResult result,
      transport_.SendInPlace(header, bytes, make, next_token_));
  NoteSent(group, header, result, token);
  return result;
}

int GroupMux::Poll(absl::Duration max_wait) {
  const int told = Greet();
  return told + transport_.Poll(told > 0 ? absl::ZeroDuration() : max_wait);
}

void GroupMux::OnFrame(int host, const FrameHeader& header, Payload payload) {
  Greet();  // what was kept came before this one
  const auto& sinks = hosts_.at(host).sinks;
  const auto found = sinks.find(header.key.group);
  if (found == sinks.end()) {
    KeepEarly(host, header, std::move(payload));
  } else if (found->second != nullptr) {
    found->second->OnFrame(header, std::move(payload));
  }
}

void GroupMux::OnSendDone(std::uint64_t token) {
  const auto sent = sent_.extract(token);
  if (sent.empty()) return;  // its group has left
  if (FrameSink* sink = SinkOf(sent.mapped().by); sink != nullptr) {
    sink->OnSendDone(sent.mapped().token);
  }
}

void GroupMux::OnCredit(int host, int peer) {
  const auto turns = refused_.extract(std::pair(host, peer));
  if (turns.empty()) return;
  for (const std::uint32_t group : turns.mapped()) {
    if (FrameSink* sink = SinkOf({host, group}); sink != nullptr) {
      sink->OnCredit(peer);
    }
  }
  // Next time another one is first.
  const auto again = refused_.find(std::pair(host, peer));
  if (again == refused_.end()) return;
  std::rotate(again->second.begin(), again->second.begin() + 1,
              again->second.end());
}

void GroupMux::OnPeerLost(int host, int peer, const absl::Status& why) {
  Greet();
  hosts_.at(host).lost.emplace(peer, why);
  TellAll(host, [&](FrameSink& sink) { sink.OnPeerLost(peer, why); });
}

void GroupMux::OnBadFrame(int host, int peer, const absl::Status& why) {
  Greet();
  hosts_.at(host).bad.emplace(peer, why);
  TellAll(host, [&](FrameSink& sink) { sink.OnBadFrame(peer, why); });
}

void GroupMux::KeepEarly(int host, const FrameHeader& header, Payload payload) {
  Host& state = hosts_.at(host);
  if (state.early_frames == kMostEarlyFrames) {
    return OnBadFrame(
        host, header.from,
        absl::FailedPreconditionError(absl::StrCat(
            "it is of group ", header.key.group, ", which has no sink on host ",
            host, ", where ", kMostEarlyFrames,
            " frames of such groups wait already; start the group on all of "
            "its hosts")));
  }
  ++state.early_frames;
  state.early[header.key.group].push_back({header, std::move(payload)});
}

void GroupMux::DropEarly(const Member& member) {
  Host& state = hosts_.at(member.first);
  const auto dropped = state.early.extract(member.second);
  if (!dropped.empty()) state.early_frames -= dropped.mapped().size();
}

int GroupMux::Greet() {
  int told = 0;
  while (!newcomers_.empty()) {
    const Member member = newcomers_.front();
    newcomers_.pop_front();
    told += TellEarlyFrames(member);
    // By value: a sink's answer may add to what is being read.
    for (const auto& [peer, why] : std::map(hosts_.at(member.first).bad)) {
      if (FrameSink* sink = SinkOf(member); sink != nullptr) {
        sink->OnBadFrame(peer, why);
        ++told;
      }
    }
    for (const auto& [peer, why] : std::map(hosts_.at(member.first).lost)) {
      if (FrameSink* sink = SinkOf(member); sink != nullptr) {
        sink->OnPeerLost(peer, why);
        ++told;
      }
    }
  }
  return told;
}

int GroupMux::TellEarlyFrames(const Member& member) {
  Host& state = hosts_.at(member.first);
  int told = 0;
  for (;;) {
    const auto early = state.early.find(member.second);
    FrameSink* const sink = SinkOf(member);
    if (early == state.early.end() || sink == nullptr) return told;
    if (early->second.empty()) {
      state.early.erase(early);
      return told;
    }
    EarlyFrame frame = std::move(early->second.front());
    early->second.pop_front();
    --state.early_frames;
    sink->OnFrame(frame.header, std::move(frame.payload));
    ++told;
  }
}

FrameSink* GroupMux::SinkOf(const Member& member) const {
  const auto& sinks = hosts_.at(member.first).sinks;
  const auto found = sinks.find(member.second);
  return found == sinks.end() ? nullptr : found->second;
}

bool GroupMux::IsNewcomer(const Member& member) const {
  return std::find(newcomers_.begin(), newcomers_.end(), member) !=
         newcomers_.end();
}

void GroupMux::TellAll(int host, const std::function<void(FrameSink&)>& tell) {
  std::vector<std::uint32_t> groups;
  for (const auto& [group, sink] : hosts_.at(host).sinks) {
    groups.push_back(group);
  }
  for (const std::uint32_t group : groups) {
    FrameSink* const sink = SinkOf({host, group});
    if (sink != nullptr && !IsNewcomer({host, group})) tell(*sink);
  }
}

}  // namespace podsim
