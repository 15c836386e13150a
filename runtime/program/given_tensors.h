// Whether a file of numbers is what a Program reads, tensor by tensor.
#ifndef PODSIM_RUNTIME_PROGRAM_GIVEN_TENSORS_H_
#define PODSIM_RUNTIME_PROGRAM_GIVEN_TENSORS_H_

#include "absl/status/status.h"
#include "host/checkpoint/safetensors.h"
#include "models/graph/program.h"

namespace podsim {

// Each variable but slots as "variable/<name>", each input but the examples'
// weights as "input/<name>", of its type and shape; all numbers in one row are
// taken, too. Other tensors are not looked at. Errors: INVALID_ARGUMENT, one
// line: the tensor, what is given for it, what the program reads.
absl::Status CheckGivenTensors(const Program& program,
                               const SafetensorsHeader& given);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PROGRAM_GIVEN_TENSORS_H_
