// Runs plans over a Transport: the state machine of one local host.
//
// It never waits for a frame and owns no thread. Whoever polls the transport
// drives it:
//
//   Executor executor(transport, clock, {.host = 2, .hosts = {0, 1, 2, 3}});
//   executor.Start(7, plan, buffer, "bucket 0", on_done);
//   while (!executor.idle()) transport.Poll(absl::Milliseconds(50));
//
// Several collectives run at once, each by its sequence. A frame that comes
// before its collective was started here, or before what it waits for, is kept
// with its credit, so a fast peer is held back rather than buffered.
//
// The first failure is latched: it ends every collective of this executor and
// all later ones. Codes: UNAVAILABLE (a peer is gone that is still needed),
// CANCELLED (it hung up),
// DATA_LOSS (a damaged frame, or one of the wrong size), INTERNAL (a chunk that
// comes twice or that the plan does not know), or what Abort was given.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_EXECUTOR_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_EXECUTOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/trace/tracer.h"
#include "interconnect/collectives/element.h"
#include "interconnect/collectives/pieces.h"
#include "interconnect/collectives/plan.h"
#include "interconnect/collectives/waiting.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

class Executor final : public FrameSink {
 public:
  struct Options {
    int host = 0;  // this host's rank in the pod
    std::uint32_t generation = 1;
    std::uint32_t group = 0;
    // position in the group -> host; plans speak of positions.
    std::vector<int> hosts;
    // Shares large sums and copies among threads. Called from Start and from
    // within Transport::Poll; decides no bits. Empty: whoever calls those does
    // it all.
    ParallelRunner parallel = nullptr;
    // Owns what the buffers lie in. Other hosts of this process may read them
    // a moment longer than this object lives: it is let go after that. Null:
    // whoever starts collectives sees to it.
    std::shared_ptr<const void> memory = nullptr;
    // Keeps when chunks and collectives begin and end; must outlive this
    // object. Null: nobody does.
    Tracer* tracer = nullptr;
  };

  // Registers itself as the host's sink. `transport` and `clock` must outlive
  // this object.
  Executor(Transport& transport, const Clock& clock, Options options);
  ~Executor() override;

  using DoneCallback = std::function<void(const absl::Status&)>;

  // Starts all that `plan` says on `buffer` (plan->elements long; must stay
  // valid until done; holds no values of use before). `done` is called once,
  // from Start or from within Transport::Poll, or not at all if Start returns
  // an error or this object is destroyed first. `sequence` must be new and the
  // same on all hosts; `label` names the collective in messages ("bucket 3,
  // dense_1/kernel"). Tables made for a plan are kept while the plan lives:
  // start the same plan again rather than an equal one. When `done` tells a
  // failure, the transport may still read `buffer`: keep it until the transport
  // is gone. Errors: the latched failure, if an earlier collective failed;
  //   INVALID_ARGUMENT (sequence used before; plan, group, buffer and wire that
  //   do not fit together).
  absl::Status Start(std::uint64_t sequence,
                     std::shared_ptr<const RankPlan> plan,
                     const CollectiveBuffer& buffer, std::string label,
                     DoneCallback done);

  // No collective is running.
  bool idle() const;
  // Frames sent and received so far: changes whenever anything moves.
  // Thread-safe.
  std::uint64_t progress() const;
  // The first thing that is waited for, if anything is.
  Waiting waiting() const;
  // Within `done`: the host whose frame, or word that it has taken one, came
  // last of what the collective waited for. -1: it waited for nobody.
  int awaited() const;
  // Fails everything in flight with `why` and latches it.
  void Abort(const absl::Status& why);

  void OnFrame(const FrameHeader& header, Payload payload) override;
  void OnSendDone(std::uint64_t token) override;
  void OnCredit(int peer) override;
  void OnPeerLost(int peer, const absl::Status& why) override;
  void OnBadFrame(int peer, const absl::Status& why) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_EXECUTOR_H_
