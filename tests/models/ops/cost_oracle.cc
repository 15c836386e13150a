#include "tests/models/ops/cost_oracle.h"

namespace podsim::testing {

const CostOracle* FindCostOracle(std::string_view op) {
  for (const CostOracles oracles :
       {ElementOracles(), ProductOracles(), FoldOracles(), MovementOracles(),
        GatherOracles(), SpecialOracles(), UpdateOracles()})
    for (const CostOracle& oracle : oracles)
      if (oracle.op == op) return &oracle;
  return nullptr;
}

}  // namespace podsim::testing
