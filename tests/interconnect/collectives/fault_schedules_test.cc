// 10,000 random schedules of faults in virtual time. Every one of them ends, on
// every host either with the right sum or with an error, and every error has a
// cause among the faults. A failure prints the seed and all that it drew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/interconnect/collectives/fault_schedule.h"

namespace podsim::testing {
namespace {

constexpr std::uint64_t kSchedules = 10'000;
// Of every outcome at least so many are seen, or the set is not what it claims
// to be.
constexpr int kLeastOfEach = 20;

// What was seen, by name: how many schedules.
using Tally = std::map<std::string, int>;

// One schedule and its run, and what must hold of them.
class Judge {
 public:
  Judge(const FaultSchedule& schedule, const FaultRun& run)
      : schedule_(schedule), run_(run) {}

  void JudgeAll(Tally& tally) const {
    ASSERT_FALSE(run_.endless);
    for (int i = 0; i < schedule_.collectives; ++i) {
      for (int host = 0; host < schedule_.world(); ++host) {
        JudgeEnd(i, host, tally);
      }
    }
    JudgeFrames(tally);
    JudgeStall(tally);
    if (AllSucceeded()) Count(tally, "all hosts succeed");
    if (NothingIsMissing() && !Any(&SentFrame::twice)) {
      EXPECT_TRUE(AllSucceeded()) << "an error without a fault";
      if (Any(&SentFrame::late)) Count(tally, "all succeed, frames were late");
      if (Any(&SentFrame::overtaken)) {
        Count(tally, "all succeed, frames were out of order");
      }
    }
  }

 private:
  void JudgeEnd(int collective, int host, Tally& tally) const {
    SCOPED_TRACE(absl::StrCat("collective ", collective, ", host ", host));
    const FaultEnd& end = run_.ends[collective][host];
    EXPECT_EQ(end.told, 1);
    switch (end.status.code()) {
      case absl::StatusCode::kOk:
        ASSERT_TRUE(end.buffer == run_.sums[collective]) << "a wrong sum";
        return;
      case absl::StatusCode::kDataLoss:
        EXPECT_TRUE(AnyTo(host, &SentFrame::damaged)) << end.status;
        return Count(tally, "a damaged frame is noticed");
      case absl::StatusCode::kInternal:
        EXPECT_TRUE(AnyTo(host, &SentFrame::repeated)) << end.status;
        EXPECT_TRUE(CameTwice(end.status)) << end.status;
        return Count(tally, "a frame that came twice is noticed");
      case absl::StatusCode::kUnavailable:
        EXPECT_TRUE(ToldCut() || PeersLeave()) << end.status;
        return Count(tally, ToldCut() ? "a peer that is cut off is noticed"
                                      : "a peer that has failed is noticed");
      case absl::StatusCode::kCancelled:
        EXPECT_TRUE(AnyFailure()) << end.status;
        return Count(tally, "a host ends with the others");
      case absl::StatusCode::kDeadlineExceeded:
        EXPECT_TRUE(run_.stalled) << end.status;
        return Count(tally, "a host waits for what never comes");
      default:
        ADD_FAILURE() << "an error of no known kind: " << end.status;
    }
  }

  // Whoever should have got a frame that is lost or damaged does not succeed;
  // whoever gets one twice notices, if only after the end.
  void JudgeFrames(Tally& tally) const {
    for (const SentFrame& frame : run_.frames) {
      const int to = frame.header.to;
      const FaultEnd& end = run_.ends[frame.header.key.sequence][to];
      if (frame.lost() || frame.damaged()) {
        EXPECT_FALSE(end.status.ok()) << "host " << to << " lacks a frame";
      }
      // (The second copy dies with its sender's process.)
      if (frame.twice() && !PeersLeave()) {
        EXPECT_FALSE(run_.latched[to].ok()) << "host " << to;
        if (end.status.ok() && CameTwice(run_.latched[to])) {
          Count(tally, "a frame that came twice is noticed after the end");
        }
      }
    }
  }

  // Nobody waits in vain but for a frame that is lost, or for a host that has
  // failed; and what they say that they wait for is the truth.
  void JudgeStall(Tally& tally) const {
    if (!run_.stalled) return;
    EXPECT_FALSE(NothingIsMissing() && !AnyFailure()) << "a hang";
    const bool named = std::any_of(
        run_.waiting.begin(), run_.waiting.end(), [](const Waiting& waiting) {
          return waiting.host >= 0 && waiting.since > kStall;
        });
    EXPECT_TRUE(named) << "nobody says what it waits for";
    if (run_.cut && schedule_.faults.cuts[0].silent) {
      Count(tally, "a silent cut is noticed");
    }
    if (ToldCut()) {
      const int cut_off = schedule_.faults.cuts[0].peer;
      for (int host = 0; host < schedule_.world(); ++host) {
        EXPECT_TRUE(host == cut_off || run_.waiting[host].host != cut_off)
            << "host " << host << " was told, and waits all the same";
      }
    }
    if (Any(&SentFrame::lost)) Count(tally, "a lost frame is noticed");
    JudgeWhoIsBlamed(tally);
  }

  // With one frame lost and nothing else amiss, its receiver waits for it.
  void JudgeWhoIsBlamed(Tally& tally) const {
    const auto lost = [](const SentFrame& frame) { return frame.lost(); };
    if (run_.cut || schedule_.collectives > 1 || Any(&SentFrame::damaged) ||
        Any(&SentFrame::twice) ||
        std::count_if(run_.frames.begin(), run_.frames.end(), lost) != 1) {
      return;
    }
    const FrameHeader& header =
        std::find_if(run_.frames.begin(), run_.frames.end(), lost)->header;
    EXPECT_EQ(run_.waiting[header.to].host, header.from);
    EXPECT_TRUE(absl::StartsWith(
        run_.waiting[header.to].what,
        absl::StrCat("host ", header.from, " has not sent chunk ",
                     header.key.chunk, " of all-reduce #0 (bucket)")))
        << run_.waiting[header.to].what << ", not chunk " << header.key.chunk;
    Count(tally, "the sender of the lost frame is named");
  }

  using Trait = bool (SentFrame::*)() const;
  bool Any(Trait trait) const {
    return std::any_of(run_.frames.begin(), run_.frames.end(),
                       [trait](const auto& it) { return (it.*trait)(); });
  }
  bool AnyTo(int host, Trait trait) const {
    return std::any_of(run_.frames.begin(), run_.frames.end(),
                       [host, trait](const auto& it) {
                         return it.header.to == host && (it.*trait)();
                       });
  }
  bool AllSucceeded() const {
    for (const auto& hosts : run_.ends) {
      for (const FaultEnd& end : hosts) {
        if (!end.status.ok()) return false;
      }
    }
    return true;
  }
  // A host got what it cannot take, and failed.
  bool AnyBadFrame() const {
    return AnyEnded({absl::StatusCode::kDataLoss, absl::StatusCode::kInternal});
  }
  bool AnyFailure() const {
    return AnyBadFrame() || AnyEnded({absl::StatusCode::kUnavailable});
  }
  bool AnyEnded(const std::set<absl::StatusCode>& with) const {
    for (const auto& hosts : run_.ends) {
      for (const FaultEnd& end : hosts) {
        if (with.contains(end.status.code())) return true;
      }
    }
    return false;
  }
  bool NothingIsMissing() const {
    return !run_.cut && !Any(&SentFrame::lost) && !Any(&SentFrame::damaged);
  }
  bool ToldCut() const { return run_.cut && !schedule_.faults.cuts[0].silent; }
  bool PeersLeave() const {
    return schedule_.aftermath == Aftermath::kPeersSeeItLeave && AnyBadFrame();
  }
  static bool CameTwice(const absl::Status& status) {
    return absl::StrContains(std::string(status.message()), "came twice");
  }
  // Once per schedule.
  void Count(Tally& tally, const std::string& what) const {
    if (counted_.insert(what).second) ++tally[what];
  }

  const FaultSchedule& schedule_;
  const FaultRun& run_;
  mutable std::set<std::string> counted_;
};

constexpr const char* kMustBeSeen[] = {
    "all hosts succeed",
    "all succeed, frames were late",
    "all succeed, frames were out of order",
    "a damaged frame is noticed",
    "a frame that came twice is noticed",
    "a frame that came twice is noticed after the end",
    "a lost frame is noticed",
    "the sender of the lost frame is named",
    "a peer that is cut off is noticed",
    "a silent cut is noticed",
    "a peer that has failed is noticed",
    "a host ends with the others",
    "a host waits for what never comes",
};

TEST(FaultSchedules, EndWithTheRightSumOrAnError) {
  Tally tally;
  for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
    const FaultSchedule schedule = DrawSchedule(seed);
    SCOPED_TRACE(Describe(schedule));
    const FaultRun run = RunSchedule(schedule);
    Judge(schedule, run).JudgeAll(tally);
    if (HasFailure()) return;
  }
  for (const char* what : kMustBeSeen) {
    EXPECT_GE(tally[what], kLeastOfEach) << what;
  }
  for (const auto& [what, schedules] : tally) {
    std::cout << schedules << " of " << kSchedules << ": " << what << "\n";
  }
}

}  // namespace
}  // namespace podsim::testing
