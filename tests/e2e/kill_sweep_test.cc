// Whatever is killed, and whenever: a job that saves checkpoints ends with the
// weights of one that was left alone, by a restart or by the same command
// again; on disk, and in a bucket.
//
// A few runs by default, those of a fixed seed; PODSIM_KILL_RUNS=200 makes a
// sweep, PODSIM_KILL_SEED another one, PODSIM_KILL_FIRST begins with that run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/kill_place.h"
#include "tests/e2e/kill_plan.h"
#include "tests/e2e/pod.h"
#include "tests/testing/run_count.h"

namespace podsim::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kProcesses = 4;
constexpr int kSteps = 200;
constexpr int kEvery = 10;
// A moment that does not come in this time will not come any more.
constexpr seconds kMomentLimit(60);
// How much later than its moment a kill may come.
constexpr double kMostDelaySeconds = 0.005;

milliseconds Milliseconds(double in_seconds) {
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::duration<double>(in_seconds));
}

// What the run that was left alone came to.
struct Undisturbed {
  std::string weights_hash;
  double seconds = 0;           // from the command to its end
  double seconds_to_first = 0;  // to the end of the first step
};

// A job with a model_dir of its own, run as often as it takes.
class Job {
 public:
  Job(std::unique_ptr<KillPlace> place, bool restarts)
      : place_(std::move(place)) {
    flags_ = {"--topology=v3-32",
              "--model=mlp",
              "--hidden=32",
              "--dataset=digits",
              "--batch_per_core=4",
              "--processes=" + std::to_string(kProcesses),
              "--train_steps=" + std::to_string(kSteps),
              "--reference_topology=v3-32",
              "--checkpoint_every=" + std::to_string(kEvery),
              "--keep=3",
              "--model_dir=" + place_->model_dir()};
    if (restarts) flags_.emplace_back("--max_restarts=3");
  }

  // The command, once (more).
  PodRun& Start() {
    // A killed launcher leaves its private directory behind.
    auto environment = place_->environment();
    environment.emplace_back("XDG_RUNTIME_DIR", runtime_dir_.path());
    run_ = std::make_unique<PodRun>(flags_, environment);
    begun_ = steady_clock::now();
    return *run_;
  }
  PodRun& run() { return *run_; }
  double seconds_since_start() const {
    return std::chrono::duration<double>(steady_clock::now() - begun_).count();
  }

  KillPlace& place() { return *place_; }

 private:
  std::unique_ptr<KillPlace> place_;
  TempDir runtime_dir_;
  std::vector<std::string> flags_;
  std::unique_ptr<PodRun> run_;
  steady_clock::time_point begun_;
};

// One run of the sweep: brings about the kill, then lets the job recover.
class Disturbance {
 public:
  Disturbance(const Kill& kill, const Undisturbed& undisturbed,
              std::unique_ptr<KillPlace> place)
      : kill_(kill),
        undisturbed_(undisturbed),
        job_(std::move(place), kill.restart) {}

  // False: the job had ended before its moment came, and nobody was killed.
  bool Strike() {
    job_.Start();
    if (kill_.moment != Moment::kRestore) return Reach() && KillVictim({});
    // Somebody must have died before there is anything to restore.
    if (!AwaitStep(kEvery + 1 + kill_.place * kEvery)) return false;
    const std::vector<pid_t> before = job_.run().Children("pod_host");
    if (before.empty()) return false;
    kill(before[kill_.host % before.size()], SIGKILL);
    if (!kill_.restart) {
      job_.run().Wait(kDeadline);
      job_.Start();
    }
    const auto reborn = [&] { return !Reborn("pod_host", before).empty(); };
    if (!Await(reborn)) return false;
    Pause(kill_.delay * undisturbed_.seconds_to_first);
    return KillVictim(before);
  }

  // Exit code of the last command.
  int Recover() {
    int code = job_.run().Wait(kDeadline);
    // A launcher that was killed can restart nothing.
    if (code != 0 && (!kill_.restart || kill_.victim == Victim::kLauncher))
      code = job_.Start().Wait(kDeadline);
    return code;
  }

  Job& job() { return job_; }

 private:
  bool Running() { return IsAlive(job_.run().process().pid()); }
  // Until `holds`; false: the command has ended before.
  bool Await(const std::function<bool()>& holds) {
    bool held = false;
    Eventually([&] { return (held = holds()) || !Running(); }, kMomentLimit);
    return held;
  }
  void Pause(double in_seconds) {
    Eventually([&] { return !Running(); }, Milliseconds(in_seconds));
  }
  bool AwaitStep(double step) {
    return Await([&] { return job_.run().Events("step").size() >= step; });
  }

  bool Reach() {
    const double later = kill_.delay * kMostDelaySeconds;
    switch (kill_.moment) {
      case Moment::kForming:
        Pause(kill_.place * undisturbed_.seconds_to_first);
        return true;
      case Moment::kAnyTime:
        Pause(kill_.place * undisturbed_.seconds);
        return true;
      case Moment::kStep: {
        const bool reached = AwaitStep(1 + kill_.place * (kSteps - 2));
        Pause(later);
        return reached;
      }
      case Moment::kWrite: {
        const bool reached = AwaitUnfinished();
        Pause(later);
        return reached;
      }
      case Moment::kCommit: {
        if (!AwaitUnfinished()) return false;
        const std::int64_t step = unfinished_;
        return Await([&] {
          const auto steps = job_.place().Unfinished();
          return std::find(steps.begin(), steps.end(), step) == steps.end();
        });
      }
      case Moment::kRestore:
        break;
    }
    return false;
  }

  // Of any step from a drawn one on.
  bool AwaitUnfinished() {
    const double from = kill_.place * (kSteps - 2 * kEvery);
    return Await([&] {
      for (const std::int64_t step : job_.place().Unfinished()) {
        unfinished_ = step;
        if (step >= from) return true;
      }
      return false;
    });
  }

  // Children of this name that are not among `before`, ascending.
  std::vector<pid_t> Reborn(const std::string& name,
                            const std::vector<pid_t>& before) {
    std::vector<pid_t> pids = job_.run().Children(name);
    std::erase_if(pids, [&](pid_t pid) {
      return std::find(before.begin(), before.end(), pid) != before.end();
    });
    return pids;
  }

  bool KillVictim(const std::vector<pid_t>& before) {
    if (kill_.victim == Victim::kLauncher) {
      if (!Running()) return false;
      job_.run().process().Signal(SIGKILL);
      return true;
    }
    const bool host = kill_.victim == Victim::kHost;
    std::vector<pid_t> pids;
    const bool there = Await([&] {
      pids = Reborn(host ? "pod_host" : "pod_coordinator", before);
      return pids.size() > static_cast<std::size_t>(host ? kill_.host : 0);
    });
    if (!there) return false;
    kill(pids[host ? kill_.host : 0], SIGKILL);
    return true;
  }

  const Kill kill_;
  const Undisturbed& undisturbed_;
  Job job_;
  std::int64_t unfinished_ = 0;
};

// Makes the place of each job.
using Places = std::function<std::unique_ptr<KillPlace>()>;

Undisturbed RunUndisturbed(const Places& places) {
  Job job(places(), /*restarts=*/false);
  PodRun& pod = job.Start();
  const int code = pod.Wait(kDeadline);
  const double took = job.seconds_since_start();
  EXPECT_EQ(code, 0) << pod.output();
  const nlohmann::json summary = pod.Event("summary");
  if (!summary.contains("weights_hash")) return {};
  return {.weights_hash = summary["weights_hash"],
          .seconds = took,
          .seconds_to_first = summary["seconds_to_first_step"]};
}

// How one job ended.
struct Result {
  bool struck = false;
  int code = 0;
  std::string hash;
  std::set<std::int64_t> kept;  // finished checkpoints
  std::string left;             // in model_dir, beside them
  bool clean = false;           // the next start cleared it away
  std::string output;           // of the last command
};

Result Disturb(const Kill& kill, const Undisturbed& undisturbed,
               const Places& places) {
  Disturbance disturbance(kill, undisturbed, places());
  const bool struck = disturbance.Strike();
  const int code = disturbance.Recover();
  Job& job = disturbance.job();
  Result result = {
      .struck = struck,
      .code = code,
      .hash = job.run().Event("summary").value("weights_hash", "none"),
      .output = job.run().output()};
  // A process that is killed within a system call ends with that: it may make
  // its directory after the new pod has cleared away what it found. The next
  // start does so.
  result.kept = job.place().Committed();
  result.left = job.place().LeftBehind();
  result.clean = result.left.empty() || (job.Start().Wait(kDeadline) == 0 &&
                                         job.place().LeftBehind().empty());
  return result;
}

// Counts of what the sweep has seen.
class Tally {
 public:
  void Count(const Kill& kill, bool good) {
    ++runs_;
    good_ += good;
    ++kinds_[NameOf(kill.moment)];
    ++kinds_[NameOf(kill.victim)];
    ++kinds_[kill.restart && kill.victim != Victim::kLauncher
                 ? "by a restart"
                 : "by the same command again"];
  }
  std::string Text(std::uint64_t seed) const {
    std::string text =
        std::to_string(good_) + " of " + std::to_string(runs_) +
        " runs end with the weights of the undisturbed one (seed " +
        std::to_string(seed);
    for (const auto& [kind, count] : kinds_)
      text += ", " + kind + " " + std::to_string(count);
    return text + ")";
  }

 private:
  int runs_ = 0;
  int good_ = 0;
  std::map<std::string, int> kinds_;
};

void Sweep(const Places& places, int otherwise) {
  const auto runs =
      static_cast<int>(FromEnvironment("PODSIM_KILL_RUNS", otherwise));
  const auto first = static_cast<int>(FromEnvironment("PODSIM_KILL_FIRST", 0));
  const auto seed =
      static_cast<std::uint64_t>(FromEnvironment("PODSIM_KILL_SEED", 5));
  const Undisturbed undisturbed = RunUndisturbed(places);
  ASSERT_EQ(undisturbed.weights_hash.size(), 64u);
  Tally tally;
  for (int run = first; run < first + runs; ++run) {
    Kill kill = DrawKill(seed, run, kProcesses);
    SCOPED_TRACE("PODSIM_KILL_SEED=" + std::to_string(seed) +
                 " PODSIM_KILL_FIRST=" + std::to_string(run) + ": " +
                 Describe(kill));
    // A job may have ended before its moment came: earlier, then.
    for (bool struck = false, good = true; good && !struck; kill.place /= 2) {
      const Result result = Disturb(kill, undisturbed, places);
      EXPECT_EQ(result.code, 0) << result.output;
      EXPECT_EQ(result.hash, undisturbed.weights_hash) << result.output;
      EXPECT_TRUE(result.clean) << result.left;
      // --keep, and what was proved by a step before the kill may be one more.
      EXPECT_THAT(result.kept, ::testing::IsSupersetOf({kSteps, kSteps - kEvery,
                                                        kSteps - 2 * kEvery}));
      if (runs > kMoments) {
        std::cout << "run " << run << ": " << Describe(kill) << ": "
                  << (result.struck ? "killed" : "too late") << ", exit code "
                  << result.code
                  << (result.left.empty() ? "" : ", left: " + result.left)
                  << std::endl;
      }
      good = result.code == 0 && result.hash == undisturbed.weights_hash;
      struck = result.struck;
      if (struck || !good) tally.Count(kill, good);
    }
  }
  std::cout << tally.Text(seed) << std::endl;
}

TEST(KillSweepTest, EveryRunEndsWithTheWeightsOfTheUndisturbedOne) {
  Sweep(&NewDirectoryPlace, 6);
}

TEST(KillSweepTest, InABucketToo) {
  GcsServer server;
  server.objects().MakeBucket("bucket", "EUROPE-WEST4");
  Sweep([&server] { return NewBucketPlace(&server); }, 5);
}

TEST(KillPlanTest, EveryMomentMeetsEveryVictim) {
  std::map<std::pair<Moment, Victim>, int> seen;
  std::map<int, int> hosts;
  int restarts = 0;
  for (int run = 0; run < 200; ++run) {
    const Kill kill = DrawKill(5, run, kProcesses);
    ++seen[{kill.moment, kill.victim}];
    restarts += kill.restart;
    if (kill.victim == Victim::kHost) ++hosts[kill.host];
    EXPECT_TRUE(kill.place >= 0 && kill.place < 1);
    EXPECT_TRUE(kill.delay >= 0 && kill.delay < 1);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kMoments * kVictims));
  EXPECT_EQ(hosts.size(), static_cast<std::size_t>(kProcesses));
  EXPECT_NEAR(restarts, 100, 6);
  EXPECT_EQ(Describe(DrawKill(5, 3, 4)), Describe(DrawKill(5, 3, 4)));
  EXPECT_NE(Describe(DrawKill(6, 3, 4)), Describe(DrawKill(5, 3, 4)));
}

}  // namespace
}  // namespace podsim::testing
