// pod_top from its arguments to its exit code, beside coordinators of a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/rpc/token.h"
#include "runtime/report/console.h"
#include "runtime/report/event_line.h"
#include "runtime/top/top.h"
#include "tests/runtime/monitor/watched_job.h"
#include "tests/runtime/top/told_pod.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::FormedJob;
using ::podsim::testing::kToldToken;
using ::podsim::testing::MadeTeller;
using ::podsim::testing::StepOfJob;
using ::podsim::testing::TempDir;
using ::podsim::testing::ToldPod;
using ::podsim::testing::Watched;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TopRunTest : public ::testing::Test {
 protected:
  void SetUp() override { SetToken(kToldToken); }
  void TearDown() override { unsetenv(kTokenVariable); }
  // Before any thread of gRPC's, which read the environment.
  static void SetToken(const char* token) {
    setenv(kTokenVariable, token, /*overwrite=*/1);
  }
  std::string Address() const { return "unix:" + dir_.file("c"); }
  int Top(std::vector<std::string> args) {
    args.insert(args.begin(), "--address=" + Address());
    std::FILE* out = std::fopen(dir_.file("out").c_str(), "w");
    std::FILE* err = std::fopen(dir_.file("err").c_str(), "w");
    Console console(fileno(out), fileno(err));
    const int code = RunTop(args, console);
    std::fclose(out);
    std::fclose(err);
    return code;
  }
  std::string Written(const std::string& name) const {
    std::ifstream in(dir_.file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TempDir dir_;
};

// Whenever an event is sent, five more have happened.
TEST_F(TopRunTest, AJobThatRunsAheadIsShown) {
  const MadeTeller teller(
      Address(), [](grpc::ServerContext& context,
                    grpc::ServerWriter<WatchedEvent>& writer) {
        WatchedEvent event = Watched(1, FormedJob());
        for (std::uint64_t next = 2; !context.IsCancelled(); ++next) {
          event.set_newest(event.sequence() + 5);
          if (!writer.Write(event)) break;
          event = Watched(next, StepOfJob(static_cast<std::int64_t>(next)));
        }
        return grpc::Status::CANCELLED;
      });
  EXPECT_EQ(Top({"--once", "--json"}), 0) << Written("err");
  EXPECT_THAT(Written("out"), HasSubstr("\"phase\":\"training\""));
}

TEST_F(TopRunTest, ARefusedTokenIsSaidWithWhereItIsFrom) {
  SetToken("fedcba9876543210");
  const ToldPod pod(Address(), 1);
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"--once"},
        std::vector<std::string>{"--tpu_info", "--", "true"}}) {
    EXPECT_EQ(Top(args), 1);
    EXPECT_THAT(
        Written("err"),
        AllOf(HasSubstr("refused the token"), HasSubstr("PODSIM_TOKEN"),
              HasSubstr(Address()), Not(HasSubstr("has not formed yet")),
              Not(HasSubstr("fedcba9876543210"))));
  }
}

TEST_F(TopRunTest, ACommandIsToldHowTheJobEnded) {
  ToldPod pod(Address(), 1);
  JobEvent failed;
  failed.mutable_failed()->set_message("process 1 has not joined");
  pod.feed().Publish(failed);
  pod.feed().End();
  EXPECT_EQ(Top({"--tpu_info", "--", "true"}), 1);
  EXPECT_THAT(Written("err"),
              AllOf(HasSubstr("ended before its pod had formed"),
                    HasSubstr("process 1 has not joined")));
}

// Not after half a minute.
TEST_F(TopRunTest, AnAddressWhereNobodyListensIsSaidAtOnce) {
  EXPECT_EQ(Top({"--once"}), 2);
  EXPECT_EQ(Written("err"),
            "pod_top: --address is \"" + Address() +
                "\", but there is no such socket; give the address that the "
                "job's coordinator says it listens at, while the job runs\n");
}

// After its end, or while nobody answers for it.
TEST_F(TopRunTest, ShowsAJobOfItsMetricsFile) {
  std::ofstream file(dir_.file("m.jsonl"));
  file << EventLine(FormedJob(), {}) << "\n"
       << EventLine(StepOfJob(7), {}) << "\n";
  file.close();
  const auto top = [this](std::vector<std::string> args) {
    std::FILE* out = std::fopen(dir_.file("out").c_str(), "w");
    std::FILE* err = std::fopen(dir_.file("err").c_str(), "w");
    Console console(fileno(out), fileno(err));
    const int code = RunTop(args, console);
    std::fclose(out);
    std::fclose(err);
    return code;
  };
  EXPECT_EQ(top({"--metrics_file=" + dir_.file("m.jsonl")}), 0)
      << Written("err");
  EXPECT_THAT(Written("out"),
              AllOf(HasSubstr("v3-32"), HasSubstr("step 7/100"),
                    HasSubstr("TPU Runtime Utilization"), HasSubstr("70.00%")));
  EXPECT_EQ(top({"--metrics_file=" + dir_.file("none")}), 2);
  EXPECT_THAT(Written("err"), HasSubstr("there is no metrics file "));
  std::ofstream(dir_.file("m.jsonl"), std::ios::app) << "no record\n";
  EXPECT_EQ(top({"--metrics_file=" + dir_.file("m.jsonl"), "--once"}), 0);
  EXPECT_THAT(Written("err"), HasSubstr("line 3 is no record of a run"));
  std::ofstream(dir_.file("t.json")) << "{\"traceEvents\":[\n]}\n";
  EXPECT_EQ(top({"--metrics_file=" + dir_.file("t.json"), "--once"}), 2);
  EXPECT_THAT(Written("err"), HasSubstr("it is a trace"));
  EXPECT_EQ(top({"--metrics_file=m", "--address=" + Address()}), 2);
  EXPECT_THAT(Written("err"), HasSubstr("both name the job"));
}

TEST_F(TopRunTest, ACommandStandsBehindDashes) {
  for (const auto& [args, said] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--tpu_info", "tpu-info"}, "pod_top --tpu_info -- tpu-info"},
           {{"--tpu-info", "true"}, "pod_top --tpu_info -- true"},
           {{"--tpu_info", "--once"}, "--once has no meaning"}}) {
    EXPECT_EQ(Top(args), 2);
    EXPECT_THAT(Written("err"), HasSubstr(said));
  }
}

}  // namespace
}  // namespace podsim
