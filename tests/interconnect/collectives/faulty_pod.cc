// Executors and a spoiled wire per process, on one thread, and a clock that
// moves on when nothing else does.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "base/clock.h"
#include "interconnect/collectives/executor.h"
#include "interconnect/transport/faults/shaped_links.h"
#include "interconnect/transport/in_process.h"
#include "tests/interconnect/collectives/fault_schedule.h"
#include "tests/interconnect/collectives/requests.h"
#include "tests/interconnect/transport/faults/wire.h"

namespace podsim::testing {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(1);
// A ring of 6 takes 10 steps of at most kMostDelay and a tick or two; a failure
// may be noticed by one host after the other. Together a fraction of a second.
constexpr absl::Duration kEndOfTime = absl::Seconds(10);
// Rounds of polls in which something happens, without the clock moving: a few
// for each of at most a few thousand frames.
constexpr int kMostRounds = 100'000;

// What a process has of the network.
struct Line {
  Line(std::unique_ptr<Transport> transport, LinkShape& shape,
       const Clock& clock)
      : inner(std::move(transport)), links(*inner, shape, clock), wire(links) {}

  const std::unique_ptr<Transport> inner;
  ShapedLinks links;
  WireTransport wire;
};

class FaultyPod {
 public:
  explicit FaultyPod(const FaultSchedule& schedule);
  FaultRun Run();

 private:
  void DrawBuffers();
  void Join(const std::vector<int>& hosts);
  void Start(int host, std::uint64_t collective);
  bool PollUntilQuiet();
  void RunToTheEnd();
  void DeliverWhatIsLate();
  void SpreadTheNews();
  void Leave(std::size_t process);
  void Stall();
  bool AllEnded() const;
  std::uint64_t Progress() const;

  const FaultSchedule& schedule_;
  const int world_;
  std::mt19937_64 random_;
  FaultRun run_;
  std::vector<std::shared_ptr<const RankPlan>> plans_;
  SimClock clock_;
  const absl::Time begin_ = clock_.Now();
  RandomFaults faults_;
  InProcessNetwork network_;
  std::vector<std::unique_ptr<Line>> lines_;          // by process
  std::vector<std::unique_ptr<Executor>> executors_;  // by host
  std::set<std::size_t> gone_;                        // processes
};

FaultyPod::FaultyPod(const FaultSchedule& schedule)
    : schedule_(schedule),
      world_(schedule.world()),
      random_(schedule.seed),
      faults_(schedule.faults, clock_),
      executors_(world_) {
  faults_.SetObserver(
      [this](const FrameHeader& header, const FrameFault& fault) {
        run_.frames.push_back({header, fault});
      });
  for (RankPlan& plan : AllPlans(schedule_.request)) {
    plans_.push_back(std::make_shared<const RankPlan>(std::move(plan)));
  }
  DrawBuffers();
  for (const auto& hosts : schedule_.processes) Join(hosts);
}

// Whole numbers of -3..3: the sums of six are values of every type.
void FaultyPod::DrawBuffers() {
  const auto elements = static_cast<std::size_t>(schedule_.request.elements);
  run_.ends.resize(schedule_.collectives);
  for (auto& hosts : run_.ends) {
    std::vector<double> sum(elements);
    for (int host = 0; host < world_; ++host) {
      std::vector<double> values(elements);
      for (std::size_t i = 0; i < elements; ++i) {
        values[i] = static_cast<double>(random_() % 7) - 3;
        sum[i] += values[i];
      }
      hosts.push_back({.buffer = Encode(schedule_.rules.type, values)});
    }
    run_.sums.push_back(Encode(schedule_.rules.type, sum));
  }
}

void FaultyPod::Join(const std::vector<int>& hosts) {
  lines_.push_back(
      std::make_unique<Line>(network_.Join(hosts), faults_, clock_));
  std::vector<int> all(world_);
  std::iota(all.begin(), all.end(), 0);
  for (const int host : hosts) {
    executors_[host] = std::make_unique<Executor>(
        lines_.back()->wire, clock_,
        Executor::Options{.host = host, .hosts = all});
  }
}

void FaultyPod::Start(int host, std::uint64_t collective) {
  FaultEnd& end = run_.ends[collective][host];
  const ElementRules& rules = schedule_.rules;
  CollectiveBuffer buffer(end.buffer, rules.type, rules.op);
  buffer.wire = rules.wire;
  const absl::Status started =
      executors_[host]->Start(collective, plans_[host], buffer, "bucket",
                              [&end](const absl::Status& status) {
                                ++end.told;
                                end.status = status;
                              });
  // Refused, because it has failed already.
  if (!started.ok()) end = {1, started, std::move(end.buffer)};
}

FaultRun FaultyPod::Run() {
  for (int host = 0; host < world_; ++host) {
    for (int i = 0; i < schedule_.collectives; ++i) {
      Start(host, i);
      for (auto polls = random_() % 3; polls > 0; --polls) {
        for (const auto& line : lines_) line->wire.Poll(absl::ZeroDuration());
      }
    }
  }
  RunToTheEnd();
  run_.cut = !faults_.CutsInForce().empty();
  DeliverWhatIsLate();
  for (const auto& executor : executors_) {
    // A failure comes before the complaint that there is no plan.
    const absl::Status status =
        executor->Start(~std::uint64_t{0}, nullptr, std::span<float>(), "", {});
    run_.latched.push_back(absl::IsInvalidArgument(status) ? absl::OkStatus()
                                                           : status);
  }
  return std::move(run_);
}

void FaultyPod::RunToTheEnd() {
  std::uint64_t seen = 0;
  absl::Time moved = clock_.Now();
  while (!run_.endless) {
    run_.endless = !PollUntilQuiet() || clock_.Now() > begin_ + kEndOfTime;
    SpreadTheNews();
    if (AllEnded()) return;
    if (std::exchange(seen, Progress()) != seen) moved = clock_.Now();
    if (clock_.Now() - moved > kStall) return Stall();
    clock_.Advance(kTick);
  }
}

bool FaultyPod::PollUntilQuiet() {
  for (const FrameFaults::Cut& cut : faults_.CutsInForce()) {
    if (cut.silent) continue;
    for (const auto& line : lines_) line->wire.Lose(cut.peer);
  }
  for (int round = 0; round < kMostRounds; ++round) {
    int delivered = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (gone_.contains(i)) continue;
      delivered += lines_[i]->wire.Poll(absl::ZeroDuration());
    }
    if (delivered == 0) return true;
  }
  return false;
}

// Second copies of frames that nobody waits for any more.
void FaultyPod::DeliverWhatIsLate() {
  for (absl::Duration left = 2 * kMostDelay; left > absl::ZeroDuration();
       left -= kTick) {
    run_.endless = run_.endless || !PollUntilQuiet();
    clock_.Advance(kTick);
  }
}

void FaultyPod::SpreadTheNews() {
  std::set<int> failed;
  for (const auto& hosts : run_.ends) {
    for (int host = 0; host < world_; ++host) {
      if (!hosts[host].status.ok()) failed.insert(host);
    }
  }
  if (failed.empty()) return;
  switch (schedule_.aftermath) {
    case Aftermath::kAllAreAborted:
      for (const auto& executor : executors_) {
        executor->Abort(absl::CancelledError("another host has failed"));
      }
      return;
    case Aftermath::kPeersSeeItLeave:
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        for (const int host : schedule_.processes[i]) {
          if (failed.contains(host)) Leave(i);
        }
      }
      return;
    case Aftermath::kNobodyIsTold:
      return;
  }
}

void FaultyPod::Leave(std::size_t process) {
  if (!gone_.insert(process).second) return;
  for (const int host : schedule_.processes[process]) {
    executors_[host]->Abort(absl::CancelledError("its process ends"));
    faults_.CutOff(host);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (i != process) lines_[i]->wire.Lose(host);
    }
  }
}

void FaultyPod::Stall() {
  run_.stalled = true;
  for (const auto& executor : executors_) {
    run_.waiting.push_back(executor->waiting());
  }
  for (const auto& executor : executors_) {
    executor->Abort(absl::DeadlineExceededError("nothing moves"));
  }
}

bool FaultyPod::AllEnded() const {
  for (const auto& hosts : run_.ends) {
    for (const FaultEnd& end : hosts) {
      if (end.told == 0) return false;
    }
  }
  return true;
}

std::uint64_t FaultyPod::Progress() const {
  std::uint64_t progress = 0;
  for (const auto& executor : executors_) progress += executor->progress();
  return progress;
}

}  // namespace

FaultRun RunSchedule(const FaultSchedule& schedule) {
  return FaultyPod(schedule).Run();
}

}  // namespace podsim::testing
