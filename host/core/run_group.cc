#include "host/core/run_group.h"

#include <algorithm>
#include <vector>

#include "host/core/run_fusion.h"

namespace podsim {
namespace {

constexpr std::int64_t kPanelElements = 1 << 17;  // 512 KiB of float32

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
  if (each.fusion != nullptr)
    RunFusion(*each.fusion, each.call, begin, end);
  else if (each.kernel.rows != nullptr)
    each.kernel.rows(each.call, begin, end);
  else
    RunArrays(each.call.ForRows(begin, end), each.kernel.arrays,
              /*alone=*/false);
}

// Rows that go through the group at a time: as many as the plan says, fewer
// where rows are long, so that the longest one's panel stays in the cache and
// there are panels for all threads.
std::int64_t RowsOfPanel(std::span<const KernelCall> group) {
  std::int64_t longest = 1;
  for (const KernelCall& each : group) {
    if (each.fusion != nullptr) longest = std::max(longest, each.fusion->row);
    for (const TensorId id : each.call.instruction.outputs)
      longest =
          std::max(longest, each.call.program.tensor(id).shape.elements());
  }
  return std::clamp<std::int64_t>(kPanelElements / longest, 1,
                                  group[0].call.panels.rows);
}

void RunPanels(std::span<const KernelCall> group) {
  const OpCall& first = group[0].call;
  ForPanels(first.parallel, first.OutputView(0).rows, RowsOfPanel(group),
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
  if (each.fusion != nullptr || each.kernel.arrays != nullptr) {
    ForPanels(call.parallel, call.cores(), 1,
              [&](std::int64_t core, std::int64_t /*end*/) {
                const OpCall part = call.ForCore(core);
                const TimedWork timed(call.buffers.times, each.work);
                if (each.fusion != nullptr)
                  RunFusion(*each.fusion, part, 0, part.row_count);
                else
                  RunArrays(part, each.kernel.arrays, /*alone=*/false);
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

void RunArrayKernel(const OpCall& call, const OpAttributes& attributes,
                    void (*kernel)(const ArrayCall& call),
                    std::span<const Array> in, std::span<const Array> out,
                    bool alone) {
  thread_local Workspace workspace;
  OneByOne one_by_one;
  kernel({.in = in,
          .out = out,
          .attributes = attributes,
          .kernels = call.kernels,
          .panels = call.panels,
          .parallel = alone ? call.parallel : one_by_one,
          .workspace = workspace,
          .times = call.buffers.times});
}

void RunArrays(const OpCall& call, void (*kernel)(const ArrayCall& call),
               bool alone) {
  std::vector<Array> in;
  for (std::size_t i = 0; i < call.instruction.inputs.size(); ++i)
    in.push_back(call.InputArray(i));
  std::vector<Array> out;
  for (std::size_t i = 0; i < call.instruction.outputs.size(); ++i)
    out.push_back(call.OutputArray(i));
  RunArrayKernel(call, call.instruction.attributes, kernel, in, out, alone);
}

void RunGroup(std::span<const KernelCall> group) {
  const KernelCall& first = group[0];
  if (first.per_core()) return RunPerCore(first);
  const bool stacked =
      first.fusion != nullptr || first.row_group() != kNoRowGroup;
  if (first.kernel.whole != nullptr) return first.kernel.whole(first.call);
  if (first.kernel.arrays != nullptr && !stacked) {
    const TimedWork timed(first.call.buffers.times, first.work);
    return RunArrays(first.call, first.kernel.arrays, /*alone=*/true);
  }
  RunPanels(group);
}

}  // namespace podsim
