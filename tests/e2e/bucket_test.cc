// Jobs whose data and checkpoints lie in a bucket, to a store behind a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/input/tfrecord.h"
#include "proto/third_party/tensorboard/event.pb.h"
#include "tests/e2e/pod.h"
#include "tests/testing/gcs/gcs_server.h"
#include "tests/testing/run_count.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using testing::GcsServer;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PodRun;

constexpr char kModelDir[] = "gs://bucket/runs/a";

class BucketTest : public ::testing::Test {
 protected:
  BucketTest() { server_.objects().MakeBucket("bucket", "EUROPE-WEST4"); }

  std::vector<std::pair<std::string, std::string>> Environment() const {
    return {{"STORAGE_EMULATOR_HOST", server_.endpoint()},
            {"PODSIM_GCS_CREDENTIALS", "none"}};
  }
  static std::vector<std::string> Flags(const std::string& model_dir,
                                        int steps) {
    return {"--topology=v3-32",     "--model_dir=" + model_dir,
            "--checkpoint_every=5", "--train_steps=" + std::to_string(steps),
            "--batch_per_core=8",   "--reference_topology=v3-32"};
  }
  std::string Weights(const PodRun& run) const {
    return run.Event("summary").value("weights_hash", "");
  }
  // Exit code and output of a program that only reads.
  std::pair<int, std::string> Run(const std::string& program,
                                  std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), testing::Program(program));
    testing::Subprocess process(
        {.command = arguments, .environment = Environment()});
    const int code = process.Wait(testing::kDeadline);
    return {code, process.output()};
  }

  GcsServer server_;
  testing::TempDir dir_;
};

TEST_F(BucketTest, TrainsIntoItAndGoesOnFromIt) {
  PodRun half(Flags(dir_.file("m"), 10));
  ASSERT_EQ(half.Wait(), 0) << half.output();
  PodRun whole(Flags(dir_.file("m"), 20));
  ASSERT_EQ(whole.Wait(), 0) << whole.output();

  PodRun first(Flags(kModelDir, 10), Environment());
  ASSERT_EQ(first.Wait(), 0) << first.output();
  EXPECT_THAT(server_.objects().Names("bucket"),
              AllOf(Contains("runs/a/10/commit_success.txt"),
                    Contains("runs/a/5/commit_success.txt"),
                    Not(Contains("runs/a/.podsim-lease"))));
  PodRun second(Flags(kModelDir, 20), Environment());
  ASSERT_EQ(second.Wait(), 0) << second.output();
  ASSERT_NE(Weights(whole), "");
  EXPECT_EQ(Weights(second), Weights(whole));

  const auto [listed, names] = Run("pod_ckpt", {"ls", kModelDir});
  EXPECT_EQ(listed, 0) << names;
  EXPECT_THAT(names, AllOf(HasSubstr("10"), HasSubstr("20")));
  const auto [verified, text] = Run("pod_ckpt", {"verify", kModelDir});
  EXPECT_EQ(verified, 0) << text;
  const auto [compared, difference] = Run(
      "pod_ckpt",
      {"diff", absl::StrCat(kModelDir, "/10"), absl::StrCat(kModelDir, "/10")});
  EXPECT_EQ(compared, 0) << difference;
  EXPECT_THAT(Run("pod_ckpt", {"diff", absl::StrCat(kModelDir, "/10"),
                               absl::StrCat(kModelDir, "/20")})
                  .second,
              HasSubstr("step 20"));

  // On disk again, from one of the bucket's.
  std::vector<std::string> flags = Flags(dir_.file("n"), 20);
  flags.push_back(absl::StrCat("--restore=", kModelDir, "/10"));
  PodRun restored(flags, Environment());
  ASSERT_EQ(restored.Wait(), 0) << restored.output();
  EXPECT_EQ(Weights(restored), Weights(whole));
}

TEST_F(BucketTest, OldCheckpointsThatItKeepsAreNoFailure) {
  server_.objects().RefuseDeletions();
  for (const int steps : {20, 40}) {
    std::vector<std::string> flags = Flags(kModelDir, steps);
    flags.emplace_back("--keep=1");
    PodRun run(flags, Environment());
    ASSERT_EQ(run.Wait(), 0) << run.output();
    EXPECT_EQ(run.Events("checkpoint").size(), 4u);
    EXPECT_THAT(run.Unwrapped(),
                HasSubstr(absl::StrCat(steps / 5 - 1,
                                       " old checkpoints could not be deleted: "
                                       "delete gs://bucket/runs/a/5/")));
  }
}

TEST_F(BucketTest, TakesTheMetricsFile) {
  const std::string file = "gs://bucket/runs/m.jsonl";
  std::vector<std::string> flags = Flags(dir_.file("m"), 10);
  flags.push_back("--metrics_file=" + file);
  for (int i = 0; i < 2; ++i) {
    std::vector<std::string> command = flags;
    command.insert(command.begin(), testing::Program("pod_launch"));
    testing::Subprocess launch(
        {.command = command, .environment = Environment()});
    ASSERT_EQ(launch.Wait(testing::kDeadline), 0) << launch.output();
    flags[2] = "--checkpoint_every=2";
    flags[3] = "--train_steps=20";
  }
  // One job, that went on.
  EXPECT_THAT(server_.objects().Names("bucket"),
              ::testing::ElementsAre("runs/m.jsonl"));
  const auto text = server_.objects().Bytes("bucket", "runs/m.jsonl");
  ASSERT_TRUE(text.has_value());
  std::istringstream lines(*text);
  int steps = 0;
  int summaries = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    steps += json["event"] == "step" ? 1 : 0;
    summaries += json["event"] == "summary" ? 1 : 0;
  }
  EXPECT_EQ(steps, 20);
  EXPECT_EQ(summaries, 2);
}

// The losses of a run ("wall", "sim") by step, of all objects of its event
// files; each step once.
std::map<std::int64_t, float> LossesInEvents(GcsServer& server,
                                             const std::string& run) {
  std::map<std::int64_t, float> losses;
  for (const std::string& name : server.objects().Names("bucket")) {
    if (name.find("/tensorboard/" + run + "/events.out.tfevents.") == name.npos)
      continue;
    const std::string bytes = *server.objects().Bytes("bucket", name);
    const auto size = static_cast<std::int64_t>(bytes.size());
    for (std::int64_t offset = 0; offset < size;) {
      const std::string_view rest = std::string_view(bytes).substr(offset);
      const auto at = ParseRecordHeader(rest, offset, size, name);
      if (!at.ok()) {
        ADD_FAILURE() << at.status();
        return {};
      }
      const auto record =
          CheckRecord(rest.substr(0, at->end() - offset), offset, name);
      tensorboard::Event event;
      EXPECT_TRUE(record.ok() && event.ParseFromString(std::string(*record)))
          << name << " at " << offset;
      for (const auto& value : event.summary().value()) {
        if (value.tag() != "loss") continue;
        EXPECT_TRUE(losses.emplace(event.step(), value.simple_value()).second)
            << "step " << event.step() << " again in " << name;
      }
      offset = at->end();
    }
  }
  return losses;
}

// Both runs of a job that went on; nothing is appended to.
TEST_F(BucketTest, TakesTheEventFilesOfTensorBoardAsNewObjects) {
  server_.objects().TakeAsked();
  std::map<std::int64_t, float> expected;
  for (const int steps : {10, 20}) {
    PodRun run(Flags(kModelDir, steps), Environment());
    ASSERT_EQ(run.Wait(), 0) << run.output();
    for (const auto& step : run.Events("step"))
      expected[step["step"].get<std::int64_t>()] = step["loss"].get<float>();
  }
  EXPECT_EQ(expected.size(), 20u);
  EXPECT_EQ(LossesInEvents(server_, "wall"), expected);
  EXPECT_EQ(LossesInEvents(server_, "sim"), expected);
  std::map<std::string, int> writes;
  for (const testing::Asked& asked : server_.objects().TakeAsked())
    if (asked.what == "write" &&
        asked.object.find("/tensorboard/") != std::string::npos)
      ++writes[asked.object];
  EXPECT_GE(writes.size(), 4u);
  for (const auto& [object, count] : writes) EXPECT_EQ(count, 1) << object;
}

// What writes them takes no signals.
TEST_F(BucketTest, ASignalDrainsAJobWhoseMetricsGoThere) {
  std::vector<std::string> command = Flags(dir_.file("m"), 1'000'000);
  command.insert(command.begin(), testing::Program("pod_launch"));
  command.emplace_back("--metrics_file=gs://bucket/runs/m.jsonl");
  testing::Subprocess launch(
      {.command = command, .environment = Environment()});
  const auto saved = [&] {
    return std::filesystem::exists(dir_.file("m/5/manifest.json"));
  };
  ASSERT_TRUE(testing::Eventually(saved, testing::kDeadline))
      << launch.output();
  launch.Signal(SIGTERM);
  EXPECT_EQ(launch.Wait(testing::kDeadline), 75) << launch.output();
  EXPECT_THAT(server_.objects().Bytes("bucket", "runs/m.jsonl").value_or(""),
              HasSubstr("\"event\":\"step\""));
}

// After the last step 7 checkpoints are deleted, some 10 calls each.
TEST_F(BucketTest, AFarBucketMayTakeLongerThanTheEnd) {
  std::vector<std::string> flags = Flags(kModelDir, 8);
  const std::string links = dir_.file("links");
  std::ofstream(links) << "links { from: \"same-region\" round_trip_seconds {"
                          " value: 0.05 } }\n";
  flags.insert(flags.end(),
               {"--simulate_geography", "--bucket_links=" + links, "--keep=1",
                "--zone=europe-west4-a", "--shutdown_timeout=2"});
  flags[2] = "--checkpoint_every=1";
  PodRun far(flags, Environment());
  ASSERT_EQ(far.Wait(), 0) << far.output();
  EXPECT_EQ(far.Events("checkpoint").size(), 8u);
  const auto [listed, names] = Run("pod_ckpt", {"ls", kModelDir});
  EXPECT_EQ(listed, 0) << names;
  EXPECT_THAT(server_.objects().Names("bucket"),
              AllOf(Contains("runs/a/8/commit_success.txt"),
                    Not(Contains("runs/a/7/commit_success.txt"))));
}

// Its examples come 2 s after they are asked for; a host that gets on with
// nothing else for 1 s is frozen.
TEST_F(BucketTest, WaitingForTheStoreIsNotStandingStill) {
  const std::string data = "gs://bucket/data";
  const auto [made, said] =
      Run("pod_data", {"convert", "--dataset=synthetic", "--example_shape=8",
                       "--synthetic_examples=2000", "--output=" + data});
  ASSERT_EQ(made, 0) << said;
  const std::string links = dir_.file("links");
  std::ofstream(links) << "links { from: \"same-region\" round_trip_seconds {"
                          " value: 2 } }\n";
  PodRun far({"--topology=v3-8", "--dataset=tfrecord", "--data_dir=" + data,
              "--features=features=float32[8],labels=int64", "--classes=10",
              "--batch_per_core=8", "--train_steps=5", "--hidden=16",
              "--reference_topology=v3-8", "--simulate_geography",
              "--bucket_links=" + links, "--zone=europe-west4-a",
              "--stall_timeout=1", "--max_restarts=0", "--learning_rate=0.01"},
             Environment());
  EXPECT_EQ(far.Wait(), 0) << far.output();
  EXPECT_EQ(far.Events("step").size(), 5u);
}

TEST_F(BucketTest, AJobThatIsKilledIsTakenUpByTheNext) {
  PodRun whole(Flags(dir_.file("m"), 40));
  ASSERT_EQ(whole.Wait(), 0) << whole.output();
  std::vector<std::string> flags = Flags(kModelDir, 40);
  PodRun killed(flags, Environment());
  ASSERT_TRUE(killed.WaitForEvents("checkpoint", 2)) << killed.output();
  killed.process().Signal(SIGKILL);
  killed.Wait();
  PodRun next(flags, Environment());
  ASSERT_EQ(next.Wait(), 0) << next.output();
  EXPECT_EQ(Weights(next), Weights(whole));
}

TEST_F(BucketTest, TwoJobsAreKeptApart) {
  std::vector<std::string> flags = Flags(kModelDir, 4000);
  PodRun first(flags, Environment());
  ASSERT_TRUE(first.WaitForEvents("step", 1)) << first.output();
  PodRun second(flags, Environment());
  EXPECT_EQ(second.Wait(), 1);
  EXPECT_THAT(second.Unwrapped(),
              AllOf(HasSubstr("gs://bucket/runs/a is held by pid "),
                    HasSubstr("give another directory")));
  first.process().Signal(SIGINT);
  first.Wait();
}

// Two that begin at the same moment: one trains, the other says who does.
void StartTwo(const std::string& model_dir,
              const std::vector<std::pair<std::string, std::string>>& where) {
  const std::vector<std::string> flags = {"--topology=v3-8",
                                          "--model_dir=" + model_dir,
                                          "--train_steps=100000",
                                          "--checkpoint_every=1000",
                                          "--keep=1",
                                          "--reference_topology=v3-8",
                                          "--batch_per_core=1"};
  PodRun a(flags, where);
  PodRun b(flags, where);
  // Whoever is refused ends within some looks.
  const auto ended = [&] {
    return !testing::IsAlive(a.process().pid()) ||
           !testing::IsAlive(b.process().pid());
  };
  ASSERT_TRUE(testing::Eventually(ended, testing::kDeadline));
  const bool a_lost = !testing::IsAlive(a.process().pid());
  PodRun& loser = a_lost ? a : b;
  PodRun& winner = a_lost ? b : a;
  EXPECT_EQ(loser.Wait(), 1) << loser.output();
  // Who does need not have said its name yet.
  EXPECT_THAT(loser.Unwrapped(), HasSubstr("is held by "));
  EXPECT_TRUE(loser.Events("step").empty());
  EXPECT_TRUE(winner.WaitForEvents("checkpoint", 1)) << winner.output();
  winner.process().Signal(SIGTERM);
  winner.Wait();
  EXPECT_GT(winner.Event("summary").value("steps", 0), 0) << winner.output();
}

// PODSIM_PAIR_RUNS=50 makes as many.
TEST_F(BucketTest, OfTwoThatBeginAtOnceOneTrains) {
  for (int i = 0; i < testing::FromEnvironment("PODSIM_PAIR_RUNS", 1); ++i) {
    const std::string name = std::to_string(i);
    StartTwo(dir_.file(name), {});
    StartTwo("gs://bucket/pairs/run" + name, Environment());
    if (HasFailure()) return;
  }
}

std::vector<pid_t> ProcessesOf(const PodRun& run, pid_t launcher) {
  std::vector<pid_t> pids = run.Children("pod_host");
  for (const pid_t pid : run.Children("pod_coordinator")) pids.push_back(pid);
  pids.push_back(launcher);
  return pids;
}

// Stopped for longer than its lease, and woken. PODSIM_STOP_RUNS=20 makes as
// many, of about 45 s each.
TEST_F(BucketTest, AHolderThatWasStoppedAndWakesChangesNothing) {
  for (int i = 0; i < testing::FromEnvironment("PODSIM_STOP_RUNS", 1); ++i) {
    const std::string model_dir = "gs://bucket/stops/run" + std::to_string(i);
    std::vector<std::string> flags = Flags(model_dir, 1'000'000);
    flags.emplace_back("--keep=2");
    PodRun stopped(flags, Environment());
    ASSERT_TRUE(stopped.WaitForEvents("checkpoint", 2 + i % 5))
        << stopped.output();
    const auto pids = ProcessesOf(stopped, stopped.process().pid());
    for (const pid_t pid : pids) kill(pid, SIGSTOP);
    PodRun next(flags, Environment());
    ASSERT_TRUE(next.WaitForEvents("checkpoint", 3)) << next.output();
    next.process().Signal(SIGTERM);
    next.Wait();
    const std::vector<std::string> before = server_.objects().Names("bucket");
    for (const pid_t pid : pids) kill(pid, SIGCONT);
    EXPECT_NE(stopped.Wait(), 0) << stopped.output();
    // At most files that nobody committed.
    std::vector<std::string> after = server_.objects().Names("bucket");
    for (const std::string& name : before)
      EXPECT_THAT(after, Contains(name)) << stopped.output();
    for (const std::string& name : after) {
      if (name.find("commit_success.txt") != std::string::npos &&
          std::count(name.begin(), name.end(), '/') == 3) {
        EXPECT_THAT(before, Contains(name)) << stopped.output();
      }
    }
    const auto [verified, text] = Run("pod_ckpt", {"verify", model_dir});
    EXPECT_EQ(verified, 0) << text;
    if (HasFailure()) return;
  }
}

// IDX files of a few examples, as MNIST's are.
std::string BigEndian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(number >> shift & 255);
  return bytes;
}

TEST_F(BucketTest, ReadsADataSetFromIt) {
  for (const auto& [split, count] :
       {std::pair<std::string, std::uint32_t>{"train", 600}, {"t10k", 60}}) {
    std::string images =
        BigEndian(0x803) + BigEndian(count) + BigEndian(8) + BigEndian(8);
    std::string labels = BigEndian(0x801) + BigEndian(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      for (std::uint32_t p = 0; p < 64; ++p)
        images += static_cast<char>(p % 10 == i % 10 ? 255 : 0);
      labels += static_cast<char>(i % 10);
    }
    for (const auto& [kind, bytes] : {std::pair{"-images-idx3-ubyte", images},
                                      {"-labels-idx1-ubyte", labels}}) {
      std::ofstream(dir_.file(split + kind)) << bytes;
      server_.objects().Put("bucket", "mnist/" + split + kind, bytes);
    }
  }
  const auto flags = [](const std::string& data_dir) {
    return std::vector<std::string>{
        "--topology=v3-8",           "--dataset=mnist",
        "--data_dir=" + data_dir,    "--batch_per_core=4",
        "--train_steps=20",          "--learning_rate=0.05",
        "--reference_topology=v3-8", "--hidden=16"};
  };
  PodRun disk(flags(dir_.path()));
  ASSERT_EQ(disk.Wait(), 0) << disk.output();
  PodRun bucket(flags("gs://bucket/mnist"), Environment());
  ASSERT_EQ(bucket.Wait(), 0) << bucket.output();
  EXPECT_NE(Weights(disk), "");
  EXPECT_EQ(Weights(bucket), Weights(disk));
  PodRun nowhere(flags("gs://nowhere/mnist"), Environment());
  EXPECT_EQ(nowhere.Wait(), 2);
  EXPECT_THAT(nowhere.Unwrapped(), HasSubstr("gs://nowhere/mnist"));
}

}  // namespace
}  // namespace podsim
