// What an update rule is made of. A rule is one header of this folder, a struct
// without members, and a line in rules.h:
//
//   struct Momentum {
//     static constexpr RuleInfo kInfo = {.name = "momentum", ...};
//     static constexpr void Scalars(const RuleSettings& settings,
//                                   const StepMoment& moment, double* out);
//     template <typename T>
//     static Element<T> Direction(const T* scalars, T g, T slot0, T slot1);
//     template <typename T>
//     static Element<T> Apply(const T* scalars, T u, T slot0, T slot1, T w);
//   };
//
// Direction makes the update u of one element from its gradient, Apply moves
// the weight by it; between the two stands the trust ratio of layer-wise rules.
// Both are plain arithmetic on T, in the order that decides bits: float in the
// kernels of every ISA level, double and bounded numbers in tests. No C++
// library is included here, as the kernel modules compile these headers for
// newer CPUs than the rest of the program; each keeps its copy to itself.
#ifndef PODSIM_MODELS_RULES_RULE_H_
#define PODSIM_MODELS_RULES_RULE_H_

#include <cstdint>

namespace podsim {

// The numbers that rules read, each by its own name in optax.
struct RuleSettings {
  double momentum = 0;
  double beta1 = 0;
  double beta2 = 0;
  double epsilon = 0;
  double weight_decay = 0;
  double trust_coefficient = 0;
  bool operator==(const RuleSettings&) const = default;
};

// One bit for each of them.
enum RuleReads : std::uint32_t {
  kReadsMomentum = 1,
  kReadsBeta1 = 2,
  kReadsBeta2 = 4,
  kReadsEpsilon = 8,
  kReadsWeightDecay = 16,
  kReadsTrustCoefficient = 32,
};

// Where weight decay enters (optax.add_decayed_weights): g + decay * w before
// the rule, or u + decay * w behind it.
enum class RuleDecay : std::uint8_t { kNone, kOfGradient, kOfUpdate };

inline constexpr int kMostSlots = 2;

struct RuleInfo {
  const char* name = "";
  // Of a variable's slots, "<variable>/<slot>" each; all begin as zeros.
  int slot_count = 0;
  const char* slots[kMostSlots] = {};
  std::uint32_t reads = 0;  // RuleReads that the user may set
  RuleSettings defaults;
  RuleDecay decay = RuleDecay::kNone;
  // u is multiplied with trust_coefficient * |w| / |u|, norms over the whole
  // variable; with 1 where a norm is 0 (optax.scale_by_trust_ratio).
  bool layer_wise = false;
};

// Of one step.
struct StepMoment {
  double rate = 0;
  std::int64_t step = 1;  // updates made, this one included
};

// What a step's elements have in common, computed in float64 and rounded to
// float32 once: first these two, then the rule's own.
enum RuleScalar : int { kRate, kDecay, kOwn };
inline constexpr int kMostScalars = 12;

// What Direction and Apply leave: u or the new weight, and the slots.
template <typename T>
struct Element {
  T value;
  T slot0;
  T slot1;
};

inline float SquareRoot(float x) { return __builtin_sqrtf(x); }
inline double SquareRoot(double x) { return __builtin_sqrt(x); }

// base^exponent by squaring: multiplications alone, so that no library's pow
// decides bits.
constexpr double WholePower(double base, std::int64_t exponent) {
  double power = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) power *= base;
  return power;
}

// Direction with weight decay where the rule has it: of one element w.
template <typename Rule, bool kDecays, typename T>
Element<T> DecayedDirection(const T* scalars, T g, T slot0, T slot1, T w) {
  constexpr RuleDecay kWhere = kDecays ? Rule::kInfo.decay : RuleDecay::kNone;
  if constexpr (kWhere == RuleDecay::kOfGradient) g = g + scalars[kDecay] * w;
  Element<T> made = Rule::Direction(scalars, g, slot0, slot1);
  if constexpr (kWhere == RuleDecay::kOfUpdate)
    made.value = made.value + scalars[kDecay] * w;
  return made;
}

}  // namespace podsim

#endif  // PODSIM_MODELS_RULES_RULE_H_
