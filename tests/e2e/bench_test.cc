// pod_bench as a user runs it: real processes, real frames, output that third
// parties parse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/e2e/pod.h"
#include "tests/testing/subprocess.h"
#include "tests/testing/temp_dir.h"

namespace podsim::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Variables = std::vector<std::pair<std::string, std::string>>;

struct Finished {
  int code = -1;
  std::string output;

  // What is no comment, cut into words.
  std::vector<std::vector<std::string>> rows() const {
    std::vector<std::vector<std::string>> rows;
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream words(line);
      rows.push_back({std::istream_iterator<std::string>(words), {}});
    }
    return rows;
  }
};

std::vector<std::string> Command(std::vector<std::string> args) {
  args.insert(args.begin(), Program("pod_bench"));
  return args;
}

Finished Bench(const std::vector<std::string>& args,
               const Variables& environment = {}) {
  Subprocess process({Command(args), environment});
  Finished run;
  run.code = process.Wait(kDeadline);
  run.output = process.output();
  return run;
}

nlohmann::json ReadJson(const std::string& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in, nullptr, false);
}

std::string ReadText(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// As parsers of nccl-tests' output do: columns counted from the right.
double FromRight(const std::vector<std::string>& row, std::size_t column) {
  return std::stod(row.at(row.size() - column));
}

TEST(BenchTest, AllReduceIsMeasuredAndRight) {
  const Finished run = Bench({"all_reduce", "--topology", "v3-32", "-b", "1K",
                              "-e", "256K", "-f", "16", "-n", "5"});
  ASSERT_EQ(run.code, 0) << run.output;
  const auto rows = run.rows();
  ASSERT_EQ(rows.size(), 3u) << run.output;
  std::int64_t bytes = 1024;
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 13u);
    EXPECT_EQ(row[0], std::to_string(bytes));
    EXPECT_EQ(row[1], std::to_string(bytes / 4));
    EXPECT_EQ(row[2], "float");
    EXPECT_EQ(row[3], "sum");
    EXPECT_EQ(row[4], "-1");
    for (const std::size_t placement : {8u, 4u}) {
      const double microseconds = FromRight(row, placement);
      EXPECT_GT(microseconds, 1);
      // Both bandwidths follow from the time, to the digits shown.
      const double algorithm = static_cast<double>(bytes) / microseconds / 1e3;
      EXPECT_NEAR(FromRight(row, placement - 1), algorithm, 0.006);
      EXPECT_NEAR(FromRight(row, placement - 2), 1.5 * algorithm, 0.006);
      EXPECT_EQ(row.at(row.size() - placement + 3), "0");
    }
    bytes *= 16;
  }
  EXPECT_THAT(run.output, HasSubstr("# Using devices\n#  Rank  0 Group  0"));
  EXPECT_THAT(run.output, HasSubstr("# Out of bounds values : 0 OK\n"));
  EXPECT_THAT(run.output, HasSubstr("# Avg bus bandwidth    : "));
}

TEST(BenchTest, EveryCollectiveRunsWithBothKindsOfRanks) {
  for (const std::string collective :
       {"reduce_scatter", "all_gather", "broadcast", "all_to_all", "barrier"}) {
    for (const std::string ranks : {"hosts", "cores"}) {
      const Finished run =
          Bench({collective, "--ranks=" + ranks, "-b", "64K", "-e", "64K", "-n",
                 "3", "-r", "3", "-d", "bfloat16", "--processes=2"});
      EXPECT_EQ(run.code, 0) << run.output;
      ASSERT_EQ(run.rows().size(), 1u) << run.output;
      EXPECT_EQ(FromRight(run.rows()[0], 1), 0) << run.output;
      EXPECT_EQ(FromRight(run.rows()[0], 5), 0) << run.output;
      if (collective != "broadcast") {
        EXPECT_THAT(run.output, HasSubstr("# note: --root is not used: "));
      }
      if (collective == "barrier") {
        EXPECT_THAT(run.output, HasSubstr("# note: --datatype is not used: "
                                          "barrier carries no data\n"));
      }
    }
  }
}

TEST(BenchTest, CoresAreRanksOfTheirOwn) {
  const testing::TempDir directory;
  const Finished run =
      Bench({"all_reduce", "--ranks=cores", "-b", "64K", "-e", "64K", "-n", "3",
             "-J", directory.file("x.json")});
  ASSERT_EQ(run.code, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("#  Rank 31 Group  0"));
  const nlohmann::json json = ReadJson(directory.file("x.json"));
  EXPECT_EQ(json["devices"].size(), 32u);
  const auto& timing = json["results"].at(0)["in_place"];
  EXPECT_NEAR(timing["bus_bw"].get<double>(),
              timing["alg_bw"].get<double>() * 62 / 32, 1e-9);
}

TEST(BenchTest, EveryAlgorithmAndTypeIsRight) {
  const Finished run =
      Bench({"all_reduce", "--algo=all", "-d", "all", "-o", "all", "-b", "20K",
             "-e", "20K", "-n", "1", "--transport=tcp"});
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_EQ(run.rows().size(), 5u * 3 * 5) << run.output;
  EXPECT_THAT(run.output, HasSubstr("# algorithm torus2d\n"));
}

TEST(BenchTest, JsonIsNeverOverwritten) {
  const testing::TempDir directory;
  const std::string path = directory.file("x.json");
  for (const std::string suffix : {"", ".0", ".1"}) {
    const Finished run =
        Bench({"all_reduce", "-b", "4K", "-e", "8K", "-i", "4K", "-n", "9",
               "-J", path, "--wire_dtype=bfloat16"});
    ASSERT_EQ(run.code, 0) << run.output;
    const std::string written = path + suffix;
    EXPECT_THAT(run.output, HasSubstr("JSON output to " + written));
    const nlohmann::json json = ReadJson(written);
    ASSERT_EQ(json["results"].size(), 2u);
    for (const auto& result : json["results"]) {
      for (const char* placement : {"out_of_place", "in_place"}) {
        const auto& timing = result[placement];
        EXPECT_GT(timing["time"], 0);
        EXPECT_EQ(timing["nwrong"], 0);
        EXPECT_LE(timing["min"], timing["median"]);
        EXPECT_LE(timing["median"], timing["p99"]);
      }
    }
    EXPECT_EQ(json["topology"], "v3-32");
    EXPECT_THAT(json["build"].get<std::string>(), Not(HasSubstr("unknown")));
    EXPECT_THAT(json.dump(), Not(HasSubstr("PODSIM_TOKEN")));
  }
}

// Measured on this machine, written, read back: nothing is said here of which
// algorithm is the best.
TEST(BenchTest, ACalibrationIsWhatAutoGoesBy) {
  const testing::TempDir directory;
  const std::string path = directory.file("choices.txt");
  const Finished measured =
      Bench({"all_reduce", "--algo=all", "-b", "1K", "-e", "64K", "-f", "64",
             "-n", "5", "--processes=2", "--write_choices=" + path});
  ASSERT_EQ(measured.code, 0) << measured.output;
  EXPECT_THAT(measured.output, HasSubstr("# Wrote choices to " + path + ": "));
  const std::string table = ReadText(path);
  EXPECT_THAT(table, StartsWith("# "));
  EXPECT_THAT(table, HasSubstr("# pod_bench all_reduce --algo=all "));
  const std::string last = table.substr(table.rfind("choices { "));
  EXPECT_THAT(last, HasSubstr("most_ranks: 4 algorithm: "));
  const std::size_t name = last.find("algorithm: \"") + 12;
  const std::string algorithm =
      last.substr(name, last.find('"', name + 1) - name);
  const Finished used = Bench({"all_reduce", "-b", "64K", "-e", "64K", "-n",
                               "2", "--processes=2", "--choices=" + path});
  ASSERT_EQ(used.code, 0) << used.output;
  EXPECT_THAT(used.output, HasSubstr("# algorithm " + algorithm + "\n"));
}

TEST(BenchTest, ATableMayBeWrittenByHandAndStandInAJob) {
  const testing::TempDir directory;
  const std::string path = directory.file("choices.txt");
  const std::string row =
      "choices { collective: \"all_reduce\" algorithm: \"bidir_ring\" }\n";
  std::ofstream(path) << "# by hand\n" << row;
  const Finished bench = Bench(
      {"all_reduce", "-b", "4K", "-e", "4K", "-n", "2", "--choices", path});
  EXPECT_EQ(bench.code, 0) << bench.output;
  EXPECT_THAT(bench.output, HasSubstr("# algorithm bidir_ring\n"));
  const auto launch = [](std::vector<std::string> args) {
    args.insert(args.begin(), Program("pod_launch"));
    Subprocess process({args, {}});
    EXPECT_EQ(process.Wait(kDeadline), 0) << process.output();
    return process.output();
  };
  EXPECT_THAT(launch({"--dry_run", "--verbose", "--choices", path}),
              HasSubstr("bidir_ring of 4 hosts"));
  const std::string job = directory.file("job.txt");
  std::ofstream(job) << launch({"--print_job", "--choices", path});
  // A printed job asks for the same; its plan is the same.
  const auto hash = [](const std::string& plan) {
    static const std::regex pattern("plan hash\\s+([0-9a-f]{64})");
    std::smatch found;
    return std::regex_search(plan, found, pattern) ? found[1].str() : "none";
  };
  const std::string read_back = hash(launch({"--dry_run", "--job", job}));
  EXPECT_EQ(read_back, hash(launch({"--dry_run", "--choices", path})));
  EXPECT_NE(read_back, "none");
  std::ofstream(path, std::ios::app) << "choices { algorithm: \"rng\" }\n";
  const Finished refused = Bench({"all_reduce", "--choices", path});
  EXPECT_EQ(refused.code, 2) << refused.output;
  EXPECT_THAT(refused.output, StartsWith("error: " + path + ": "));
}

TEST(BenchTest, TooLittleBandwidthFails) {
  const Finished run = Bench({"all_reduce", "-b", "1K", "-e", "1K", "-n", "2"},
                             {{"NCCL_TESTS_MIN_BW", "1000"}});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.output, HasSubstr(" FAILED\n"));
}

TEST(BenchTest, WhatIsRefusedIsRefusedInOneLineWithCodeTwo) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{},
        {"allreduce"},
        {"all_reduce", "--itres=3"},
        {"all_reduce", "-b", "64M"},
        {"all_reduce", "--topology=v3-33"},
        {"all_reduce", "--processes=5"},
        {"all_reduce", "--write_choices=x"},
        {"broadcast", "-r", "4"}}) {
    const Finished run = Bench(args);
    EXPECT_EQ(run.code, 2) << run.output;
    EXPECT_THAT(run.output, StartsWith("error: "));
    EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 1)
        << run.output;
  }
}

TEST(BenchTest, HelpIsNoError) {
  const Finished run = Bench({"--help"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.output, HasSubstr("pod_bench all_reduce -b 1K"));
}

TEST(BenchTest, HostsThatRunElsewhereAreUsed) {
  const testing::TempDir directory;
  const Variables token = {
      {"PODSIM_TOKEN", "a-token-of-a-test-that-is-long-enough"}};
  const std::string address = "unix:" + directory.file("coordinator.sock");
  Subprocess bench({Command({"all_reduce", "-b", "4K", "-e", "4K", "-n", "3",
                             "--external_hosts", "--listen=" + address}),
                    token});
  std::vector<std::unique_ptr<Subprocess>> hosts;
  for (int host = 0; host < 4; ++host) {
    const std::string id = std::to_string(host);
    hosts.push_back(std::make_unique<Subprocess>(Subprocess::Options{
        {Program("pod_host"), "--coordinator=" + address, "--process=" + id,
         "--ici_listen=unix:" + directory.file("ici-" + id)},
        token}));
  }
  EXPECT_EQ(bench.Wait(kDeadline), 0) << bench.output();
  EXPECT_THAT(bench.output(), HasSubstr("# Out of bounds values : 0 OK"));
  EXPECT_THAT(bench.output(), HasSubstr("started elsewhere"));
  for (const auto& host : hosts) {
    EXPECT_EQ(host->Wait(kDeadline), 0) << host->output();
  }
}

TEST(BenchTest, ADeadHostEndsItAndIsNamed) {
  const testing::TempDir directory;
  const std::string path = directory.file("x.json");
  Subprocess bench({Command({"all_reduce", "-b", "64K", "-e", "64K", "-n", "50",
                             "-N", "0", "-J", path}),
                    {}});
  ASSERT_TRUE(bench.ReadUntilText("float     sum", kDeadline))
      << bench.output();
  const auto children = ChildrenOf(bench.pid());
  std::vector<pid_t> hosts;
  for (const auto& [pid, name] : children) {
    if (name == "pod_host") hosts.push_back(pid);
  }
  std::sort(hosts.begin(), hosts.end());
  ASSERT_EQ(hosts.size(), 4u);
  kill(hosts[1], SIGKILL);
  EXPECT_EQ(bench.Wait(kDeadline), 128 + SIGKILL) << bench.output();
  EXPECT_THAT(bench.output(), HasSubstr("FAILED: host1"));
  for (const auto& [pid, name] : children) EXPECT_FALSE(IsAlive(pid)) << name;
  const nlohmann::json json = ReadJson(path);
  EXPECT_GE(json["results"].size(), 1u);
  EXPECT_EQ(json["errors"].size(), 1u);
}

TEST(BenchTest, StoppedByTheUserItSaysWhatItHas) {
  Subprocess bench(
      {Command({"all_reduce", "-b", "64K", "-e", "64K", "-N", "0"}), {}});
  ASSERT_TRUE(bench.ReadUntilText("float     sum", kDeadline))
      << bench.output();
  bench.Signal(SIGINT);
  EXPECT_EQ(bench.Wait(kDeadline), 128 + SIGINT) << bench.output();
  EXPECT_THAT(bench.output(), HasSubstr("# Avg bus bandwidth"));
}

}  // namespace
}  // namespace podsim::testing
