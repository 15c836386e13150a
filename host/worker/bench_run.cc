#include "host/worker/bench_run.h"

#include <sys/resource.h>

#include <algorithm>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/worker/bench_buffers.h"
#include "host/worker/bench_plans.h"
#include "host/worker/bench_timing.h"
#include "host/worker/collective_driver.h"

namespace podsim {
namespace {

// How much later than the others one host enters a verified barrier.
constexpr absl::Duration kLate = absl::Milliseconds(2);
constexpr absl::Duration kPollWait = absl::Milliseconds(100);

std::int64_t PeakBytes() {
  rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
  return std::int64_t{usage.ru_maxrss} * 1024;  // Linux counts in KiB
}

double UnixSeconds(absl::Time time) {
  return absl::ToDoubleSeconds(time - absl::UnixEpoch());
}

// A case on the local hosts: by host, then by collective of an iteration.
using Slots = std::vector<std::vector<BenchBuffers>>;

// A barrier of all hosts of the pod; its frames carry one element.
struct HostBarrier {
  BenchPlans plans;
  std::vector<float> tokens;  // per local host

  CollectiveStart StartOf(int local) {
    return {plans.of_host[local], std::span(&tokens[local], 1)};
  }
};

struct Row {
  std::int64_t number = 0;
  BenchCase one;
  std::string label;
  absl::Time deadline;
  BenchPlans plans;
  ValueBlock reduced;  // of a whole buffer, if anything is
};

// Iterations of a case in one placement, and when each local host began and
// ended them. With a barrier after each, every second round is one.
class Iterations final : public CollectiveRounds {
 public:
  Iterations(const Row& row, Placement placement, Slots& slots,
             HostBarrier* barrier, const Clock& clock)
      : row_(row),
        placement_(placement),
        slots_(slots),
        barrier_(barrier),
        clock_(clock),
        began_(slots.size()),
        ended_(slots.size()) {}

  int RoundsFor(std::int64_t iterations) const {
    return static_cast<int>(iterations * (barrier_ != nullptr ? 2 : 1));
  }

  void Begin(int local, int round,
             std::vector<CollectiveStart>& starts) override {
    if (round == 0) began_[local] = clock_.Now();
    if (IsBarrier(round)) {
      starts.push_back(barrier_->StartOf(local));
      return;
    }
    if (local == 0) entered_ = clock_.Now();
    for (BenchBuffers& buffers : slots_[local]) {
      buffers.Before(placement_);
      starts.push_back({row_.plans.of_host[local], buffers.travelling()});
    }
  }

  void End(int local, int round) override {
    if (!IsBarrier(round)) {
      for (BenchBuffers& buffers : slots_[local]) buffers.After();
    }
    ended_[local] = clock_.Now();
    if (local == 0 && !IsBarrier(round)) {
      first_host_.push_back(absl::ToDoubleSeconds(ended_[0] - entered_));
    }
  }

  double SecondsOf(int local) const {
    return absl::ToDoubleSeconds(ended_[local] - began_[local]);
  }
  absl::Time began(int local) const { return began_[local]; }
  absl::Time ended(int local) const { return ended_[local]; }
  // Of the first local host.
  const std::vector<double>& iterations() const { return first_host_; }

 private:
  bool IsBarrier(int round) const {
    return barrier_ != nullptr && round % 2 == 1;
  }

  const Row& row_;
  const Placement placement_;
  Slots& slots_;
  HostBarrier* const barrier_;  // nullptr: none
  const Clock& clock_;
  std::vector<absl::Time> began_;
  std::vector<absl::Time> ended_;
  absl::Time entered_;
  std::vector<double> first_host_;
};

// One barrier of all hosts.
class Barrier final : public CollectiveRounds {
 public:
  explicit Barrier(HostBarrier& barrier) : barrier_(barrier) {}
  void Begin(int local, int /*round*/,
             std::vector<CollectiveStart>& starts) override {
    starts.push_back(barrier_.StartOf(local));
  }
  void End(int /*local*/, int /*round*/) override {}

 private:
  HostBarrier& barrier_;
};

}  // namespace

struct BenchRun::Impl {
  explicit Impl(BenchSetup given)
      : setup(std::move(given)),
        spec(setup.plan.bench()),
        hosts(setup.transport->local_hosts()),
        driver(*setup.transport, *setup.clock, *setup.progress,
               {.hosts = setup.plan.bits().hosts(),
                .generation = setup.generation,
                .stall_limit = setup.stall_limit}) {
    const PlanBits& bits = setup.plan.bits();
    shape.hosts = bits.hosts();
    shape.cores = spec.ranks() == "cores";
    shape.ranks_per_host = shape.cores ? bits.cores_per_host() : 1;
  }

  BenchShape ShapeOf(const BenchCase& one) const;
  absl::Status RunRow(std::int64_t number, const BenchCase& one);
  absl::StatusOr<Row> PrepareRow(std::int64_t number, const BenchCase& one);
  absl::Status Measure(const Row& row, Placement placement,
                       std::vector<BenchReport>& reports);
  absl::Status Verify(const Row& row, Placement placement,
                      std::vector<BenchReport>& reports);
  absl::Status WaitForLateHosts(const Row& row, int late);
  absl::Status RunBarrier(const Row& row);
  static BenchTiming& TimingOf(Placement placement, BenchReport& report);

  BenchSetup setup;
  const BenchSpec& spec;
  const std::vector<int> hosts;  // local
  BenchShape shape;
  HostBarrier barrier;
  int barriers_verified = 0;
  Slots slots;
  CollectiveDriver driver;  // behind the buffers: it may still send from them
  std::jthread lingering;   // last: polls until the end
};

BenchTiming& BenchRun::Impl::TimingOf(Placement placement,
                                      BenchReport& report) {
  return placement == Placement::kInPlace ? *report.mutable_in_place()
                                          : *report.mutable_out_of_place();
}

// Only float travels as something else.
BenchShape BenchRun::Impl::ShapeOf(const BenchCase& one) const {
  BenchShape of_case = shape;
  of_case.wire = one.type == ElementType::kFloat32 &&
                         spec.wire_dtype() == NameOf(ElementType::kBfloat16)
                     ? ElementType::kBfloat16
                     : one.type;
  return of_case;
}

absl::StatusOr<Row> BenchRun::Impl::PrepareRow(std::int64_t number,
                                               const BenchCase& one) {
  Row row = {.number = number,
             .one = one,
             .label = absl::StrCat("row ", number),
             .deadline = absl::InfiniteFuture()};
  if (spec.timeout() > 0) {
    row.deadline = setup.clock->Now() + absl::Seconds(spec.timeout());
  }
  const BenchShape of_case = ShapeOf(one);
  PODSIM_ASSIGN_OR_RETURN(row.plans,
                          PlanCase(setup.plan.bits(), one, of_case, hosts));
  if (Reduces(one.collective) && spec.check() > 0) {
    row.reduced = ReducedBlock(ValuesOf(one, of_case), 0, one.elements);
  }
  slots.clear();
  for (const int host : hosts) {
    std::vector<BenchBuffers>& of_host = slots.emplace_back();
    for (std::int64_t slot = 0; slot < spec.agg_iters(); ++slot) {
      of_host.emplace_back(one, of_case, host);
    }
  }
  return row;
}

absl::Status BenchRun::Impl::RunBarrier(const Row& row) {
  Barrier one(barrier);
  return driver.Run(1, row.label, row.deadline, one);
}

// Lets all enter a barrier but one host, which comes late.
absl::Status BenchRun::Impl::WaitForLateHosts(const Row& row, int late) {
  PODSIM_RETURN_IF_ERROR(RunBarrier(row));
  if (std::find(hosts.begin(), hosts.end(), late) == hosts.end()) {
    return absl::OkStatus();
  }
  const absl::Time until = setup.clock->Now() + kLate;
  while (setup.clock->Now() < until) {
    setup.transport->Poll(until - setup.clock->Now());
  }
  return absl::OkStatus();
}

// Runs once on fresh inputs and counts what is wrong; a barrier's times go into
// the report for the coordinator, which knows all of them.
absl::Status BenchRun::Impl::Verify(const Row& row, Placement placement,
                                    std::vector<BenchReport>& reports) {
  const bool is_barrier = row.one.collective == Collective::kBarrier;
  for (std::int64_t run = 0; run < spec.check(); ++run) {
    for (auto& of_host : slots)
      for (BenchBuffers& buffers : of_host) {
        buffers.Fill(placement);
        setup.progress->Count(1);
      }
    if (is_barrier) {
      PODSIM_RETURN_IF_ERROR(
          WaitForLateHosts(row, barriers_verified++ % shape.hosts));
    }
    Iterations once(row, placement, slots, nullptr, *setup.clock);
    PODSIM_RETURN_IF_ERROR(driver.Run(1, row.label, row.deadline, once));
    for (std::size_t local = 0; local < slots.size(); ++local) {
      BenchTiming& timing = TimingOf(placement, reports[local]);
      if (is_barrier) {
        timing.add_entered(UnixSeconds(once.began(static_cast<int>(local))));
        timing.add_left(UnixSeconds(once.ended(static_cast<int>(local))));
      }
      for (const BenchBuffers& buffers : slots[local]) {
        timing.set_wrong(timing.wrong() +
                         buffers.CountWrong(placement, row.reduced));
        setup.progress->Count(1);
      }
    }
  }
  return absl::OkStatus();
}

absl::Status BenchRun::Impl::Measure(const Row& row, Placement placement,
                                     std::vector<BenchReport>& reports) {
  PODSIM_RETURN_IF_ERROR(Verify(row, placement, reports));
  // Memory that was never written is not what a buffer in use is.
  if (spec.check() == 0) {
    for (auto& of_host : slots)
      for (BenchBuffers& buffers : of_host) buffers.Fill(placement);
  }
  Iterations warm_up(row, placement, slots, nullptr, *setup.clock);
  PODSIM_RETURN_IF_ERROR(driver.Run(warm_up.RoundsFor(spec.warmup_iters()),
                                    row.label, row.deadline, warm_up));
  PODSIM_RETURN_IF_ERROR(RunBarrier(row));
  Iterations timed(row, placement, slots,
                   spec.blocking() != 0 ? &barrier : nullptr, *setup.clock);
  PODSIM_RETURN_IF_ERROR(driver.Run(timed.RoundsFor(spec.iters()), row.label,
                                    row.deadline, timed));
  // Nobody turns to other things while somebody's time still runs: the last
  // frames leave only if their sender polls.
  PODSIM_RETURN_IF_ERROR(RunBarrier(row));
  const auto at_once = static_cast<double>(spec.agg_iters());
  for (std::size_t local = 0; local < slots.size(); ++local) {
    BenchTiming& timing = TimingOf(placement, reports[local]);
    timing.set_seconds(timed.SecondsOf(static_cast<int>(local)) / at_once /
                       static_cast<double>(spec.iters()));
    if (hosts[local] != 0) continue;
    std::vector<double> seconds = timed.iterations();
    for (double& iteration : seconds) iteration /= at_once;
    FillSpread(std::move(seconds), spec.per_iter_skip(), spec.per_iter_timing(),
               timing);
  }
  return Verify(row, placement, reports);
}

absl::Status BenchRun::Impl::RunRow(std::int64_t number, const BenchCase& one) {
  PODSIM_ASSIGN_OR_RETURN(const Row row, PrepareRow(number, one));
  setup.progress->Enter(
      number + 1, absl::StrCat("waiting in ", spec.collective(), " of ",
                               one.bytes, " bytes, ", row.plans.algorithm));
  std::vector<BenchReport> reports(hosts.size());
  for (std::size_t local = 0; local < hosts.size(); ++local) {
    reports[local].set_host(hosts[local]);
    reports[local].set_row(number);
    reports[local].set_algorithm(row.plans.algorithm);
    if (spec.check() > 0) continue;
    reports[local].mutable_out_of_place()->set_wrong(-1);
    reports[local].mutable_in_place()->set_wrong(-1);
  }
  PODSIM_RETURN_IF_ERROR(Measure(row, Placement::kOutOfPlace, reports));
  PODSIM_RETURN_IF_ERROR(Measure(row, Placement::kInPlace, reports));
  for (BenchReport& report : reports) {
    report.set_peak_bytes(PeakBytes());
    setup.reports->OnBench(report);
  }
  return absl::OkStatus();
}

BenchRun::BenchRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

BenchRun::~BenchRun() {
  impl_->lingering.request_stop();
  impl_->setup.transport->Wake();
}

absl::StatusOr<std::unique_ptr<BenchRun>> BenchRun::Create(BenchSetup setup) {
  if (!setup.plan.has_bench()) {
    return absl::InvalidArgumentError("the plan has no benchmark to run");
  }
  auto impl = std::make_unique<Impl>(std::move(setup));
  PODSIM_ASSIGN_OR_RETURN(impl->barrier.plans,
                          PlanBarrier(impl->setup.plan.bits(), impl->hosts));
  impl->barrier.tokens.assign(impl->hosts.size(), 0);
  return std::unique_ptr<BenchRun>(new BenchRun(std::move(impl)));
}

absl::Status BenchRun::Run() {
  const std::vector<BenchCase> cases =
      BenchCases(impl_->spec, BenchRanks(impl_->setup.plan));
  const auto per_cycle = static_cast<std::int64_t>(cases.size());
  const std::int64_t rows = impl_->spec.run_cycles() * per_cycle;
  for (std::int64_t row = 0; rows == 0 || row < rows; ++row) {
    PODSIM_RETURN_IF_ERROR(
        impl_->RunRow(row, cases[static_cast<std::size_t>(row % per_cycle)]));
  }
  impl_->setup.progress->Enter(rows, "finished");
  impl_->lingering =
      std::jthread([&impl = *impl_](const std::stop_token& stop) {
        while (!stop.stop_requested()) impl.setup.transport->Poll(kPollWait);
      });
  return absl::OkStatus();
}

void BenchRun::Abort(const absl::Status& why) { impl_->driver.Abort(why); }

Waiting BenchRun::waiting() const { return impl_->driver.waiting(); }

}  // namespace podsim
