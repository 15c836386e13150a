#include "runtime/job/planner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/input/fields.h"
#include "interconnect/collectives/choice_table.h"
#include "job/plan_program.h"
#include "models/zoo/zoo.h"
#include "runtime/job/bench_plan.h"
#include "runtime/job/defaults.h"
#include "runtime/job/fit.h"
#include "runtime/job/geography.h"
#include "runtime/job/optimizer.h"
#include "runtime/job/own_program.h"
#include "runtime/job/plan_bits.h"
#include "runtime/job/plan_checkpoints.h"
#include "runtime/job/plan_faults.h"
#include "runtime/job/plan_placement.h"
#include "runtime/job/plan_slow_link.h"
#include "runtime/job/recipe.h"
#include "runtime/job/reduction.h"
#include "runtime/job/resolved_job.h"
#include "runtime/job/scaling.h"
#include "runtime/job/schedule.h"
#include "runtime/job/spec_check.h"
#include "settings/words.h"

namespace podsim {
namespace {

absl::Status CheckDataset(const JobSpec& spec, const DatasetConfig& dataset) {
  if (dataset.name() != spec.dataset())
    return absl::InternalError(absl::StrCat("the job wants data set '",
                                            spec.dataset(), "' but '",
                                            dataset.name(), "' was opened"));
  if (dataset.train_examples() < 1 || dataset.eval_examples() < 0 ||
      dataset.classes() < 1)
    return absl::InvalidArgumentError(absl::StrCat(
        "data set ", dataset.name(), " has ", dataset.train_examples(),
        " training examples of ", dataset.classes(),
        " classes; at least one of each is needed"));
  if (spec.model_file().empty() && dataset.classes() < 2 &&
      IsOfShards(spec.dataset()))
    return absl::InvalidArgumentError(
        absl::StrCat("data set ", dataset.name(), " has 1 class, which model ",
                     spec.model(), " cannot tell from another: give ",
                     spec.dataset() == "images"
                         ? "a folder for each class"
                         : "--classes=N, one more than the largest label"));
  return absl::OkStatus();
}

absl::StatusOr<std::int64_t> EvalBatchPerCore(const ResolvedJob& job,
                                              const DatasetConfig& dataset) {
  if (job.spec.has_eval_batch_size())
    return BatchPerCore("eval_batch_size", job.spec.eval_batch_size(),
                        job.slice.replicas, job.slice.replica_name());
  // As in training, but no larger than one batch for the whole split.
  const std::int64_t whole =
      (dataset.eval_examples() + job.slice.replicas - 1) / job.slice.replicas;
  return std::max<std::int64_t>(1, std::min(job.batch_per_core, whole));
}

// All of the plan that no program is needed for.
absl::StatusOr<JobPlan> BeginPlan(const ScheduleInputs& schedule,
                                  const PlanInputs& inputs, ResolvedJob& job,
                                  JobPlan plan = {}) {
  PODSIM_ASSIGN_OR_RETURN(const std::string isa,
                          ChooseIsa(job.spec, inputs.isa));
  FillNumerics(job, inputs.dataset, isa, *plan.mutable_bits());
  for (const std::string& note : inputs.dataset_notes) plan.add_notes(note);
  PODSIM_RETURN_IF_ERROR(FillReduction(job, plan));
  PODSIM_RETURN_IF_ERROR(FillSchedule(job.spec, job.slice, schedule, plan));
  PODSIM_RETURN_IF_ERROR(FillPlacement(inputs, job, plan));
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t eval_batch,
                          EvalBatchPerCore(job, inputs.dataset));
  plan.set_eval_batch_per_core(eval_batch);
  PODSIM_RETURN_IF_ERROR(FillCheckpoints(job, plan));
  *plan.mutable_spec() = job.spec;
  return plan;
}

absl::StatusOr<JobPlan> FinishPlan(JobPlan plan, const Program& program,
                                   const ProgramBytes& bytes,
                                   const PlanInputs& inputs,
                                   const ResolvedJob& job) {
  PODSIM_RETURN_IF_ERROR(
      InputFields(program, plan.bits().dataset(), plan.spec().features())
          .status());
  PODSIM_RETURN_IF_ERROR(FillMemory(program, job, plan));
  PODSIM_RETURN_IF_ERROR(
      FillGeography(job.spec, job.slice, inputs.bucket_locations, plan));
  PODSIM_ASSIGN_OR_RETURN(
      const std::vector<ChoiceRow> table,
      ChoiceTable(job.spec.choices(), MediumOf(WordOf(job.spec.transport()))));
  FillBuckets(job, program, table, *plan.mutable_bits());
  PODSIM_RETURN_IF_ERROR(CheckExamplesMeet(job, program));
  FillExchanges(job, program, table, *plan.mutable_bits());
  SetProgram(bytes, plan);
  PODSIM_RETURN_IF_ERROR(FillSlowLink(job, plan));
  PODSIM_RETURN_IF_ERROR(FillFaults(job.spec, plan));
  plan.set_hash(HashOf(plan.bits()));
  return plan;
}

// A recipe promises its accuracy for its own network, update and shape of the
// rate.
bool KeepsPromise(const Recipe& recipe, const JobSpec& spec) {
  return std::equal(spec.hidden().begin(), spec.hidden().end(),
                    recipe.hidden.begin(), recipe.hidden.end()) &&
         spec.dropout() == recipe.dropout && spec.batch_norm_group() <= 1 &&
         HasUpdateOf(recipe, spec) &&
         spec.lr_schedule() == words::RateSchedule::constant;
}

// The job's model, noted in the plan: of a name, or the one that was read.
absl::StatusOr<ModelSource> ModelOf(const ResolvedJob& job,
                                    const PlanInputs& inputs, PlanBits& bits) {
  if (!job.spec.has_model_file()) {
    PODSIM_RETURN_IF_ERROR(
        FillModelConfig(job.spec, inputs.dataset, *bits.mutable_model()));
    return ModelSource{.config = bits.model()};
  }
  if (inputs.model == nullptr)
    return absl::InternalError(absl::StrCat(
        "the job names ", job.spec.model_file(), " but it was not read"));
  if (!inputs.model->graph().has_loss())
    return absl::InvalidArgumentError(
        absl::StrCat(job.spec.model_file(), ": model ", inputs.model->name(),
                     " has no loss, so it cannot be trained"));
  bits.mutable_model()->set_name(inputs.model->name());
  return ModelSource{.config = {}, .read = inputs.model};
}

CompiledModels::Result CompileFor(const ResolvedJob& job,
                                  const PlanInputs& inputs, PlanBits& bits) {
  PODSIM_ASSIGN_OR_RETURN(const ModelSource source, ModelOf(job, inputs, bits));
  CompiledModels own;
  CompiledModels& models = inputs.compiled ? *inputs.compiled : own;
  PODSIM_ASSIGN_OR_RETURN(auto compiled, models.Of(source, OptionsOf(bits)));
  bits.set_model_hash(compiled->model_hash);
  return compiled;
}

}  // namespace

absl::StatusOr<JobPlan> PlanJob(const JobSpec& asked,
                                const PlanInputs& inputs) {
  if (asked.has_bench()) return PlanBench(asked, inputs);
  ResolvedJob job;
  PODSIM_ASSIGN_OR_RETURN(job.spec, ApplyRecipe(asked));
  PODSIM_ASSIGN_OR_RETURN(job.slice, SliceOf(job.spec));
  std::optional<Recipe> recipe;
  if (!job.spec.has_model_file()) {
    PODSIM_ASSIGN_OR_RETURN(recipe,
                            FindRecipe(job.spec.model(), job.spec.dataset()));
  }
  PODSIM_ASSIGN_OR_RETURN(
      job.batch_per_core,
      SpecBatchPerCore(job.spec, job.slice,
                       recipe ? recipe->batch_per_core : 0));
  PODSIM_RETURN_IF_ERROR(CheckDataset(job.spec, inputs.dataset));
  JobPlan draft;
  if (recipe) {
    for (const std::string& field : FromRecipe(asked, job.spec))
      draft.add_from_recipe(field);
    if (KeepsPromise(*recipe, job.spec) && recipe->accuracy > 0) {
      draft.set_recipe_accuracy(recipe->accuracy);
      draft.set_recipe_examples(recipe->steps * recipe->reference_batch());
    }
    if (IsPlanned(recipe->model))
      draft.add_notes(absl::StrCat(
          "model ", recipe->model, " is for plans: its batch, length and rate ",
          "are published ones, and nobody trained it here"));
  }
  PODSIM_ASSIGN_OR_RETURN(
      JobPlan plan, BeginPlan({.batch_per_core = job.batch_per_core,
                               .dataset_size = inputs.dataset.train_examples(),
                               .recipe = recipe ? &*recipe : nullptr},
                              inputs, job, std::move(draft)));
  PODSIM_ASSIGN_OR_RETURN(const auto compiled,
                          CompileFor(job, inputs, *plan.mutable_bits()));
  return FinishPlan(std::move(plan), compiled->program, compiled->bytes, inputs,
                    job);
}

absl::StatusOr<JobPlan> PlanJob(const JobSpec& asked, const Program& program,
                                const PlanInputs& inputs) {
  PODSIM_RETURN_IF_ERROR(CheckSpec(asked));
  PODSIM_RETURN_IF_ERROR(CheckOwnProgram(asked, program));
  PODSIM_RETURN_IF_ERROR(CheckComplete(asked, "a program of your own"));
  ResolvedJob job;
  job.spec = asked;
  PODSIM_RETURN_IF_ERROR(FillAsTyped(job.spec));
  FillGeneralDefaults(job.spec);
  if (!job.spec.has_optimizer()) job.spec.set_optimizer(words::Optimizer::sgd);
  job.spec.set_precision(program.bfloat16_products ? words::Precision::bfloat16
                                                   : words::Precision::float32);
  job.spec.set_model(program.name);
  PODSIM_ASSIGN_OR_RETURN(job.slice, SliceOf(job.spec));
  // Such a plan is for a pod in the caller's process, which trains.
  PODSIM_RETURN_IF_ERROR(Annotate(CheckTrains(job.slice), "topology"));
  PODSIM_ASSIGN_OR_RETURN(job.batch_per_core,
                          SpecBatchPerCore(job.spec, job.slice, 0));
  PODSIM_RETURN_IF_ERROR(CheckDataset(job.spec, inputs.dataset));
  PODSIM_ASSIGN_OR_RETURN(
      JobPlan plan, BeginPlan({.batch_per_core = job.batch_per_core,
                               .dataset_size = inputs.dataset.train_examples()},
                              inputs, job));
  PODSIM_RETURN_IF_ERROR(FillUpdate(job.spec, program, *plan.mutable_bits()));
  if (const auto rule = WordNamed<words::Optimizer::Word>(program.rule))
    plan.mutable_spec()->set_optimizer(*rule);
  PODSIM_RETURN_IF_ERROR(FillModelConfig(
      job.spec, inputs.dataset, *plan.mutable_bits()->mutable_model()));
  PODSIM_ASSIGN_OR_RETURN(plan, FinishPlan(std::move(plan), program,
                                           BytesOf(program), inputs, job));
  PODSIM_RETURN_IF_ERROR(
      AdmitToMachine(plan, inputs.memory_bytes, job.spec.host_memory_bytes()));
  return plan;
}

}  // namespace podsim
