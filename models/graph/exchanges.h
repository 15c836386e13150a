// The all-reduces in the middle of a training pass.
#ifndef PODSIM_MODELS_GRAPH_EXCHANGES_H_
#define PODSIM_MODELS_GRAPH_EXCHANGES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "models/graph/program.h"

namespace podsim {

// Segments of kTrainMicrobatch that join a tensor, in their order, which is the
// order in which every host starts them. Borrowed from `program`.
std::vector<const Segment*> ExchangesOf(const Program& program);

// What an all_reduce's word stands for, and what the collectives call it
// ("sum", "max", "min").
ReduceOp ReduceOpOf(const OpAttributes& attributes);
const char* NameOf(ReduceOp op);

// Whether one instruction's cores are several: what it joins needs a segment.
bool JoinsCores(const Instruction& instruction);

// Hosts that one exchange needs: 1 if each has whole groups. REQUIRES:
// CheckGroups.
std::int32_t HostsOfGroup(std::int32_t group, std::int32_t hosts,
                          std::int32_t cores_per_host);

// Groups must be parts of a host, of one size, or whole hosts.
// Errors: INVALID_ARGUMENT naming the group and what would fit.
absl::Status CheckGroups(const Program& program, std::int32_t hosts,
                         std::int32_t cores_per_host);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_EXCHANGES_H_
