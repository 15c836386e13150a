// A run of all-reduces over a network that misbehaves: what is to happen, drawn
// from a seed, and what came of it, in virtual time.
//
//   const FaultSchedule schedule = DrawSchedule(seed);
//   const FaultRun run = RunSchedule(schedule);   // ends, whatever happens
#ifndef PODSIM_TESTS_INTERCONNECT_COLLECTIVES_FAULT_SCHEDULE_H_
#define PODSIM_TESTS_INTERCONNECT_COLLECTIVES_FAULT_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "interconnect/collectives/algorithms.h"
#include "interconnect/collectives/reduce.h"
#include "interconnect/collectives/waiting.h"
#include "tests/interconnect/collectives/run_plans.h"
#include "tests/interconnect/transport/faults/frame_faults.h"

namespace podsim::testing {

inline constexpr absl::Duration kMostDelay = absl::Milliseconds(5);
// A frame that is not lost is there kMostDelay after its Send. A pod in which
// nothing has moved for twice as long waits for what will never come.
inline constexpr absl::Duration kStall = absl::Milliseconds(10);

// What the others learn when a host has failed.
enum class Aftermath : std::uint8_t {
  kAllAreAborted,    // as by a coordinator
  kPeersSeeItLeave,  // its process ends, and with it the lines to it
  kNobodyIsTold,
};

struct FaultSchedule {
  std::uint64_t seed = 0;
  PlanRequest request;
  ElementRules rules;
  int collectives = 1;
  std::vector<std::vector<int>> processes;  // the hosts of each
  FrameFaults faults;
  Aftermath aftermath = Aftermath::kAllAreAborted;

  int world() const { return static_cast<int>(request.ring.size()); }
};

FaultSchedule DrawSchedule(std::uint64_t seed);
std::string Describe(const FaultSchedule& schedule);

// A frame that was sent, and what it suffered.
struct SentFrame {
  FrameHeader header;
  FrameFault fault;

  bool lost() const { return fault.drop; }
  bool damaged() const { return !fault.drop && fault.flip_bit.has_value(); }
  bool repeated() const { return !fault.drop && fault.duplicate; }
  bool twice() const { return repeated() && !damaged(); }
  bool late() const { return fault.delay > absl::ZeroDuration(); }
  bool overtaken() const { return fault.reorder; }
};

// What came of one collective on one host.
struct FaultEnd {
  int told = 0;  // how often its done was called
  absl::Status status;
  Bytes buffer;
};

struct FaultRun {
  // Something went on without end, in polls or in virtual time.
  bool endless = false;
  // Nothing moved any more; the test then ended what was left
  // (DEADLINE_EXCEEDED).
  bool stalled = false;
  bool cut = false;                         // a cut has come into force
  std::vector<std::vector<FaultEnd>> ends;  // [collective][host]
  std::vector<Bytes> sums;                  // by collective: the right ones
  // By host: what a further Start would be told; OK: nothing has failed.
  std::vector<absl::Status> latched;
  // By host, when it stalled; host -1: it waited for nothing.
  std::vector<Waiting> waiting;
  std::vector<SentFrame> frames;
};

FaultRun RunSchedule(const FaultSchedule& schedule);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_COLLECTIVES_FAULT_SCHEDULE_H_
