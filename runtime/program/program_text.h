// A model or a Program, explained. Pure.
#ifndef PODSIM_RUNTIME_PROGRAM_PROGRAM_TEXT_H_
#define PODSIM_RUNTIME_PROGRAM_PROGRAM_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "proto/model.pb.h"

namespace podsim {

// A model is compiled with the defaults of CompileOptions first, which is what
// the text then says. Errors: those of CompileModel and ProgramFrom.
absl::StatusOr<std::string> Explain(const ModelProto& model);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_PROGRAM_PROGRAM_TEXT_H_
