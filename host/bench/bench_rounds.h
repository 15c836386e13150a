// What the local hosts do in a benchmark's runs: iterations of a case, and
// barriers.
#ifndef PODSIM_HOST_BENCH_BENCH_ROUNDS_H_
#define PODSIM_HOST_BENCH_BENCH_ROUNDS_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "host/bench/collective_driver.h"
#include "host/bench/rank_plans.h"
#include "job/bench_buffers.h"

namespace podsim {

// A case's buffers on the local hosts: by host, then by collective of an
// iteration.
using BenchSlots = std::vector<std::vector<BenchBuffers>>;

// Barriers of all hosts of the pod; their frames carry one element.
class BarrierRounds final : public CollectiveRounds {
 public:
  explicit BarrierRounds(RankPlans plans)
      : plans_(std::move(plans)), tokens_(plans_.of_host.size()) {}
  void Begin(int local, int round,
             std::vector<CollectiveStart>& starts) override;
  void End(int /*local*/, int /*round*/) override {}

 private:
  const RankPlans plans_;
  std::vector<float> tokens_;  // per local host
};

// Iterations of a case in one placement, and when each local host began and
// ended them. With a barrier after each, every second round is one.
class IterationRounds final : public CollectiveRounds {
 public:
  // All must outlive this object; `barrier` may be nullptr.
  IterationRounds(const RankPlans& plans, Placement placement,
                  BenchSlots& slots, BarrierRounds* barrier,
                  const Clock& clock);

  int RoundsFor(std::int64_t iterations) const {
    return static_cast<int>(iterations * (barrier_ != nullptr ? 2 : 1));
  }
  void Begin(int local, int round,
             std::vector<CollectiveStart>& starts) override;
  void End(int local, int round) override;

  absl::Time began(std::size_t local) const { return began_[local]; }
  absl::Time ended(std::size_t local) const { return ended_[local]; }
  double SecondsOf(std::size_t local) const {
    return absl::ToDoubleSeconds(ended_[local] - began_[local]);
  }
  // Seconds of each iteration, of the first local host.
  const std::vector<double>& iterations() const { return first_host_; }

 private:
  bool IsBarrier(int round) const {
    return barrier_ != nullptr && round % 2 == 1;
  }

  const RankPlans& plans_;
  const Placement placement_;
  BenchSlots& slots_;
  BarrierRounds* const barrier_;
  const Clock& clock_;
  std::vector<absl::Time> began_;
  std::vector<absl::Time> ended_;
  absl::Time entered_;
  std::vector<double> first_host_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_BENCH_BENCH_ROUNDS_H_
