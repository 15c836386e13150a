// Every op of the op table once more, by plain loops over numbers that count
// (counted_use.h): what OpCost says is held to it. Nothing here is made from
// cost functions, and what an op computes here is compared with its reference,
// so what is counted is the op.
#ifndef PODSIM_TESTS_MODELS_OPS_COST_ORACLE_H_
#define PODSIM_TESTS_MODELS_OPS_COST_ORACLE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "models/ops/op_entry.h"
#include "tests/models/ops/counted_use.h"

namespace podsim::testing {

struct CostOracle {
  const char* op = "";
  void (*compute)(CountedUse& use) = nullptr;
};

using CostOracles = std::span<const CostOracle>;
CostOracles ElementOracles();   // element_oracle.cc
CostOracles ProductOracles();   // product_oracle.cc
CostOracles FoldOracles();      // fold_oracle.cc
CostOracles MovementOracles();  // movement_oracle.cc
CostOracles GatherOracles();    // gather_oracle.cc
CostOracles SpecialOracles();   // special_oracle.cc
CostOracles UpdateOracles();    // update_oracle.cc

// Null if the op has none.
const CostOracle* FindCostOracle(std::string_view op);

// As DrawOperands; gather and its like read windows that do not overlap, as far
// as there is room for them, and that lie in the operand.
std::vector<Tensor> OperandsToCount(const OpEntry& entry,
                                    const OpSample& sample, std::int64_t rows);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_MODELS_OPS_COST_ORACLE_H_
