// One collective in progress at one host: what is done of its plan, its bytes,
// and what travels of them. The executor decides when; this does.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_PLAN_RUN_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_PLAN_RUN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "interconnect/collectives/element.h"
#include "interconnect/collectives/pieces.h"
#include "interconnect/collectives/plan.h"
#include "interconnect/collectives/plan_index.h"
#include "interconnect/collectives/plan_tables.h"
#include "interconnect/collectives/reduce.h"
#include "interconnect/transport/endpoint.h"

namespace podsim {

// Sums that only travel on go past the buffer while at most this many bytes of
// them wait for their sends; beyond that they are stored in the buffer.
inline constexpr std::size_t kMostPassingBytes = std::size_t{4} << 20;

// Received copies go past the caches into buffers of at least this many bytes:
// those of four hosts are more than the last cache of a desktop or a small
// server holds.
inline constexpr std::size_t kStreamedBufferBytes = std::size_t{16} << 20;

// What travels for a send; valid until ReturnPayload.
struct Outgoing {
  std::span<const std::byte> bytes;
  std::optional<std::uint32_t> checksum;  // CRC-32C of them, if it is known
};

class PlanRun {
 public:
  PlanRun(std::shared_ptr<const RankPlan> of,
          std::shared_ptr<const PlanTables> tables,
          const CollectiveBuffer& buffer);

  const PlanIndex& index() const { return tables_->index; }
  std::size_t WireBytesOf(const PlanOp& op) const {
    return static_cast<std::size_t>(op.range.count) * SizeOf(rules_.wire);
  }
  // "all-reduce #412 (bucket 3, dense_1/kernel)"
  std::string name() const;

  // Carries out a receive, or a local op, all that it waits for being done.
  // Errors: DATA_LOSS (the payload does not have the checksum that was sent).
  absl::Status Take(std::int32_t op, const Payload& payload,
                    const ParallelRunner& parallel);
  // The send whose payload receive `op` could make where it will be read, and
  // need not be made again for it; -1: none. PassOn is then Take, with that
  // made in `places` by the calling thread alone; returns its CRC-32C. The send
  // counts as sent from then on.
  std::int32_t SendMadeBy(std::int32_t op) const;
  absl::StatusOr<std::uint32_t> PassOn(std::int32_t op, const Payload& payload,
                                       const Places& places);
  void Combine(std::int32_t op, const ParallelRunner& parallel);

  // The payload of a send does not lie anywhere yet. Make then makes it in
  // `places` and returns its CRC-32C.
  bool MustMake(std::int32_t send) const;
  std::uint32_t Make(std::int32_t send, const Places& places);

  // The same each time until the send is done; ReturnPayload then.
  const Outgoing& PayloadOf(std::int32_t send);
  void ReturnPayload(std::int32_t send);
  // PassOn sent it.
  bool PassedOn(std::int32_t send) const;
  // What owns the payloads that lie outside the buffer, for others that may go
  // on reading them. REQUIRES: nothing is called after it.
  std::shared_ptr<const void> TakeLent();

  // How receive `op` stores a copy in the buffer; `passed_on`: its relay's send
  // does not read it there.
  Stores StoresOf(std::int32_t op, bool passed_on) const;

  const std::shared_ptr<const RankPlan> plan;

  // The executor's:
  PlanProgress progress;
  std::vector<bool> arrived;  // per op: its frame came
  // Per peer of the index: queued for credit; frames and send-dones missing.
  std::vector<bool> queued;
  std::vector<std::int32_t> needs;
  // Payloads that came before what their op waits for.
  std::unordered_map<std::int32_t, Payload> kept;
  std::uint32_t serial = 0;
  std::uint64_t sequence = 0;
  std::string label;
  Lane lane = Lane::kBulk;
  std::function<void(const absl::Status&)> done;
  absl::Time moved;
  int last_peer = -1;  // the host that moved it last
  // Where the run is traced; nanoseconds since 1970.
  struct Trace {
    std::int64_t step = 0;
    std::int64_t begun = 0;
    std::vector<std::int64_t> ops;  // when each was sent, or arrived
  };
  std::unique_ptr<Trace> trace;

 private:
  struct Memory {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };
  struct Sending {
    Outgoing out;
    Memory memory;  // where `out` lies, unless that is the buffer
    bool passed_on = false;
  };

  std::span<std::byte> Bytes(std::int64_t begin, std::int64_t count) const;
  std::span<std::byte> RangeOf(const PlanOp& op) const {
    return Bytes(op.range.begin, op.range.count);
  }
  bool narrow() const { return rules_.type != rules_.wire; }
  bool PassesBy(std::int32_t op) const;
  std::span<std::byte> Allocate(Sending& sending, std::size_t size);

  const std::shared_ptr<const PlanTables> tables_;
  const ElementRules rules_;
  const std::span<std::byte> buffer_;
  // Behind the buffer, as the plan counts.
  std::unique_ptr<std::byte[]> scratch_;
  std::unordered_map<std::int32_t, Sending> sending_;  // by send
  std::vector<Memory> spare_;
  std::size_t passing_ = 0;  // bytes of sending_ that have memory of their own
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_PLAN_RUN_H_
