#include "host/train/reducer.h"

#include <chrono>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "base/status.h"
#include "interconnect/collectives/algorithms.h"
#include "job/lines.h"

namespace podsim {
namespace {

constexpr absl::Duration kPollWait = absl::Milliseconds(100);
constexpr std::chrono::milliseconds kWaitSlice(100);

}  // namespace

Reducer::Reducer(Transport& transport, const Clock& clock, const JobPlan& plan,
                 Progress& progress, Options options)
    : transport_(transport),
      clock_(clock),
      progress_(progress),
      options_(std::move(options)) {
  const PlanBits& bits = plan.bits();
  std::vector<int> hosts(bits.hosts());
  std::iota(hosts.begin(), hosts.end(), 0);
  for (const int host : transport.local_hosts())
    executors_.push_back(std::make_unique<Executor>(
        transport, clock,
        Executor::Options{.host = host,
                          .generation = options_.generation,
                          .hosts = hosts,
                          .memory = options_.memory,
                          .tracer = options_.tracer}));
  const absl::Status planned = PlanBuckets(plan);
  {
    MutexLock lock(mutex_);
    const int collectives = bits.buckets_size() + bits.exchanges_size();
    running_.assign(collectives, 0);
    reduced_.assign(collectives, clock.Now());
    awaited_.assign(collectives, -1);
    failure_ = planned;
  }
  thread_ = std::jthread([this](const std::stop_token& stop) { Loop(stop); });
}

absl::Status Reducer::PlanBuckets(const JobPlan& plan) {
  const PlanBits& bits = plan.bits();
  const ElementType wire = bits.wire_dtype() == "bfloat16"
                               ? ElementType::kBfloat16
                               : ElementType::kFloat32;
  for (const Bucket& bucket : bits.buckets()) {
    auto& of_hosts = rank_plans_.emplace_back();
    PODSIM_ASSIGN_OR_RETURN(const PlanRequest request,
                            AllReduceOf(plan, bucket));
    for (const int host : transport_.local_hosts()) {
      PODSIM_ASSIGN_OR_RETURN(RankPlan rank_plan, MakeRankPlan(request, host));
      of_hosts.push_back(
          std::make_shared<const RankPlan>(std::move(rank_plan)));
    }
    labels_.push_back(absl::StrCat("bucket ", labels_.size(), ", ",
                                   absl::StrJoin(bucket.variables(), "+")));
    rules_.push_back({.wire = wire});
  }
  for (const Exchange& exchange : bits.exchanges()) {
    auto& of_hosts = rank_plans_.emplace_back();
    for (const int host : transport_.local_hosts()) {
      PODSIM_ASSIGN_OR_RETURN(RankPlan rank_plan,
                              ExchangePlan(plan, exchange, host));
      of_hosts.push_back(
          std::make_shared<const RankPlan>(std::move(rank_plan)));
    }
    labels_.push_back(exchange.name());
    const auto op = ReductionOpNamed(exchange.reduce());
    if (!op)
      return absl::InvalidArgumentError(
          absl::StrCat("the plan reduces ", exchange.name(), " by '",
                       PrintableLine(exchange.reduce()),
                       "'; there are sum, prod, min and max"));
    rules_.push_back({.op = *op, .lane = Lane::kExpress});
  }
  return absl::OkStatus();
}

Reducer::~Reducer() {
  thread_.request_stop();
  transport_.Wake();
}

void Reducer::Start(int local, int bucket, std::uint64_t sequence,
                    std::span<float> gradients) {
  {
    MutexLock lock(mutex_);
    // Wait tells; and in a world of one there is nothing to do.
    reduced_[bucket] = clock_.Now();
    if (!failure_.ok() || rank_plans_[bucket][local]->ops.empty()) return;
    ++running_[bucket];
  }
  Post([this, local, bucket, sequence, gradients] {
    CollectiveBuffer buffer(gradients);
    buffer.wire = rules_[bucket].wire;
    buffer.op = rules_[bucket].op;
    buffer.lane = rules_[bucket].lane;
    const absl::Status started = executors_[local]->Start(
        sequence, rank_plans_[bucket][local], buffer, labels_[bucket],
        [this, local, bucket](const absl::Status& status) {
          OnDone(local, bucket, status);
        });
    if (!started.ok()) OnDone(local, bucket, started);
  });
}

void Reducer::OnDone(int local, int bucket, const absl::Status& status) {
  const absl::Time now = clock_.Now();
  const int awaited = executors_[local]->awaited();
  MutexLock lock(mutex_);
  awaited_[bucket] = awaited;
  --running_[bucket];
  reduced_[bucket] = now;
  if (failure_.ok()) failure_ = status;
  changed_.NotifyAll();
}

absl::StatusOr<absl::Time> Reducer::Wait(int bucket) {
  std::uint64_t seen = progress_.snapshot().count;
  absl::Time moved = clock_.Now();
  MutexLock lock(mutex_);
  while (failure_.ok() && running_[bucket] > 0) {
    changed_.WaitFor(mutex_, kWaitSlice);
    const std::uint64_t now = progress_.snapshot().count;
    if (now != seen) moved = clock_.Now();
    seen = now;
    if (clock_.Now() - moved <= options_.stall_limit) continue;
    failure_ = absl::DeadlineExceededError(absl::StrCat(
        "no frame moved for ", absl::FormatDuration(options_.stall_limit),
        "; waiting for ", waiting_.what));
  }
  PODSIM_RETURN_IF_ERROR(failure_);
  return reduced_[bucket];
}

int Reducer::awaited(int bucket) const {
  MutexLock lock(mutex_);
  return awaited_[bucket];
}

void Reducer::Abort(const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    if (failure_.ok()) failure_ = why;
    changed_.NotifyAll();
  }
  Post([this, why] {
    for (auto& executor : executors_) executor->Abort(why);
  });
}

Waiting Reducer::waiting() const {
  MutexLock lock(mutex_);
  return waiting_;
}

void Reducer::Post(Command command) {
  {
    MutexLock lock(mutex_);
    commands_.push_back(std::move(command));
  }
  transport_.Wake();
}

void Reducer::RunCommands() {
  std::vector<Command> commands;
  {
    MutexLock lock(mutex_);
    commands.swap(commands_);
  }
  for (const Command& command : commands) command();
}

void Reducer::PublishWaiting() {
  std::uint64_t frames = 0;
  for (const auto& executor : executors_) frames += executor->progress();
  progress_.Count(frames - std::exchange(counted_, frames));
  Waiting waiting;
  for (const auto& executor : executors_) {
    if (executor->idle()) continue;
    waiting = executor->waiting();
    if (waiting.host >= 0) break;
  }
  progress_.SetWaiting(waiting);
  MutexLock lock(mutex_);
  waiting_ = std::move(waiting);
}

void Reducer::Loop(const std::stop_token& stop) {
  absl::Time published = clock_.Now();
  while (!stop.stop_requested()) {
    RunCommands();
    const int events = transport_.Poll(kPollWait);
    const absl::Time now = clock_.Now();
    // Naming what is waited for costs strings: only when little happens.
    if (events > 0 && now - published < kPollWait) continue;
    PublishWaiting();
    published = now;
  }
  executors_.clear();
}

}  // namespace podsim
