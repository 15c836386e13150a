// Updates: a rule's kernel over panels of a variable, with the norms of
// layer-wise rules between its halves, and clipping by the norm over all
// gradients.
//
// A norm is the root of a sum of squares in float64: eight lanes within each
// panel, added pairwise, then the panels in order, then (clipping) the tensors
// in order. All of that follows from shapes alone, and float64 arithmetic has
// no ISA level.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "host/core/op_kernels.h"
#include "models/rules/update_rules.h"

namespace podsim {
namespace {

// Elements per task: the shape has no say in where.
constexpr std::int64_t kElementPanel = 32 << 10;

double SumOfSquares(const float* values, std::int64_t count) {
  constexpr std::int64_t kLanes = 8;
  std::array<double, kLanes> lanes = {};
  const auto add = [&](std::int64_t lane, double value) {
    lanes[static_cast<std::size_t>(lane)] += value * value;
  };
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane)
      add(lane, values[i + lane]);
  for (std::int64_t i = whole; i < count; ++i) add(i - whole, values[i]);
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane)
      lanes[lane] += lanes[lane + half];
  return lanes[0];
}

// Adds the panels' sums in order.
double SumOfSquares(const OpCall& call, const float* values,
                    std::int64_t count) {
  const std::int64_t panels = (count + kElementPanel - 1) / kElementPanel;
  std::vector<double> sums(static_cast<std::size_t>(panels));
  ForPanels(call.parallel, count, kElementPanel,
            [&](std::int64_t begin, std::int64_t end) {
              sums[static_cast<std::size_t>(begin / kElementPanel)] =
                  SumOfSquares(values + begin, end - begin);
            });
  double sum = 0;
  for (const double each : sums) sum += each;
  return sum;
}

std::int64_t Elements(const OpCall& call, std::size_t output) {
  const MatrixView view = call.OutputView(output);
  return view.rows * view.columns;
}

// A variable with what its update works on.
struct Updated {
  const PodsimUpdate& kernel;
  UpdateScalars scalars;
  float* gradient;
  std::array<float*, kMostSlots> slots;
  float* weights;
  std::int64_t elements;

  // The slots from element `begin` on.
  std::array<float*, kMostSlots> SlotsAt(std::int64_t begin) const {
    std::array<float*, kMostSlots> at = slots;
    for (float*& slot : at)
      if (slot != nullptr) slot += begin;
    return at;
  }
};

Updated UpdatedBy(const OpCall& call) {
  const OpAttributes& attributes = call.instruction.attributes;
  const UpdateRule& rule =
      UpdateRules()[static_cast<std::size_t>(attributes.rule)];
  const auto slots = static_cast<std::size_t>(rule.info.slot_count);
  Updated updated = {
      .kernel = call.kernels.updates[attributes.rule][attributes.decays],
      .scalars = ScalarsOf(rule, call.program.rule_settings, call.scalars),
      .gradient = call.Gradient(0),
      .slots = {},
      .weights = call.Output(slots),
      .elements = Elements(call, slots)};
  for (std::size_t i = 0; i < slots; ++i) updated.slots[i] = call.Output(i);
  return updated;
}

// coefficient * |w| / |u|, 1 where a norm is 0.
float TrustRatio(const OpCall& call, const Updated& updated) {
  const double weights =
      std::sqrt(SumOfSquares(call, updated.weights, updated.elements));
  const double update =
      std::sqrt(SumOfSquares(call, updated.gradient, updated.elements));
  if (weights == 0 || update == 0) return 1;
  return static_cast<float>(call.program.rule_settings.trust_coefficient *
                            weights / update);
}

void UpdateLayerWise(const OpCall& call, const Updated& updated) {
  ForPanels(call.parallel, updated.elements, kElementPanel,
            [&](std::int64_t begin, std::int64_t end) {
              updated.kernel.direction(
                  end - begin, updated.scalars.data(), updated.gradient + begin,
                  updated.SlotsAt(begin).data(), updated.weights + begin);
            });
  const float ratio = TrustRatio(call, updated);
  ForPanels(call.parallel, updated.elements, kElementPanel,
            [&](std::int64_t begin, std::int64_t end) {
              updated.kernel.apply(end - begin, updated.scalars.data(), ratio,
                                   updated.gradient + begin,
                                   updated.SlotsAt(begin).data(),
                                   updated.weights + begin);
            });
}

}  // namespace

void Update(const OpCall& call) {
  const Updated updated = UpdatedBy(call);
  if (call.instruction.attributes.trusts) return UpdateLayerWise(call, updated);
  ForPanels(call.parallel, updated.elements, kElementPanel,
            [&](std::int64_t begin, std::int64_t end) {
              updated.kernel.update(
                  end - begin, updated.scalars.data(), updated.gradient + begin,
                  updated.SlotsAt(begin).data(), updated.weights + begin);
            });
}

void Assign(const OpCall& call) {
  std::copy_n(call.Gradient(0), Elements(call, 0), call.Output(0));
}

// g / norm * limit where the norm is no smaller, as optax.clip_by_global_norm.
// No entry in the kernel table: a quotient and a product of floats have the
// same bits on every ISA level.
void Clip(const OpCall& call) {
  const std::size_t gradients = call.instruction.outputs.size();
  double sum = 0;
  for (std::size_t i = 0; i < gradients; ++i)
    sum += SumOfSquares(call, call.Output(i), Elements(call, i));
  const double norm = std::sqrt(sum);
  if (norm < call.program.clip_norm) return;
  const auto divisor = static_cast<float>(norm);
  const auto limit = static_cast<float>(call.program.clip_norm);
  for (std::size_t i = 0; i < gradients; ++i) {
    float* const values = call.Output(i);
    ForPanels(call.parallel, Elements(call, i), kElementPanel,
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t at = begin; at < end; ++at)
                  values[at] = values[at] / divisor * limit;
              });
  }
}

}  // namespace podsim
