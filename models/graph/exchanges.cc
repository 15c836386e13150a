#include "models/graph/exchanges.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "models/ops/op_table.h"

namespace podsim {

std::vector<const Segment*> ExchangesOf(const Program& program) {
  std::vector<const Segment*> exchanges;
  const auto train = program.entries.find(EntryPoint::kTrainMicrobatch);
  if (train == program.entries.end()) return exchanges;
  for (const Segment& segment : train->second)
    if (segment.joins_tensor()) exchanges.push_back(&segment);
  return exchanges;
}

ReduceOp ReduceOpOf(const OpAttributes& attributes) {
  if (attributes.word == "maximum") return ReduceOp::kMaximum;
  if (attributes.word == "minimum") return ReduceOp::kMinimum;
  return ReduceOp::kSum;
}

const char* NameOf(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return "sum";
    case ReduceOp::kMaximum:
      return "max";
    case ReduceOp::kMinimum:
      return "min";
  }
  return "";
}

bool JoinsCores(const Instruction& instruction) {
  return EntryOf(instruction.op).joins_cores &&
         GroupSizeOf(instruction.attributes) != 1;
}

std::int32_t HostsOfGroup(std::int32_t group, std::int32_t hosts,
                          std::int32_t cores_per_host) {
  if (group == 0) return hosts;
  return group <= cores_per_host ? 1 : group / cores_per_host;
}

absl::Status CheckGroups(const Program& program, std::int32_t hosts,
                         std::int32_t cores_per_host) {
  for (const Segment* exchange : ExchangesOf(program)) {
    const std::int32_t group = exchange->group;
    const std::int32_t cores = hosts * cores_per_host;
    if (group == 0) continue;
    const bool fits = group <= cores_per_host
                          ? cores_per_host % group == 0
                          : cores % group == 0 && group % cores_per_host == 0;
    if (fits) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("model ", program.name, " joins ",
                     program.tensor(exchange->tensor).name, " over groups of ",
                     group, " cores; they must divide the ", cores_per_host,
                     " of a host, or be whole hosts that divide the slice's ",
                     cores, " cores"));
  }
  return absl::OkStatus();
}

}  // namespace podsim
