#include "runtime/job/smaller_job.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/job/reduction.h"

namespace podsim {
namespace {

bool TakenFromRecipe(const JobPlan& plan, const std::string& field) {
  const auto& fields = plan.from_recipe();
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

// `steps` of the plan's as --train_steps says them: for the reference's batch,
// which a job that says steps and learning rate itself has only if it names
// one.
std::int64_t AsTyped(const JobPlan& plan, std::int64_t steps) {
  const std::int64_t reference = plan.scaling().reference_batch();
  const bool drops_it = TakenFromRecipe(plan, "reference_topology") &&
                        !TakenFromRecipe(plan, "learning_rate");
  if (reference == 0 || drops_it) return steps;
  return steps * plan.global_batch() / reference;
}

std::int64_t ToTwoDigits(std::int64_t number) {
  std::int64_t unit = 1;
  while (number / unit >= 100) unit *= 10;
  return number / unit * unit;
}

}  // namespace

std::string FittingBatch(const JobPlan& plan, std::int64_t example_bytes,
                         std::int64_t excess) {
  if (example_bytes <= 0) return "";
  const PlanBits& bits = plan.bits();
  const JobSpec& spec = plan.spec();
  const std::int64_t eval = plan.eval_batch_per_core();
  // Of an input memory that the job sets, smaller batches may fill more.
  const std::int64_t bytes = excess + spec.processes() * spec.input_memory();
  std::int64_t batch = std::max(bits.batch_per_core(), eval) -
                       (bytes + example_bytes - 1) / example_bytes;
  if (batch < 1) return "";
  if (SumsAsTree(spec))  // a power of two of microbatches
    batch = bits.microbatch_size() *
            static_cast<std::int64_t>(std::bit_floor(
                static_cast<std::uint64_t>(batch / bits.microbatch_size())));
  if (batch < 1) return "";
  const std::int64_t global = batch * bits.hosts() * bits.cores_per_host();
  std::vector<std::string> flags;
  if (batch < bits.batch_per_core())
    flags.push_back(spec.has_train_batch_size()
                        ? absl::StrCat("--train_batch_size=", global)
                        : absl::StrCat("--batch_per_core=", batch));
  // Unless the job says it, it is no larger than the batch of training.
  if (spec.has_eval_batch_size() && batch < eval)
    flags.push_back(absl::StrCat("--eval_batch_size=", global));
  return absl::StrJoin(flags, " ");
}

std::string StepsOfADay(const JobPlan& plan, double days) {
  const auto steps =
      static_cast<std::int64_t>(static_cast<double>(plan.train_steps()) / days);
  const std::int64_t typed = ToTwoDigits(AsTyped(plan, steps));
  if (typed < 1) return "";
  return absl::StrCat("--train_steps=", typed,
                      plan.spec().has_epochs() ? " in place of --epochs" : "");
}

std::string SmallSize(const std::string& model) {
  constexpr char kNumbers[] =
      "layers=2,width=128,heads=2,vocabulary=1000,sequence_length=64";
  const std::string size =
      absl::StartsWith(model, "resnet")
          ? "resnet18 --example_shape=32,32,3 --classes=10"
          : absl::StrCat(
                model, " --model_config=", kNumbers,
                absl::StartsWith(model, "gpt2_") ? "" : ",feed_forward=512");
  return absl::StrCat("pod_launch --topology=v3-8 --model=", size,
                      " --train_steps=100");
}

}  // namespace podsim
