#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/status.h"
#include "job/metrics.h"
#include "runtime/monitor/chip_view.h"
#include "runtime/monitor/link_view.h"
#include "runtime/monitor/monitor_text.h"

namespace podsim {
namespace {

using Json = nlohmann::ordered_json;

// Text of others may be no UTF-8.
std::string Dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json DevicesJson(const JobState& state, const Slice& slice, int host) {
  Json devices = Json::array();
  for (const DeviceView& device : DevicesOf(state, slice, host))
    devices.push_back({{"chip", device.chip},
                       {"device", device.device},
                       {"hbm_used_bytes_sim", device.hbm_used},
                       {"hbm_total_bytes_sim", device.hbm_total}});
  return devices;
}

Json HostJson(const JobState& state, const Slice& slice, int host) {
  const auto process = static_cast<std::size_t>(ProcessOfHost(state, host));
  const std::vector<ProcessShares> shares = SharesOf(state);
  const ProcessShares of =
      process < shares.size() ? shares[process] : ProcessShares();
  Json json = {{"host", host}, {"process", process}};
  if (process < state.processes.size()) {
    json["pid"] = state.processes[process].pid();
    json["hostname"] = state.processes[process].hostname();
  }
  json["cores"] = slice.cores_per_host();
  json["duty_cycle"] = of.busy;
  json["input"] = of.input;
  json["wait"] = of.waited;
  json["devices"] = DevicesJson(state, slice, host);
  return json;
}

Json AxesJson(const JobState& state, const Slice& slice) {
  Json axes = Json::array();
  for (const AxisLinks& axis : LinkTrafficOf(*state.plan, slice)->axes)
    axes.push_back({{"axis", std::string(1, axis.axis)},
                    {"links", axis.links},
                    {"bytes_per_step_sim", axis.bytes},
                    {"busy_seconds_per_step_sim", axis.busy.seconds()}});
  return axes;
}

Json MetricsJson(const StepDone& step) {
  Json metrics = Json::object();
  for (const MetricSum& sum : step.metrics())
    metrics[sum.name()] = CombinedValue(sum);
  return metrics;
}

}  // namespace

absl::StatusOr<std::string> MonitorJson(const JobState& state,
                                        std::optional<int> host) {
  Json json = {{"phase", PhaseName(state.phase)},
               {"generation", state.generation},
               {"wall_time", state.wall_time}};
  if (!state.failure.empty()) json["failure"] = state.failure;
  if (!state.plan) return Dumped(json);
  PODSIM_ASSIGN_OR_RETURN(const Slice slice, SliceOf(state));
  if (host && (*host < 0 || *host >= slice.hosts))
    return MonitorText(state, host).status();  // says so
  json["slice"] = slice.name;
  json["model"] = state.plan->bits().model().name();
  json["step"] = state.steps.empty() ? 0 : state.steps.back().step();
  json["train_steps"] = state.plan->train_steps();
  json["step_seconds"] = MeanStepSeconds(state);
  json["examples_per_second"] = MeanExamplesPerSecond(state);
  json["metrics"] =
      state.steps.empty() ? Json::object() : MetricsJson(state.steps.back());
  json["links"] = LinksText(slice);
  json["link_axes"] = AxesJson(state, slice);
  json["host_bytes_per_step"] = LinkTrafficOf(*state.plan, slice)->host_bytes;
  json["hosts"] = Json::array();
  for (int h = 0; h < slice.hosts; ++h)
    if (!host || *host == h) json["hosts"].push_back(HostJson(state, slice, h));
  return Dumped(json);
}

}  // namespace podsim
