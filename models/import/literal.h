// The numbers of a constant.
#ifndef PODSIM_MODELS_IMPORT_LITERAL_H_
#define PODSIM_MODELS_IMPORT_LITERAL_H_

#include <vector>

#include "models/ops/value_type.h"
#include "proto/hlo.pb.h"

namespace podsim {

// As many as the module says, which may be other than its shape has.
std::vector<double> ElementsOf(const hlo::Literal& literal, DType dtype);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_LITERAL_H_
