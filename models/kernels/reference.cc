#include "models/kernels/reference.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "models/rules/rules.h"

namespace podsim {
namespace {

using Index = std::int64_t;

Index PackedElements(Index n, Index k) { return n * k; }

// Packed is B[K,N] as it is, row after row.
void Pack(Index n, Index k, const float* b, Index ldb, Index begin, Index end,
          float* packed) {
  for (Index i = 0; i < k; ++i) {
    for (Index column = begin; column < end; ++column) {
      packed[i * n + column] = b[i * ldb + column];
    }
  }
}

void PackBt(Index n, Index k, const float* b, Index ldb, Index begin, Index end,
            float* packed) {
  for (Index i = 0; i < k; ++i) {
    for (Index column = begin; column < end; ++column) {
      packed[i * n + column] = b[column * ldb + i];
    }
  }
}

void Multiply(Index m, Index n, Index k, const float* a, Index lda,
              const float* packed, float* c, Index ldc) {
  for (Index row = 0; row < m; ++row) {
    for (Index column = 0; column < n; ++column) {
      double sum = 0;
      for (Index i = 0; i < k; ++i) {
        sum += static_cast<double>(a[row * lda + i]) * packed[i * n + column];
      }
      c[row * ldc + column] = static_cast<float>(sum);
    }
  }
}

void MultiplyAt(Index m, Index n, Index k, const float* a, Index lda,
                const float* packed, float* c, Index ldc,
                std::int32_t accumulate) {
  for (Index row = 0; row < m; ++row) {
    for (Index column = 0; column < n; ++column) {
      double sum = accumulate != 0 ? c[row * ldc + column] : 0;
      for (Index i = 0; i < k; ++i) {
        sum += static_cast<double>(a[i * lda + row]) * packed[i * n + column];
      }
      c[row * ldc + column] = static_cast<float>(sum);
    }
  }
}

// By cases instead of by integer carry: takes the two bfloat16 neighbours of
// the value and compares distances in double, where they are exact.
float ToBfloat16(float value) {
  if (std::isnan(value)) return value;
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t below_bits = bits & 0xffff0000u;  // towards zero
  const std::uint32_t above_bits = below_bits + 0x00010000u;
  float below, above;
  std::memcpy(&below, &below_bits, sizeof below);
  std::memcpy(&above, &above_bits, sizeof above);
  if (std::isinf(value)) return value;
  // Past the largest finite value the next neighbour would be 2^128.
  const double above_value =
      std::isinf(above) ? std::copysign(std::ldexp(1.0, 128), value) : above;
  const double to_below = std::fabs(static_cast<double>(value) - below);
  const double to_above = std::fabs(above_value - static_cast<double>(value));
  const bool below_is_even = (below_bits & 0x00010000u) == 0;
  const float rounded =
      to_below < to_above || (to_below == to_above && below_is_even) ? below
                                                                     : above;
  return std::fpclassify(rounded) == FP_SUBNORMAL ? std::copysign(0.0f, rounded)
                                                  : rounded;
}

void RoundBfloat16(Index count, const float* from, float* to) {
  for (Index i = 0; i < count; ++i) to[i] = ToBfloat16(from[i]);
}

void PackRounded(Index n, Index k, const float* b, Index ldb, Index begin,
                 Index end, float* packed) {
  for (Index i = 0; i < k; ++i) {
    for (Index column = begin; column < end; ++column) {
      packed[i * n + column] = ToBfloat16(b[i * ldb + column]);
    }
  }
}

void PackBtRounded(Index n, Index k, const float* b, Index ldb, Index begin,
                   Index end, float* packed) {
  for (Index i = 0; i < k; ++i) {
    for (Index column = begin; column < end; ++column) {
      packed[i * n + column] = ToBfloat16(b[column * ldb + i]);
    }
  }
}

void AddBias(Index m, Index n, const float* x, const float* bias, float* out) {
  for (Index i = 0; i < m * n; ++i) out[i] = x[i] + bias[i % n];
}

void ColumnSums(Index m, Index n, const float* x, float* sums,
                std::int32_t accumulate) {
  for (Index column = 0; column < n; ++column) {
    double sum = accumulate != 0 ? sums[column] : 0;
    for (Index row = 0; row < m; ++row) sum += x[row * n + column];
    sums[column] = static_cast<float>(sum);
  }
}

// out[line] = fold(out[line], element) for each element, in double.
template <typename Fold>
void FoldLinesOf(Index m, Index n, const float* x, float* out, double neutral,
                 const Fold& fold) {
  for (Index line = 0; line < m; ++line) {
    double result = neutral;
    for (Index i = 0; i < n; ++i)
      result = fold(result, static_cast<double>(x[line * n + i]));
    out[line] = static_cast<float>(result);
  }
}

void SumLines(Index m, Index n, const float* x, float* out) {
  FoldLinesOf(m, n, x, out, 0, [](double a, double b) { return a + b; });
}

void MaximumOfLines(Index m, Index n, const float* x, float* out) {
  FoldLinesOf(m, n, x, out, -HUGE_VAL,
              [](double a, double b) { return std::max(a, b); });
}

void MinimumOfLines(Index m, Index n, const float* x, float* out) {
  FoldLinesOf(m, n, x, out, HUGE_VAL,
              [](double a, double b) { return std::min(a, b); });
}

void SpreadLines(Index m, Index n, const float* x, float* out) {
  for (Index line = 0; line < m; ++line)
    for (Index i = 0; i < n; ++i) out[line * n + i] = x[line];
}

void SoftmaxXent(Index m, Index n, const float* logits,
                 const std::int32_t* labels, float* prob, float* loss,
                 float* correct) {
  for (Index row = 0; row < m; ++row) {
    const float* x = logits + row * n;
    double max = -std::numeric_limits<double>::infinity();
    Index argmax = 0;
    for (Index i = 0; i < n; ++i) {
      if (x[i] > max) {
        max = x[i];
        argmax = i;
      }
    }
    double sum = 0;
    bool has_nan = false;
    for (Index i = 0; i < n; ++i) {
      sum += std::exp(x[i] - max);
      has_nan |= std::isnan(x[i]);
    }
    if (std::isinf(max) && max > 0 && !has_nan) sum = max;
    const Index label = labels[row];
    const bool valid = label >= 0 && label < n;
    loss[row] = valid ? static_cast<float>(std::log(sum) + (max - x[label]))
                      : std::numeric_limits<float>::quiet_NaN();
    correct[row] = valid && argmax == label ? 1.0f : 0.0f;
    for (Index i = 0; i < n; ++i) {
      prob[row * n + i] = static_cast<float>(std::exp(x[i] - max) / sum);
    }
  }
}

void SoftmaxXentGrad(Index m, Index n, const float* prob,
                     const std::int32_t* labels, const float* weight,
                     float* dlogits) {
  for (Index row = 0; row < m; ++row) {
    for (Index i = 0; i < n; ++i) {
      const float onehot = i == labels[row] ? 1.0f : 0.0f;
      dlogits[row * n + i] = (prob[row * n + i] - onehot) * weight[row];
    }
  }
}

// A rule's element function, element after element.
template <typename Rule, bool kDecays>
struct Updating {
  static constexpr int kSlots = Rule::kInfo.slot_count;

  static Element<float> Load(float* const* slots, Index i) {
    return {0, kSlots > 0 ? slots[0][i] : 0, kSlots > 1 ? slots[1][i] : 0};
  }
  static void Store(const Element<float>& made, float* const* slots, Index i) {
    if (kSlots > 0) slots[0][i] = made.slot0;
    if (kSlots > 1) slots[1][i] = made.slot1;
  }

  static void Direction(Index count, const float* scalars, float* g,
                        float* const* slots, const float* w) {
    for (Index i = 0; i < count; ++i) {
      const Element<float> old = Load(slots, i);
      const Element<float> made = DecayedDirection<Rule, kDecays>(
          scalars, g[i], old.slot0, old.slot1, w[i]);
      Store(made, slots, i);
      g[i] = made.value;
    }
  }

  static void Apply(Index count, const float* scalars, float ratio,
                    const float* u, float* const* slots, float* w) {
    for (Index i = 0; i < count; ++i) {
      const Element<float> old = Load(slots, i);
      const float scaled = ratio * u[i];
      const Element<float> made =
          Rule::Apply(scalars, scaled, old.slot0, old.slot1, w[i]);
      Store(made, slots, i);
      w[i] = made.value;
    }
  }

  static void Update(Index count, const float* scalars, const float* g,
                     float* const* slots, float* w) {
    for (Index i = 0; i < count; ++i) {
      float u = g[i];
      float* const here[] = {kSlots > 0 ? slots[0] + i : nullptr,
                             kSlots > 1 ? slots[1] + i : nullptr};
      Direction(1, scalars, &u, here, w + i);
      Apply(1, scalars, 1, &u, here, w + i);
    }
  }

  static constexpr bool kHalves = Rule::kInfo.layer_wise;
  static constexpr PodsimUpdate kEntry = {
      .update = Update,
      .direction = kHalves ? Direction : nullptr,
      .apply = kHalves ? Apply : nullptr};
};

template <typename... Rule>
struct UpdateTable;
template <typename... Rule>
struct UpdateTable<RuleList<Rule...>> {
  static constexpr PodsimUpdate kEntries[][2] = {
      {Updating<Rule, false>::kEntry, Updating<Rule, true>::kEntry}...};
};

// The references of element-wise ops stand with the ops (models/ops).
constexpr PodsimElementwise kNoElementwise = {nullptr, nullptr};

constexpr PodsimKernels kReference = {
    .abi_version = kKernelAbiVersion,
    .isa = "reference",
    .trial = nullptr,
    .float32 = {.packed_elements = PackedElements,
                .pack = Pack,
                .pack_bt = PackBt,
                .multiply = Multiply,
                .multiply_at = MultiplyAt},
    .bfloat16 = {.packed_elements = PackedElements,
                 .pack = PackRounded,
                 .pack_bt = PackBtRounded,
                 .multiply = Multiply,
                 .multiply_at = MultiplyAt},
    .round_bfloat16 = RoundBfloat16,
    .elementwise = &kNoElementwise,
    .add_bias = AddBias,
    .column_sums = ColumnSums,
    .sum_lines = SumLines,
    .maximum_of_lines = MaximumOfLines,
    .minimum_of_lines = MinimumOfLines,
    .spread_lines = SpreadLines,
    .softmax_xent = SoftmaxXent,
    .softmax_xent_grad = SoftmaxXentGrad,
    .update_rules = Rules::kCount,
    .updates = UpdateTable<Rules>::kEntries,
};

}  // namespace

const PodsimKernels& ReferenceKernels() { return kReference; }

}  // namespace podsim
