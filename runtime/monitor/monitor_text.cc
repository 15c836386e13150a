// Tables from states, and tables to text; see monitor_text.h.
#include "runtime/monitor/monitor_text.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/text_layout.h"
#include "base/units.h"
#include "job/metrics.h"
#include "runtime/monitor/chip_view.h"
#include "runtime/monitor/link_view.h"

namespace podsim {
namespace {

std::string Gib(std::int64_t bytes) {
  return absl::StrFormat("%.2f GiB", static_cast<double>(bytes) / kGiB);
}

std::string ShareText(double part) {
  return absl::StrFormat("%.2f%%", 100 * part);
}

std::string PidText(const JobState& state, int process) {
  const auto index = static_cast<std::size_t>(process);
  if (index >= state.processes.size()) return "N/A";
  return absl::StrCat(state.processes[index].pid());
}

std::vector<int> HostsShown(const Slice& slice, std::optional<int> host) {
  if (host) return {*host};
  std::vector<int> hosts(static_cast<std::size_t>(slice.hosts));
  for (int h = 0; h < slice.hosts; ++h) hosts[static_cast<std::size_t>(h)] = h;
  return hosts;
}

MonitorTable ChipsTable(const JobState& state, const Slice& slice,
                        const std::vector<int>& hosts) {
  MonitorTable table = {.title = "TPU Chips",
                        .columns = {"Chip", "Type", "Devices", "PID", "Host"},
                        .rows = {}};
  for (const int host : hosts)
    for (int chip = 0; chip < slice.chips_per_host(); ++chip)
      table.rows.push_back(
          {absl::StrCat("/dev/accel", chip), ChipTypeName(slice),
           absl::StrCat(slice.figures.replicas_per_chip),
           PidText(state, ProcessOfHost(state, host)), absl::StrCat(host)});
  return table;
}

MonitorTable UtilizationTable(const JobState& state, const Slice& slice,
                              const std::vector<int>& hosts) {
  MonitorTable table = {
      .title = "TPU Runtime Utilization",
      .columns = {"Chip", "HBM Usage (GiB, sim)", "Duty cycle (wall)", "Host"},
      .rows = {}};
  for (const int host : hosts)
    for (const DeviceView& device : DevicesOf(state, slice, host))
      table.rows.push_back(
          {absl::StrCat(device.device),
           absl::StrCat(Gib(device.hbm_used), " / ", Gib(device.hbm_total)),
           ShareText(device.duty), absl::StrCat(host)});
  return table;
}

MonitorTable HostsTable(const JobState& state, const Slice& slice,
                        const std::vector<int>& hosts) {
  MonitorTable table = {.title = "Hosts (parts of the step, wall)",
                        .columns = {"Host", "PID", "Machine", "Cores", "Step",
                                    "Duty cycle", "Input", "Wait"},
                        .rows = {}};
  const std::vector<ProcessShares> shares = SharesOf(state);
  const std::int64_t step = state.steps.empty() ? 0 : state.steps.back().step();
  for (const int host : hosts) {
    const auto process = static_cast<std::size_t>(ProcessOfHost(state, host));
    const ProcessShares of =
        process < shares.size() ? shares[process] : ProcessShares();
    table.rows.push_back(
        {absl::StrCat(host), PidText(state, static_cast<int>(process)),
         process < state.processes.size()
             ? PrintableLine(state.processes[process].hostname())
             : "N/A",
         absl::StrCat(slice.cores_per_host()), absl::StrCat(step),
         ShareText(of.busy), ShareText(of.input), ShareText(of.waited)});
  }
  return table;
}

// At the pace of the last steps; empty: there are none.
std::string RateText(const JobState& state, std::int64_t bytes) {
  const double seconds = MeanStepSeconds(state);
  if (seconds <= 0) return "N/A";
  return absl::StrCat(FormatBytes(static_cast<std::int64_t>(
                          static_cast<double>(bytes) / seconds)),
                      "/s");
}

MonitorTable LinksTable(const JobState& state, const LinkTraffic& traffic) {
  MonitorTable table = {
      .title = "ICI links by axis (the busiest, one way)",
      .columns = {"Axis", "Links", "Bytes a step (sim)", "Busy a step (sim)",
                  "Of the all-reduce (sim)", "Rate at this pace (wall)"},
      .rows = {}};
  for (const AxisLinks& axis : traffic.axes)
    table.rows.push_back(
        {std::string(1, axis.axis), absl::StrCat(axis.links),
         FormatBytes(axis.bytes), FormatSimTime(axis.busy),
         ShareText(traffic.all_reduce > SimTime()
                       ? axis.busy.seconds() / traffic.all_reduce.seconds()
                       : 0),
         RateText(state, axis.bytes)});
  return table;
}

std::string LinkLines(const JobState& state, const Slice& slice) {
  const auto traffic = LinkTrafficOf(*state.plan, slice);
  std::string text;
  if (!traffic->axes.empty())
    absl::StrAppend(&text, "\n",
                    FormatMonitorTable(LinksTable(state, *traffic)));
  absl::StrAppend(&text, "\nICI links: ", LinksText(slice), "\n");
  if (traffic->host_bytes > 0)
    absl::StrAppend(&text, "Between hosts: each sends ",
                    FormatBytes(traffic->host_bytes), " a step, ",
                    RateText(state, traffic->host_bytes), " (wall)\n");
  return text;
}

// "v3-8  mlp  training  step 12/100  loss 0.1234  261,641 examples/s".
std::string HeadLine(const JobState& state) {
  std::vector<std::string> parts;
  if (state.plan) {
    parts.push_back(state.plan->bits().slice());
    parts.push_back(PrintableLine(state.plan->bits().model().name()));
  }
  parts.emplace_back(PhaseName(state.phase));
  if (state.plan && !state.steps.empty()) {
    const StepDone& step = state.steps.back();
    parts.push_back(
        absl::StrCat("step ", step.step(), "/", state.plan->train_steps()));
    if (FindMetric(step.metrics(), kLossMetric) != nullptr)
      parts.push_back(absl::StrFormat(
          "loss %.4f", MetricValue(step.metrics(), kLossMetric)));
    parts.push_back(
        absl::StrFormat("%.3g ms/step wall", 1000 * MeanStepSeconds(state)));
    parts.push_back(absl::StrCat(
        FormatCount(static_cast<std::int64_t>(MeanExamplesPerSecond(state))),
        " examples/s"));
  }
  if (state.generation > 1)
    parts.push_back(absl::StrCat("restarts ", state.generation - 1));
  if (!state.failure.empty()) parts.push_back(PrintableLine(state.failure));
  if (!state.waits_for.empty() && !state.plan)
    parts.push_back(absl::StrCat("waits for ", PrintableLine(state.waits_for)));
  return absl::StrJoin(parts, "  ");
}

absl::Status CheckHost(const Slice& slice, std::optional<int> host) {
  if (!host || (*host >= 0 && *host < slice.hosts)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--host is ", *host, ", and ", slice.name,
      slice.hosts == 1 ? " has host 0 " : " has hosts 0 ",
      slice.hosts == 1 ? "alone" : absl::StrCat("to ", slice.hosts - 1)));
}

std::string FormatRow(const std::vector<std::string>& cells,
                      const std::vector<int>& widths) {
  std::string line = "|";
  for (std::size_t i = 0; i < cells.size(); ++i)
    absl::StrAppend(
        &line, " ", cells[i],
        std::string(static_cast<std::size_t>(widths[i] - ColumnsOf(cells[i])),
                    ' '),
        " |");
  return line + "\n";
}

}  // namespace

std::string FormatMonitorTable(const MonitorTable& table, int most_rows) {
  const std::size_t shown =
      std::min(table.rows.size(), static_cast<std::size_t>(most_rows));
  std::vector<int> widths;
  for (const std::string& column : table.columns)
    widths.push_back(ColumnsOf(column));
  for (std::size_t row = 0; row < shown; ++row)
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], ColumnsOf(table.rows[row][i]));
  std::string text =
      table.title + "\n" + FormatRow(table.columns, widths) + "|";
  for (const int width : widths)
    absl::StrAppend(&text,
                    std::string(static_cast<std::size_t>(width) + 2, '-'), "|");
  text += "\n";
  for (std::size_t row = 0; row < shown; ++row)
    text += FormatRow(table.rows[row], widths);
  if (shown < table.rows.size())
    absl::StrAppend(&text, "and ", table.rows.size() - shown,
                    " more: --host=N shows a host's, --json all\n");
  return text;
}

absl::StatusOr<std::string> MonitorText(const JobState& state,
                                        std::optional<int> host) {
  std::string text = HeadLine(state) + "\n";
  if (!state.plan) return text;
  PODSIM_ASSIGN_OR_RETURN(const Slice slice, SliceOf(state));
  PODSIM_RETURN_IF_ERROR(CheckHost(slice, host));
  const std::vector<int> hosts = HostsShown(slice, host);
  for (const MonitorTable& table :
       {ChipsTable(state, slice, hosts), UtilizationTable(state, slice, hosts),
        HostsTable(state, slice, hosts)})
    absl::StrAppend(&text, "\n", FormatMonitorTable(table));
  return text + LinkLines(state, slice);
}

}  // namespace podsim
