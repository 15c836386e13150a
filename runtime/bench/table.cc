#include "runtime/bench/table.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/bench/bandwidth.h"

namespace podsim {
namespace {

constexpr double kMicrosecondsEach = 1e6;
constexpr char kTimestampFormat[] = "%Y-%m-%d %H:%M:%S";

// The columns that name a row, in a header line.
std::string HeaderStart(const char* size, const char* count, const char* type,
                        const char* op, const char* root) {
  return absl::StrFormat("# %10s  %12s  %8s  %6s  %6s", size, count, type, op,
                         root);
}

// What stands over the columns of one placement.
struct HalfNames {
  const char* time;
  const char* algorithm;
  const char* bus;
  const char* wrong;
  const char* least;
  const char* most;
  const char* p99;
  const char* variation;
};
constexpr HalfNames kNames = {"time",  "algbw", "busbw", "#wrong",
                              "i_min", "i_max", "i_p99", "i_cv%"};
constexpr HalfNames kUnits = {"(us)", "(GB/s)", "(GB/s)", "",
                              "(us)", "(us)",   "(us)",   "(%)"};

std::string HeaderHalf(const TableColumns& columns, const HalfNames& names) {
  std::string text = absl::StrFormat("  %7s  %6s  %6s  %6s", names.time,
                                     names.algorithm, names.bus, names.wrong);
  if (columns.per_iteration) {
    absl::StrAppendFormat(&text, "  %7s  %7s  %7s  %7s", names.least,
                          names.most, names.p99, names.variation);
  }
  return text;
}

std::string SimColumns(std::string_view time, std::string_view bus) {
  return absl::StrFormat("  %9s  %8s", time, bus);
}

std::string FormatSim(const SimPrice& sim) {
  if (!sim.missing.empty()) return SimColumns("N/A", "N/A");
  return SimColumns(FitFloat(sim.seconds * kMicrosecondsEach, 9),
                    FitFloat(sim.bus, 8));
}

std::string HeaderLine(const std::string& start, const std::string& half,
                       const TableColumns& columns, const char* timestamp,
                       const std::string& sim) {
  return absl::StrCat(absl::StrFormat("%s%s%s %*s", start, half, half,
                                      columns.timestamp ? 19 : 0,
                                      columns.timestamp ? timestamp : ""),
                      columns.sim ? sim : "", "\n");
}

std::string FormatHalf(const BenchTiming& timing, std::int64_t bytes,
                       const std::string& collective, int ranks,
                       const TableColumns& columns) {
  const Bandwidth bandwidth =
      BandwidthOf(collective, bytes, timing.seconds(), ranks);
  std::string text = absl::StrFormat(
      "  %7s  %6s  %6s", FitFloat(timing.seconds() * kMicrosecondsEach, 7),
      FitFloat(bandwidth.algorithm, 6), FitFloat(bandwidth.bus, 6));
  absl::StrAppend(
      &text,
      timing.wrong() < 0
          ? "    N/A"
          : absl::StrFormat("  %6g", static_cast<double>(timing.wrong())));
  if (!columns.per_iteration) return text;
  for (const double seconds :
       {timing.min_seconds(), timing.max_seconds(), timing.p99_seconds()}) {
    absl::StrAppend(&text, "  ", FitFloat(seconds * kMicrosecondsEach, 7));
  }
  return absl::StrCat(text, "  ", FitFloat(timing.variation_percent(), 7));
}

}  // namespace

std::string FitFloat(double value, int width) {
  for (const int decimals : {2, 1, 0}) {
    std::string text = absl::StrFormat("%*.*f", width, decimals, value);
    if (static_cast<int>(text.size()) <= width) return text;
  }
  return absl::StrFormat("%*.*e", width, width >= 7 ? 1 : 0, value);
}

std::string FormatConfig(const BenchSpec& spec) {
  const bool factor = spec.stepfactor() > 1;
  return absl::StrFormat(
      "# nThread 1 nGpus 1 minBytes %d maxBytes %d step: %d(%s) warmup iters: "
      "%d iters: %d agg iters: %d validation: %d graph: 0\n",
      spec.minbytes(), spec.maxbytes(),
      factor ? spec.stepfactor() : spec.stepbytes(),
      factor ? "factor" : "bytes", spec.warmup_iters(), spec.iters(),
      spec.agg_iters(), spec.check());
}

std::string FormatDevices(const std::vector<RankDevice>& devices) {
  std::string text = "# Using devices\n";
  for (const RankDevice& device : devices) {
    absl::StrAppendFormat(
        &text, "#  Rank %2d Group %2d Pid %6d on %10s device %2d [%s] %s\n",
        device.rank, 0, device.pid, device.hostname, device.device,
        device.place, device.name);
  }
  return text;
}

std::string FormatHeader(const TableColumns& columns) {
  const char* const halves =
      columns.per_iteration
          ? "              out-of-place (+ per-iteration)                    "
            "            in-place (+ per-iteration)"
          : "           out-of-place                       in-place          ";
  return absl::StrCat(
      "#\n", HeaderStart("", "", "", "", ""), halves, "\n",
      HeaderLine(HeaderStart("size", "count", "type", "redop", "root"),
                 HeaderHalf(columns, kNames), columns, "timestamp",
                 SimColumns("sim", "simbw")),
      HeaderLine(HeaderStart("(B)", "(elements)", "", "", ""),
                 HeaderHalf(columns, kUnits), columns, kTimestampFormat,
                 SimColumns("(us)", "(GB/s)")));
}

std::string FormatRow(const BenchRow& row, const std::string& collective,
                      const TableColumns& columns, const std::string& timestamp,
                      const SimPrice& sim) {
  std::string text =
      absl::StrFormat("%12d  %12d  %8s  %6s  %6d", row.bytes(), row.count(),
                      row.datatype(), row.op(), row.root());
  for (const BenchTiming* timing : {&row.out_of_place(), &row.in_place()}) {
    absl::StrAppend(&text, FormatHalf(*timing, row.bytes(), collective,
                                      row.ranks(), columns));
  }
  if (columns.timestamp) absl::StrAppendFormat(&text, "%21s", timestamp);
  if (columns.sim) absl::StrAppend(&text, FormatSim(sim));
  return text + "\n";
}

std::string FormatTotals(std::int64_t wrong, double average_bandwidth,
                         double smallest_bandwidth) {
  const char* verdict = "";
  if (smallest_bandwidth >= 0) {
    verdict = average_bandwidth < 0.9 * smallest_bandwidth ? "FAILED" : "OK";
  }
  return absl::StrFormat(
      "# Out of bounds values : %d %s\n"
      "# Avg bus bandwidth    : %g %s\n"
      "#\n",
      wrong, wrong == 0 ? "OK" : "FAILED", average_bandwidth, verdict);
}

}  // namespace podsim
