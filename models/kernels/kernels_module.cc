// One level's kernel module: its table, and the softmax. Compiled once per ISA
// level (CMakeLists.txt), it exports podsim_kernels() alone.
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <limits>

#ifdef PODSIM_KERNEL_AMX
#include "models/kernels/amx_product.h"
#include "models/kernels/amx_unit.h"
#endif
#include "models/kernels/elementwise.h"
#include "models/kernels/float_bits.h"
#include "models/kernels/kernel_table.h"
#include "models/kernels/lines.h"
#ifdef PODSIM_KERNEL_PAIRS
#include "models/kernels/pair_product.h"
#include "models/kernels/pair_unit.h"
#endif
#include "models/kernels/products.h"
#include "models/kernels/updates.h"

namespace podsim::module {
namespace {

// A fixed number of lanes, the same at every level, makes the order of a row's
// sum the same too. Whole arrays go through Eigen's vector exp and log: never
// through libm's, which picks its code by CPU, and never through a scalar tail.
constexpr std::int64_t kLanes = 16;
using Lanes = Eigen::Array<float, kLanes, 1>;

float RowMax(std::int64_t n, const float* row) {
  Lanes best = Lanes::Constant(-kInfinity);
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const std::int64_t count = std::min(kLanes, n - i);
    for (std::int64_t lane = 0; lane < count; ++lane) {
      best[lane] = row[i + lane] > best[lane] ? row[i + lane] : best[lane];
    }
  }
  float max = best[0];
  for (const float value : best) max = value > max ? value : max;
  return max;
}

bool HasNan(std::int64_t n, const float* row) {
  return std::any_of(row, row + n, [](float x) { return x != x; });
}

float LaneSum(Lanes lanes) {
  for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::int64_t lane = 0; lane < half; ++lane) {
      lanes[lane] += lanes[lane + half];
    }
  }
  return lanes[0];
}

// out = exp(row - max), unnormalised; returns the sum.
float RowExp(std::int64_t n, float max, const float* row, float* out) {
  Lanes sums = Lanes::Zero();
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const std::int64_t count = std::min(kLanes, n - i);
    Lanes lanes = Lanes::Zero();
    for (std::int64_t lane = 0; lane < count; ++lane) {
      lanes[lane] = row[i + lane] - max;
    }
    lanes = lanes.exp();
    for (std::int64_t lane = 0; lane < count; ++lane) {
      // Eigen's exp ends at e^-88.7.
      const float power = row[i + lane] == -kInfinity ? 0.0F : lanes[lane];
      out[i + lane] = power;
      sums[lane] += power;
    }
  }
  return LaneSum(sums);
}

void SoftmaxXentOfModule(std::int64_t m, std::int64_t n, const float* logits,
                         const std::int32_t* labels, float* prob, float* loss,
                         float* correct) {
  for (std::int64_t first = 0; first < m; first += kLanes) {
    const std::int64_t rows = std::min(kLanes, m - first);
    Lanes sums = Lanes::Ones();
    Lanes shifts = Lanes::Zero();  // max - logits[label]
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* row = logits + (first + i) * n;
      float* row_prob = prob + (first + i) * n;
      const std::int64_t label = labels[first + i];
      const bool valid = label >= 0 && label < n;
      const float max = RowMax(n, row);
      shifts[i] =
          valid ? max - row[label] : std::numeric_limits<float>::quiet_NaN();
      correct[first + i] =
          valid && row[label] == max &&
                  std::find(row, row + label, max) == row + label
              ? 1.0f
              : 0.0f;
      sums[i] = RowExp(n, max, row, row_prob);
      // As in JAX: an infinite loss, unless the label's logit is infinite, too,
      // or another one NaN.
      if (max == kInfinity && !HasNan(n, row)) sums[i] = max;
      for (std::int64_t column = 0; column < n; ++column) {
        row_prob[column] /= sums[i];
      }
    }
    sums = sums.log();
    for (std::int64_t i = 0; i < rows; ++i)
      loss[first + i] = sums[i] + shifts[i];
  }
}

#ifdef PODSIM_KERNEL_AMX
constexpr auto kTrial = &TileTrial<AmxUnit>;
#else
constexpr std::int32_t (*kTrial)() = nullptr;
#endif

#if defined(PODSIM_KERNEL_AMX)
constexpr PodsimProducts kBfloat16 = kTileProducts<AmxUnit>;
#elif defined(PODSIM_KERNEL_PAIRS)
constexpr PodsimProducts kBfloat16 = kPairProducts<PairUnit>;
#else
constexpr PodsimProducts kBfloat16 = {.packed_elements = PackedElements,
                                      .pack = PackRounded,
                                      .pack_bt = PackBtRounded,
                                      .multiply = Multiply,
                                      .multiply_at = MultiplyAt};
#endif

constexpr PodsimKernels kTable = {
    .abi_version = kKernelAbiVersion,
    .isa = PODSIM_KERNEL_ISA,
    .trial = kTrial,
    .float32 = {.packed_elements = PackedElements,
                .pack = Pack,
                .pack_bt = PackBt,
                .multiply = Multiply,
                .multiply_at = MultiplyAt},
    .bfloat16 = kBfloat16,
    .round_bfloat16 = RoundBfloat16,
    .elementwise = kElementwise,
    .add_bias = AddBias,
    .column_sums = ColumnSums,
    .sum_lines = SumLines,
    .maximum_of_lines = MaximumOfLines,
    .minimum_of_lines = MinimumOfLines,
    .spread_lines = SpreadLines,
    .softmax_xent = SoftmaxXentOfModule,
    .softmax_xent_grad = SoftmaxXentGrad,
    .update_rules = Rules::kCount,
    .updates = kUpdates.entries,
};

}  // namespace
}  // namespace podsim::module

extern "C" __attribute__((visibility("default"))) const podsim::PodsimKernels*
podsim_kernels() {
  return &podsim::module::kTable;
}
