#include "interconnect/collectives/plan_builder.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace podsim {
namespace {

OpSpan Hull(const OpSpan& a, const OpSpan& b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  const std::int32_t first = std::min(a.first, b.first);
  const std::int32_t end = std::max(a.first + a.count, b.first + b.count);
  return {first, end - first};
}

std::int64_t ChunkLength(std::int64_t elements, std::int64_t asked) {
  const std::int64_t least = elements / kMostChunks + 1;
  return std::clamp(asked, least, std::max(least, elements));
}

// The ops of a cut whose elements, which begin at begin_of(op), meet `range`.
template <typename BeginOf>
OpSpan Meeting(const std::vector<PlanOp>& ops, const Cut& cut,
               const Range& range, BeginOf&& begin_of) {
  const auto first = ops.begin() + cut.first;
  const auto last = first + cut.count;
  const auto low = std::partition_point(first, last, [&](const PlanOp& op) {
    return begin_of(op) + op.range.count <= range.begin;
  });
  const auto high = std::partition_point(low, last, [&](const PlanOp& op) {
    return begin_of(op) < range.begin + range.count;
  });
  return {static_cast<std::int32_t>(low - ops.begin()),
          static_cast<std::int32_t>(high - low)};
}

}  // namespace

PlanBuilder::PlanBuilder(const char* name, int rank, int world,
                         std::int64_t elements, std::int64_t chunk_elements)
    : chunk_(ChunkLength(elements, chunk_elements)),
      sent_(world, 0),
      received_(world, 0) {
  PODSIM_CHECK(world >= 1 && 0 <= rank && rank < world);
  PODSIM_CHECK(elements >= 0 && chunk_elements >= 1);
  plan_.name = name;
  plan_.rank = rank;
  plan_.world = world;
  plan_.elements = elements;
}

void PlanBuilder::set_chunk_elements(std::int64_t asked) {
  chunk_ = ChunkLength(plan_.elements, asked);
}

std::int64_t PlanBuilder::AddScratch(std::int64_t elements) {
  const std::int64_t begin = plan_.elements + plan_.scratch;
  plan_.scratch += elements;
  return begin;
}

std::vector<Range> PlanBuilder::ChunksOf(const Range& range) const {
  std::vector<Range> chunks;
  for (std::int64_t done = 0; done < range.count; done += chunk_) {
    chunks.push_back(
        {range.begin + done, std::min(chunk_, range.count - done)});
  }
  return chunks;
}

Cut PlanBuilder::Send(int peer, const Range& range, const Waits& waits) {
  return Append({.kind = OpKind::kSend, .peer = peer, .range = range}, waits);
}

Cut PlanBuilder::SendShared(int peer, const Range& range, const Waits& waits) {
  return Append({.kind = OpKind::kSend,
                 .peer = peer,
                 .range = range,
                 .keep_rounded = true},
                waits);
}

Cut PlanBuilder::ReceiveReduce(int peer, const Range& range,
                               const Waits& waits) {
  return Append({.kind = OpKind::kReceiveReduce, .peer = peer, .range = range},
                waits);
}

Cut PlanBuilder::ReceiveCopy(int peer, const Range& range, const Waits& waits) {
  return Append({.kind = OpKind::kReceiveCopy, .peer = peer, .range = range},
                waits);
}

Cut PlanBuilder::Accumulate(int peer, const Range& range, const Cut& ready,
                            bool whole) {
  if (ready.count == 0) return ReceiveReduce(peer, range);
  const Range aside = {AddScratch(range.count), range.count};
  const Cut came = ReceiveCopy(peer, aside);
  return Reduce(range, aside.begin,
                {.after = {came}, .after_also = {ready}, .whole_also = whole});
}

Cut PlanBuilder::Reduce(const Range& range, std::int64_t source,
                        const Waits& waits) {
  return Append({.kind = OpKind::kReduce, .range = range, .source = source},
                waits);
}

Cut PlanBuilder::Copy(const Range& range, std::int64_t source,
                      const Waits& waits) {
  return Append({.kind = OpKind::kCopy, .range = range, .source = source},
                waits);
}

Cut PlanBuilder::Append(PlanOp op, const Waits& waits) {
  const Range whole = op.range;
  const std::int64_t source = op.source;
  const std::vector<Range> chunks = ChunksOf(whole);
  const Cut cut{static_cast<std::int32_t>(plan_.ops.size()),
                static_cast<std::int32_t>(chunks.size())};
  for (const Range& chunk : chunks) {
    op.range = chunk;
    if (IsLocal(op.kind)) {
      op.source = source + (chunk.begin - whole.begin);
    } else {
      op.chunk =
          op.kind == OpKind::kSend ? sent_[op.peer]++ : received_[op.peer]++;
    }
    op.after = waits.whole ? Whole(waits.after) : Touching(waits.after, op);
    op.after_also = waits.whole_also ? Whole(waits.after_also)
                                     : Touching(waits.after_also, op);
    plan_.ops.push_back(op);
  }
  return cut;
}

OpSpan PlanBuilder::Whole(const std::vector<Cut>& cuts) {
  OpSpan span;
  for (const Cut& cut : cuts) span = Hull(span, {cut.first, cut.count});
  return span;
}

OpSpan PlanBuilder::Touching(const std::vector<Cut>& cuts,
                             const PlanOp& op) const {
  const auto mine = [](const PlanOp& other) { return other.range.begin; };
  const auto source = [](const PlanOp& other) { return other.source; };
  OpSpan span;
  for (const Cut& cut : cuts) {
    if (cut.count == 0) continue;
    const bool reads = IsLocal(plan_.ops[cut.first].kind);
    const auto add = [&](const Range& range) {
      span = Hull(span, Meeting(plan_.ops, cut, range, mine));
      if (reads) span = Hull(span, Meeting(plan_.ops, cut, range, source));
    };
    add(op.range);
    if (IsLocal(op.kind)) add({op.source, op.range.count});
  }
  return span;
}

Cut Joined(const Cut& first, const Cut& second) {
  if (first.count == 0) return second;
  if (second.count == 0) return first;
  PODSIM_CHECK(first.first + first.count == second.first);
  return {first.first, first.count + second.count};
}

Range SegmentIn(const Range& whole, int world, int index) {
  const Range within = SegmentOf(whole.count, world, index);
  return {whole.begin + within.begin, within.count};
}

}  // namespace podsim
