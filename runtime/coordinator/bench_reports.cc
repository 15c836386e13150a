#include "runtime/coordinator/bench_reports.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

using HostReports = std::map<int, BenchReport>;
using TimingOf = const BenchTiming& (BenchReport::*)() const;

double CombineSeconds(int average, const HostReports& reports,
                      TimingOf timing_of) {
  double combined = (reports.begin()->second.*timing_of)().seconds();
  if (average == 0) return combined;
  double sum = 0;
  for (const auto& [host, report] : reports) {
    const double seconds = (report.*timing_of)().seconds();
    sum += seconds;
    if (average == 2) combined = std::min(combined, seconds);
    if (average == 3) combined = std::max(combined, seconds);
  }
  return average == 1 ? sum / static_cast<double>(reports.size()) : combined;
}

// Hosts that left a barrier before the last one had entered it.
std::int64_t CountEarly(const HostReports& reports, TimingOf timing_of) {
  const int runs = (reports.begin()->second.*timing_of)().entered_size();
  std::int64_t early = 0;
  for (int run = 0; run < runs; ++run) {
    double last = 0;
    for (const auto& [host, report] : reports) {
      const BenchTiming& timing = (report.*timing_of)();
      if (run < timing.entered_size()) {
        last = std::max(last, timing.entered(run));
      }
    }
    for (const auto& [host, report] : reports) {
      const BenchTiming& timing = (report.*timing_of)();
      if (run >= timing.left_size() || timing.left(run) < last) ++early;
    }
  }
  return early;
}

}  // namespace

BenchMerger::BenchMerger(const JobPlan& plan, bool one_clock)
    : cases_(BenchCases(plan.spec().bench(), BenchRanks(plan))),
      ranks_(BenchRanks(plan)),
      average_(plan.spec().bench().average()),
      one_clock_(one_clock),
      rows_(plan.spec().bench().run_cycles() *
            static_cast<std::int64_t>(cases_.size())),
      next_row_(plan.bits().hosts(), 0) {}

Merged<BenchRow> BenchMerger::Add(const BenchReport& report) {
  const int host = report.host();
  if (report.row() != next_row_[host] || complete(host)) {
    return {.event = std::nullopt,
            .status = absl::InternalError(
                absl::StrCat("host ", host, " reported row ", report.row(),
                             " when row ", next_row_[host], " was next")),
            .host = host};
  }
  ++next_row_[host];
  HostReports& reports = pending_[report.row()];
  reports.emplace(host, report);
  if (reports.size() < next_row_.size()) return {};
  Merged<BenchRow> merged = {.event = Merge(report.row(), reports)};
  pending_.erase(report.row());
  return merged;
}

BenchRow BenchMerger::Merge(std::int64_t row,
                            const HostReports& reports) const {
  const BenchCase& one = cases_[static_cast<std::size_t>(row) % cases_.size()];
  const bool barrier = one.collective == Collective::kBarrier;
  BenchRow merged;
  merged.set_row(row);
  merged.set_algorithm(reports.begin()->second.algorithm());
  merged.set_bytes(one.bytes);
  merged.set_count(one.count);
  merged.set_datatype(barrier ? "none" : std::string(NameOf(one.type)));
  merged.set_op(std::string(NameOf(one.op)));
  merged.set_root(one.root);
  merged.set_ranks(ranks_);
  for (const auto& [host, report] : reports) {
    merged.set_peak_bytes(std::max(merged.peak_bytes(), report.peak_bytes()));
  }
  const auto fill = [&](TimingOf timing_of, BenchTiming& timing) {
    timing = (reports.begin()->second.*timing_of)();
    timing.set_seconds(CombineSeconds(average_, reports, timing_of));
    if (timing.wrong() < 0) return;  // not verified
    if (barrier) {
      timing.set_wrong(one_clock_ ? CountEarly(reports, timing_of) : -1);
      return;
    }
    std::int64_t wrong = 0;
    for (const auto& [host, report] : reports) {
      wrong += (report.*timing_of)().wrong();
    }
    timing.set_wrong(wrong);
  };
  fill(&BenchReport::out_of_place, *merged.mutable_out_of_place());
  fill(&BenchReport::in_place, *merged.mutable_in_place());
  return merged;
}

}  // namespace podsim
