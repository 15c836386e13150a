// The JSON has nccl-tests' keys and types, and ours beside them.
#include "runtime/bench/json_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace podsim {
namespace {

using ::testing::Contains;

BenchRecord Sample() {
  BenchRecord record = {.arguments = {"pod_bench", "all_reduce"},
                        .environment = {"NCCL_TESTS_MIN_BW=2"},
                        .start_time = "2026-11-21 10:00:00",
                        .end_time = "2026-11-21 10:00:09",
                        .cpu = "a CPU",
                        .cpus = 2,
                        .hostname = "node",
                        .build = "0.1.0 abc",
                        .average_bandwidth = 1.5};
  record.plan.mutable_bits()->set_slice("v3-32");
  record.plan.mutable_bits()->set_hosts(4);
  record.plan.mutable_spec()->set_processes(4);
  record.plan.mutable_spec()->set_transport(words::Transport::unix);
  record.plan.add_notes("4 processes share 2 CPUs");
  BenchSpec& spec = *record.plan.mutable_spec()->mutable_bench();
  spec.set_collective(words::Collective::all_reduce);
  spec.set_ranks(words::RankKind::hosts);
  spec.set_minbytes(1024);
  spec.set_maxbytes(4096);
  spec.set_stepfactor(4);
  spec.set_iters(20);
  spec.set_check(1);
  record.devices.push_back({.rank = 0, .pid = 7, .hostname = "node"});
  BenchRow& row = record.rows.emplace_back();
  row.set_bytes(1 << 20);
  row.set_count(1 << 18);
  row.set_datatype("float");
  row.set_op("sum");
  row.set_root(-1);
  row.set_ranks(4);
  row.set_algorithm("ring");
  row.mutable_out_of_place()->set_seconds(1e-3);
  row.mutable_out_of_place()->set_median_seconds(0.9e-3);
  row.mutable_out_of_place()->set_min_seconds(0.8e-3);
  row.mutable_out_of_place()->set_p99_seconds(2e-3);
  row.mutable_out_of_place()->set_wrong(2);
  row.mutable_in_place()->set_seconds(2e-3);
  row.mutable_in_place()->set_wrong(-1);
  record.wrong = 2;
  return record;
}

TEST(BenchJsonTest, SimulatedPricesStandBesideTheirRow) {
  BenchRecord record = Sample();
  EXPECT_FALSE(
      nlohmann::json::parse(BenchJson(record))["results"][0].contains("sim"));
  record.rows.push_back(record.rows[0]);
  record.rows[1].set_row(3);  // the second case, second cycle
  record.sim = {{.algorithm = "torus", .seconds = 2e-3, .bus = 3, .ranks = 32},
                {.missing = "too long"}};
  const auto results = nlohmann::json::parse(BenchJson(record))["results"];
  EXPECT_DOUBLE_EQ(results[0]["sim"]["time"], 2000);
  EXPECT_EQ(results[0]["sim"]["bus_bw"], 3);
  EXPECT_EQ(results[0]["sim"]["ranks"], 32);
  EXPECT_EQ(results[0]["sim"]["algorithm"], "torus");
  EXPECT_EQ(results[1]["sim"]["missing"], "too long");
}

TEST(BenchJsonTest, HasTheKeysOfNcclTests) {
  const auto json = nlohmann::json::parse(BenchJson(Sample()));
  for (const char* key :
       {"version", "start_time", "args", "env", "config", "devices", "results",
        "out_of_bounds", "average_bus_bandwidth", "errors", "end_time"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["config"]["minimum_bytes"], 1024);
  EXPECT_EQ(json["config"]["step_factor"], 4);
  EXPECT_EQ(json["config"]["iterations"], 20);
  EXPECT_EQ(json["devices"][0]["pid"], 7);
  const auto& result = json["results"].at(0);
  EXPECT_EQ(result["size"], 1 << 20);
  EXPECT_EQ(result["count"], 1 << 18);
  EXPECT_EQ(result["type"], "float");
  EXPECT_EQ(result["redop"], "sum");
  EXPECT_EQ(result["root"], "    -1");
  EXPECT_EQ(result["actual_iterations"], 20);
  EXPECT_EQ(result["experiment_name"], "all_reduce");
  EXPECT_DOUBLE_EQ(result["out_of_place"]["time"], 1000);
  EXPECT_DOUBLE_EQ(result["out_of_place"]["alg_bw"], 1.048576);
  EXPECT_DOUBLE_EQ(result["out_of_place"]["bus_bw"], 1.048576 * 1.5);
  EXPECT_EQ(result["out_of_place"]["nwrong"], 2);
  EXPECT_DOUBLE_EQ(result["in_place"]["time"], 2000);
  EXPECT_TRUE(result["in_place"]["nwrong"].is_null());
  EXPECT_EQ(json["out_of_bounds"]["count"], 2);
  EXPECT_EQ(json["out_of_bounds"]["okay"], "false");
  EXPECT_EQ(json["average_bus_bandwidth"]["okay"], "unchecked");
}

TEST(BenchJsonTest, SaysWhereTheFiguresAreFrom) {
  const auto json = nlohmann::json::parse(BenchJson(Sample()));
  EXPECT_EQ(json["machine"]["cpu"], "a CPU");
  EXPECT_EQ(json["machine"]["cpus"], 2);
  EXPECT_EQ(json["build"], "0.1.0 abc");
  EXPECT_EQ(json["topology"], "v3-32");
  EXPECT_EQ(json["clock"], "wall");
  EXPECT_EQ(json["transport"], "unix");
  EXPECT_THAT(json["notes"], Contains("4 processes share 2 CPUs"));
  const auto& placement = json["results"].at(0)["out_of_place"];
  EXPECT_DOUBLE_EQ(placement["median"], 900);
  EXPECT_DOUBLE_EQ(placement["min"], 800);
  EXPECT_DOUBLE_EQ(placement["p99"], 2000);
  EXPECT_EQ(json["results"].at(0)["algorithm"], "ring");
}

TEST(BenchJsonTest, JudgesTheBandwidthIfAsked) {
  BenchRecord record = Sample();
  record.smallest_bandwidth = 1.6;
  auto json = nlohmann::json::parse(BenchJson(record));
  EXPECT_EQ(json["average_bus_bandwidth"]["okay"], "true");
  record.smallest_bandwidth = 1.7;
  json = nlohmann::json::parse(BenchJson(record));
  EXPECT_EQ(json["average_bus_bandwidth"]["okay"], "false");
}

TEST(BenchJsonTest, KeepsIterationsIfThereAreAny) {
  BenchRecord record = Sample();
  record.plan.mutable_spec()->mutable_bench()->set_per_iter_timing(true);
  record.rows[0].mutable_in_place()->add_iteration_seconds(3e-6);
  const auto json = nlohmann::json::parse(BenchJson(record));
  EXPECT_DOUBLE_EQ(json["results"].at(0)["in_place_per_iter"]["times_us"].at(0),
                   3);
  EXPECT_EQ(json["config"]["per_iter_timing"], "true");
}

TEST(BenchJsonTest, BytesThatAreNoTextDoNotEndARun) {
  BenchRecord record = Sample();
  record.arguments.push_back("\xff");
  EXPECT_FALSE(nlohmann::json::parse(BenchJson(record)).is_discarded());
}

}  // namespace
}  // namespace podsim
