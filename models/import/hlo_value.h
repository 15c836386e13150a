// What an instruction of a function that is being flattened has for its result.
#ifndef PODSIM_MODELS_IMPORT_HLO_VALUE_H_
#define PODSIM_MODELS_IMPORT_HLO_VALUE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "proto/hlo.pb.h"

namespace podsim {

// An array, or a tuple, or an array without elements, which is nowhere, or what
// podsim cannot compute: an error once a result needs it, and not before, so
// that dead code may be anything. Tuples are shared: one may hold another many
// times.
struct HloValue {
  int array = -1;
  std::shared_ptr<const std::vector<HloValue>> parts;
  std::shared_ptr<const absl::Status> refused;

  bool IsEmpty() const {
    return array < 0 && parts == nullptr && refused == nullptr;
  }
};
using HloValues = std::vector<HloValue>;

HloValue TupleValue(HloValues parts);
HloValue ArrayValue(int place);
HloValue RefusedValue(absl::Status why);

// Null: none is refused.
const HloValue* FirstRefused(const HloValues& values);

// INVALID_ARGUMENT: a module that no compiler writes.
absl::Status BadCall(const std::string& why);

bool HasNoElements(const hlo::Shape& shape);

// Errors: INVALID_ARGUMENT (a tuple), UNIMPLEMENTED (no elements).
absl::StatusOr<std::vector<int>> ArraysOf(const HloValues& operands);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_HLO_VALUE_H_
