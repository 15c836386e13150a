// The state of an executor, shared by the files that make it up:
//   executor.cc          how a collective begins, and what may be asked
//   executor_receive.cc  what comes, and what a finished op frees
//   executor_send.cc     what goes out, as far as credit reaches
//   executor_end.cc      how runs end, well or not
//
// Nobody else includes it.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_EXECUTOR_IMPL_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_EXECUTOR_IMPL_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/status.h"
#include "interconnect/collectives/element.h"
#include "interconnect/collectives/executor.h"
#include "interconnect/collectives/plan.h"
#include "interconnect/collectives/plan_run.h"
#include "interconnect/collectives/plan_tables.h"
#include "interconnect/collectives/sequence_set.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

struct Executor::Impl {
  // A frame of a collective that was not started here yet.
  struct EarlyFrame {
    int position = 0;
    std::uint32_t chunk = 0;
    Payload payload;
  };

  // Sends to one peer that wait for credit, first come first served.
  struct CreditQueue {
    struct Entry {
      std::uint32_t serial = 0;
      std::int32_t peer = 0;  // in the run's index
    };
    bool blocked = false;
    std::vector<Entry> entries;
  };

  Impl(Transport& by, const Clock& time, Options given)
      : transport(by), clock(time), options(std::move(given)) {
    for (std::size_t i = 0; i < options.hosts.size(); ++i) {
      position_of[options.hosts[i]] = static_cast<int>(i);
    }
    PODSIM_CHECK(position_of.size() == options.hosts.size());
    PODSIM_CHECK(position_of.count(options.host) == 1);
  }

  int HostOf(int position) const { return options.hosts[position]; }
  // -1: not in the group.
  int PositionOf(int host) const {
    const auto at = position_of.find(host);
    return at == position_of.end() ? -1 : at->second;
  }
  PlanRun* FindRun(std::uint32_t serial) {
    const auto at = runs.find(serial);
    return at == runs.end() ? nullptr : at->second.get();
  }

  // How a run begins.
  absl::Status CheckStart(std::uint64_t sequence, const RankPlan* plan,
                          const CollectiveBuffer& buffer) const;
  void Begin(PlanRun& run);

  // What comes.
  void Receive(PlanRun& run, int position, std::uint32_t chunk,
               Payload payload);
  bool Apply(PlanRun& run, std::int32_t op, const Payload& payload);
  absl::Status Take(PlanRun& run, std::int32_t op, const Payload& payload);
  void Finish(PlanRun& run, std::int32_t op);

  // What goes out. `peer`: in the run's index.
  void Pump(PlanRun& run, std::int32_t peer);
  CreditQueue& CreditOf(const PlanRun& run, int position) {
    return credit[position][static_cast<std::size_t>(run.lane)];
  }
  absl::StatusOr<SendResult> Send(PlanRun& run, std::int32_t op);
  FrameHeader HeaderOf(const PlanRun& run, const PlanOp& send) const;
  // Of what is traced; how long op took to send, or from its arrival to be
  // taken.
  void Trace(const PlanRun& run, std::int32_t op);
  void Trace(const PlanRun& run);
  static std::uint64_t TokenOf(const PlanRun& run, std::int32_t op) {
    return static_cast<std::uint64_t>(run.serial) << 32 |
           static_cast<std::uint32_t>(op);
  }

  // How runs end.
  void CompleteIfDone(PlanRun& run);
  void Settle();
  void Fail(const absl::Status& why);
  void FailRun(const PlanRun& run, absl::StatusCode code,
               const std::string& what);
  void CheckLostPeers(PlanRun& run);
  // From here on nobody calls; other hosts of this process may still read.
  void Leave();
  std::string WhatIsAwaited(const PlanRun& run, std::int32_t op) const;

  Transport& transport;
  const Clock& clock;
  const Options options;
  std::unordered_map<int, int> position_of;  // host -> position
  std::atomic<std::uint64_t> moved_frames{0};

  // By serial, which is the order of their start.
  std::map<std::uint32_t, std::unique_ptr<PlanRun>> runs;
  std::unordered_map<std::uint64_t, PlanRun*> by_sequence;
  std::unordered_map<std::uint64_t, std::vector<EarlyFrame>> mailbox;
  // By position and lane.
  std::unordered_map<int, std::array<CreditQueue, 2>> credit;
  std::unordered_map<int, absl::Status> lost;  // by position
  PlanTablesCache tables;
  std::uint32_t next_serial = 0;
  int awaited = -1;  // as Executor::awaited
  SequenceSet used;
  absl::Status failure;
  std::vector<std::unique_ptr<PlanRun>> completed;  // until Settle
  std::vector<std::unique_ptr<PlanRun>> buried;     // failed, until the end
  std::vector<std::int32_t> ready;                  // scratch of Finish
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_EXECUTOR_IMPL_H_
