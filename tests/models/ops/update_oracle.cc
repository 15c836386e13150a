// Updates, element by element with the rules' own templates in counted numbers.
// The program's numbers and the step's are known.
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "models/rules/rules.h"
#include "tests/models/ops/cost_oracle.h"
#include "tests/models/rules/rule_oracle.h"

namespace podsim::testing {
namespace {

constexpr double kKnown = 0.5;

void Assign(CountedUse& use) {
  use.TakesPartOf(1);
  for (std::int64_t i = 0; i < std::ssize(use.result().values); ++i)
    use.Write(i, use.Read(0, i));
}

// The norm of all gradients waits for all of them; then they are read again.
void Clip(CountedUse& use) {
  Counted squares = 0;
  for (std::size_t g = 0; g < use.operand_count(); ++g)
    for (std::int64_t i = 0; i < std::ssize(use.operand(g).values); ++i) {
      const Counted x = use.Read(g, i);
      squares = squares + x * x;
    }
  const Counted norm = std::sqrt(squares.value);
  for (std::size_t g = 0; g < use.operand_count(); ++g) {
    use.ReadAgain(g);
    for (std::int64_t i = 0; i < std::ssize(use.operand(g).values); ++i)
      use.Write(i, use.Read(g, i) / norm * kKnown, g);
  }
}

template <typename Rule, bool kDecays>
void UpdateBy(CountedUse& use) {
  constexpr std::size_t kSlots = Rule::kInfo.slot_count;
  constexpr std::size_t kWeights = 1 + kSlots;
  std::array<Counted, kMostScalars> scalars;
  scalars.fill(kKnown);
  std::vector<Element<Counted>> made;
  Counted of_weights = 0;
  Counted of_update = 0;
  for (std::int64_t i = 0; i < std::ssize(use.operand(0).values); ++i) {
    const Counted w = use.Read(kWeights, i);
    const Counted slot0 = kSlots > 0 ? use.Read(1, i) : Counted(0);
    const Counted slot1 = kSlots > 1 ? use.Read(2, i) : Counted(0);
    made.push_back(DecayedDirection<Rule, kDecays>(
        scalars.data(), use.Read(0, i), slot0, slot1, w));
    if (!use.attributes().trusts) continue;
    of_weights = of_weights + w * w;
    of_update = of_update + made.back().value * made.back().value;
  }
  if (use.attributes().trusts) {
    use.WriteOver(0);  // the update, in the place of the gradient
    use.ReadAgain(0);
    use.ReadAgain(kWeights);
  }
  for (std::int64_t i = 0; i < std::ssize(use.operand(0).values); ++i) {
    Element<Counted>& each = made[static_cast<std::size_t>(i)];
    if (use.attributes().trusts) each.value = Counted(kKnown) * each.value;
    Rule::Apply(scalars.data(), each.value, each.slot0, each.slot1,
                use.Read(kWeights, i));
  }
}

void Update(CountedUse& use) {
  VisitRule(Rules(), use.attributes().rule, [&]<typename Rule>(const Rule&) {
    if (use.attributes().decays)
      UpdateBy<Rule, true>(use);
    else
      UpdateBy<Rule, false>(use);
  });
}

constexpr CostOracle kUpdateOracles[] = {
    {"Assign", Assign},
    {"Clip", Clip},
    {"Update", Update},
};

}  // namespace

CostOracles UpdateOracles() { return kUpdateOracles; }

}  // namespace podsim::testing
