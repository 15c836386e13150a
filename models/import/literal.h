// The numbers of a constant.
#ifndef PODSIM_MODELS_IMPORT_LITERAL_H_
#define PODSIM_MODELS_IMPORT_LITERAL_H_

#include <vector>

#include "proto/hlo.pb.h"

namespace podsim {

// As many as the module says, which may be other than its shape has. `type`: of
// the elements, one that TypeOf knows.
std::vector<double> ElementsOf(const hlo::Literal& literal,
                               hlo::PrimitiveType type);

}  // namespace podsim

#endif  // PODSIM_MODELS_IMPORT_LITERAL_H_
