// Instructions that put elements in order, or find the first in order. Each
// makes the places of its results, of which there may be several.
#ifndef PODSIM_MODELS_IMPORT_ORDERS_H_
#define PODSIM_MODELS_IMPORT_ORDERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/import/opcodes.h"

namespace podsim {

// reduce of values and their places by "maximum" or "minimum" (ArgReducerWord):
// the extreme, and the first place that has it. Of several arrays by anything
// else (empty): UNIMPLEMENTED.
absl::StatusOr<std::vector<int>> EmitArgExtreme(FlatBuilder& builder,
                                                const HloUse& use,
                                                const std::string& word);

// sort: every operand in the order of the first.
absl::StatusOr<std::vector<int>> EmitSort(FlatBuilder& builder,
                                          const HloUse& use);

// topk: the largest of each row, and where they were.
absl::StatusOr<std::vector<int>> EmitTopK(FlatBuilder& builder,
                                          const HloUse& use);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_ORDERS_H_
