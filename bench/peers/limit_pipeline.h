// Runs a plan with non-blocking calls, both ways and with all peers at once:
// chunks of one step travel while others are summed.
#ifndef PODSIM_BENCH_PEERS_LIMIT_PIPELINE_H_
#define PODSIM_BENCH_PEERS_LIMIT_PIPELINE_H_

#include <cstdint>
#include <vector>

#include "limit_frame.h"
#include "limit_plan.h"

namespace podsim::peers {

class Pipeline {
 public:
  // `sockets` by rank. With `reuse_crc` a frame that is passed on unchanged
  // carries the checksum that was verified when it came; else a new one is
  // computed.
  // A rank that can do nothing gives way to other processes `yields` times
  // before it sleeps.
  // REQUIRES: the plan is not in_sequence.
  Pipeline(const FrameRules& rules, std::vector<int> sockets, const Plan& plan,
           bool reuse_crc, int yields);

  // Blocks until the plan is done. No order of scheduling can get it stuck:
  // frames of a step wait for frames of earlier steps only.
  void Run(float* data);

 private:
  // One direction of a socket: its ops in order, and how far the frame of the
  // first that is not done has come.
  struct Lane {
    std::vector<int> ops;
    std::size_t next = 0;
    std::size_t moved = 0;  // bytes of the frame, header included
    FrameHeader header;
  };
  struct Peer {
    int socket = -1;
    Lane out;
    Lane in;
    std::vector<float> received;  // the chunk that arrives
  };

  bool Ready(const Lane& lane) const;
  bool MoveSome();
  bool SendSome(Peer& peer);
  bool ReceiveSome(Peer& peer);
  void Begin(Lane& out);
  void Accept(Peer& peer);
  void Wait();

  const FrameRules rules_;
  const Plan plan_;
  const bool reuse_crc_;
  const int yields_;
  std::vector<Peer> peers_;
  // By op. crc_from: the receive whose bytes a send passes on, or -1.
  std::vector<int> crc_from_;
  std::vector<char> wants_crc_;
  std::vector<std::uint32_t> crc_;
  std::vector<char> done_;
  std::size_t left_ = 0;
  float* data_ = nullptr;
  std::uint64_t sequence_ = 0;
};

}  // namespace podsim::peers

#endif  // PODSIM_BENCH_PEERS_LIMIT_PIPELINE_H_
