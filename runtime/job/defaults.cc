#include "runtime/job/defaults.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/dataset_kinds.h"
#include "host/input/fields.h"
#include "runtime/job/fill_dataset.h"
#include "runtime/job/optimizer.h"
#include "runtime/job/planner.h"
#include "runtime/job/scaling.h"
#include "runtime/job/spec_check.h"
#include "settings/field_text.h"
#include "settings/setting.h"
#include "settings/words.h"

namespace podsim {
namespace {

// Sets a field that the user left unset.
#define PODSIM_DEFAULT(spec, field, value) \
  if (!(spec).has_##field()) (spec).set_##field(value)

void FillModel(const Recipe& recipe, JobSpec& spec) {
  spec.set_model(recipe.model);
  spec.set_dataset(recipe.dataset);
  if (spec.hidden().empty())
    spec.mutable_hidden()->Add(recipe.hidden.begin(), recipe.hidden.end());
  if (!spec.has_dropout() && recipe.dropout > 0)
    spec.set_dropout(recipe.dropout);
}

constexpr std::int64_t kSocketChunkBytes = kMiB;

// By measurement (docs/notes/all-reduce.md): through shared memory what is
// small enough stays in the caches, half of it where half of the bytes travel;
// inside a process and over sockets every frame has its price.
std::int64_t BestChunkBytes(const JobSpec& spec) {
  if (spec.transport() != words::Transport::shm) return kSocketChunkBytes;
  const words::WireType::Word wire =
      spec.has_bench() ? spec.bench().wire_dtype() : spec.wire_dtype();
  const bool long_ones =
      spec.processes() == 1 || wire == words::WireType::bfloat16;
  return (long_ones ? 256 : 128) * kKiB;
}

bool HasReference(const JobSpec& spec) {
  return spec.has_reference_topology() || spec.has_reference_batch_size();
}

bool HasLength(const JobSpec& spec) {
  return spec.has_train_steps() || spec.has_epochs();
}

bool HasRate(const JobSpec& spec) {
  return spec.has_learning_rate() || spec.has_base_learning_rate();
}

bool IsAsTyped(const JobSpec& spec) {
  return HasLength(spec) && HasRate(spec) && !HasReference(spec);
}

absl::StatusOr<Slice> ReferenceSlice(const JobSpec& spec) {
  auto slice = PlainSliceNamed(spec.reference_topology(), spec);
  if (!slice.ok()) return Annotate(slice.status(), "reference_topology");
  return slice;
}

absl::StatusOr<std::int64_t> ScaledFrom(const Recipe& recipe,
                                        std::int64_t steps,
                                        std::int64_t batch) {
  PODSIM_ASSIGN_OR_RETURN(const ScaledSteps scaled,
                          ScaleSteps(steps, recipe.reference_batch(), batch));
  return scaled.steps;
}

}  // namespace

void FillExternalDefaults(JobSpec& spec) {
  PODSIM_DEFAULT(spec, transport, words::Transport::tcp);
}

void FillGeneralDefaults(JobSpec& spec) {
  FillDefaults(spec);
  PODSIM_DEFAULT(spec, chunk_bytes, BestChunkBytes(spec));
}

absl::StatusOr<Slice> SliceOf(const JobSpec& spec) {
  auto slice = SliceNamed(spec.topology(), spec);
  if (!slice.ok()) return Annotate(slice.status(), "topology");
  return slice;
}

bool HasBatch(const JobSpec& spec) {
  return spec.has_batch_per_core() || spec.has_train_batch_size() ||
         (spec.has_reference_topology() && spec.has_reference_batch_size());
}

absl::StatusOr<std::int64_t> SpecBatchPerCore(const JobSpec& spec,
                                              const Slice& slice,
                                              std::int64_t otherwise) {
  if (spec.has_batch_per_core()) return spec.batch_per_core();
  if (spec.has_train_batch_size())
    return BatchPerCore("train_batch_size", spec.train_batch_size(),
                        slice.replicas, slice.replica_name());
  if (!HasBatch(spec)) return otherwise;
  PODSIM_ASSIGN_OR_RETURN(const Slice reference, ReferenceSlice(spec));
  return BatchPerCore("reference_batch_size", spec.reference_batch_size(),
                      reference.replicas, reference.replica_name());
}

absl::StatusOr<std::int64_t> SpecReferenceBatch(const JobSpec& spec,
                                                std::int64_t batch_per_core) {
  if (!spec.has_reference_topology()) return spec.reference_batch_size();
  PODSIM_ASSIGN_OR_RETURN(const Slice slice, ReferenceSlice(spec));
  if (!spec.has_reference_batch_size()) return batch_per_core * slice.replicas;
  PODSIM_RETURN_IF_ERROR(BatchPerCore("reference_batch_size",
                                      spec.reference_batch_size(),
                                      slice.replicas, slice.replica_name())
                             .status());
  return spec.reference_batch_size();
}

absl::Status CheckComplete(const JobSpec& spec, const std::string& what) {
  const struct {
    bool said;
    const char* flags;
    const char* example;
  } needs[] = {{spec.has_topology(), "--topology", "--topology=v3-8"},
               {spec.has_dataset(), "--dataset", "--dataset=digits"},
               {HasBatch(spec), "--batch_per_core or --train_batch_size",
                "--batch_per_core=8"},
               {HasLength(spec), "--train_steps or --epochs", "--epochs=1"},
               {HasRate(spec), "--learning_rate or --base_learning_rate",
                "--learning_rate=0.1"}};
  std::vector<const char*> missing;
  std::vector<const char*> examples;
  for (const auto& need : needs) {
    if (need.said) continue;
    missing.push_back(need.flags);
    examples.push_back(need.example);
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " has no recipe: give ", absl::StrJoin(missing, ", "),
                   ", as in ", absl::StrJoin(examples, " ")));
}

absl::Status FillAsTyped(JobSpec& spec) {
  if (!IsAsTyped(spec) || spec.has_base_learning_rate())
    return absl::OkStatus();
  if (spec.has_lr_scaling() && spec.lr_scaling() != words::RateScaling::none)
    return absl::InvalidArgumentError(absl::StrCat(
        "lr_scaling is ", WordOf(spec.lr_scaling()),
        " but steps and learning rate are the job's own and have no reference "
        "to scale from; give --reference_topology or --reference_batch_size, "
        "or leave lr_scaling out"));
  spec.set_lr_scaling(words::RateScaling::none);
  return absl::OkStatus();
}

absl::Status FillScheduleDefaults(const Recipe& recipe,
                                  std::int64_t batch_per_core, JobSpec& spec) {
  if (IsAsTyped(spec)) return absl::OkStatus();
  if (!HasReference(spec)) {
    spec.set_reference_topology(recipe.reference_topology);
    spec.set_reference_batch_size(recipe.reference_batch());
  }
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t reference,
                          SpecReferenceBatch(spec, batch_per_core));
  if (!HasLength(spec)) {
    PODSIM_ASSIGN_OR_RETURN(const std::int64_t steps,
                            ScaledFrom(recipe, recipe.steps, reference));
    spec.set_train_steps(steps);
    if (!spec.has_warmup_steps()) {
      PODSIM_ASSIGN_OR_RETURN(
          const std::int64_t warmup,
          ScaledFrom(recipe, recipe.warmup_steps, reference));
      spec.set_warmup_steps(warmup);
    }
  }
  if (!HasRate(spec)) {
    spec.set_learning_rate(ScaleRate(recipe.learning_rate,
                                     recipe.reference_batch(), reference,
                                     spec.lr_scaling()));
  }
  return absl::OkStatus();
}

std::vector<std::string> FromRecipe(const JobSpec& asked,
                                    const JobSpec& filled) {
  std::vector<std::string> fields;
  if (asked.hidden().empty() && !filled.hidden().empty())
    fields.emplace_back("hidden");
  if (!asked.has_dropout() && filled.has_dropout())
    fields.emplace_back("dropout");
  if (!HasBatch(asked)) fields.emplace_back("batch_per_core");
  const auto add = [&fields](const char* name, bool was, bool is) {
    if (!was && is) fields.emplace_back(name);
  };
  add("train_steps", asked.has_train_steps(), filled.has_train_steps());
  add("reference_topology", HasReference(asked), HasReference(filled));
  add("learning_rate", asked.has_learning_rate(), filled.has_learning_rate());
  add("warmup_steps", asked.has_warmup_steps(), filled.has_warmup_steps());
  add("optimizer",
      asked.has_optimizer() || filled.optimizer() == words::Optimizer::sgd,
      filled.has_optimizer());
  add("momentum", asked.has_momentum() || !IsOfSgd(filled),
      filled.has_momentum());
  return fields;
}

namespace {

// A model of the user's own: nothing is known but what the job says.
absl::StatusOr<Recipe> RecipeOf(const JobSpec& spec) {
  // Of a model that podsim has nothing is known with data that nobody knows.
  if (!spec.has_model_file() && IsOfShards(spec.dataset()))
    PODSIM_RETURN_IF_ERROR(
        CheckComplete(spec, absl::StrCat("dataset=", spec.dataset())));
  if (!spec.has_model_file()) return FindRecipe(spec.model(), spec.dataset());
  PODSIM_RETURN_IF_ERROR(CheckComplete(
      spec, absl::StrCat("model_file=", PrintableLine(spec.model_file()))));
  for (const char* setting : {"hidden", "model_config"}) {
    const auto* const field = JobSpec::descriptor()->FindFieldByName(setting);
    if (!IsSet(spec, *field)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(setting, " is ", PrintableLine(FieldText(spec, *field)),
                     " but model_file=", PrintableLine(spec.model_file()),
                     " has its own layers; leave ", setting,
                     " out, or give --model=mlp instead of the file"));
  }
  return Recipe();
}

}  // namespace

absl::StatusOr<JobSpec> ApplyRecipe(const JobSpec& asked) {
  PODSIM_RETURN_IF_ERROR(CheckSpec(asked));
  JobSpec spec = asked;
  PODSIM_RETURN_IF_ERROR(FillAsTyped(spec));
  if (const std::string named = DatasetOfPath(spec.data_dir()); !named.empty())
    PODSIM_DEFAULT(spec, dataset, named);
  FillGeneralDefaults(spec);
  PODSIM_ASSIGN_OR_RETURN(const Slice slice, SliceOf(spec));
  spec.set_topology(slice.name);
  PODSIM_ASSIGN_OR_RETURN(const Recipe recipe, RecipeOf(spec));
  const bool named = !spec.has_model_file();
  if (named) FillModel(recipe, spec);
  PODSIM_DEFAULT(spec, optimizer, OptimizerOf(recipe));
  PODSIM_RETURN_IF_ERROR(FillOptimizer(named ? &recipe : nullptr, spec));
  PODSIM_RETURN_IF_ERROR(FillDataset(recipe, spec));
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t batch_per_core,
                          SpecBatchPerCore(spec, slice, recipe.batch_per_core));
  if (!spec.has_train_batch_size()) spec.set_batch_per_core(batch_per_core);
  PODSIM_DEFAULT(spec, processes, std::min(slice.hosts, kMostDefaultProcesses));
  PODSIM_RETURN_IF_ERROR(FillScheduleDefaults(recipe, batch_per_core, spec));
  return spec;
}

}  // namespace podsim
