#include "tests/interconnect/collectives/fake_network.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/hash.h"

namespace podsim::testing {

FakeNetwork::FakeNetwork(int hosts, std::int64_t bytes_in_flight,
                         std::uint32_t seed)
    : bound_(bytes_in_flight),
      random_(seed),
      hosts_(hosts),
      sinks_(hosts, nullptr) {
  std::iota(hosts_.begin(), hosts_.end(), 0);
}

absl::StatusOr<SendResult> FakeNetwork::Send(const FrameHeader& header,
                                             std::span<const std::byte> payload,
                                             std::uint64_t token) {
  const Pair pair(header.from, header.to);
  if (cut_.count(pair) > 0) return absl::UnavailableError("the line is cut");
  std::int64_t& flying = in_flight_[pair];
  const std::int64_t bytes = static_cast<std::int64_t>(payload.size());
  if (flying > 0 && flying + bytes > bound_) {
    refused_.insert(pair);
    return SendResult::kNoCredit;
  }
  flying += bytes;
  most_in_flight_ = std::max(most_in_flight_, flying);
  auto frame = std::make_shared<Frame>();
  *frame = {header,
            payload,
            {payload.begin(), payload.end()},
            token,
            random_() % 3 == 0};
  if (frame->done_early) events_.push_back({EventKind::kSendDone, pair, frame});
  queues_[pair].push_back(frame);
  if (queues_[pair].size() == 1) {
    events_.push_back({EventKind::kDeliver, pair, nullptr});
  }
  ++frames_;
  return SendResult::kQueued;
}

int FakeNetwork::Poll(absl::Duration /*max_wait*/) {
  if (events_.empty()) return 0;
  const std::size_t pick = random_() % events_.size();
  const Event event = events_[pick];
  events_[pick] = events_.back();
  events_.pop_back();
  switch (event.kind) {
    case EventKind::kDeliver:
      Deliver(event.pair);
      break;
    case EventKind::kSendDone:
      EndSend(*event.frame);
      break;
    case EventKind::kCredit:
      if (FrameSink* sink = sinks_[event.pair.first]) {
        sink->OnCredit(event.pair.second);
      }
      break;
  }
  return 1;
}

Payload FakeNetwork::MakePayload(std::vector<std::byte> bytes,
                                 std::function<void()> on_release,
                                 std::uint32_t damage) {
  std::optional<std::uint32_t> checksum;
  if (damage != 0 || random_() % 2 == 0) checksum = Crc32c(bytes) ^ damage;
  const std::size_t offset = random_() % 4;
  auto memory = std::make_shared<std::vector<std::byte>>(offset);
  memory->insert(memory->end(), bytes.begin(), bytes.end());
  Payload::Parts parts;
  for (std::size_t at = offset; at < memory->size();) {
    const std::size_t length =
        std::min<std::size_t>(memory->size() - at, 1 + random_() % 4096);
    parts.push_back({memory->data() + at, length});
    at += length;
  }
  return Payload(
      std::move(parts),
      [memory, on_release = std::move(on_release)] {
        std::fill(memory->begin(), memory->end(), std::byte{0xee});
        on_release();
      },
      checksum);
}

void FakeNetwork::Deliver(const Pair& pair) {
  std::deque<FramePtr>& queue = queues_[pair];
  const FramePtr frame = queue.front();
  queue.pop_front();
  if (!queue.empty()) events_.push_back({EventKind::kDeliver, pair, nullptr});
  FrameSink* sink = sinks_[pair.second];
  if (sink == nullptr || cut_.count(pair) > 0) return OnRelease(frame);
  sink->OnFrame(frame->header, MakePayload(frame->at_send, [this, frame] {
                  OnRelease(frame);
                }));
}

void FakeNetwork::OnRelease(const FramePtr& frame) {
  const Pair pair(frame->header.from, frame->header.to);
  in_flight_[pair] -= static_cast<std::int64_t>(frame->at_send.size());
  if (!frame->done_early) {
    events_.push_back({EventKind::kSendDone, pair, frame});
  }
  if (refused_.erase(pair) > 0) {
    events_.push_back({EventKind::kCredit, pair, nullptr});
  }
}

void FakeNetwork::EndSend(const Frame& frame) {
  FrameSink* sink = sinks_[frame.header.from];
  if (sink == nullptr) return;  // its buffer may be gone too
  if (!taken_back_.contains({frame.header.from, frame.header.key.group}) &&
      std::memcmp(frame.source.data(), frame.at_send.data(),
                  frame.at_send.size()) != 0) {
    ++overwritten_;
  }
  sink->OnSendDone(frame.token);
}

void FakeNetwork::Inject(const FrameHeader& header, std::vector<float> values,
                         std::uint32_t damage) {
  const auto bytes = std::as_bytes(std::span(values));
  sinks_[header.to]->OnFrame(header,
                             MakePayload(
                                 {bytes.begin(), bytes.end()}, [] {}, damage));
}

std::int64_t FakeNetwork::in_flight(int from, int to) const {
  const auto at = in_flight_.find({from, to});
  return at == in_flight_.end() ? 0 : at->second;
}

}  // namespace podsim::testing
