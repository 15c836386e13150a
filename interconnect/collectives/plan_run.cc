// Where a send passes on what a receive leaves (see relays.h), the bytes that
// travel are made while those that came are in the cache: sums go past the
// buffer if nothing else reads them, roundings are not made again, and a
// checksum that was compared or could be made on the way goes with the send.
#include "interconnect/collectives/plan_run.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "interconnect/collectives/relays.h"
#include "interconnect/transport/frame.h"

namespace podsim {
namespace {

// What is made before it is checksummed: small enough for the first cache.
constexpr std::size_t kMadeAtATime = 16 << 10;

template <typename Byte>
std::span<Byte> Part(std::span<Byte> elements, ElementType type,
                     const Range& part) {
  if (elements.empty()) return elements;
  const std::size_t size = SizeOf(type);
  return elements.subspan(static_cast<std::size_t>(part.begin) * size,
                          static_cast<std::size_t>(part.count) * size);
}

// The first `bytes` of `parts`, which go on behind them.
ReceivedParts TakeFront(ReceivedParts& parts, std::size_t bytes) {
  ReceivedParts front;
  auto part = parts.begin();
  for (; bytes > 0; ++part) {
    front.push_back(part->first(std::min(bytes, part->size())));
    bytes -= front.back().size();
    *part = part->subspan(front.back().size());
    if (!part->empty()) break;
  }
  parts.erase(parts.begin(), part);
  return front;
}

// How a payload is taken. `onward` empty: into the buffer alone.
struct Taking {
  OpKind kind = OpKind::kReceiveCopy;
  bool keep = true;                 // of ReduceOnward
  Stores stores = Stores::kCached;  // of copies
  std::span<std::byte> onward;
};

void TakeParts(const ElementRules& rules, const Taking& how,
               const ReceivedParts& parts, std::span<std::byte> mine,
               std::span<std::byte> onward, const Checksums& crc) {
  const bool reduce = how.kind == OpKind::kReceiveReduce;
  if (reduce && onward.empty()) {
    ReduceReceived(rules, parts, mine, crc);
  } else if (reduce) {
    ReduceOnward(rules, parts, mine, how.keep, onward, crc);
  } else if (onward.empty()) {
    CopyReceived(rules, parts, mine, crc, how.stores);
  } else {
    CopyOnward(rules, parts, mine, onward, crc, how.stores);
  }
}

}  // namespace

PlanRun::PlanRun(std::shared_ptr<const RankPlan> of,
                 std::shared_ptr<const PlanTables> tables,
                 const CollectiveBuffer& buffer)
    : plan(std::move(of)),
      progress(tables->index),
      arrived(plan->ops.size(), false),
      queued(tables->index.peers.size(), false),
      tables_(std::move(tables)),
      rules_{buffer.type, buffer.op, buffer.wire},
      buffer_(buffer.bytes) {
  for (const PlanIndex::Peer& peer : index().peers) needs.push_back(peer.ops);
  if (plan->scratch > 0) {
    scratch_ = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(plan->scratch) * SizeOf(rules_.type));
  }
}

std::string PlanRun::name() const {
  return absl::StrCat(index().name, " #", sequence, " (", label, ")");
}

std::span<std::byte> PlanRun::Bytes(std::int64_t begin,
                                    std::int64_t count) const {
  const std::size_t size = SizeOf(rules_.type);
  const std::int64_t elements = plan->elements;
  std::byte* const first =
      begin < elements
          ? buffer_.data() + static_cast<std::size_t>(begin) * size
          : scratch_.get() + static_cast<std::size_t>(begin - elements) * size;
  return {first, static_cast<std::size_t>(count) * size};
}

std::int32_t PlanRun::SendMadeBy(std::int32_t op) const {
  const Relay& relay = tables_->relays[op];
  if (relay.send < 0) return -1;
  // A sum that is kept unrounded is rounded later, by PayloadOf.
  const bool reduce = plan->ops[op].kind == OpKind::kReceiveReduce;
  const bool made = !reduce || relay.passing ||
                    (narrow() && plan->ops[relay.send].keep_rounded);
  return made ? relay.send : -1;
}

// What receive `op` makes goes into memory of the send's, not (only) into the
// buffer. A copy over a wire as wide as the buffer is in the buffer anyway.
bool PlanRun::PassesBy(std::int32_t op) const {
  const bool lies_there =
      plan->ops[op].kind == OpKind::kReceiveCopy && !narrow();
  return SendMadeBy(op) >= 0 && !lies_there &&
         passing_ + WireBytesOf(plan->ops[op]) <= kMostPassingBytes;
}

absl::Status PlanRun::Take(std::int32_t op, const Payload& payload,
                           const ParallelRunner& parallel) {
  const PlanOp& what = plan->ops[op];
  const Relay& relay = tables_->relays[op];
  Taking how = {.kind = what.kind, .keep = !relay.passing};
  if (PassesBy(op)) {
    how.onward = Allocate(sending_[relay.send], WireBytesOf(what));
  }
  how.stores = StoresOf(op, !how.onward.empty());
  const std::span<std::byte> mine = RangeOf(what);
  if (!payload.checksum()) {
    if (payload.parts().size() == 1) {
      RunInPieces(parallel, what.range.count, SizeOf(rules_.type),
                  [&](const Range& piece) {
                    TakeParts(rules_, how,
                              {Part(payload.parts()[0], rules_.wire, piece)},
                              Part(mine, rules_.type, piece),
                              Part(how.onward, rules_.wire, piece), {});
                  });
    } else {
      TakeParts(rules_, how, payload.parts(), mine, how.onward, {});
    }
    return absl::OkStatus();
  }
  // The checksum of what is sent: of what came, or of what is made of it.
  const bool same = what.kind == OpKind::kReceiveCopy;
  const bool known =
      relay.send >= 0 && (same || !narrow() || !how.onward.empty());
  std::uint32_t received = 0;
  std::uint32_t result = 0;
  TakeParts(
      rules_, how, payload.parts(), mine, how.onward,
      {.received = &received, .result = known && !same ? &result : nullptr});
  if (known) {
    Sending& sending = sending_[relay.send];
    sending.out.checksum = same ? received : result;
  }
  return CompareChecksum(received, *payload.checksum());
}

absl::StatusOr<std::uint32_t> PlanRun::PassOn(std::int32_t op,
                                              const Payload& payload,
                                              const Places& places) {
  const PlanOp& what = plan->ops[op];
  const Relay& relay = tables_->relays[op];
  const Taking how = {.kind = what.kind,
                      .keep = !relay.passing,
                      .stores = StoresOf(op, /*passed_on=*/true)};
  const bool compare = payload.checksum().has_value();
  // What goes on as it came has the checksum that it came with.
  const bool same = compare && what.kind == OpKind::kReceiveCopy;
  std::uint32_t received = 0;
  std::uint32_t result = 0;
  ReceivedParts parts = payload.parts();
  Range done;
  for (const std::span<std::byte> place : places) {
    done = {done.begin + done.count,
            static_cast<std::int64_t>(place.size() / SizeOf(rules_.wire))};
    TakeParts(rules_, how, TakeFront(parts, place.size()),
              Part(RangeOf(what), rules_.type, done), place,
              {.received = compare ? &received : nullptr,
               .result = same ? nullptr : &result});
  }
  if (compare) {
    PODSIM_RETURN_IF_ERROR(CompareChecksum(received, *payload.checksum()));
  }
  sending_[relay.send].passed_on = true;
  return same ? received : result;
}

// Past the caches if no op waits for what is stored but, perhaps, that send.
Stores PlanRun::StoresOf(std::int32_t op, bool passed_on) const {
  const std::vector<std::int32_t>& first = index().first_dependent;
  const bool read_again = first[op + 1] - first[op] > (passed_on ? 1 : 0);
  const bool large = buffer_.size() >= kStreamedBufferBytes;
  return large && !read_again ? Stores::kStreaming : Stores::kCached;
}

bool PlanRun::PassedOn(std::int32_t send) const {
  const auto at = sending_.find(send);
  return at != sending_.end() && at->second.passed_on;
}

void PlanRun::Combine(std::int32_t op, const ParallelRunner& parallel) {
  const PlanOp& what = plan->ops[op];
  const std::span<std::byte> mine = RangeOf(what);
  const std::span<std::byte> other = Bytes(what.source, what.range.count);
  const auto combine = [&](const Range& piece) {
    const std::span<const std::byte> from = Part(other, rules_.type, piece);
    const std::span<std::byte> to = Part(mine, rules_.type, piece);
    if (what.kind == OpKind::kReduce) {
      ReduceLocal(rules_, from, to);
    } else {
      std::memmove(to.data(), from.data(), to.size());
    }
  };
  const std::int64_t count = what.range.count;
  // Pieces of ranges that overlap must not change places.
  if (std::abs(what.source - what.range.begin) < count) {
    return combine({0, count});
  }
  RunInPieces(parallel, count, SizeOf(rules_.type), combine);
}

std::span<std::byte> PlanRun::Allocate(Sending& sending, std::size_t size) {
  Memory& memory = sending.memory;
  if (!spare_.empty()) {
    memory = std::move(spare_.back());
    spare_.pop_back();
  }
  if (memory.size < size) {
    memory = {std::make_unique_for_overwrite<std::byte[]>(size), size};
  }
  const std::span<std::byte> bytes(memory.bytes.get(), size);
  sending.out.bytes = bytes;
  passing_ += size;
  return bytes;
}

bool PlanRun::MustMake(std::int32_t send) const {
  const auto at = sending_.find(send);
  return narrow() && (at == sending_.end() || at->second.out.bytes.empty());
}

std::uint32_t PlanRun::Make(std::int32_t send, const Places& places) {
  const PlanOp& what = plan->ops[send];
  std::span<std::byte> left = RangeOf(what);
  std::uint32_t crc = 0;
  for (std::span<std::byte> place : places) {
    while (!place.empty()) {
      const auto wire = place.first(std::min(place.size(), kMadeAtATime));
      RoundToWire(left.first(2 * wire.size()), what.keep_rounded, wire);
      crc = Crc32c(wire, crc);
      left = left.subspan(2 * wire.size());
      place = place.subspan(wire.size());
    }
  }
  return crc;
}

const Outgoing& PlanRun::PayloadOf(std::int32_t send) {
  Sending& sending = sending_[send];
  if (!sending.out.bytes.empty()) return sending.out;
  const PlanOp& what = plan->ops[send];
  const std::span<std::byte> mine = RangeOf(what);
  if (narrow()) {
    RoundToWire(mine, what.keep_rounded, Allocate(sending, WireBytesOf(what)));
  } else {
    sending.out.bytes = mine;
  }
  return sending.out;
}

std::shared_ptr<const void> PlanRun::TakeLent() {
  struct Lent {
    std::unique_ptr<std::byte[]> scratch;
    std::unordered_map<std::int32_t, Sending> sending;
  };
  return std::make_shared<Lent>(Lent{std::move(scratch_), std::move(sending_)});
}

void PlanRun::ReturnPayload(std::int32_t send) {
  auto node = sending_.extract(send);
  if (node.empty() || node.mapped().memory.bytes == nullptr) return;
  passing_ -= node.mapped().out.bytes.size();
  spare_.push_back(std::move(node.mapped().memory));
}

}  // namespace podsim
