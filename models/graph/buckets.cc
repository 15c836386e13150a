#include "models/graph/buckets.h"

namespace podsim {

std::vector<GradientBucket> MakeBuckets(
    const std::vector<FinishedGradient>& gradients, std::int64_t bucket_bytes) {
  constexpr std::int64_t kElementBytes = 4;  // gradients are float32
  std::vector<GradientBucket> buckets;
  std::int64_t end = 0;
  bool open = false;
  for (const FinishedGradient& gradient : gradients) {
    if (!open) {
      buckets.emplace_back();
      buckets.back().begin = end;
    }
    GradientBucket& bucket = buckets.back();
    bucket.gradients.push_back(gradient.gradient);
    bucket.variables.push_back(gradient.variable);
    bucket.count += gradient.elements;
    end += gradient.elements;
    open = bucket.count * kElementBytes < bucket_bytes;
  }
  return buckets;
}

std::vector<std::int32_t> TravelOrder(const Program& program) {
  std::vector<std::int32_t> order;
  const auto reduce = program.entries.find(EntryPoint::kReduce);
  if (reduce == program.entries.end()) return order;
  for (const Segment& segment : reduce->second) order.push_back(segment.bucket);
  return order;
}

}  // namespace podsim
