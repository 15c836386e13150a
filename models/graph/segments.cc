#include "models/graph/segments.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "models/graph/exchanges.h"
#include "models/ops/op_table.h"

namespace podsim {
namespace {

struct CompleteBucket {
  std::size_t bucket = 0;
  std::size_t last = 0;  // the instruction that completes it
};

// `finish`: when each gradient is written.
std::vector<CompleteBucket> InOrderOfCompletion(
    const std::vector<GradientBucket>& buckets,
    const std::map<TensorId, std::size_t>& finish) {
  std::vector<CompleteBucket> complete;
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    std::size_t last = 0;
    for (const TensorId gradient : buckets[bucket].gradients)
      last = std::max(last, finish.at(gradient));
    complete.push_back({bucket, last});
  }
  std::stable_sort(complete.begin(), complete.end(),
                   [](const CompleteBucket& a, const CompleteBucket& b) {
                     return a.last < b.last;
                   });
  return complete;
}

Segment AllReduceOf(std::size_t bucket) {
  Segment segment;
  segment.kind = SegmentKind::kAllReduce;
  segment.bucket = static_cast<std::int32_t>(bucket);
  return segment;
}

Segment ExchangeOf(const Instruction& instruction) {
  Segment segment;
  segment.kind = SegmentKind::kAllReduce;
  segment.reduce = ReduceOpOf(instruction.attributes);
  segment.group =
      static_cast<std::int32_t>(GroupSizeOf(instruction.attributes));
  segment.tensor = instruction.outputs[0];
  return segment;
}

}  // namespace

std::map<TensorId, std::size_t> FinishTimes(
    const std::vector<Instruction>& instructions) {
  std::map<TensorId, std::size_t> times;
  for (std::size_t step = 0; step < instructions.size(); ++step)
    for (const TensorId id : instructions[step].outputs) times[id] = step;
  return times;
}

std::vector<Segment> CutAtCollectives(
    std::vector<Instruction> instructions,
    const std::vector<GradientBucket>& buckets) {
  const std::vector<CompleteBucket> complete =
      InOrderOfCompletion(buckets, FinishTimes(instructions));
  std::vector<Segment> segments;
  std::size_t done = 0;
  const auto compute_until = [&](std::size_t end) {
    if (end <= done) return;
    Segment segment;
    for (; done < end; ++done) {
      Instruction& next = instructions[done];
      const bool joins = JoinsCores(next);
      Segment exchange = joins ? ExchangeOf(next) : Segment();
      segment.instructions.push_back(std::move(next));
      if (!joins) continue;
      segments.push_back(std::exchange(segment, {}));
      segments.push_back(std::move(exchange));
    }
    if (!segment.instructions.empty()) segments.push_back(std::move(segment));
  };
  for (const CompleteBucket& each : complete) {
    compute_until(each.last + 1);
    segments.push_back(AllReduceOf(each.bucket));
  }
  compute_until(instructions.size());
  return segments;
}

std::vector<Segment> AllReducesOf(const std::vector<Segment>& pass) {
  std::vector<Segment> all_reduces;
  for (const Segment& segment : pass)
    if (segment.kind == SegmentKind::kAllReduce && !segment.joins_tensor())
      all_reduces.push_back(segment);
  return all_reduces;
}

}  // namespace podsim
