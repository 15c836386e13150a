// From events to the table, the exit code and the JSON.
#include "runtime/bench/bench_display.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

JobEvent FormedEvent(const JobPlan& plan) {
  JobEvent event;
  *event.mutable_formed()->mutable_plan() = plan;
  for (int process = 0; process < 2; ++process) {
    ProcessInfo& info = *event.mutable_formed()->add_processes();
    info.set_process(process);
    info.set_pid(100 + process);
    info.set_hostname("node");
    info.set_first_host(2 * process);
    info.set_hosts(2);
  }
  return event;
}

JobEvent RowEvent(std::int64_t wrong, const std::string& algorithm) {
  JobEvent event;
  BenchRow& row = *event.mutable_bench();
  row.set_algorithm(algorithm);
  row.set_bytes(1 << 20);
  row.set_ranks(4);
  row.mutable_out_of_place()->set_seconds(1e-3);
  row.mutable_in_place()->set_seconds(0.5e-3);
  row.mutable_in_place()->set_wrong(wrong);
  row.mutable_in_place()->set_median_seconds(0.4e-3);
  return event;
}

class BenchDisplayTest : public ::testing::Test {
 protected:
  BenchDisplayTest() {
    JobPlan& plan = options_.record.plan;
    plan.mutable_spec()->mutable_bench()->set_collective(
        words::Collective::all_reduce);
    plan.mutable_spec()->mutable_bench()->set_ranks(words::RankKind::hosts);
    plan.mutable_bits()->set_slice("v3-32");
    plan.mutable_bits()->set_hosts(4);
    plan.mutable_spec()->set_processes(2);
    options_.slice = *FindSlice("v3-32");
  }
  ~BenchDisplayTest() override {
    close(out_);
    close(err_);
  }

  // Shows these rows and closes; returns the exit code.
  int Show(const std::vector<JobEvent>& rows, const Outcome& outcome = {}) {
    auto json = NewFile::Create(directory_.file("x.json"));
    std::optional<NewFile> choices;
    if (calibrates_) {
      choices.emplace(*NewFile::Create(directory_.file("choices")));
    }
    BenchDisplay display(
        options_, console_,
        {.json = *std::move(json), .choices = std::move(choices)}, clock_);
    display.OnEvent(FormedEvent(options_.record.plan));
    for (const JobEvent& row : rows) display.OnEvent(row);
    return display.Close(outcome);
  }
  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string output() const { return Read(directory_.file("out")); }
  std::string errors() const { return Read(directory_.file("err")); }
  nlohmann::json json() const {
    return nlohmann::json::parse(Read(directory_.file("x.json")));
  }

  testing::TempDir directory_;
  int out_ = open(directory_.file("out").c_str(), O_CREAT | O_WRONLY, 0600);
  int err_ = open(directory_.file("err").c_str(), O_CREAT | O_WRONLY, 0600);
  Console console_{out_, err_};
  SimClock clock_;
  BenchDisplay::Options options_;
  bool calibrates_ = false;
};

TEST_F(BenchDisplayTest, AllRightIsZero) {
  EXPECT_EQ(Show({RowEvent(0, "ring"), RowEvent(0, "ring")}), 0);
  EXPECT_THAT(output(), HasSubstr("# Out of bounds values : 0 OK\n"));
  // 1.5 x 1.048576 GB/s and twice that.
  EXPECT_THAT(output(), HasSubstr("# Avg bus bandwidth    : 2.3593 \n"));
  EXPECT_EQ(json()["results"].size(), 2u);
  EXPECT_TRUE(json()["errors"].empty());
}

TEST_F(BenchDisplayTest, WhatIsNoRowIsAComment) {
  Show({RowEvent(0, "ring"), RowEvent(0, "direct")});
  std::istringstream in(output());
  std::vector<std::string> rows;
  for (std::string line; std::getline(in, line);) {
    ASSERT_FALSE(line.empty());
    if (line[0] != '#') rows.push_back(line);
  }
  EXPECT_EQ(rows.size(), 2u);
  EXPECT_THAT(output(), HasSubstr("# algorithm ring\n"));
  EXPECT_THAT(output(), HasSubstr("# algorithm direct\n"));
  EXPECT_THAT(output(), HasSubstr("4 hosts in 2 processes"));
  EXPECT_THAT(output(), HasSubstr("Rank  3 Group  0 Pid    101"));
}

TEST_F(BenchDisplayTest, AWrongValueIsOne) {
  EXPECT_EQ(Show({RowEvent(0, "ring"), RowEvent(5, "ring")}), 1);
  EXPECT_THAT(output(), HasSubstr("values : 5 FAILED"));
  EXPECT_EQ(json()["out_of_bounds"]["count"], 5);
}

TEST_F(BenchDisplayTest, UnverifiedIsNotWrong) {
  EXPECT_EQ(Show({RowEvent(-1, "ring")}), 0);
  EXPECT_THAT(output(), HasSubstr("    N/A\n"));
}

TEST_F(BenchDisplayTest, LittleBandwidthIsOne) {
  options_.record.smallest_bandwidth = 2.6;  // nine tenths: 2.34
  EXPECT_EQ(Show({RowEvent(0, "ring")}), 0);
}

TEST_F(BenchDisplayTest, TooLittleBandwidthIsOne) {
  options_.record.smallest_bandwidth = 2.7;
  EXPECT_EQ(Show({RowEvent(0, "ring")}), 1);
  EXPECT_THAT(output(), HasSubstr("FAILED"));
}

TEST_F(BenchDisplayTest, AFailureIsShownAndKept) {
  Outcome outcome = {.exit_code = 137};
  outcome.failure = {.name = "host2", .how = "was killed", .exit_code = 137};
  EXPECT_EQ(Show({RowEvent(0, "ring")}, outcome), 137);
  EXPECT_THAT(errors(), HasSubstr("FAILED: host2"));
  EXPECT_THAT(output(), Not(HasSubstr("Out of bounds")));
  EXPECT_EQ(json()["results"].size(), 1u);
  EXPECT_THAT(json()["errors"].at(0), HasSubstr("host2"));
}

TEST_F(BenchDisplayTest, StoppedKeepsWhatThereIs) {
  EXPECT_EQ(Show({RowEvent(0, "ring")}, {.exit_code = 130, .stop_signal = 2}),
            130);
  EXPECT_THAT(output(), HasSubstr("# Avg bus bandwidth"));
  EXPECT_THAT(errors(), HasSubstr("stopped by signal 2"));
  EXPECT_EQ(json()["results"].size(), 1u);
}

TEST_F(BenchDisplayTest, ChoicesAreWrittenAtTheEnd) {
  calibrates_ = true;
  EXPECT_EQ(Show({RowEvent(0, "ring"), RowEvent(0, "direct")}), 0);
  EXPECT_THAT(Read(directory_.file("choices")),
              HasSubstr("choices { collective: \"all_reduce\" most_ranks: 4 "
                        "algorithm: \"ring\" }\n"));
  EXPECT_THAT(output(), HasSubstr("# Wrote choices to " +
                                  directory_.file("choices") + ": ring\n"));
  EXPECT_EQ(errors(), "");
}

TEST_F(BenchDisplayTest, WrongElementsMakeNoChoices) {
  calibrates_ = true;
  EXPECT_EQ(Show({RowEvent(0, "ring"), RowEvent(5, "direct")}), 1);
  EXPECT_THAT(errors(), HasSubstr("error: no choices written to "));
  EXPECT_THAT(errors(), HasSubstr("5 elements were wrong"));
  EXPECT_FALSE(std::filesystem::exists(directory_.file("choices")));
}

TEST_F(BenchDisplayTest, APartOfTheSizesMakesNoChoices) {
  calibrates_ = true;
  Show({RowEvent(0, "ring")}, {.exit_code = 130, .stop_signal = 2});
  EXPECT_THAT(errors(), HasSubstr("not all sizes were measured"));
  EXPECT_FALSE(std::filesystem::exists(directory_.file("choices")));
}

TEST(DevicesTest, AreHostsOrCores) {
  const Slice slice = *FindSlice("v3-32");
  JobPlan plan;
  plan.mutable_spec()->mutable_bench()->set_ranks(words::RankKind::hosts);
  std::vector<RankDevice> devices =
      DevicesOf(FormedEvent(plan).formed(), slice);
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(devices[3].rank, 3);
  EXPECT_EQ(devices[3].device, 1);
  EXPECT_EQ(devices[3].place, "1,1");
  plan.mutable_spec()->mutable_bench()->set_ranks(words::RankKind::cores);
  devices = DevicesOf(FormedEvent(plan).formed(), slice);
  ASSERT_EQ(devices.size(), 32u);
  EXPECT_EQ(devices[31].rank, 31);
  EXPECT_EQ(devices[31].device, 15);
  EXPECT_EQ(devices[31].place, "3,3,1");
}

}  // namespace
}  // namespace podsim
