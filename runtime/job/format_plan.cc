#include "runtime/job/format_plan.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "base/units.h"
#include "host/core/traffic.h"
#include "interconnect/topology/describe.h"
#include "job/hbm.h"
#include "job/plan_program.h"
#include "job/plan_warning.h"
#include "job/slow_link.h"
#include "runtime/job/fit.h"
#include "runtime/job/geography_text.h"
#include "runtime/job/optimizer.h"
#include "runtime/job/plan_texts.h"
#include "settings/field_text.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr int kMargin = 15;  // "learning rate" and a gap
// What fits a screen of 24 lines with the run's first ones below it.
constexpr int kBriefLines = 12;
constexpr std::int64_t kGradientBytes = 4;  // float32

std::string SliceText(const Slice& slice) {
  const int cores = slice.chip().cores_per_chip;
  return absl::StrCat(
      slice.name, ": ", FormatCounted(slice.hosts, "host"), " x 1 board x ",
      FormatCounted(slice.chips_per_host(), "chip"), " x ",
      FormatCounted(cores, "core"), " = ", FormatCounted(slice.cores, "core"),
      slice.replicas == slice.cores
          ? ""
          : absl::StrCat("; the ", cores,
                         " cores of a chip act as one, and the batch is "
                         "counted per chip"));
}

// The word before the sources' dispute, which --describe has at length.
std::string GridText(const Slice& slice) {
  const std::string sure = slice.wrap_note.substr(0, slice.wrap_note.find(':'));
  return absl::StrCat(slice.grid_text(), " chip grid, ", WrapText(slice), " (",
                      sure, "; why: --describe ", slice.name, ")");
}

// ", 64 compressed shards in random order, 64 interleaved readers, shuffle
// window of 4,096 examples"; ", 64 shards, shuffled as a whole".
std::string ShardsText(const JobPlan& plan) {
  const DatasetConfig& data = plan.bits().dataset();
  if (data.shards() == 0) return "";
  const char* const kind = data.packed() ? "compressed shard" : "shard";
  const std::string shards =
      absl::StrCat(", ", FormatCounted(data.shards(), kind));
  if (plan.bits().in_order()) return shards;
  if (data.shuffle_window() == 0)
    return absl::StrCat(shards, ", shuffled as a whole");
  const bool asked = data.packed() || plan.spec().has_shuffle_window();
  const std::string readers =
      data.lanes() > 1
          ? absl::StrCat(", ", data.lanes(), " interleaved readers")
          : "";
  return absl::StrCat(
      shards, asked ? "" : " (their index is too large for a whole shuffle)",
      " in random order", readers, ", shuffle window of ",
      FormatCounted(data.shuffle_window(), "example"));
}

std::string JobText(const JobPlan& plan) {
  const std::string layers =
      RecipeMark(plan, "hidden").empty() ? "" : ", layers of the recipe";
  return absl::StrCat(DataText(plan), layers, ShardsText(plan));
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

std::string WarmupText(const JobPlan& plan) {
  const std::int64_t examples = plan.bits().learning_rate().warmup_examples();
  if (examples == 0) return "none";
  const double steps =
      static_cast<double>(examples) / static_cast<double>(plan.global_batch());
  const LearningRate& rate = plan.bits().learning_rate();
  const std::string from = rate.has_warmup_init()
                               ? absl::StrCat(" from ", rate.warmup_init(),
                                              " of the peak learning rate")
                               : "";
  const std::string share =
      RecipeMark(plan, "warmup_steps").empty()
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

// What a core (or a chip whose cores act as one) holds, and what it could.
std::string HbmText(const JobPlan& plan, const Slice& slice) {
  const CoreMemory& use = plan.core_memory();
  return absl::StrCat(
      FormatBytes(HbmBytes(use)), " of ", FormatBytes(use.hbm()), " per ",
      slice.replica_name(), ": parameters ", FormatBytes(use.parameters()),
      ", gradients ", FormatBytes(use.gradients()), ", optimizer state ",
      FormatBytes(use.slots()), ", activations ",
      FormatBytes(use.activations()), ", input ", FormatBytes(use.input()),
      "; the largest batch without recomputation is ",
      FormatCount(use.largest_batch()), " per ", slice.replica_name());
}

// Not a word of what is there: that changes from minute to minute.
std::string MachineText(const JobPlan& plan, bool external_hosts) {
  return absl::StrCat("a run takes ", FormatBytes(MachineBytes(plan)),
                      external_hosts ? " on the machines that run the hosts"
                                     : " of this machine's memory",
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
  return absl::StrCat(
      "memory traffic per host and step: ", FormatBytes(traffic.touched),
      " (lower bound ", FormatBytes(traffic.least), ")");
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

std::string EvaluationText(const JobPlan& plan, const Slice& slice) {
  if (plan.bits().dataset().eval_examples() == 0)
    return "none: the data set has no eval split";
  return absl::StrCat(
      FormatCount(plan.eval_batch_per_core()), " per ", slice.replica_name(),
      ", ",
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

// Everything but the warnings.
std::vector<TextRow> WholeRows(const JobPlan& plan, const Slice& slice,
                               bool external_hosts) {
  std::vector<TextRow> rows;
  const auto row = [&](const std::string& label, const std::string& text) {
    if (!text.empty()) rows.push_back({label, text});
  };
  row("asked", absl::StrJoin(plan.asked(), " "));
  row("slice", SliceText(slice));
  row("", GridText(slice));
  row("job", JobText(plan));
  row("batch", BatchText(plan, slice));
  row("steps", StepsText(plan));
  row("", ExamplesText(plan));
  row("learning rate", RateText(plan));
  row("warm-up", WarmupText(plan));
  if (!plan.bits().learning_rate().schedule().empty())
    row("schedule", ShapeText(plan.bits().learning_rate()));
  if (!HasPlainUpdate(plan.bits()))
    row("optimizer",
        OptimizerText(plan.bits(), {RecipeMark(plan, "optimizer"),
                                    RecipeMark(plan, "momentum")}));
  row("numerics", NumericsText(plan.bits()));
  row("gradients", GradientsText(plan));
  row("HBM", HbmText(plan, slice));
  row("memory", MachineText(plan, external_hosts));
  row("", TrafficText(plan));
  row("processes", ProcessesText(plan));
  row("evaluation", EvaluationText(plan, slice));
  if (!plan.spec().model_dir().empty())
    row("checkpoints", CheckpointText(plan));
  if (plan.has_geography())
    for (const auto& [label, words] : GeographyText(plan, slice))
      row(label, words);
  if (SlowsRun(plan)) row("slow link", SlowLinkText(plan));
  for (const std::string& note : plan.notes()) row("note", note);
  return rows;
}

// Whether the user's own steps were scaled from the recipe's reference.
bool ScalesTypedSteps(const JobPlan& plan) {
  const auto& recipes = plan.from_recipe();
  const auto decides = [&](const char* field) {
    return std::find(recipes.begin(), recipes.end(), field) != recipes.end();
  };
  return decides("reference_topology") && !decides("train_steps") &&
         plan.scaling().reference_steps() > 0 &&
         plan.scaling().reference_batch() != plan.global_batch();
}

std::vector<TextRow> BriefRows(const JobPlan& plan, const Slice& slice) {
  const std::string optimizer =
      HasPlainUpdate(plan.bits()) ? ""
                                  : absl::StrCat(", ", plan.bits().optimizer(),
                                                 RecipeMark(plan, "optimizer"));
  std::vector<TextRow> rows = {
      {"slice", BriefSliceText(slice)},
      {"job", DataText(plan), PlanRank::kJob},
      {"batch", BatchText(plan, slice), PlanRank::kBatch},
      {"steps", StepsText(plan)}};
  if (ScalesTypedSteps(plan))
    rows.push_back({"",
                    absl::StrCat("(--reference_topology=", slice.name,
                                 " keeps steps as typed)"),
                    PlanRank::kTypedSteps});
  rows.push_back({"learning rate", RateText(plan) + optimizer});
  rows.push_back({"HBM", BriefHbmText(plan, slice), PlanRank::kHbm});
  if (SlowsRun(plan))
    rows.push_back({.label = "slow link",
                    .text = SlowLinkText(plan),
                    .rank = PlanRank::kSlowLink,
                    .brief = plan.slow_link().link(),
                    .brief_rank = PlanRank::kBriefSlowLink});
  // Asked for, and not done.
  for (const std::string& note : plan.notes())
    if (absl::StartsWith(note, "audit_every is "))
      rows.push_back({"note", note});
  return rows;
}

std::vector<TextRow> WarningRows(const JobPlan& plan, bool verbose) {
  std::vector<TextRow> rows;
  for (const PlanWarning& warning : WarningsOfRun(plan))
    rows.push_back(
        {"WARNING", verbose ? warning.text() : BriefWarning(warning)});
  return rows;
}

}  // namespace

std::string TransportText(const JobPlan& plan) {
  if (plan.spec().transport() == words::Transport::tcp) return "TCP";
  return plan.spec().transport() == words::Transport::unix ? "Unix sockets"
                                                           : "shared memory";
}

void NoteAsked(const JobSpec& asked, JobPlan& plan) {
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  asked.GetReflection()->ListFields(asked, &fields);
  for (const auto* field : fields)
    if (!SettingOf(*field).no_flag())
      plan.add_asked(
          absl::StrCat("--", FlagOf(*field), "=", FieldText(asked, *field)));
}

std::string FormatPlan(const JobPlan& plan, const Slice& slice,
                       const PlanStyle& style,
                       const std::vector<TextRow>& more) {
  PODSIM_CHECK(plan.bits().slice() == slice.name);
  std::vector<TextRow> rows = style.verbose
                                  ? WholeRows(plan, slice, style.external_hosts)
                                  : BriefRows(plan, slice);
  rows.insert(rows.end(), more.begin(), more.end());
  const std::vector<TextRow> warnings = WarningRows(plan, style.verbose);
  rows.insert(rows.end(), warnings.begin(), warnings.end());
  return FormatPlanRows(rows, style);
}

std::string FormatPlanRows(const std::vector<TextRow>& rows,
                           const PlanStyle& style) {
  return FitRows(
      rows,
      [&](const TextRow& row) {
        return absl::StrFormat("%-*s%s\n", kMargin, row.label,
                               WrapSentence(row.text, kMargin, style.width));
      },
      style.verbose ? kAllLines : kBriefLines);
}

std::string FormatWarnings(const JobPlan& plan, const PlanStyle& style) {
  return FormatPlanRows(WarningRows(plan, style.verbose), style);
}

}  // namespace podsim
