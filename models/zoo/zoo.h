// Named models: from a name and a few numbers to a compiled Program.
#ifndef PODSIM_MODELS_ZOO_ZOO_H_
#define PODSIM_MODELS_ZOO_ZOO_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"

namespace podsim {

struct CompileOptions {
  bool bfloat16_products = true;
  double momentum = 0;
  // A bucket is closed when it holds at least this many bytes.
  std::int64_t bucket_bytes = 4 << 20;
};

std::vector<std::string> ModelNames();

// Builds and compiles `config.name` ("mlp") for its example shape and classes.
// Pure: equal inputs give equal programs.
// Errors: INVALID_ARGUMENT (unknown name, naming the known ones; a width or
//   class count that is not positive).
absl::StatusOr<Program> BuildProgram(const ModelConfig& config,
                                     const CompileOptions& options);

}  // namespace podsim

#endif  // PODSIM_MODELS_ZOO_ZOO_H_
