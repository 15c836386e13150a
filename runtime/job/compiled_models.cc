#include "runtime/job/compiled_models.h"

#include <utility>

#include "base/status.h"
#include "models/graph/serialize_model.h"
#include "models/zoo/zoo.h"

namespace podsim {
namespace {

CompiledModels::Result CompiledFrom(const ModelProto& model,
                                    const CompileOptions& options) {
  auto compiled = std::make_shared<CompiledModel>();
  compiled->model_hash = ModelHash(model);
  PODSIM_ASSIGN_OR_RETURN(compiled->program, CompileModel(model, options));
  compiled->bytes = BytesOf(compiled->program);
  return compiled;
}

CompiledModels::Result CompiledOf(const ModelSource& source,
                                  const CompileOptions& options) {
  if (source.read != nullptr) return CompiledFrom(*source.read, options);
  PODSIM_ASSIGN_OR_RETURN(const ModelProto model, BuildModel(source.config));
  return CompiledFrom(model, options);
}

}  // namespace

bool ModelSource::operator==(const ModelSource& other) const {
  if (read != nullptr || other.read != nullptr) return read == other.read;
  // No map in it: equal messages have equal bytes.
  return config.SerializeAsString() == other.config.SerializeAsString();
}

CompiledModels::Result CompiledModels::Of(const ModelSource& source,
                                          const CompileOptions& options) {
  MutexLock lock(mutex_);
  for (const Kept& kept : kept_)
    if (kept.source == source && kept.options == options) return kept.result;
  kept_.push_back({source, options, CompiledOf(source, options)});
  return kept_.back().result;
}

int CompiledModels::made() const {
  MutexLock lock(mutex_);
  return static_cast<int>(kept_.size());
}

}  // namespace podsim
