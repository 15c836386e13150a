#include "host/bench/bench_run.h"

#include <sys/resource.h>

#include <algorithm>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "host/bench/bench_rounds.h"
#include "host/bench/bench_timing.h"
#include "host/bench/collective_driver.h"
#include "host/bench/rank_plans.h"
#include "host/board/thread_pool.h"
#include "job/bench_buffers.h"
#include "settings/words.h"

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

BenchTiming& TimingOf(Placement placement, BenchReport& report) {
  return placement == Placement::kInPlace ? *report.mutable_in_place()
                                          : *report.mutable_out_of_place();
}

// nullptr where the thread that polls is all that a process should use. A
// process of one host receives what it sums from others, and those have the
// other CPUs.
std::unique_ptr<ThreadPool> PoolOf(const BenchSetup& setup) {
  if (setup.threads <= 1 || setup.transport->local_hosts().size() <= 1) {
    return nullptr;
  }
  return std::make_unique<ThreadPool>(setup.threads);
}

struct Row {
  BenchCase one;
  std::string label;
  absl::Time deadline;
  RankPlans plans;
  ValueBlock reduced;  // of a whole buffer, if anything is
};

}  // namespace

struct BenchRun::Impl {
  Impl(BenchSetup given, RankPlans barrier_plans)
      : setup(std::move(given)),
        spec(setup.plan.spec().bench()),
        hosts(setup.transport->local_hosts()),
        barrier(std::move(barrier_plans)),
        pool(PoolOf(setup)),
        driver(*setup.transport, *setup.clock, *setup.progress,
               {.hosts = setup.plan.bits().hosts(),
                .generation = setup.generation,
                .stall_limit = setup.stall_limit,
                .parallel = pool.get()}) {
    const PlanBits& bits = setup.plan.bits();
    shape.hosts = bits.hosts();
    shape.cores = spec.ranks() == words::RankKind::cores;
    shape.ranks_per_host = shape.cores ? bits.cores_per_host() : 1;
  }

  BenchShape ShapeOf(const BenchCase& one) const;
  absl::StatusOr<Row> PrepareRow(std::int64_t number, const BenchCase& one);
  absl::Status RunRow(std::int64_t number, const BenchCase& one);
  absl::Status Measure(const Row& row, Placement placement,
                       std::vector<BenchReport>& reports);
  absl::Status Time(const Row& row, IterationRounds& timed);
  absl::Status Verify(const Row& row, Placement placement,
                      std::vector<BenchReport>& reports);
  absl::Status Stagger(const Row& row);
  void Fill(Placement placement);
  void CountWrong(const Row& row, Placement placement,
                  std::vector<BenchReport>& reports);
  void RecordTimes(const IterationRounds& timed, Placement placement,
                   std::vector<BenchReport>& reports) const;
  absl::Status Drive(const Row& row, int rounds, CollectiveRounds& work) {
    return driver.Run(rounds, row.label, row.deadline, work);
  }
  IterationRounds RoundsOf(const Row& row, Placement placement,
                           BarrierRounds* after_each = nullptr) {
    return {row.plans, placement, slots, after_each, *setup.clock};
  }

  BenchSetup setup;
  const BenchSpec& spec;
  const std::vector<int> hosts;  // local
  BenchShape shape;
  BarrierRounds barrier;
  int barriers_verified = 0;
  BenchSlots slots;
  std::unique_ptr<ThreadPool> pool;
  CollectiveDriver driver;  // behind the buffers: it may still send from them
  std::jthread lingering;   // last: polls until the end
};

// Only float travels as something else.
BenchShape BenchRun::Impl::ShapeOf(const BenchCase& one) const {
  BenchShape of_case = shape;
  of_case.wire = one.type == ElementType::kFloat32 &&
                         spec.wire_dtype() == words::WireType::bfloat16
                     ? ElementType::kBfloat16
                     : one.type;
  return of_case;
}

absl::StatusOr<Row> BenchRun::Impl::PrepareRow(std::int64_t number,
                                               const BenchCase& one) {
  Row row = {.one = one,
             .label = absl::StrCat("row ", number),
             .deadline = absl::InfiniteFuture()};
  if (spec.timeout() > 0) {
    row.deadline = setup.clock->Now() + absl::Seconds(spec.timeout());
  }
  const BenchShape of_case = ShapeOf(one);
  PODSIM_ASSIGN_OR_RETURN(row.plans,
                          RankPlansFor(setup.plan, one, of_case, hosts));
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

void BenchRun::Impl::Fill(Placement placement) {
  for (auto& of_host : slots)
    for (BenchBuffers& buffers : of_host) {
      buffers.Fill(placement);
      setup.progress->Count(1);
    }
}

void BenchRun::Impl::CountWrong(const Row& row, Placement placement,
                                std::vector<BenchReport>& reports) {
  for (std::size_t local = 0; local < slots.size(); ++local) {
    BenchTiming& timing = TimingOf(placement, reports[local]);
    for (const BenchBuffers& buffers : slots[local]) {
      timing.set_wrong(timing.wrong() +
                       buffers.CountWrong(placement, row.reduced));
      setup.progress->Count(1);
    }
  }
}

// Lets all enter the next barrier but one host, each in turn, which comes late:
// a barrier that does not hold then shows.
absl::Status BenchRun::Impl::Stagger(const Row& row) {
  PODSIM_RETURN_IF_ERROR(Drive(row, 1, barrier));
  const int late = barriers_verified++ % shape.hosts;
  if (std::find(hosts.begin(), hosts.end(), late) == hosts.end()) {
    return absl::OkStatus();
  }
  const absl::Time until = setup.clock->Now() + kLate;
  while (setup.clock->Now() < until) {
    setup.transport->Poll(until - setup.clock->Now());
  }
  return absl::OkStatus();
}

// Runs on fresh inputs and counts what is wrong; a barrier's times go into the
// report for the coordinator, which knows all of them.
absl::Status BenchRun::Impl::Verify(const Row& row, Placement placement,
                                    std::vector<BenchReport>& reports) {
  const bool is_barrier = row.one.collective == Collective::kBarrier;
  for (std::int64_t run = 0; run < spec.check(); ++run) {
    Fill(placement);
    if (is_barrier) PODSIM_RETURN_IF_ERROR(Stagger(row));
    IterationRounds once = RoundsOf(row, placement);
    PODSIM_RETURN_IF_ERROR(Drive(row, 1, once));
    for (std::size_t local = 0; is_barrier && local < slots.size(); ++local) {
      BenchTiming& timing = TimingOf(placement, reports[local]);
      timing.add_entered(UnixSeconds(once.began(local)));
      timing.add_left(UnixSeconds(once.ended(local)));
    }
    CountWrong(row, placement, reports);
  }
  return absl::OkStatus();
}

// The timed iterations stand between barriers: nobody turns to other things
// while somebody's time still runs, for the last frames leave only if their
// sender polls.
absl::Status BenchRun::Impl::Time(const Row& row, IterationRounds& timed) {
  PODSIM_RETURN_IF_ERROR(Drive(row, 1, barrier));
  PODSIM_RETURN_IF_ERROR(Drive(row, timed.RoundsFor(spec.iters()), timed));
  return Drive(row, 1, barrier);
}

void BenchRun::Impl::RecordTimes(const IterationRounds& timed,
                                 Placement placement,
                                 std::vector<BenchReport>& reports) const {
  const auto at_once = static_cast<double>(spec.agg_iters());
  for (std::size_t local = 0; local < slots.size(); ++local) {
    BenchTiming& timing = TimingOf(placement, reports[local]);
    timing.set_seconds(timed.SecondsOf(local) / at_once /
                       static_cast<double>(spec.iters()));
    if (hosts[local] != 0) continue;
    std::vector<double> seconds = timed.iterations();
    for (double& iteration : seconds) iteration /= at_once;
    FillSpread(std::move(seconds), spec.per_iter_skip(), spec.per_iter_timing(),
               timing);
  }
}

absl::Status BenchRun::Impl::Measure(const Row& row, Placement placement,
                                     std::vector<BenchReport>& reports) {
  PODSIM_RETURN_IF_ERROR(Verify(row, placement, reports));
  // Memory that was never written is not what a buffer in use is.
  if (spec.check() == 0) Fill(placement);
  IterationRounds warm_up = RoundsOf(row, placement);
  PODSIM_RETURN_IF_ERROR(
      Drive(row, warm_up.RoundsFor(spec.warmup_iters()), warm_up));
  IterationRounds timed =
      RoundsOf(row, placement, spec.blocking() == 1 ? &barrier : nullptr);
  PODSIM_RETURN_IF_ERROR(Time(row, timed));
  RecordTimes(timed, placement, reports);
  return Verify(row, placement, reports);
}

absl::Status BenchRun::Impl::RunRow(std::int64_t number, const BenchCase& one) {
  PODSIM_ASSIGN_OR_RETURN(const Row row, PrepareRow(number, one));
  setup.progress->Enter(
      number + 1, absl::StrCat("waiting in ", WordOf(spec.collective()), " of ",
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
  if (!setup.plan.spec().has_bench()) {
    return absl::InvalidArgumentError("the plan has no benchmark to run");
  }
  PODSIM_ASSIGN_OR_RETURN(
      RankPlans barrier,
      BarrierRankPlans(setup.plan, setup.transport->local_hosts()));
  auto impl = std::make_unique<Impl>(std::move(setup), std::move(barrier));
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
