#include "runtime/job/format_plan.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "host/core/traffic.h"
#include "interconnect/topology/describe.h"
#include "job/plan_program.h"
#include "runtime/job/fit.h"
#include "runtime/job/geography_text.h"
#include "runtime/job/model_text.h"
#include "runtime/job/optimizer.h"
#include "settings/field_text.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr int kMargin = 12;
constexpr std::int64_t kGradientBytes = 4;  // float32

// " (recipe)" behind what the recipe decided.
std::string Mark(const JobPlan& plan, const char* field) {
  const auto& fields = plan.from_recipe();
  const bool from_recipe =
      std::find(fields.begin(), fields.end(), field) != fields.end();
  return from_recipe ? " (recipe)" : "";
}

std::string SliceText(const Slice& slice) {
  return absl::StrCat(slice.name, ": ", FormatCounted(slice.hosts, "host"),
                      " x 1 board x ",
                      FormatCounted(slice.chips_per_host(), "chip"), " x ",
                      FormatCounted(slice.chip().cores_per_chip, "core"), " = ",
                      FormatCounted(slice.cores, "core"),
                      slice.replicas == slice.cores
                          ? ""
                          : absl::StrCat(", ", FormatCount(slice.replicas),
                                         " to the batch: a chip's cores act "
                                         "as one"));
}

// The word before the sources' dispute, which --describe has at length.
std::string GridText(const Slice& slice) {
  const std::string sure = slice.wrap_note.substr(0, slice.wrap_note.find(':'));
  return absl::StrCat(slice.grid_text(), " chip grid, ", WrapText(slice), " (",
                      sure, "; why: --describe ", slice.name, ")");
}

// ", 64 shards, which are packed: in a random order, 64 lanes of them side by
// side, and in each 4,096 examples of these likewise"; ", 64 shards, shuffled
// as a whole".
std::string ShardsText(const JobPlan& plan) {
  const DatasetConfig& data = plan.bits().dataset();
  if (data.shards() == 0) return "";
  const std::string shards =
      absl::StrCat(", ", FormatCounted(data.shards(), "shard"));
  if (plan.bits().in_order()) return shards;
  if (data.shuffle_window() == 0)
    return absl::StrCat(shards, ", shuffled as a whole");
  const char* why = data.packed()                      ? ", which are packed"
                    : plan.spec().has_shuffle_window() ? ""
                                                       : ", whose index is too "
                                                         "large for a whole "
                                                         "shuffle";
  const std::string lanes =
      data.lanes() > 1
          ? absl::StrCat(data.lanes(), " lanes of them side by side, ")
          : "";
  return absl::StrCat(shards, why, ": in a random order, ", lanes,
                      "and in each ", FormatCount(data.shuffle_window()),
                      " examples of them likewise");
}

// "mlp 64-128-10 on digits (1,498 examples, 299 held out)".
std::string JobText(const JobPlan& plan) {
  const DatasetConfig& data = plan.bits().dataset();
  const std::string layers =
      Mark(plan, "hidden").empty() ? "" : ", layers of the recipe";
  return absl::StrCat(ModelText(plan.bits()), " (",
                      FormatCounted(data.train_examples(), "example"), ", ",
                      FormatCount(data.eval_examples()), " held out", layers,
                      ShardsText(plan), ")");
}

std::string BatchText(const JobPlan& plan) {
  return absl::StrCat(FormatCount(plan.bits().batch_per_core()), " per core",
                      Mark(plan, "batch_per_core"), ", ",
                      FormatCount(plan.global_batch()), " global");
}

// Steps before and after scaling.
std::string StepsText(const JobPlan& plan) {
  const Scaling& scaling = plan.scaling();
  const std::string steps = FormatCount(plan.train_steps());
  if (scaling.reference_steps() == 0)
    return absl::StrCat(steps, " (epochs are not scaled)");
  if (scaling.reference_batch() == 0)
    return absl::StrCat(steps, " (as typed, no reference)");
  const std::string batch = FormatCount(scaling.reference_batch());
  const bool named = scaling.reference().rfind("batch", 0) != 0;
  return absl::StrCat(FormatCount(scaling.reference_steps()),
                      Mark(plan, "train_steps"), " of batch ", batch,
                      named ? " on " : "", named ? scaling.reference() : "",
                      " -> ", steps, " of batch ",
                      FormatCount(plan.global_batch()));
}

std::string ExamplesText(const JobPlan& plan) {
  const double epochs = static_cast<double>(plan.total_examples()) /
                        static_cast<double>(std::max<std::int64_t>(
                            1, plan.bits().dataset().train_examples()));
  const std::int64_t overshoot = plan.scaling().overshoot_examples();
  return absl::StrCat(FormatCounted(plan.total_examples(), "example"),
                      " in all, ", absl::StrFormat("%.4g", epochs), " epochs",
                      overshoot > 0 ? absl::StrCat(", ", FormatCount(overshoot),
                                                   " more than asked for")
                                    : "");
}

// SGD with no more than a momentum, which the rate's line has.
bool HasPlainUpdate(const PlanBits& bits) {
  return bits.optimizer() == "sgd" && !bits.has_update();
}

// "cosine to 0.02 after 100,000 examples".
std::string ShapeText(const LearningRate& rate) {
  if (rate.schedule() == "step")
    return absl::StrCat("times ", rate.drop_factor(), " after ",
                        absl::StrJoin(rate.drops(), ", ",
                                      [](std::string* out, std::int64_t at) {
                                        out->append(FormatCount(at));
                                      }),
                        " examples");
  const std::string power = rate.schedule() == "polynomial"
                                ? absl::StrCat(" of power ", rate.power())
                                : "";
  return absl::StrCat(rate.schedule(), power, " to ", rate.end() * rate.peak(),
                      " after ", FormatCounted(rate.end_examples(), "example"));
}

// Learning rate before and after scaling.
std::string RateText(const JobPlan& plan) {
  const double peak = plan.bits().learning_rate().peak();
  const double before = plan.scaling().reference_rate();
  const std::string momentum =
      HasPlainUpdate(plan.bits())
          ? absl::StrCat(", momentum ", plan.bits().momentum(),
                         Mark(plan, "momentum"))
          : "";
  const std::string rate = absl::StrCat(before, Mark(plan, "learning_rate"));
  if (peak == before) return absl::StrCat(rate, momentum);
  return absl::StrCat(rate, " -> ", peak, " (", plan.scaling().rate_rule(), ")",
                      momentum);
}

std::string WarmupText(const JobPlan& plan) {
  const std::int64_t examples = plan.bits().learning_rate().warmup_examples();
  if (examples == 0) return "none";
  const double steps =
      static_cast<double>(examples) / static_cast<double>(plan.global_batch());
  const LearningRate& rate = plan.bits().learning_rate();
  const std::string from =
      rate.has_warmup_init()
          ? absl::StrCat(" from ", rate.warmup_init(), " of the peak")
          : "";
  const std::string share =
      Mark(plan, "warmup_steps").empty()
          ? ""
          : absl::StrFormat(" (recipe: %.3g%% of the run)",
                            100 * static_cast<double>(examples) /
                                static_cast<double>(plan.total_examples()));
  return absl::StrCat(FormatCounted(examples, "example"), ", ",
                      absl::StrFormat("%.4g", steps), " steps", from, share);
}

std::string NumericsText(const PlanBits& bits) {
  return absl::StrCat(bits.precision(), " products, ", bits.gradient_dtype(),
                      " sums, kernels ", bits.isa(), " (",
                      bits.kernel_library(), "), seed ", bits.seed(),
                      bits.in_order() ? ", examples in their own order" : "");
}

std::string GradientsText(const JobPlan& plan) {
  const PlanBits& bits = plan.bits();
  std::int64_t gradients = 0;
  for (const Bucket& bucket : bits.buckets()) gradients += bucket.count();
  const std::string buckets = absl::StrCat(
      FormatCount(gradients), " (", FormatBytes(gradients * kGradientBytes),
      "), ", FormatCounted(bits.buckets_size(), "bucket"));
  const std::string order =
      bits.microbatch_size() == 0
          ? ""
          : absl::StrCat(", tree of microbatches of ",
                         FormatCount(bits.microbatch_size()));
  if (bits.hosts() == 1)
    return absl::StrCat(buckets, order, ", one host: no ring");
  const char* wire =
      bits.wire_dtype() == "bfloat16" ? "bfloat16 on the wire, " : "";
  return absl::StrCat(
      buckets, order, ", ", bits.algorithm(), " of ", bits.hosts(), " hosts, ",
      wire, FormatBytes(plan.chunk_elements() * kGradientBytes), " chunks");
}

// What a core of the chip holds, and what it could.
std::string HbmText(const JobPlan& plan) {
  const CoreMemory& use = plan.core_memory();
  const std::int64_t used = use.parameters() + use.gradients() + use.slots() +
                            use.activations() + use.input();
  return absl::StrCat(
      FormatBytes(used), " of ", FormatBytes(use.hbm()),
      " per core: parameters ", FormatBytes(use.parameters()), ", gradients ",
      FormatBytes(use.gradients()), ", slots ", FormatBytes(use.slots()),
      ", activations ", FormatBytes(use.activations()), ", input ",
      FormatBytes(use.input()), "; the largest batch that fits is ",
      FormatCount(use.largest_batch()), " per core");
}

// Not a word of what is there: that changes from minute to minute.
std::string MachineText(const JobPlan& plan, bool external_hosts) {
  return absl::StrCat("a run takes ", FormatBytes(MachineBytes(plan)),
                      external_hosts ? " of the machines that run the hosts"
                                     : " of this machine's",
                      ", in ",
                      FormatCounted(plan.spec().processes(), "process"));
}

// Nothing for passes over microbatches.
std::string TrafficText(const JobPlan& plan) {
  const PlanBits& bits = plan.bits();
  const auto program = ProgramOf(plan);
  if (!program.ok() || bits.microbatch_size() != 0) return "";
  const StepTraffic traffic =
      TrafficOf(*program, bits.cores_per_host() * bits.batch_per_core());
  return absl::StrCat("a step of a host touches ", FormatBytes(traffic.touched),
                      ", ", FormatBytes(traffic.least), " at the least");
}

std::string ProcessesText(const JobPlan& plan) {
  const int hosts = plan.bits().hosts();
  const int processes = std::max(1, plan.spec().processes());
  const int most = (hosts + processes - 1) / processes;
  const std::string each =
      hosts % processes == 0
          ? absl::StrCat(FormatCounted(most, "host"),
                         processes > 1 ? " each" : "")
          : absl::StrCat(most - 1, " or ", most, " hosts each");
  return absl::StrCat(
      FormatCounted(plan.spec().processes(), "process"), ", ", each, ", ",
      plan.spec().threads() == 0
          ? "a fair share of the CPUs"
          : absl::StrCat(FormatCounted(plan.spec().threads(), "thread"),
                         processes > 1 ? " each" : ""),
      ", ", TransportText(plan));
}

std::string EvaluationText(const JobPlan& plan) {
  if (plan.bits().dataset().eval_examples() == 0)
    return "none: the data set holds nothing out";
  return absl::StrCat(
      FormatCount(plan.eval_batch_per_core()), " per core, ",
      plan.spec().steps_per_eval() == 0
          ? "at the end"
          : absl::StrCat("every ",
                         FormatCounted(plan.spec().steps_per_eval(), "step"),
                         " and at the end"));
}

std::string CheckpointText(const JobPlan& plan) {
  std::string when;
  if (plan.spec().checkpoint_every() > 0)
    absl::StrAppend(&when, "every ",
                    FormatCounted(plan.spec().checkpoint_every(), "step"),
                    ", ");
  if (plan.spec().checkpoint_every_seconds() > 0)
    absl::StrAppend(&when, "every ", plan.spec().checkpoint_every_seconds(),
                    " s, ");
  return absl::StrCat(plan.spec().model_dir(), ": ", when, "at the end; ",
                      plan.spec().keep() == 0
                          ? "all are kept"
                          : absl::StrCat(plan.spec().keep(), " are kept"));
}

}  // namespace

std::string TransportText(const JobPlan& plan) {
  if (plan.spec().transport() == words::Transport::tcp) return "TCP";
  return plan.spec().transport() == words::Transport::unix ? "Unix sockets"
                                                           : "shared memory";
}

std::string FormatPlanLine(const std::string& label, const std::string& text,
                           int width) {
  return absl::StrFormat("%-*s%s\n", kMargin, label,
                         WrapSentence(text, kMargin, width));
}

void NoteAsked(const JobSpec& asked, JobPlan& plan) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  asked.GetReflection()->ListFields(asked, &fields);
  for (const auto* field : fields)
    if (!SettingOf(*field).no_flag())
      plan.add_asked(
          absl::StrCat("--", FlagOf(*field), "=", FieldText(asked, *field)));
}

std::string FormatPlan(const JobPlan& plan, const Slice& slice, int width,
                       bool external_hosts) {
  PODSIM_CHECK(plan.bits().slice() == slice.name);
  std::string text;
  const auto line = [&](const std::string& label, const std::string& words) {
    text += FormatPlanLine(label, words, width);
  };
  if (!plan.asked().empty()) line("asked", absl::StrJoin(plan.asked(), " "));
  line("slice", SliceText(slice));
  line("", GridText(slice));
  line("job", JobText(plan));
  line("batch", BatchText(plan));
  line("steps", StepsText(plan));
  line("", ExamplesText(plan));
  line("rate", RateText(plan));
  line("warm-up", WarmupText(plan));
  if (!plan.bits().learning_rate().schedule().empty())
    line("schedule", ShapeText(plan.bits().learning_rate()));
  if (!HasPlainUpdate(plan.bits()))
    line("optimizer", OptimizerText(plan.bits(), {Mark(plan, "optimizer"),
                                                  Mark(plan, "momentum")}));
  line("numerics", NumericsText(plan.bits()));
  line("gradients", GradientsText(plan));
  line("HBM", HbmText(plan));
  line("memory", MachineText(plan, external_hosts));
  const std::string traffic = TrafficText(plan);
  if (!traffic.empty()) line("", traffic);
  line("processes", ProcessesText(plan));
  line("evaluation", EvaluationText(plan));
  if (!plan.spec().model_dir().empty())
    line("checkpoints", CheckpointText(plan));
  if (plan.has_geography())
    for (const auto& [label, words] : GeographyText(plan, slice))
      line(label, words);
  for (const std::string& note : plan.notes()) line("note", note);
  return text + FormatWarnings(plan, width);
}

std::string FormatWarnings(const JobPlan& plan, int width) {
  std::string text;
  for (const std::string& warning : plan.warnings())
    text += FormatPlanLine("WARNING", warning, width);
  return text;
}

}  // namespace podsim
