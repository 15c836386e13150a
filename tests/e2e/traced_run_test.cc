// pod_launch --trace as a user would: one file of all hosts and of the
// simulated steps, whose counts are the plan's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/e2e/pod.h"
#include "tests/runtime/trace/read_back.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Flags() {
  return {"--topology=v3-32",   "--reference_topology=v3-32",
          "--model=mlp",        "--train_steps=24",
          "--processes=4",      "--algo=ring",
          "--chunk_bytes=4096", "--steps_per_eval=0"};
}

std::vector<ReadSlice> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return ReadTrace({std::istreambuf_iterator<char>(file), {}});
}

struct OnLink {
  int messages = 0;
  std::int64_t bytes = 0;
  bool operator==(const OnLink&) const = default;
};

// Of a step, by link as the trace names it, as pod_plan says.
std::map<std::string, OnLink> PlannedLinks() {
  Subprocess plan({{Program("pod_plan"), "--topology=v3-32", "--model=mlp",
                    "--reference_topology=v3-32", "--explain", "--json"},
                   {}});
  EXPECT_EQ(plan.Wait(kDeadline), 0) << plan.output();
  const auto json = nlohmann::json::parse(plan.output(), nullptr, false);
  std::map<std::string, OnLink> planned;
  if (!json.is_object()) return planned;
  for (const auto& link : json["explain"]["links"])
    planned["link " + link["link"].get<std::string>()] = {link["messages"],
                                                          link["bytes"]};
  return planned;
}

class TracedRunTest : public ::testing::Test {
 protected:
  std::string File() const { return dir_.file("a.pftrace"); }
  std::vector<std::string> Traced(const std::string& steps) const {
    return WithFlags(Flags(), {"--trace=" + File(), "--trace_steps=" + steps});
  }
  TempDir dir_;
};

TEST_F(TracedRunTest, CountsAreThePlans) {
  PodRun pod(Traced("20:21"));
  ASSERT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_THAT(pod.Unwrapped(), HasSubstr("steps 20 to 21"));
  EXPECT_THAT(pod.Unwrapped(), HasSubstr("clocks against the coordinator's: "
                                         "host 0: "));
  EXPECT_THAT(pod.Unwrapped(), Not(HasSubstr("dropped")));

  std::map<std::string, int> hosts;  // steps of each
  std::map<std::string, int> wall_cores, sim_cores;
  std::map<std::uint64_t, std::string> sent, received;
  std::map<std::string, std::map<std::string, OnLink>> crossed;  // by step
  int reports = 0;
  for (const ReadSlice& slice : ReadFile(File())) {
    EXPECT_LE(slice.begin, slice.end);
    const std::string& step = slice.arguments.at("step");
    EXPECT_TRUE(step == "20" || step == "21") << step;
    const bool is_wall = slice.process.rfind("wall: ", 0) == 0;
    EXPECT_EQ(slice.category, is_wall ? "wall" : "sim");
    if (is_wall && slice.track == "steps" && slice.name == "step " + step)
      ++hosts[slice.process];
    if (slice.track.rfind("core ", 0) == 0)
      ++(is_wall ? wall_cores : sim_cores)[slice.track];
    if (slice.track.rfind("link ", 0) == 0) {
      OnLink& link = crossed[step][slice.track];
      ++link.messages;
      link.bytes += std::stoll(slice.arguments.at("bytes"));
    }
    if (slice.process == "wall: coordinator" && slice.track == "reports")
      ++reports;
    for (const std::uint64_t flow : slice.flows_out)
      EXPECT_TRUE(sent.emplace(flow, slice.process).second);
    for (const std::uint64_t flow : slice.flows_in)
      EXPECT_TRUE(received.emplace(flow, slice.process).second);
  }
  EXPECT_EQ(hosts, (std::map<std::string, int>{{"wall: host 0", 2},
                                               {"wall: host 1", 2},
                                               {"wall: host 2", 2},
                                               {"wall: host 3", 2}}));
  EXPECT_EQ(wall_cores.size(), 32U);
  EXPECT_EQ(sim_cores.size(), 8U);
  for (const auto& [core, kernels] : sim_cores)
    EXPECT_EQ(kernels, sim_cores.begin()->second) << core;
  const auto planned = PlannedLinks();
  EXPECT_FALSE(planned.empty());
  EXPECT_EQ(crossed["20"], planned);
  EXPECT_EQ(crossed["21"], planned);
  EXPECT_EQ(reports, 2);
  // 64 x 256 + 256 + 256 x 10 + 10 gradients are one bucket. A ring of 4 cuts
  // it into segments of 4,803 or 4,802, each 5 chunks of 1,024; each host sends
  // 3 segments to sum them and 3 to hand them on.
  EXPECT_EQ(sent.size(), 2U * 4 * 6 * 5);
  ASSERT_EQ(received.size(), sent.size());
  for (const auto& [flow, process] : sent) {
    ASSERT_TRUE(received.contains(flow));
    EXPECT_NE(received[flow], process);
  }
}

// By pod_report, whose file is the only thing left of the run.
TEST_F(TracedRunTest, AnUntracedRunOfAFileKeepsItsSimulatedStep) {
  const std::string model = dir_.file("net.model");
  const std::string metrics = dir_.file("m.jsonl");
  Subprocess write(
      {{Program("pod_launch"), "--model=mlp", "--write_model=" + model}, {}});
  ASSERT_EQ(write.Wait(kDeadline), 0) << write.output();
  PodRun pod({"--topology=v3-8", "--reference_topology=v3-8",
              "--model_file=" + model, "--dataset=digits", "--batch_per_core=8",
              "--learning_rate=0.1", "--train_steps=3", "--steps_per_eval=0",
              "--metrics_file=" + metrics});
  ASSERT_EQ(pod.Wait(), 0) << pod.output();
  std::filesystem::remove(model);
  Subprocess report(
      {{Program("pod_report"), metrics, "--trace=" + File()}, {}});
  ASSERT_EQ(report.Wait(kDeadline), 0) << report.output();
  EXPECT_THAT(report.output(), Not(HasSubstr("no simulated steps")));
  std::set<std::string> cores;
  for (const ReadSlice& slice : ReadFile(File()))
    if (slice.category == "sim" && slice.track.rfind("core ", 0) == 0)
      cores.insert(slice.track);
  EXPECT_EQ(cores.size(), 8U);
}

// Their processes were started elsewhere: nobody told them of a file.
class TraceOfHostsElsewhereTest : public TracedRunTest {
 protected:
  static constexpr int kHosts = 4;

  void Start(const std::string& steps, const std::string& train_steps) {
    setenv("PODSIM_TOKEN", "a-token-of-a-test-that-is-long-enough", 1);
    const std::string coordinator = "unix:" + dir_.file("coordinator.sock");
    pod_ = std::make_unique<PodRun>(
        WithFlags(Traced(steps), {"--external_hosts", "--listen=" + coordinator,
                                  "--train_steps=" + train_steps}));
    for (int host = 0; host < kHosts; ++host)
      hosts_.push_back(std::make_unique<Subprocess>(Subprocess::Options{
          {Program("pod_host"), "--coordinator=" + coordinator,
           "--process=" + std::to_string(host),
           "--ici_listen=unix:" +
               dir_.file("ici-" + std::to_string(host) + ".sock")},
          {}}));
  }
  void TearDown() override { unsetenv("PODSIM_TOKEN"); }

  // Of each process of the group wall, how many steps the trace has.
  std::map<std::string, int> StepsTraced() const {
    std::map<std::string, int> steps;
    for (const ReadSlice& slice : ReadFile(File()))
      if (slice.category == "wall" && slice.track == "steps" &&
          slice.depth == 0)
        ++steps[slice.process];
    return steps;
  }

  std::vector<std::unique_ptr<Subprocess>> hosts_;
  std::unique_ptr<PodRun> pod_;
};

TEST_F(TraceOfHostsElsewhereTest, EachBringsItsPart) {
  Start("20:21", "24");
  ASSERT_EQ(pod_->Wait(), 0) << pod_->output();
  for (const auto& host : hosts_)
    EXPECT_EQ(host->Wait(kDeadline), 0) << host->output();
  EXPECT_EQ(StepsTraced(), (std::map<std::string, int>{{"wall: host 0", 2},
                                                       {"wall: host 1", 2},
                                                       {"wall: host 2", 2},
                                                       {"wall: host 3", 2}}));
  std::set<std::uint64_t> sent, received;
  for (const ReadSlice& slice : ReadFile(File())) {
    sent.insert(slice.flows_out.begin(), slice.flows_out.end());
    received.insert(slice.flows_in.begin(), slice.flows_in.end());
  }
  EXPECT_EQ(sent.size(), 2U * 4 * 6 * 5) << "as of hosts of this machine";
  EXPECT_EQ(received, sent);
}

TEST_F(TraceOfHostsElsewhereTest, OfAJobThatFailsThoseThatAreLeftBringTheirs) {
  Start("2:4", "1000000");
  ASSERT_TRUE(pod_->WaitForEvents("step", 10)) << pod_->output();
  hosts_[3]->Signal(SIGKILL);
  EXPECT_NE(pod_->Wait(), 0) << pod_->output();
  EXPECT_EQ(StepsTraced(), (std::map<std::string, int>{{"wall: host 0", 3},
                                                       {"wall: host 1", 3},
                                                       {"wall: host 2", 3}}));
  EXPECT_THAT(pod_->Unwrapped(), HasSubstr("nothing of host 3"));
}

TEST_F(TracedRunTest, FiftyStepsOfV3128AreWholeAndSmall) {
  PodRun pod(WithFlags(Traced("2:51"),
                       {"--topology=v3-128", "--reference_topology=v3-128",
                        "--processes=8", "--train_steps=52"}));
  ASSERT_EQ(pod.Wait(), 0) << pod.output();
  EXPECT_THAT(pod.Unwrapped(), HasSubstr("steps 2 to 51"));
  EXPECT_THAT(pod.Unwrapped(), Not(HasSubstr("dropped")));
  EXPECT_LT(std::filesystem::file_size(File()), 100'000'000U);
  std::set<std::pair<std::string, std::string>> wall, sim;
  for (const ReadSlice& slice : ReadFile(File()))
    if (slice.track == "steps" && slice.depth == 0)
      (slice.category == "wall" ? wall : sim)
          .emplace(slice.process, slice.arguments.at("step"));
  EXPECT_EQ(wall.size(), 16U * 50);
  EXPECT_EQ(sim.size(), 50U);
}

// A checkpoint of step 21 alone is of a traced one: a part of each host.
TEST_F(TracedRunTest, HasEveryHostsWriteOfACheckpoint) {
  const std::string model_dir = dir_.file("model");
  PodRun pod(WithFlags(Traced("20:21"),
                       {"--model_dir=" + model_dir, "--checkpoint_every=7"}));
  ASSERT_EQ(pod.Wait(), 0) << pod.output();
  std::set<std::string> parts;
  for (const auto& file :
       std::filesystem::directory_iterator(model_dir + "/21"))
    if (file.path().extension() == ".safetensors")
      parts.insert(std::to_string(file.file_size()));
  std::set<std::string> hosts, bytes;
  for (const ReadSlice& slice : ReadFile(File())) {
    if (slice.track != "checkpoint writes") continue;
    EXPECT_EQ(slice.name, "checkpoint write");
    EXPECT_EQ(slice.arguments.at("step"), "21");
    EXPECT_TRUE(hosts.insert(slice.process).second) << slice.process;
    bytes.insert(slice.arguments.at("bytes"));
  }
  EXPECT_FALSE(hosts.empty());
  EXPECT_EQ(bytes, parts);
}

TEST_F(TracedRunTest, ChangesNoBit) {
  PodRun plain(Flags());
  ASSERT_EQ(plain.Wait(), 0) << plain.output();
  PodRun traced(Traced("1:24"));
  ASSERT_EQ(traced.Wait(), 0) << traced.output();
  EXPECT_EQ(traced.Event("summary")["weights_hash"],
            plain.Event("summary")["weights_hash"]);
  EXPECT_EQ(traced.Event("summary")["plan_hash"],
            plain.Event("summary")["plan_hash"]);
}

TEST_F(TracedRunTest, StepsOutsideTheRunAreRefusedBeforeIt) {
  PodRun pod(Traced("20:25"));
  EXPECT_EQ(pod.Wait(), 2);
  EXPECT_THAT(pod.Unwrapped(), HasSubstr("the run makes steps 1 to 24"));
  EXPECT_FALSE(std::filesystem::exists(File()));
}

TEST_F(TracedRunTest, AFileThatCannotBeWrittenIsRefusedBeforeTheRun) {
  PodRun pod(WithFlags(Flags(), {"--trace=" + dir_.file("none/a.pftrace")}));
  EXPECT_EQ(pod.Wait(), 2);
  EXPECT_THAT(pod.Unwrapped(), HasSubstr("there is no folder"));
}

}  // namespace
}  // namespace podsim::testing
