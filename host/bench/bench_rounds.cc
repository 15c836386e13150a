#include "host/bench/bench_rounds.h"

#include <span>

namespace podsim {

void BarrierRounds::Begin(int local, int /*round*/,
                          std::vector<CollectiveStart>& starts) {
  starts.push_back({plans_.of_host[local], std::span(&tokens_[local], 1)});
}

IterationRounds::IterationRounds(const RankPlans& plans, Placement placement,
                                 BenchSlots& slots, BarrierRounds* barrier,
                                 const Clock& clock)
    : plans_(plans),
      placement_(placement),
      slots_(slots),
      barrier_(barrier),
      clock_(clock),
      began_(slots.size()),
      ended_(slots.size()) {}

void IterationRounds::Begin(int local, int round,
                            std::vector<CollectiveStart>& starts) {
  if (round == 0) began_[local] = clock_.Now();
  if (IsBarrier(round)) return barrier_->Begin(local, round, starts);
  if (local == 0) entered_ = clock_.Now();
  for (BenchBuffers& buffers : slots_[local]) {
    buffers.Before(placement_);
    starts.push_back({plans_.of_host[local], buffers.travelling()});
  }
}

void IterationRounds::End(int local, int round) {
  if (!IsBarrier(round)) {
    for (BenchBuffers& buffers : slots_[local]) buffers.After();
  }
  ended_[local] = clock_.Now();
  if (local == 0 && !IsBarrier(round)) {
    first_host_.push_back(absl::ToDoubleSeconds(ended_[0] - entered_));
  }
}

}  // namespace podsim
