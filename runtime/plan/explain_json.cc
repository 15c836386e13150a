#include "runtime/plan/explain_json.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "nlohmann/json.hpp"

namespace podsim {
namespace {

using ::nlohmann::ordered_json;

// A count of bytes or FLOPs.
ordered_json Whole(double count) {
  constexpr double kMostWhole = 9e18;
  if (count >= kMostWhole) return count;
  return std::llround(count);
}

ordered_json SourceJson(const ValueName& name) {
  if (name.source.empty()) return nullptr;
  return name.source;
}

ordered_json KernelJson(const ExplainedKernel& kernel) {
  return {{"name", kernel.name.name},
          {"source", SourceJson(kernel.name)},
          {"op", std::string(kernel.op)},
          {"kind", std::string(KernelKindName(kernel.kind))},
          {"seconds", kernel.time.seconds()},
          {"share", kernel.share},
          {"bound_by", std::string(KernelBoundName(kernel.bound))},
          {"flops", Whole(kernel.flops)},
          {"product_flops", Whole(kernel.product_flops)},
          {"matrix_flops", Whole(kernel.matrix_flops)},
          {"hbm_bytes", Whole(kernel.hbm_bytes)}};
}

ordered_json LineJson(const ExplainedLine& line, const ChipExplanation& chip) {
  const ExplainedKernel& first = chip.kernels[line.kernels.front()];
  const auto count = static_cast<double>(line.kernels.size());
  return {{"name", line.name.name},
          {"source", SourceJson(line.name)},
          {"op", std::string(first.op)},
          {"kind", std::string(KernelKindName(first.kind))},
          {"kernels", line.kernels},
          {"seconds", line.time.seconds()},
          {"share", line.share},
          {"bound_by", std::string(KernelBoundName(first.bound))},
          {"flops", Whole(count * first.flops)},
          {"hbm_bytes", Whole(count * first.hbm_bytes)}};
}

ordered_json TotalsJson(const ChipExplanation& chip) {
  const ExplainedTotals& totals = chip.totals;
  const auto kernels = static_cast<double>(chip.kernels.size());
  ordered_json json = {
      {"kernels", chip.kernels.size()},
      {"products", totals.products},
      {"seconds", totals.time.seconds()},
      {"fixed_cost_seconds", kernels * chip.fixed_cost.seconds()},
      {"flops", Whole(totals.flops)},
      {"product_flops", Whole(totals.product_flops)},
      {"hbm_bytes", Whole(totals.hbm_bytes)}};
  for (const KernelBound bound : kKernelBounds)
    json["by_bound"][std::string(KernelBoundName(bound))] = {
        {"kernels", totals.of(bound).kernels},
        {"seconds", totals.of(bound).time.seconds()}};
  return json;
}

ordered_json HbmJson(const ExplainedHbm& hbm) {
  ordered_json json = {
      {"bytes", Whole(hbm.fullest.total())},
      {"bytes_available", hbm.available},
      {"weights_bytes", Whole(hbm.fullest.weights)},
      {"gradients_bytes", Whole(hbm.fullest.gradients)},
      {"optimizer_state_bytes", Whole(hbm.fullest.optimizer_state)},
      {"activations_bytes", Whole(hbm.fullest.activations)},
      {"inputs_bytes", Whole(hbm.fullest.inputs)},
      {"kernel", hbm.fullest.kernel},
      {"largest_activations", ordered_json::array()}};
  const std::size_t shown = std::min(kShownActivations, hbm.activations.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const ExplainedActivation& each = hbm.activations[i];
    json["largest_activations"].push_back({{"name", each.name.name},
                                           {"source", SourceJson(each.name)},
                                           {"dtype", ToString(each.dtype)},
                                           {"shape", each.dims},
                                           {"count", each.count},
                                           {"bytes", Whole(each.bytes)}});
  }
  return json;
}

ordered_json RecomputedJson(const ChipExplanation& chip) {
  ordered_json json = ordered_json::array();
  for (const Recomputed& each : chip.recomputed)
    json.push_back({{"name", each.name},
                    {"flops", Whole(each.flops)},
                    {"seconds", each.time.seconds()},
                    {"freed_bytes", Whole(each.bytes)}});
  return json;
}

void AddLinks(const PlannedLinks& planned, ordered_json& json) {
  if (!planned.left_out.empty()) {
    json["links"] = nullptr;
    json["links_left_out"] = planned.left_out;
    return;
  }
  json["links"] = ordered_json::array();
  for (const PlannedLink& each : planned.links)
    json["links"].push_back({{"link", each.link},
                             {"messages", each.messages},
                             {"bytes", each.bytes}});
}

}  // namespace

std::string FormatExplanationJson(const PlanExplanation& explained,
                                  const PlannedLinks& links) {
  const ChipExplanation& chip = explained.chip;
  ordered_json json = {{"rows", explained.rows},
                       {"microbatches", explained.microbatches},
                       {"update_parts", explained.update_parts},
                       {"kernels", ordered_json::array()},
                       {"lines", ordered_json::array()}};
  for (const ExplainedKernel& kernel : chip.kernels)
    json["kernels"].push_back(KernelJson(kernel));
  for (const ExplainedLine& line : chip.lines)
    json["lines"].push_back(LineJson(line, chip));
  json["totals"] = TotalsJson(chip);
  json["hbm"] = HbmJson(explained.chip.hbm);
  json["recomputed"] = RecomputedJson(chip);
  AddLinks(links, json);
  return json.dump();
}

}  // namespace podsim
