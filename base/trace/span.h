// One thing that a host, its cores or a link did, and when, measured or
// simulated: what a trace of a run consists of.
#ifndef PODSIM_BASE_TRACE_SPAN_H_
#define PODSIM_BASE_TRACE_SPAN_H_

#include <cstdint>
#include <string>

#include "base/units.h"

namespace podsim {

enum class SpanKind : std::uint8_t {
  kStep,        // all of a training step; the rest lies in it
  kInput,       // waiting until the batch is there
  kCompute,     // forward and backward pass, or a segment of them on cores
  kWait,        // for a collective
  kUpdate,      // of the weights of a bucket
  kPacking,     // weights for the next step's products
  kCheckpoint,  // while training stands still for it
  kEvaluation,
  kOther,       // audits
  kCollective,  // from its start on this host until it is done there
  kSend,        // of a chunk, until its bytes may be changed again
  kReceive,     // of a chunk, from its arrival until it is summed or copied
  // Of a host's part of a checkpoint, while training goes on.
  kCheckpointWrite,
};

// `Moment` says by which clock.
template <typename Moment>
struct SpanOf {
  SpanKind kind = SpanKind::kOther;
  // Of `hosts` hosts from `host` on, which one process plays together.
  int host = 0;
  int hosts = 1;
  // Of `cores` of the host's emulated cores from `core` on; 0: of none.
  int core = 0;
  int cores = 0;
  // The host that sends, receives or is waited for; -1: none.
  int peer = -1;
  int link = -1;  // of the slice, by its number; -1: of none
  std::int64_t step = 0;
  Moment begin{};
  Moment end{};
  std::int64_t bytes = 0;  // that travel
  // The same at the sender and the receiver of a chunk; 0: none.
  std::uint64_t flow = 0;
  std::string name;

  bool operator==(const SpanOf&) const = default;
};

// Wall: nanoseconds since 1970, by the clock of the process that made it.
using Span = SpanOf<std::int64_t>;
// Simulated: from the first moment of the step.
using SimulatedSpan = SpanOf<SimTime>;

// A chunk on its way between two hosts.
struct FlowKey {
  int from = 0;
  int to = 0;
  std::uint32_t generation = 0;
  std::uint32_t group = 0;
  std::uint64_t sequence = 0;
  std::uint32_t chunk = 0;
};

// A number for it that both ends find alone, never 0. Two of a trace's million
// chunks have the same one with a probability of 3e-8. Pure.
std::uint64_t FlowOf(const FlowKey& key);

}  // namespace podsim

#endif  // PODSIM_BASE_TRACE_SPAN_H_
