#include "host/core/run_group.h"

#include <vector>

namespace podsim {
namespace {

// On the calling thread: where others compute other parts of the same op.
class OneByOne final : public ParallelFor {
 public:
  void Run(std::int64_t count,
           const std::function<void(std::int64_t)>& fn) override {
    for (std::int64_t i = 0; i < count; ++i) fn(i);
  }
};

void RunRows(const KernelCall& each, std::int64_t begin, std::int64_t end) {
  const TimedWork timed(each.call.buffers.times, each.work);
  if (each.kernel.rows != nullptr)
    each.kernel.rows(each.call, begin, end);
  else
    RunArrays(each.call.ForRows(begin, end), each.kernel.arrays,
              /*alone=*/false);
}

void RunPanels(std::span<const KernelCall> group) {
  const OpCall& first = group[0].call;
  ForPanels(first.parallel, first.OutputView(0).rows, first.panels.rows,
            [&](std::int64_t begin, std::int64_t end) {
              for (const KernelCall& each : group) {
                RunRows(each, begin, end);
                first.parallel.Advance();
              }
            });
}

// Cores at once where a kernel takes arrays; else one after the other, as
// these kernels cut their own work.
void RunPerCore(const KernelCall& each) {
  const OpCall& call = each.call;
  if (each.kernel.arrays != nullptr) {
    ForPanels(call.parallel, call.cores(), 1,
              [&](std::int64_t core, std::int64_t /*end*/) {
                const TimedWork timed(call.buffers.times, each.work);
                RunArrays(call.ForCore(core), each.kernel.arrays,
                          /*alone=*/false);
                call.parallel.Advance();
              });
    return;
  }
  for (std::int64_t core = 0; core < call.cores(); ++core) {
    KernelCall part = {call.ForCore(core), each.kernel, each.work};
    if (HasPackedSide(call.instruction.op))
      part.call.packed = PackedFor(part.call, 0);
    if (part.kernel.whole != nullptr)
      part.kernel.whole(part.call);
    else
      RunPanels({&part, 1});
  }
}

}  // namespace

const float* PackedFor(const OpCall& call, std::size_t slot) {
  const RightSide side = RightSideOf(call.program, call.instruction);
  const CoreBuffers& buffers = call.buffers;
  if (buffers.packed != nullptr &&
      call.program.tensor(side.tensor).storage == Storage::kVariable) {
    const float* known = buffers.packed->Find(side);
    if (known != nullptr) return known;
  }
  float* packed = buffers.workspace->Slot(
      slot, side.products(call.kernels).packed_elements(side.n, side.k));
  PackRightSide(side, call.Input(1), call.panels.columns, call.kernels,
                call.parallel, buffers.times, packed);
  return packed;
}

void RunArrays(const OpCall& call, void (*kernel)(const ArrayCall& call),
               bool alone) {
  thread_local Workspace workspace;
  OneByOne one_by_one;
  std::vector<Array> in;
  for (std::size_t i = 0; i < call.instruction.inputs.size(); ++i)
    in.push_back(call.InputArray(i));
  std::vector<Array> out;
  for (std::size_t i = 0; i < call.instruction.outputs.size(); ++i)
    out.push_back(call.OutputArray(i));
  kernel({.in = in,
          .out = out,
          .attributes = call.instruction.attributes,
          .kernels = call.kernels,
          .panels = call.panels,
          .parallel = alone ? call.parallel : one_by_one,
          .workspace = workspace,
          .times = call.buffers.times});
}

void RunGroup(std::span<const KernelCall> group) {
  const KernelCall& first = group[0];
  if (first.call.instruction.per_core) return RunPerCore(first);
  const bool stacked = first.call.instruction.row_group != kNoRowGroup;
  if (first.kernel.whole != nullptr) return first.kernel.whole(first.call);
  if (first.kernel.arrays != nullptr && !stacked) {
    const TimedWork timed(first.call.buffers.times, first.work);
    return RunArrays(first.call, first.kernel.arrays, /*alone=*/true);
  }
  RunPanels(group);
}

}  // namespace podsim
