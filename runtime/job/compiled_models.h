// Models that were compiled for plans, each once: plans of one model on many
// slices share its Program.
//
//   CompiledModels models;
//   PODSIM_ASSIGN_OR_RETURN(const auto compiled,
//                           models.Of({.config = config}, options));
//   compiled->program
#ifndef PODSIM_RUNTIME_JOB_COMPILED_MODELS_H_
#define PODSIM_RUNTIME_JOB_COMPILED_MODELS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "job/plan_program.h"
#include "models/graph/compile.h"
#include "models/graph/program.h"
#include "proto/job.pb.h"
#include "proto/model.pb.h"

namespace podsim {

struct CompiledModel {
  std::string model_hash;  // ModelHash
  Program program;
  ProgramBytes bytes;  // of it
};

// Where a model comes from.
struct ModelSource {
  ModelConfig config = {};  // of a named model
  // A model that was read: `config` does not matter. Nobody may change it.
  std::shared_ptr<const ModelProto> read = nullptr;

  bool operator==(const ModelSource& other) const;
};

// Thread-safe. While one caller compiles, the others wait.
class CompiledModels {
 public:
  // Pure but for what is kept: equal sources and options, one result.
  // Errors: those of BuildModel and CompileModel, which are kept too.
  using Result = absl::StatusOr<std::shared_ptr<const CompiledModel>>;
  Result Of(const ModelSource& source, const CompileOptions& options);

  // How many times a model was compiled.
  int made() const;

 private:
  struct Kept {
    ModelSource source;
    CompileOptions options;
    Result result;
  };

  mutable Mutex mutex_;
  std::vector<Kept> kept_ PODSIM_GUARDED_BY(mutex_);
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_JOB_COMPILED_MODELS_H_
