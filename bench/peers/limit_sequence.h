// Runs a plan one op after the other with blocking calls: the fewest system
// calls (one to send a frame, one to receive it), no overlap within a rank.
#ifndef PODSIM_BENCH_PEERS_LIMIT_SEQUENCE_H_
#define PODSIM_BENCH_PEERS_LIMIT_SEQUENCE_H_

#include <cstdint>
#include <vector>

#include "limit_frame.h"
#include "limit_plan.h"

namespace podsim::peers {

class Sequence {
 public:
  // `sockets` by rank. A receive that finds nothing gives way to other
  // processes `yields` times before it sleeps.
  Sequence(const FrameRules& rules, std::vector<int> sockets, const Plan& plan,
           std::size_t elements, int yields);

  // REQUIRES: the sockets hold all that is sent before the peer receives.
  void Run(float* data);

 private:
  float* At(float* data, std::size_t begin);
  void Send(const Op& op, const float* payload);
  void Receive(const Op& op, float* payload);

  const FrameRules rules_;
  const std::vector<int> sockets_;
  const Plan plan_;
  const std::size_t elements_;
  const int yields_;
  std::vector<float> scratch_;
  std::vector<float> received_;
  std::uint64_t sequence_ = 0;
  // Of the payload that was sent last, as long as it has not changed.
  std::uint32_t sent_crc_ = 0;
  const Op* sent_ = nullptr;
};

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_LIMIT_SEQUENCE_H_
