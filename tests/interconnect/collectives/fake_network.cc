#include "tests/interconnect/collectives/fake_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"

namespace podsim::testing {

FakeNetwork::FakeNetwork(int hosts, std::int64_t bytes_in_flight,
                         std::uint32_t seed)
    : bound_(bytes_in_flight),
      random_(seed),
      hosts_(hosts),
      sinks_(hosts, nullptr) {
  std::iota(hosts_.begin(), hosts_.end(), 0);
}

absl::StatusOr<SendResult> FakeNetwork::Admit(const Pair& pair, Lane lane,
                                              std::size_t payload_bytes) {
  if (cut_.count(pair) > 0) return absl::UnavailableError("the line is cut");
  std::int64_t& flying = in_flight_[{pair, lane}];
  const std::int64_t bytes = static_cast<std::int64_t>(payload_bytes);
  if (flying > 0 && flying + bytes > bound_) {
    refused_.insert(pair);
    return SendResult::kNoCredit;
  }
  flying += bytes;
  most_in_flight_ = std::max(most_in_flight_, flying);
  return SendResult::kQueued;
}

void FakeNetwork::Queue(Frame queued) {
  const Pair pair(queued.header.from, queued.header.to);
  auto frame = std::make_shared<Frame>(std::move(queued));
  if (frame->done_early) events_.push_back({EventKind::kSendDone, pair, frame});
  queues_[pair].push_back(frame);
  if (queues_[pair].size() == 1) {
    events_.push_back({EventKind::kDeliver, pair, nullptr});
  }
  ++frames_;
}

absl::StatusOr<SendResult> FakeNetwork::Send(const FrameHeader& header,
                                             std::span<const std::byte> payload,
                                             std::uint64_t token) {
  PODSIM_ASSIGN_OR_RETURN(
      const SendResult admitted,
      Admit({header.from, header.to}, header.lane, payload.size()));
  if (admitted != SendResult::kQueued) return admitted;
  Queue({.header = header,
         .source = payload,
         .at_send = {payload.begin(), payload.end()},
         .token = token,
         .done_early = random_() % 3 == 0});
  return admitted;
}

absl::StatusOr<SendResult> FakeNetwork::SendInPlace(const FrameHeader& header,
                                                    std::size_t bytes,
                                                    MakePayload make,
                                                    std::uint64_t token) {
  const Pair pair(header.from, header.to);
  if (random_() % 3 == 0) return SendResult::kNoPlace;
  PODSIM_ASSIGN_OR_RETURN(const SendResult admitted,
                          Admit(pair, header.lane, bytes));
  if (admitted != SendResult::kQueued) return admitted;
  std::vector<std::byte> made(bytes, std::byte{0xdd});
  const std::span<std::byte> all(made);
  const std::size_t first =
      bytes > 64 ? 64 * (random_() % (bytes / 64 + 1)) : bytes;
  Places places;
  for (const auto& part : {all.first(first), all.subspan(first)}) {
    if (!part.empty()) places.push_back(part);
  }
  const absl::StatusOr<std::uint32_t> crc = make(places);
  if (!crc.ok()) {
    in_flight_[{pair, header.lane}] -= static_cast<std::int64_t>(bytes);
    return crc.status();
  }
  EXPECT_EQ(*crc, Crc32c(made)) << "of " << bytes << " bytes made in place";
  Queue({.header = header,
         .at_send = std::move(made),
         .token = token,
         .done_early = random_() % 3 == 0});
  ++placed_;
  return admitted;
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

Payload FakeNetwork::PayloadOf(std::vector<std::byte> bytes,
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
  sink->OnFrame(frame->header,
                PayloadOf(frame->at_send, [this, frame] { OnRelease(frame); }));
}

void FakeNetwork::OnRelease(const FramePtr& frame) {
  const Pair pair(frame->header.from, frame->header.to);
  in_flight_[{pair, frame->header.lane}] -=
      static_cast<std::int64_t>(frame->at_send.size());
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
  if (!frame.source.empty() &&
      std::memcmp(frame.source.data(), frame.at_send.data(),
                  frame.source.size()) != 0) {
    ++overwritten_;
  }
  sink->OnSendDone(frame.token);
}

void FakeNetwork::Inject(const FrameHeader& header, std::vector<float> values,
                         std::uint32_t damage) {
  const auto bytes = std::as_bytes(std::span(values));
  sinks_[header.to]->OnFrame(header,
                             PayloadOf(
                                 {bytes.begin(), bytes.end()}, [] {}, damage));
}

std::int64_t FakeNetwork::in_flight(int from, int to) const {
  std::int64_t bytes = 0;
  for (const auto& [line, in_lane] : in_flight_)
    if (line.first == Pair(from, to)) bytes += in_lane;
  return bytes;
}

}  // namespace podsim::testing
