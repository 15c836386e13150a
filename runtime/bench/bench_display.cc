#include "runtime/bench/bench_display.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "base/units.h"
#include "runtime/bench/bandwidth.h"
#include "runtime/bench/calibration.h"
#include "runtime/bench/choices_text.h"
#include "runtime/job/format_plan.h"
#include "runtime/report/failure.h"
#include "settings/words.h"

namespace podsim {
namespace {

// What nccl-tests does not say; each line begins with '#'.
std::string AboutPod(const BenchRecord& record) {
  const JobPlan& plan = record.plan;
  const std::string how = record.external_hosts
                              ? "started elsewhere"
                              : absl::StrCat("over ", TransportText(plan));
  std::string text = absl::StrCat(
      "# pod_bench ", WordOf(plan.spec().bench().collective()), ": ",
      plan.bits().slice(), ", ", FormatCounted(plan.bits().hosts(), "host"),
      " in ", FormatCounted(plan.spec().processes(), "process"), " ", how,
      ", wall time\n");
  for (const std::string& note : plan.notes()) {
    absl::StrAppend(&text, "# note: ", note, "\n");
  }
  return text;
}

RankDevice DeviceOfHost(const ProcessInfo& process, const Slice& slice,
                        int host) {
  const Coordinate at = HostCoordinate(slice, host);
  return {.rank = host,
          .pid = process.pid(),
          .hostname = process.hostname(),
          .device = host - process.first_host(),
          .place = absl::StrCat(at.x, ",", at.y),
          .name = absl::StrCat("TPU ", slice.generation, " host (",
                               slice.chips_per_host(), " chips, ",
                               slice.cores_per_host(), " cores)")};
}

RankDevice DeviceOfCore(const ProcessInfo& process, const Slice& slice,
                        int host, int core) {
  const Coordinate at =
      ChipCoordinate(slice, host, core / slice.chip().replicas_per_chip);
  return {
      .rank = host * slice.replicas_per_host() + core,
      .pid = process.pid(),
      .hostname = process.hostname(),
      .device =
          (host - process.first_host()) * slice.replicas_per_host() + core,
      .place = absl::StrCat(at.x, ",", at.y, ",",
                            core % slice.chip().replicas_per_chip),
      .name = absl::StrCat("TPU ", slice.generation, " core of host ", host)};
}

}  // namespace

std::vector<RankDevice> DevicesOf(const PodFormed& formed, const Slice& slice) {
  const bool cores =
      formed.plan().spec().bench().ranks() == words::RankKind::cores;
  std::vector<RankDevice> devices;
  for (const ProcessInfo& process : formed.processes()) {
    const int end = process.first_host() + process.hosts();
    for (int host = process.first_host(); host < end; ++host) {
      if (!cores) devices.push_back(DeviceOfHost(process, slice, host));
      for (int core = 0; cores && core < slice.replicas_per_host(); ++core) {
        devices.push_back(DeviceOfCore(process, slice, host, core));
      }
    }
  }
  return devices;
}

double AverageBandwidth(const std::vector<BenchRow>& rows,
                        const std::string& collective) {
  double sum = 0;
  for (const BenchRow& row : rows) {
    for (const BenchTiming* timing : {&row.out_of_place(), &row.in_place()}) {
      sum +=
          BandwidthOf(collective, row.bytes(), timing->seconds(), row.ranks())
              .bus;
    }
  }
  return rows.empty() ? 0 : sum / 2 / static_cast<double>(rows.size());
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", time, absl::LocalTimeZone());
}

BenchDisplay::BenchDisplay(Options options, Console& console, Files files,
                           const Clock& clock)
    : slice_(std::move(options.slice)),
      memory_(options.memory),
      record_(std::move(options.record)),
      columns_{.per_iteration = record_.plan.spec().bench().per_iter_timing(),
               .timestamp = options.timestamps,
               .sim = !record_.sim.empty()},
      console_(console),
      files_(std::move(files)),
      clock_(clock) {}

void BenchDisplay::OnEvent(const JobEvent& event) {
  if (event.has_formed()) ShowPreamble(event.formed());
  if (event.has_bench()) ShowRow(event.bench());
}

// Parsers skip what begins with "#".
void BenchDisplay::Note(const std::string& text) { console_.Note(text, "# "); }

void BenchDisplay::ShowPreamble(const PodFormed& formed) {
  record_.plan = formed.plan();
  record_.devices = DevicesOf(formed, slice_);
  if (columns_.sim) {
    console_.Line(absl::StrCat(
        "# sim: what ", FormatCounted(slice_.replicas, slice_.replica_name()),
        " of ", slice_.name,
        " would take, each with these bytes; simbw: their bus bandwidth"));
  }
  if (files_.json.has_value()) {
    console_.Line(
        absl::StrCat("# Writing JSON output to ", files_.json->path()));
  }
  console_.Line(absl::StrCat(
      AboutPod(record_), FormatConfig(record_.plan.spec().bench()), "#\n",
      FormatDevices(record_.devices), FormatHeader(columns_)));
}

void BenchDisplay::ShowRow(const BenchRow& row) {
  if (row.algorithm() != shown_algorithm_) {
    shown_algorithm_ = row.algorithm();
    console_.Line(absl::StrCat("# algorithm ", shown_algorithm_));
  }
  for (const BenchTiming* timing : {&row.out_of_place(), &row.in_place()}) {
    record_.wrong += std::max<std::int64_t>(0, timing->wrong());
  }
  record_.rows.push_back(row);
  const SimPrice sim = SimOf(record_, row);
  NoteMissing(sim);
  console_.Line(FormatRow(row, WordOf(record_.plan.spec().bench().collective()),
                          columns_, TimeText(clock_.Now()), sim));
}

void BenchDisplay::NoteMissing(const SimPrice& sim) {
  if (sim.missing.empty() || sim.missing == shown_missing_) return;
  shown_missing_ = sim.missing;
  console_.Line(absl::StrCat("# note: no simulated time: ", sim.missing));
}

void BenchDisplay::ShowTotals() {
  std::string text = FormatTotals(record_.wrong, record_.average_bandwidth,
                                  record_.smallest_bandwidth);
  std::int64_t peak = 0;
  for (const BenchRow& row : record_.rows) {
    peak = std::max(peak, row.peak_bytes());
  }
  if (memory_) {
    absl::StrAppend(&text,
                    absl::StrFormat("# %-20s : %s\n", "Peak memory usage",
                                    absl::StrCat(FormatBytes(peak),
                                                 " (largest host "
                                                 "process)")));
  }
  console_.Line(text);
}

bool BenchDisplay::WriteFiles(const Outcome& outcome) {
  bool written = true;
  for (const absl::Status& status : {WriteJson(), WriteChoices(outcome)}) {
    if (status.ok()) continue;
    console_.Error(absl::StrCat("error: ", status.message()));
    written = false;
  }
  return written;
}

absl::Status BenchDisplay::WriteJson() {
  if (!files_.json.has_value()) return absl::OkStatus();
  return files_.json->Write(BenchJson(record_));
}

absl::Status BenchDisplay::WriteChoices(const Outcome& outcome) {
  if (!files_.choices.has_value()) return absl::OkStatus();
  NewFile& file = *files_.choices;
  if (outcome.exit_code != 0) {
    return absl::AbortedError(absl::StrCat("no choices written to ",
                                           file.path(),
                                           ": not all sizes were measured"));
  }
  const auto table = Calibrate(record_.plan.spec().bench(), record_.rows);
  if (!table.ok()) {
    return Annotate(table.status(),
                    absl::StrCat("no choices written to ", file.path()));
  }
  PODSIM_RETURN_IF_ERROR(file.Write(ChoicesText(record_, *table)));
  console_.Line(absl::StrCat("# Wrote choices to ", file.path(), ": ",
                             ChoicesSummary(*table)));
  return absl::OkStatus();
}

int BenchDisplay::Close(const Outcome& outcome) {
  record_.end_time = TimeText(clock_.Now());
  record_.average_bandwidth = AverageBandwidth(
      record_.rows, WordOf(record_.plan.spec().bench().collective()));
  if (outcome.failure.has_value()) {
    record_.errors.push_back(absl::StrCat(outcome.failure->name, ": ",
                                          outcome.failure->message.empty()
                                              ? outcome.failure->how
                                              : outcome.failure->message));
    console_.Error(FormatFailure(*outcome.failure));
  } else {
    ShowTotals();
    ShowStop(outcome, console_);
  }
  const bool written = WriteFiles(outcome);
  if (outcome.exit_code != 0) return outcome.exit_code;
  const bool fast_enough =
      record_.average_bandwidth >= 0.9 * record_.smallest_bandwidth;
  return written && record_.wrong == 0 && fast_enough ? 0 : 1;
}

}  // namespace podsim
