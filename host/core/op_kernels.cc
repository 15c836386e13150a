#include "host/core/op_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "base/status.h"
#include "host/core/array_kernels.h"
#include "host/core/join_cores.h"
#include "host/core/whole_kernels.h"
#include "models/graph/exchanges.h"

namespace podsim {
namespace {

// Column sums of each K-block of rows, then the blocks' sums in order.
void BiasGrad(const OpCall& call) {
  const MatrixView dy = call.InputView(0);
  const float* in = call.Input(0);
  float* out = call.Output(0);
  const std::int64_t block = call.panels.k_block;
  const std::int64_t blocks = (dy.rows + block - 1) / block;
  std::vector<float> partial(static_cast<std::size_t>(blocks * dy.columns));
  ForPanels(call.parallel, dy.rows, block,
            [&](std::int64_t begin, std::int64_t end) {
              const TimedWork timed(call.buffers.times, Work::kElementwise);
              call.kernels.column_sums(
                  end - begin, dy.columns, in + begin * dy.columns,
                  partial.data() + begin / block * dy.columns, 0);
            });
  std::fill_n(out, dy.columns, 0.0F);
  if (blocks > 0)
    call.kernels.column_sums(blocks, dy.columns, partial.data(), out, 0);
}

void AddBias(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  call.kernels.add_bias(end - begin, n, call.Input(0) + begin * n,
                        call.Input(1), call.Output(0) + begin * n);
}

void RoundBFloat16(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  call.kernels.round_bfloat16((end - begin) * n, call.Input(0) + begin * n,
                              call.Output(0) + begin * n);
}

constexpr std::size_t kMostOperands = 3;  // of an element-wise op

// As the op table says, number by number in double. For tables of kernels that
// are references themselves; those of ISA levels have every op.
void MapElements(const ScalarFunction& function, std::int64_t count,
                 std::span<const float* const> in, float* out) {
  double x[kMostOperands] = {};
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::size_t operand = 0; operand < in.size(); ++operand)
      x[operand] = in[operand][i];
    out[i] = static_cast<float>(function.value(x));
  }
}

// Whole numbers. `n`: elements of a row.
void WholeRows(const OpCall& call, std::int64_t n, std::int64_t begin,
               std::int64_t end) {
  const std::byte* in[kMostWholeOperands] = {};
  const std::size_t operands = call.instruction.inputs.size();
  PODSIM_CHECK(operands <= kMostWholeOperands);
  const Array out = call.OutputArray(0);
  const std::int64_t first = begin * n * out.element_bytes;
  for (std::size_t i = 0; i < operands; ++i)
    in[i] = call.InputArray(i).data + first;
  const WholeKernel kernel = FindWholeKernel(call.instruction.op.name());
  PODSIM_CHECK(kernel != nullptr);
  kernel(out.dtype, (end - begin) * n, operands, in, out.data + first);
}

// `count` floats of operand `i` from element `first` on: where they lie, or
// widened if the infeed has brought two bytes of each.
const float* FloatsOf(const Array& array, std::size_t i, std::int64_t first,
                      std::int64_t count) {
  if (array.element_bytes == 4) return array.as<const float>() + first;
  thread_local std::vector<float> widened[kMostOperands];
  widened[i].resize(static_cast<std::size_t>(count));
  const auto* from = array.as<const std::uint16_t>() + first;
  for (std::int64_t e = 0; e < count; ++e)
    widened[i][static_cast<std::size_t>(e)] =
        std::bit_cast<float>(std::uint32_t{from[e]} << 16);
  return widened[i].data();
}

// Every op that is a ScalarFunction.
void ElementwiseRows(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  const DType dtype = call.OutputType(0);
  if (dtype != DType::kFloat32 && dtype != DType::kBFloat16)
    return WholeRows(call, n, begin, end);
  const std::size_t operands = call.instruction.inputs.size();
  PODSIM_CHECK(operands <= kMostOperands);
  const float* in[kMostOperands] = {};
  for (std::size_t i = 0; i < operands; ++i)
    in[i] = FloatsOf(call.InputArray(i), i, begin * n, (end - begin) * n);
  float* out = call.Output(0) + begin * n;
  const OpCode op = call.instruction.op;
  const PodsimElementwise* kernel = FindElementwise(call.kernels, op.name());
  if (kernel != nullptr) {
    kernel->run((end - begin) * n, in, out);
  } else {
    MapElements(EntryOf(op).scalar, (end - begin) * n, {in, operands}, out);
  }
  if (dtype == DType::kBFloat16)
    call.kernels.round_bfloat16((end - begin) * n, out, out);
}

void Reshape(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  const Array from = call.InputArray(0);
  const std::int64_t row = n * from.element_bytes;
  std::memcpy(call.OutputArray(0).data + begin * row, from.data + begin * row,
              static_cast<std::size_t>((end - begin) * row));
}

void StopGradient(const OpCall& call, std::int64_t begin, std::int64_t end) {
  Reshape(call, begin, end);
}

// Of each core's, in the order of cores.
void CoreSum(const OpCall& call) {
  const MatrixView view = call.OutputView(0);
  const std::int64_t count = view.rows * view.columns;
  float* sum = call.Output(0);
  std::copy_n(call.ForCore(0).Input(0), count, sum);
  for (std::int64_t core = 1; core < call.cores(); ++core) {
    const float* next = call.ForCore(core).Input(0);
    for (std::int64_t i = 0; i < count; ++i) sum[i] += next[i];
  }
}

// Among the cores at hand: what groups of several hosts have in common comes by
// the segment behind.
void AllReduce(const OpCall& call) {
  const OpAttributes& attributes = call.instruction.attributes;
  const MatrixView view = call.OutputView(0);
  const std::int64_t count = view.rows * view.columns;
  std::int64_t group = GroupSizeOf(attributes);
  if (group == 0 || group > call.cores()) group = call.cores();
  for (std::int64_t first = 0; first < call.cores(); first += group) {
    std::vector<std::span<float>> values;
    for (std::int64_t core = first;
         core < std::min(first + group, call.cores()); ++core) {
      const OpCall of_core = call.ForCore(core);
      std::copy_n(of_core.Input(0), count, of_core.Output(0));
      values.emplace_back(of_core.Output(0), count);
    }
    JoinCores(ReduceOpOf(attributes), values);
  }
}

// Makes NaN of a row of +infinity, whose loss is infinite or NaN already.
void PoisonInfiniteRow(std::int64_t n, const float* logits, float* prob,
                       float* loss) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (std::isfinite(*loss) ||
      std::find(logits, logits + n, kInfinity) == logits + n)
    return;
  *loss = std::numeric_limits<float>::quiet_NaN();
  std::fill_n(prob, n, *loss);
}

void SoftmaxXent(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  const float* logits = call.Input(0);
  float* prob = call.Output(0);
  float* loss = call.Output(1);
  call.kernels.softmax_xent(end - begin, n, logits + begin * n,
                            call.Int32Input(1) + begin, prob + begin * n,
                            loss + begin, call.Output(2) + begin);
  if (call.instruction.attributes.word != kInfinityIsNan) return;
  for (std::int64_t row = begin; row < end; ++row)
    PoisonInfiniteRow(n, logits + row * n, prob + row * n, loss + row);
}

void SoftmaxXentGrad(const OpCall& call, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = call.OutputView(0).columns;
  call.kernels.softmax_xent_grad(
      end - begin, n, call.Input(0) + begin * n, call.Int32Input(1) + begin,
      call.Input(2) + begin, call.Output(0) + begin * n);
}

struct ListedKernel {
  OpCode op;
  OpKernel kernel;
};

// All but element-wise ops, whose kernels each ISA level lists
// (models/kernels/elementwise.cc).
constexpr ListedKernel kKernels[] = {
    {OpCode::kMatMul, {.rows = MatMulRows}},
    {OpCode::kMatMulGradInput, {.rows = MatMulGradInputRows}},
    {OpCode::kMatMulGradWeight, {.whole = MatMulGradWeight}},
    {OpCode::kAddBias, {.rows = AddBias}},
    {OpCode::kBiasGrad, {.whole = BiasGrad}},
    {OpCode("dot_general"), {.arrays = DotGeneral}},
    {OpCode("convolution"), {.arrays = Convolution}},
    {OpCode("reduce"), {.arrays = Reduce}},
    {OpCode("arg_max"), {.arrays = ArgMax}},
    {OpCode("ReduceMultiplyGrad"), {.arrays = ReduceMultiplyGrad}},
    {OpCode("reduce_window"), {.arrays = ReduceWindow}},
    {OpCode("select_and_scatter"), {.arrays = SelectAndScatter}},
    {OpCode("iota"), {.arrays = Iota}},
    {OpCode("broadcast_in_dim"), {.arrays = BroadcastInDim}},
    {OpCode("transpose"), {.arrays = Transpose}},
    {OpCode("reverse"), {.arrays = Reverse}},
    {OpCode("slice"), {.arrays = Slice}},
    {OpCode("pad"), {.arrays = Pad}},
    {OpCode("concatenate"), {.arrays = Concatenate}},
    {OpCode("dynamic_slice"), {.arrays = DynamicSlice}},
    {OpCode("dynamic_update_slice"), {.arrays = DynamicUpdateSlice}},
    {OpCode("gather"), {.arrays = Gather}},
    {OpCode("GatherGrad"), {.arrays = GatherGrad}},
    {OpCode("scatter"), {.arrays = Scatter}},
    {OpCode("ScatterGrad"), {.arrays = ScatterGrad}},
    {OpCode("arg_sort"), {.arrays = ArgSort}},
    {OpCode("compare"), {.arrays = Compare}},
    {OpCode("select"), {.arrays = Select}},
    {OpCode("convert"), {.arrays = Convert}},
    {OpCode("bitcast_convert"), {.arrays = BitcastConvert}},
    {OpCode("is_finite"), {.arrays = IsFinite}},
    {OpCode("and"), {.arrays = And}},
    {OpCode("or"), {.arrays = Or}},
    {OpCode("xor"), {.arrays = Xor}},
    {OpCode("not"), {.arrays = Not}},
    {OpCode("shift_left"), {.arrays = ShiftLeft}},
    {OpCode("shift_right_arithmetic"), {.arrays = ShiftRightArithmetic}},
    {OpCode("shift_right_logical"), {.arrays = ShiftRightLogical}},
    {OpCode("popcnt"), {.arrays = PopCount}},
    {OpCode("count_leading_zeros"), {.arrays = CountLeadingZeros}},
    {OpCode::kConstant, {.arrays = Constant}},
    {OpCode::kReshape, {.rows = Reshape}},
    {OpCode::kCoreSum, {.whole = CoreSum}},
    {OpCode::kScale, {.arrays = Scale}},
    {OpCode::kAllReduce, {.whole = AllReduce}},
    {OpCode("StopGradient"), {.rows = StopGradient}},
    {OpCode("random_bits"), {.arrays = RandomBits}},
    {OpCode("shared_random_bits"), {.arrays = SharedRandomBits}},
    {OpCode::kSoftmaxXent, {.rows = SoftmaxXent}},
    {OpCode::kSoftmaxXentGrad, {.rows = SoftmaxXentGrad}},
    {OpCode::kRoundBFloat16, {.rows = RoundBFloat16}},
    {OpCode::kClip, {.whole = Clip}},
    {OpCode::kUpdate, {.whole = Update}},
    {OpCode::kAssign, {.whole = Assign}},
};

}  // namespace

OpKernel KernelOf(OpCode op) {
  for (const ListedKernel& each : kKernels)
    if (each.op == op) return each.kernel;
  const OpEntry* entry = FindOp(op.name());
  if (entry != nullptr && entry->scalar.value != nullptr)
    return {.rows = ElementwiseRows};
  return {};
}

}  // namespace podsim
