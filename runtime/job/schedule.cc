#include "runtime/job/schedule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "job/plan_warning.h"
#include "runtime/job/convergence.h"
#include "runtime/job/defaults.h"
#include "runtime/job/optimizer.h"
#include "runtime/job/scaling.h"
#include "runtime/job/spec_check.h"
#include "settings/field_text.h"
#include "settings/words.h"

namespace podsim {
namespace {

// TPU scripts give their base rate for a batch of this size.
constexpr std::int64_t kBaseRateBatch = 256;
// A tile of the matrix unit has 8 rows.
constexpr std::int64_t kTileRows = 8;

// From this many times the reference's batch on a rule for rates matters.
constexpr std::int64_t kManyTimes = 4;

bool IsAdaptive(words::Optimizer::Word optimizer) {
  return optimizer == words::Optimizer::adam ||
         optimizer == words::Optimizer::adamw ||
         optimizer == words::Optimizer::lamb;
}

// What the rate is multiplied with, as in the papers on ImageNet.
constexpr double kDropFactor = 0.1;

// Every setting of the shape is one that it has.
absl::Status CheckShape(const JobSpec& spec) {
  using words::RateSchedule;
  const RateSchedule::Word shape = spec.lr_schedule();
  const bool falls = shape == RateSchedule::linear ||
                     shape == RateSchedule::cosine ||
                     shape == RateSchedule::polynomial;
  const struct {
    const char* name;
    bool set;
    bool read;
    const char* of;
  } settings[] = {
      {"lr_end", spec.has_lr_end(), falls, "linear, cosine or polynomial"},
      {"lr_power", spec.has_lr_power(), shape == RateSchedule::polynomial,
       "polynomial"},
      {"lr_decay_at", spec.lr_decay_at_size() > 0, shape == RateSchedule::step,
       "step"},
      {"lr_decay_factor", spec.has_lr_decay_factor(),
       shape == RateSchedule::step, "step"}};
  for (const auto& setting : settings)
    if (setting.set && !setting.read)
      return absl::InvalidArgumentError(absl::StrCat(
          setting.name, " is ",
          FieldText(spec,
                    *JobSpec::descriptor()->FindFieldByName(setting.name)),
          " but lr_schedule=", WordOf(shape),
          " has none; leave it out, or give --lr_schedule=", setting.of));
  if (shape == RateSchedule::step && spec.lr_decay_at().empty())
    return absl::InvalidArgumentError(
        "lr_schedule=step needs lr_decay_at, the parts of the run after which "
        "the rate drops, such as 0.3,0.6,0.9");
  std::vector<double> sorted(spec.lr_decay_at().begin(),
                             spec.lr_decay_at().end());
  if (std::is_sorted(sorted.begin(), sorted.end())) return absl::OkStatus();
  std::sort(sorted.begin(), sorted.end());
  return absl::InvalidArgumentError(
      absl::StrCat("lr_decay_at is ", absl::StrJoin(spec.lr_decay_at(), ","),
                   "; give the parts in order: ", absl::StrJoin(sorted, ",")));
}

// The plan being made, with what its parts share.
class Schedule {
 public:
  Schedule(const JobSpec& spec, const Slice& slice,
           const ScheduleInputs& inputs, JobPlan& plan)
      : spec_(spec),
        slice_(slice),
        inputs_(inputs),
        plan_(plan),
        batch_(inputs.batch_per_core * slice.replicas) {}

  absl::Status Fill() {
    PODSIM_ASSIGN_OR_RETURN(reference_,
                            SpecReferenceBatch(spec_, inputs_.batch_per_core));
    plan_.set_global_batch(batch_);
    if (spec_.has_reference_topology())
      scaling().set_reference(spec_.reference_topology());
    else if (reference_ > 0)
      scaling().set_reference(absl::StrCat("batch ", reference_));
    scaling().set_reference_batch(reference_);
    NoteReference();
    PODSIM_RETURN_IF_ERROR(FillSteps());
    PODSIM_RETURN_IF_ERROR(FillRate());
    PODSIM_RETURN_IF_ERROR(FillWarmup());
    PODSIM_RETURN_IF_ERROR(FillShape());
    CheckBatch();
    if (inputs_.recipe != nullptr)
      WarnOfConvergence(*inputs_.recipe, slice_, plan_);
    return absl::OkStatus();
  }

 private:
  Scaling& scaling() { return *plan_.mutable_scaling(); }

  template <typename... Parts>
  void Note(const Parts&... parts) {
    plan_.add_notes(absl::StrCat(parts...));
  }

  bool FromRecipe(const char* field) const {
    const auto& fields = plan_.from_recipe();
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  }

  // "v3-8, batch 64" or "batch 1,000".
  std::string ReferenceName() const {
    const std::string batch = absl::StrCat("batch ", FormatCount(reference_));
    return spec_.has_reference_topology()
               ? absl::StrCat(spec_.reference_topology(), ", ", batch)
               : batch;
  }

  // Which of the user's own numbers are scaled though no reference was named,
  // and how they would not be.
  void NoteReference() {
    if (reference_ == 0) {
      Note("no reference is given and steps and rate are the job's own: ",
           "nothing is scaled (--reference_topology or ",
           "--reference_batch_size would)");
      return;
    }
    if (reference_ == batch_ || !FromRecipe("reference_topology")) return;
    std::vector<std::string> own;
    if (spec_.has_train_steps() && !FromRecipe("train_steps"))
      own.push_back(
          absl::StrCat("train_steps ", FormatCount(spec_.train_steps())));
    if (spec_.has_learning_rate() && !FromRecipe("learning_rate") &&
        spec_.lr_scaling() != words::RateScaling::none)
      own.push_back(absl::StrCat("learning_rate ", spec_.learning_rate()));
    if (spec_.has_warmup_steps() && !FromRecipe("warmup_steps"))
      own.push_back(
          absl::StrCat("warmup_steps ", FormatCount(spec_.warmup_steps())));
    if (own.empty()) return;
    Note(absl::StrJoin(own, " and "), own.size() == 1 ? " is" : " are",
         " for the recipe's reference (", ReferenceName(),
         "), as the rest is; --reference_topology=", slice_.name, " keeps ",
         own.size() == 1 ? "it" : "them", " as typed");
  }

  absl::Status FillSteps() {
    PODSIM_ASSIGN_OR_RETURN(const ScaledSteps scaled, Steps());
    PODSIM_ASSIGN_OR_RETURN(const std::int64_t examples,
                            ExamplesOf(scaled.steps, batch_));
    plan_.set_train_steps(scaled.steps);
    plan_.set_total_examples(examples);
    scaling().set_overshoot_examples(scaled.overshoot_examples);
    if (scaled.overshoot_examples > 0)
      Note("steps round up: ", FormatCount(scaled.overshoot_examples),
           " more examples than asked for");
    return absl::OkStatus();
  }

  absl::StatusOr<ScaledSteps> Steps() {
    if (spec_.has_epochs()) {
      Note("epochs are never scaled: ", spec_.epochs(), " x ",
           FormatCount(inputs_.dataset_size), " examples in batches of ",
           FormatCount(batch_));
      return StepsForEpochs(spec_.epochs(), inputs_.dataset_size, batch_);
    }
    scaling().set_reference_steps(spec_.train_steps());
    if (reference_ == 0) return ScaledSteps{.steps = spec_.train_steps()};
    PODSIM_ASSIGN_OR_RETURN(
        const ScaledSteps scaled,
        ScaleSteps(spec_.train_steps(), reference_, batch_));
    if (reference_ != batch_)
      Note(FormatCount(spec_.train_steps()), " steps (", ReferenceName(),
           ") become ", FormatCount(scaled.steps), ": ",
           FormatCount(spec_.train_steps() * reference_),
           " examples either way");
    return scaled;
  }

  absl::Status FillRate() {
    const bool base = spec_.has_base_learning_rate();
    const double rate =
        base ? spec_.base_learning_rate() : spec_.learning_rate();
    std::int64_t from = reference_ > 0 ? reference_ : batch_;
    if (base) from = kBaseRateBatch;
    const double peak = ScaleRate(rate, from, batch_, spec_.lr_scaling());
    if (!(peak <= std::numeric_limits<float>::max()))
      return absl::InvalidArgumentError(
          absl::StrCat("learning rate ", rate, " for batch ", FormatCount(from),
                       " becomes ", peak, " for batch ", FormatCount(batch_),
                       ", beyond float32; give less than ",
                       std::numeric_limits<float>::max() /
                           ScaleRate(1, from, batch_, spec_.lr_scaling())));
    scaling().set_reference_rate(rate);
    scaling().set_rate_rule(WordOf(spec_.lr_scaling()));
    plan_.mutable_bits()->mutable_learning_rate()->set_peak(peak);
    WarnOfAdaptive(rate, peak, from);
    if (peak != rate)
      Note("learning rate ", rate, " for batch ", FormatCount(from),
           " becomes ", peak, " for batch ", FormatCount(batch_), " (",
           WordOf(spec_.lr_scaling()), ")");
    return absl::OkStatus();
  }

  // Rules that divide by the size of gradients do not follow the linear rule,
  // which is SGD's; a recipe's range was measured.
  void WarnOfAdaptive(double rate, double peak, std::int64_t from) {
    const bool measured = inputs_.recipe != nullptr &&
                          inputs_.recipe->accuracy > 0 &&
                          IsOfRecipe(*inputs_.recipe, plan_.bits());
    if (spec_.lr_scaling() != words::RateScaling::linear || measured ||
        !IsAdaptive(spec_.optimizer()) || batch_ < kManyTimes * from)
      return;
    const std::string name = WordOf(spec_.optimizer());
    const double root = ScaleRate(rate, from, batch_, words::RateScaling::sqrt);
    AddWarning(
        absl::StrCat("the linear rule, which is SGD's, for the learning rate "
                     "of ",
                     name),
        absl::StrCat("the learning rate of ", name, " goes from ", rate, " to ",
                     peak,
                     " by the linear rule, which is SGD's: adaptive "
                     "optimizers take the square root as a rule, "
                     "--lr_scaling=sqrt (",
                     root, ")"),
        plan_);
  }

  absl::Status FillWarmup() {
    PODSIM_ASSIGN_OR_RETURN(const std::int64_t examples, WarmupExamples());
    plan_.mutable_bits()->mutable_learning_rate()->set_warmup_examples(
        examples);
    if (spec_.has_warmup_init()) {
      if (examples == 0)
        return absl::InvalidArgumentError(absl::StrCat(
            "warmup_init is ", spec_.warmup_init(),
            " but there is no warm-up; give --warmup_steps=N, or leave it "
            "out"));
      plan_.mutable_bits()->mutable_learning_rate()->set_warmup_init(
          spec_.warmup_init());
    }
    if (examples > plan_.total_examples())
      AddWarning("warm-up longer than the run", LongWarmup(), plan_);
    return absl::OkStatus();
  }

  // In the steps that the warm-up was typed in, which are the reference's.
  std::string LongWarmup() const {
    const std::int64_t batch = reference_ > 0 ? reference_ : batch_;
    const std::int64_t run = spec_.has_epochs()
                                 ? (plan_.total_examples() + batch - 1) / batch
                                 : spec_.train_steps();
    const std::string shape = WordOf(spec_.lr_schedule());
    return absl::StrCat(
        "the warm-up of ", FormatCounted(spec_.warmup_steps(), "step"),
        " is longer than the run of ", FormatCount(run),
        batch == batch_ ? "" : absl::StrCat(" (of ", ReferenceName(), ")"),
        ": the learning rate never reaches its peak",
        spec_.lr_schedule() == words::RateSchedule::constant
            ? ""
            : absl::StrCat(", and the decay of lr_schedule=", shape,
                           " never begins"),
        "; give --warmup_steps below ", FormatCount(run), ", or more ",
        spec_.has_epochs() ? "--epochs" : "--train_steps");
  }

  // What the rate does after the warm-up. It ends with the examples that were
  // asked for, not with those that a last step sees beyond them, so that it is
  // the same on every slice.
  absl::Status FillShape() {
    PODSIM_RETURN_IF_ERROR(CheckShape(spec_));
    if (spec_.lr_schedule() == words::RateSchedule::constant)
      return absl::OkStatus();
    LearningRate& rate = *plan_.mutable_bits()->mutable_learning_rate();
    const std::int64_t end =
        plan_.total_examples() - scaling().overshoot_examples();
    rate.set_schedule(WordOf(spec_.lr_schedule()));
    rate.set_end_examples(end);
    rate.set_end(spec_.lr_end());
    if (spec_.lr_schedule() == words::RateSchedule::polynomial)
      rate.set_power(spec_.has_lr_power() ? spec_.lr_power() : 1);
    if (spec_.lr_schedule() != words::RateSchedule::step)
      return absl::OkStatus();
    for (const double part : spec_.lr_decay_at())
      rate.add_drops(static_cast<std::int64_t>(
          std::llround(part * static_cast<double>(end))));
    rate.set_drop_factor(spec_.has_lr_decay_factor() ? spec_.lr_decay_factor()
                                                     : kDropFactor);
    return absl::OkStatus();
  }

  // A recipe's warm-up is part of its own length; a job of another length takes
  // the same share of that.
  absl::StatusOr<std::int64_t> WarmupExamples() {
    if (spec_.has_warmup_steps())
      return ExamplesOf(spec_.warmup_steps(),
                        reference_ > 0 ? reference_ : batch_);
    if (reference_ == 0 || inputs_.recipe == nullptr) return 0;
    plan_.add_from_recipe("warmup_steps");
    // total * warmup / steps, rounded down, where the product could overflow.
    const std::int64_t total = plan_.total_examples();
    const std::int64_t warmup = inputs_.recipe->warmup_steps;
    const std::int64_t steps = inputs_.recipe->steps;
    return total / steps * warmup + total % steps * warmup / steps;
  }

  void WarnOfBatch() {
    const std::string size = FormatCount(inputs_.dataset_size);
    AddWarning(absl::StrCat("global batch larger than the data set's ", size,
                            " examples"),
               absl::StrCat("global batch ", FormatCount(batch_),
                            " exceeds the data set's ", size,
                            " examples: a step sees some of them twice or "
                            "more"),
               plan_);
  }

  void CheckBatch() {
    if (batch_ > inputs_.dataset_size) WarnOfBatch();
    if (inputs_.batch_per_core % kTileRows != 0)
      Note("a real core works on tiles of ", kTileRows,
           " rows: ", FormatCount(inputs_.batch_per_core), " per ",
           slice_.replica_name(), " leaves part of one empty");
  }

  const JobSpec& spec_;
  const Slice& slice_;
  const ScheduleInputs& inputs_;
  JobPlan& plan_;
  const std::int64_t batch_;
  std::int64_t reference_ = 0;
};

}  // namespace

absl::Status FillSchedule(const JobSpec& spec, const Slice& slice,
                          const ScheduleInputs& inputs, JobPlan& plan) {
  return Schedule(spec, slice, inputs, plan).Fill();
}

std::string LargestConvergingSlice(const JobSpec& spec,
                                   const std::string& generation,
                                   std::int64_t examples,
                                   std::int64_t batch_per_core,
                                   std::int64_t smallest_steps) {
  const Hardware hardware = HardwareOf(spec);
  const Generation* const found = FindGeneration(hardware, generation);
  PODSIM_CHECK(found != nullptr);
  std::string largest;
  for (const std::string& name : SliceNamesOf(*found)) {
    const auto slice = FindSlice(name, {.hardware = &hardware});
    PODSIM_CHECK(slice.ok());
    if (!CheckTrains(*slice).ok()) continue;
    const ScaledSteps scaled =
        StepsFor(examples, batch_per_core * slice->replicas);
    if (scaled.steps >= smallest_steps) largest = name;
  }
  return largest;
}

}  // namespace podsim
