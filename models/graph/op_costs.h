// What each kind of op asks of one core of the real chip. See OpCost.
#ifndef PODSIM_MODELS_GRAPH_OP_COSTS_H_
#define PODSIM_MODELS_GRAPH_OP_COSTS_H_

#include <cstdint>

#include "models/graph/op_table.h"

namespace podsim {

OpCost ProductCost(const OpSignature& signature, std::int64_t rows);
OpCost WeightGradientCost(const OpSignature& signature, std::int64_t rows);
OpCost ElementwiseCost(const OpSignature& signature, std::int64_t rows);
OpCost ClipCost(const OpSignature& signature, std::int64_t rows);
OpCost UpdateCost(const OpSignature& signature, std::int64_t rows);
OpCost SoftmaxCost(const OpSignature& signature, std::int64_t rows);
OpCost CopyCost(const OpSignature& signature, std::int64_t rows);
OpCost RoundCost(const OpSignature& signature, std::int64_t rows);

}  // namespace podsim

#endif  // PODSIM_MODELS_GRAPH_OP_COSTS_H_
