// One loop per update rule, made of its element functions; the compiler
// vectorises it for the module's level. Products and sums are never contracted
// to FMA, and roots and quotients are rounded as IEEE 754 says, so that every
// level gives the same bits.
#include "models/kernels/updates.h"

namespace podsim::module {
namespace {

// Of a slot that the rule does not have: nothing.
template <typename Rule, int kSlot>
float* SlotOf(float* const* slots) {
  return kSlot < Rule::kInfo.slot_count ? slots[kSlot] : nullptr;
}

template <typename Rule, int kSlot>
float Load(const float* slot, std::int64_t i) {
  if constexpr (kSlot < Rule::kInfo.slot_count)
    return slot[i];
  else
    return 0;
}

template <typename Rule, int kSlot>
void Store(float value, float* slot, std::int64_t i) {
  if constexpr (kSlot < Rule::kInfo.slot_count) slot[i] = value;
}

// In a place of its own, which no weight can overlap.
struct Scalars {
  explicit Scalars(const float* from) {
    for (int i = 0; i < kMostScalars; ++i) values[i] = from[i];
  }
  float values[kMostScalars];
};

template <typename Rule, bool kDecays>
void Update(std::int64_t count, const float* scalars, const float* g,
            float* const* slots, float* w) {
  const Scalars of_step(scalars);
  float* const slot0 = SlotOf<Rule, 0>(slots);
  float* const slot1 = SlotOf<Rule, 1>(slots);
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const Element<float> u = DecayedDirection<Rule, kDecays>(
        of_step.values, g[i], Load<Rule, 0>(slot0, i), Load<Rule, 1>(slot1, i),
        w[i]);
    const Element<float> moved =
        Rule::Apply(of_step.values, u.value, u.slot0, u.slot1, w[i]);
    Store<Rule, 0>(moved.slot0, slot0, i);
    Store<Rule, 1>(moved.slot1, slot1, i);
    w[i] = moved.value;
  }
}

template <typename Rule, bool kDecays>
void Direction(std::int64_t count, const float* scalars, float* g,
               float* const* slots, const float* w) {
  const Scalars of_step(scalars);
  float* const slot0 = SlotOf<Rule, 0>(slots);
  float* const slot1 = SlotOf<Rule, 1>(slots);
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const Element<float> u = DecayedDirection<Rule, kDecays>(
        of_step.values, g[i], Load<Rule, 0>(slot0, i), Load<Rule, 1>(slot1, i),
        w[i]);
    Store<Rule, 0>(u.slot0, slot0, i);
    Store<Rule, 1>(u.slot1, slot1, i);
    g[i] = u.value;
  }
}

template <typename Rule>
void Apply(std::int64_t count, const float* scalars, float ratio,
           const float* u, float* const* slots, float* w) {
  const Scalars of_step(scalars);
  float* const slot0 = SlotOf<Rule, 0>(slots);
  float* const slot1 = SlotOf<Rule, 1>(slots);
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    const Element<float> moved =
        Rule::Apply(of_step.values, ratio * u[i], Load<Rule, 0>(slot0, i),
                    Load<Rule, 1>(slot1, i), w[i]);
    Store<Rule, 0>(moved.slot0, slot0, i);
    Store<Rule, 1>(moved.slot1, slot1, i);
    w[i] = moved.value;
  }
}

template <typename Rule, bool kDecays>
constexpr PodsimUpdate EntryOf() {
  PodsimUpdate entry = {Update<Rule, kDecays>, nullptr, nullptr};
  if constexpr (Rule::kInfo.layer_wise) {
    entry.direction = Direction<Rule, kDecays>;
    entry.apply = Apply<Rule>;
  }
  return entry;
}

template <typename... Rule>
constexpr UpdateTable TableOf(RuleList<Rule...>) {
  return {{{EntryOf<Rule, false>(), EntryOf<Rule, true>()}...}};
}

}  // namespace

constinit const UpdateTable kUpdates = TableOf(Rules());

}  // namespace podsim::module
