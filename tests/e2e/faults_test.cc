// Every kind of planned fault in a real pod: it strikes, it is noticed, and the
// job ends with the weights of one that was left alone; the closing words say
// so, and add up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/e2e/pod.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Flags() {
  return {"--topology=v3-32", "--model=mlp", "--hidden=32", "--dataset=digits",
          "--batch_per_core=4", "--processes=4", "--train_steps=40",
          "--reference_topology=v3-32", "--checkpoint_every=5",
          // A frozen host and a cut line take this long to be noticed.
          "--stall_timeout=2", "--heartbeat_timeout=2",
          "--weights_check_every=1", "--audit_every=1",
          "--on_corruption=restore"};
}

struct Case {
  const char* name;
  const char* faults;
  int restarts;  // that it takes
};

class FaultsTest : public ::testing::TestWithParam<Case> {
 protected:
  // A file in the directory of the test.
  std::string Write(const std::string& text) {
    const std::string path = dir_.file("faults.txt");
    std::ofstream(path) << text;
    return path;
  }
  std::vector<std::string> With(std::vector<std::string> more) {
    std::vector<std::string> flags = Flags();
    flags.push_back("--model_dir=" + dir_.file("model"));
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }

  // The weights of a job that is left alone; the same for all.
  static const std::string& UndisturbedHash() {
    static const auto* const kHash = new std::string([] {
      const TempDir dir;
      std::vector<std::string> flags = Flags();
      flags.push_back("--model_dir=" + dir.path());
      PodRun pod(flags);
      EXPECT_EQ(pod.Wait(), 0) << pod.output();
      return pod.Event("summary").value("weights_hash", "none");
    }());
    return *kHash;
  }

  TempDir dir_;
};

TEST_P(FaultsTest, StrikesIsNoticedAndLivedThrough) {
  const std::string file = Write(GetParam().faults);
  PodRun pod(With({"--faults=" + file, "--max_restarts=3"}));
  EXPECT_EQ(pod.Wait(), 0) << pod.output();
  const nlohmann::json summary = pod.Event("summary");
  ASSERT_TRUE(summary.contains("faults")) << pod.output();
  EXPECT_EQ(summary["weights_hash"], UndisturbedHash());
  const nlohmann::json& faults = summary["faults"];
  EXPECT_EQ(faults["injected"], faults["planned"]);
  EXPECT_EQ(faults["detected"], faults["planned"]);
  EXPECT_EQ(faults["recovered"], faults["planned"]);
  EXPECT_THAT(faults["complaints"], IsEmpty()) << pod.output();
  EXPECT_EQ(pod.Events("restart").size(),
            static_cast<std::size_t>(GetParam().restarts))
      << pod.output();
  // A checkpoint every five steps bounds what a restart costs. One that is
  // being written when the pod fails does not count, the one before does.
  EXPECT_LE(faults["steps_lost"], 10 * GetParam().restarts) << pod.output();
  EXPECT_EQ(faults["steps_lost"], summary["goodput"]["steps_lost"]);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, FaultsTest,
    ::testing::Values(
        Case{"Kill", "faults { kind: KILL host: 2 step: 12 }", 1},
        Case{"KillInPhases",
             "faults { kind: KILL host: 0 step: 8 phase: 'all-reduce' }"
             "faults { kind: KILL host: 1 step: 17 phase: 'update' }"
             "faults { kind: KILL host: 3 step: 23 phase: 'checkpoint' }",
             3},
        Case{"Freeze", "faults { kind: FREEZE host: 1 step: 12 }", 1},
        Case{"Slow",
             "faults { kind: SLOW host: 3 step: 12 phase: 'compute' "
             "seconds: 0.5 }",
             0},
        Case{"Cut", "faults { kind: CUT host: 0 to: 1 step: 12 }", 1},
        Case{"Delay",
             "faults { kind: DELAY host: 0 to: 1 step: 12 seconds: 0.3 }", 0},
        Case{"Flip", "faults { kind: FLIP host: 0 to: 1 step: 12 }", 1},
        Case{"StorageFails", "faults { kind: STORAGE_FAIL host: 0 step: 12 }",
             1},
        // Each step audits one host, in turn: step 12 the last of four.
        Case{"CorruptGradient",
             "faults { kind: CORRUPT_GRADIENT host: 3 step: 12 }", 1},
        Case{"CorruptWeights",
             "faults { kind: CORRUPT_WEIGHTS host: 2 step: 12 }", 1},
        Case{"ByChance",
             "random { seed: 3 per_step: 0.05 kinds: KILL kinds: SLOW }", 2}),
    [](const auto& info) { return std::string(info.param.name); });

// The others wait in the all-reduce for a host that reads its input slowly, and
// sometimes computes slowly: its time is input, theirs is not goodput.
TEST_F(FaultsTest, AHostThatIsSlowHasAName) {
  std::string faults;
  for (const int step : {3, 5, 6, 8, 10})
    absl::StrAppend(&faults, "faults { kind: SLOW host: 2 step: ", step,
                    " phase: 'input' seconds: 0.3 }");
  for (const int step : {4, 9})
    absl::StrAppend(&faults, "faults { kind: SLOW host: 2 step: ", step,
                    " phase: 'compute' seconds: 0.3 }");
  PodRun pod({"--topology=v3-32", "--processes=4", "--train_steps=12",
              "--reference_topology=v3-32", "--verbose",
              "--faults=" + Write(faults)});
  ASSERT_EQ(pod.Wait(), 0) << pod.output();
  const nlohmann::json summary = pod.Event("summary");
  ASSERT_TRUE(summary.contains("straggler")) << pod.output();
  EXPECT_EQ(summary["straggler"]["first_host"], 2);
  EXPECT_EQ(summary["straggler"]["steps"], 12);  // the first tells it as well
  // In all seven, unless the machine stood still for another meanwhile.
  EXPECT_GE(summary["straggler"]["came_last"], 5);
  EXPECT_THAT(pod.output(), HasSubstr("slowest host        host 2 came last"));
  EXPECT_THAT(pod.output(), HasSubstr("most of it input"));
  for (const nlohmann::json& step : pod.Events("step")) {
    const auto phases = {"seconds_input", "seconds_compute", "seconds_reduce",
                         "seconds_update", "seconds_other"};
    double sum = 0;
    for (const char* phase : phases) sum += step[phase].get<double>();
    EXPECT_NEAR(sum, step["seconds"].get<double>(), 1e-9);
    EXPECT_EQ(step["waited_us"].size(), 4u);
    if (step["step"] != 6) continue;
    // With the fixed cost of a step.
    EXPECT_NEAR(step.value("simulated_seconds", 0.0), 0.305, 1e-3);
    EXPECT_GE(step["input_us"][2], 300'000);
    EXPECT_EQ(step["waited_us"][step["last_process"].get<std::size_t>()], 0);
  }
  EXPECT_GE(summary["seconds_input"], 3 * 0.3);
  EXPECT_GE(summary["goodput"]["DATA_LOADING_SYNC"], 3 * 0.3);
  EXPECT_GT(summary["goodput"]["WAITING_FOR_STRAGGLER"], 0);
  // On the pod too, all of whose 12 steps have a fixed cost of 5 ms and else
  // take well below a millisecond.
  EXPECT_NEAR(summary["simulated_seconds_input"], 5 * 0.3, 0.01);
  EXPECT_NEAR(summary["simulated_seconds_compute"], 2 * 0.3, 0.01);
  EXPECT_NEAR(summary["simulated_seconds_steps"], 7 * 0.3 + 12 * 0.005, 0.01);
  EXPECT_EQ(summary["simulated_input_verdict"], "HIGHLY input-bound");
  EXPECT_THAT(pod.output(), HasSubstr("HIGHLY input-bound sim"));
}

// By what a batch comes later than the rest of the step, as parts of a step.
// Its own way to the chip takes a hundredth of that.
TEST_F(FaultsTest, InputDelayTurnsTheVerdictOfThePod) {
  constexpr int kSteps = 12;
  const auto run = [&](double delay) {
    std::vector<std::string> flags = {"--topology=v3-32", "--model=mlp",
                                      "--reference_topology=v3-32",
                                      absl::StrCat("--train_steps=", kSteps)};
    std::string faults;
    for (int step = 1; step <= kSteps; ++step)
      absl::StrAppend(&faults, "faults { kind: SLOW host: 1 step: ", step,
                      " phase: 'input' seconds: ", delay, " }");
    if (delay > 0) flags.push_back("--faults=" + Write(faults));
    PodRun pod(flags);
    EXPECT_EQ(pod.Wait(), 0) << pod.output();
    return pod.Event("summary");
  };
  const nlohmann::json sound = run(0);
  ASSERT_TRUE(sound.contains("simulated_seconds_fixed"));
  EXPECT_EQ(sound["simulated_input_verdict"], "NOT input-bound");
  const double step = sound["simulated_step_seconds"];
  const double rest =
      step - sound["simulated_seconds_fixed"].get<double>() / kSteps;

  const nlohmann::json hidden = run(rest - 0.05 * step);
  EXPECT_EQ(hidden["simulated_input_verdict"], "NOT input-bound");
  EXPECT_EQ(hidden["simulated_seconds_steps"],
            sound["simulated_seconds_steps"]);
  // 0.1 of 1.1.
  const nlohmann::json some = run(rest + 0.1 * step);
  EXPECT_EQ(some["simulated_input_verdict"], "MODERATELY input-bound");
  EXPECT_NEAR(some["simulated_seconds_input"], 0.1 * kSteps * step,
              0.02 * kSteps * step);
  // 0.5 of 1.5.
  EXPECT_EQ(run(rest + 0.5 * step)["simulated_input_verdict"],
            "HIGHLY input-bound");
}

// A full disk is not mended by another try, but by room.
TEST_F(FaultsTest, AFullDiskIsNamedAndCostsNoCheckpoint) {
  const std::string file =
      Write("faults { kind: STORAGE_FULL host: 1 step: 12 }");
  PodRun full(With({"--faults=" + file, "--max_restarts=3"}));
  EXPECT_EQ(full.Wait(), 1) << full.output();
  EXPECT_THAT(full.output(),
              HasSubstr("the fault plan leaves no room for this write"));
  EXPECT_THAT(full.output(), HasSubstr("injected 1, detected 1, recovered 0"));
  PodRun again(With({}));
  EXPECT_EQ(again.Wait(), 0) << again.output();
  EXPECT_EQ(again.Event("summary").value("weights_hash", ""),
            UndisturbedHash());
}

TEST_F(FaultsTest, WhatDoesNotFitTheJobIsRefusedBeforeItStarts) {
  for (const char* text : {"faults { kind: KILL host: 4 step: 1 }",
                           "faults { kind: KILL step: 41 }", "fault {}"}) {
    PodRun pod(With({"--faults=" + Write(text)}));
    EXPECT_EQ(pod.Wait(), 2) << pod.output();
    EXPECT_THAT(pod.output(), HasSubstr("error: "));
  }
}

}  // namespace
}  // namespace podsim::testing
