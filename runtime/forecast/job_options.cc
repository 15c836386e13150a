#include "runtime/forecast/job_options.h"

#include "runtime/job/geography.h"
#include "settings/words.h"

namespace podsim {

StepOptions StepOptionsOf(const JobPlan& plan, std::int64_t batch_per_core) {
  StepOptions options = {.batch_per_core = batch_per_core};
  const std::int64_t rows = plan.bits().microbatch_size();
  if (rows > 0 && batch_per_core % rows == 0)
    options.microbatches = batch_per_core / rows;
  if (plan.spec().ici_dtype() == words::WireType::bfloat16)
    options.gradient_bytes = 2;
  if (plan.spec().has_sim_combine_bytes())
    options.combine_bytes = plan.spec().sim_combine_bytes();
  options.sharded_update = plan.spec().sim_sharded_update();
  options.recomputes = plan.spec().remat() == words::Remat::auto_;
  const BucketPlace* store = PlaceOf(plan.geography(), "data_dir");
  if (store != nullptr && HasLink(*store)) {
    options.store = store;
    options.stored_example_bytes = plan.geography().example_bytes();
  }
  return options;
}

std::optional<ChipAlgorithm> AskedAlgorithm(const JobSpec& spec) {
  if (spec.ici_algorithm() == words::IciAlgorithm::auto_) return std::nullopt;
  return ChipAlgorithmNamed(WordOf(spec.ici_algorithm()));
}

}  // namespace podsim
