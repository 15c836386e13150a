// pod_report as a user has it: what it prints, what it writes, how it exits.
#include "runtime/report_page/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "runtime/report/event_line.h"
#include "tests/runtime/report/run_fixture.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::EvenRun;
using ::podsim::testing::IsOk;
using ::podsim::testing::RunText;
using ::podsim::testing::TempDir;
using ::podsim::testing::Took;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ReportTest : public ::testing::Test {
 protected:
  ReportTest() {
    EXPECT_THAT(store_->Write(dir_.file("a.jsonl"), EvenRun()), IsOk());
    EXPECT_THAT(store_->Write(dir_.file("b.jsonl"), RunText([](int, int p) {
                                return Took{.compute = p == 2 ? 0.2 : 0.1};
                              })),
                IsOk());
  }
  ReportResult Run(const std::vector<std::string>& args) {
    return RunReport(args, *store_);
  }

  const TempDir dir_;
  const std::unique_ptr<ObjectStore> store_ = NewLocalStore();
};

TEST_F(ReportTest, WritesOnePageAndSaysWhatIsWrong) {
  const std::string page = dir_.file("page.html");
  const ReportResult result = Run({dir_.file("b.jsonl"), "-o", page});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.text,
              StartsWith(dir_.file("b.jsonl") + ": host 2 is slow"));
  EXPECT_THAT(result.text, HasSubstr("written: " + page));
  const auto written = store_->Read(page);
  ASSERT_THAT(written, IsOk());
  EXPECT_THAT(*written, StartsWith("<!DOCTYPE html>"));
}

TEST_F(ReportTest, TakesAFolder) {
  const ReportResult result =
      Run({dir_.path(), "--output=" + dir_.file("page.html")});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.text, HasSubstr("a.jsonl: nothing stands out"));
  EXPECT_THAT(result.text, HasSubstr("b.jsonl: host 2 is slow"));
}

// Both ways to print leave standard output as it is.
TEST_F(ReportTest, SaysWhatItPassesOver) {
  ASSERT_THAT(store_->Write(dir_.file("results.jsonl"), "{}\n"), IsOk());
  const std::string said =
      absl::StrCat("passed over ", dir_.file("results.jsonl"),
                   ": line 1 is no record of a run");
  for (const std::string& flag :
       {"--output=" + dir_.file("page.html"), std::string("--json")}) {
    const ReportResult result = Run({dir_.path(), flag});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.error, said);
    EXPECT_THAT(result.text, Not(HasSubstr("passed over")));
  }
}

TEST_F(ReportTest, SaysWhichLinesItLeavesOut) {
  const std::string path = dir_.file("c.jsonl");
  ASSERT_THAT(store_->Write(path, EvenRun() + "[1]\n{}\n"), IsOk());
  const ReportResult result = Run({path, "--json"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.error, HasSubstr(": 2 lines left out, no record of a run; "
                                      "the first is line "));
  EXPECT_THAT(result.error, HasSubstr("copy the file again"));
}

TEST_F(ReportTest, SaysThatThePlansLineIsMissing) {
  const std::string path = dir_.file("d.jsonl");
  std::string run = EvenRun();
  const std::size_t plan = run.find("{\"event\":\"plan\"");
  run.erase(plan, run.find('\n', plan) + 1 - plan);
  ASSERT_THAT(store_->Write(path, run), IsOk());
  EXPECT_EQ(Run({dir_.file("a.jsonl"), "--json"}).error, "");
  EXPECT_THAT(Run({path, "--json"}).error,
              HasSubstr("d.jsonl: no line \"plan\": what follows is judged "
                        "without the run's settings"));
}

// A checkpoint is a folder of its run's.
TEST_F(ReportTest, OfACheckpointTheRunIsNamed) {
  ASSERT_THAT(store_->Write(dir_.file("run/metrics.jsonl"), EvenRun()), IsOk());
  ASSERT_THAT(store_->Write(dir_.file("run/40/a.safetensors"), "x"), IsOk());
  const ReportResult result = Run({dir_.file("run/40"), "--json"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error,
              HasSubstr(dir_.file("run") + ", in which it lies, has one"));
}

TEST_F(ReportTest, RefusesAFileInThePlaceOfAFolder) {
  const ReportResult result =
      Run({dir_.file("a.jsonl"), "--tensorboard_dir=" + dir_.file("b.jsonl")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error, HasSubstr("--tensorboard_dir is \""));
}

TEST_F(ReportTest, PrintsJsonInstead) {
  const ReportResult result = Run({dir_.file("b.jsonl"), "--json"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  const auto all = nlohmann::json::parse(result.text);
  EXPECT_EQ(all["runs"][0]["findings"][0]["kind"], "slow_host");
  EXPECT_THAT(store_->Stat("report.html"), Not(IsOk()));
}

TEST_F(ReportTest, DrawsInsteadOfAPage) {
  const std::string drawing = dir_.file("a.svg");
  const ReportResult result = Run({dir_.file("a.jsonl"), "--plot=" + drawing});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.text, HasSubstr("drawn as " + drawing));
  EXPECT_THAT(result.text, Not(HasSubstr("written")));
  EXPECT_THAT(store_->Stat("report.html"), Not(IsOk()));
  const auto svg = store_->Read(drawing);
  ASSERT_THAT(svg, IsOk());
  EXPECT_THAT(*svg, StartsWith("<svg xmlns="));
  EXPECT_THAT(*svg, HasSubstr("throughput"));
  // Beside the page, which is asked for.
  const std::string page = dir_.file("page.html");
  EXPECT_EQ(
      Run({dir_.file("a.jsonl"), "-o", page, "--plot=" + drawing}).exit_code,
      0);
  EXPECT_THAT(store_->Stat(page), IsOk());
}

TEST_F(ReportTest, RefusesADrawingThatIsNoSvg) {
  const ReportResult result =
      Run({dir_.file("a.jsonl"), "--plot=" + dir_.file("a.png")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error, HasSubstr("must end in .svg"));
  const std::string folder =
      Run({dir_.file("a.jsonl"), "-o", dir_.path()}).error;
  EXPECT_THAT(folder, StartsWith("--output is \""));
  EXPECT_THAT(Run({dir_.file("a.jsonl"), "-o", dir_.file("a.pdf")}).error,
              HasSubstr("a page of HTML is written: give --output="));
  EXPECT_EQ(Run({dir_.file("a.jsonl"), "--plot=" + dir_.file("none/a.svg")})
                .exit_code,
            2);
}

TEST_F(ReportTest, RefusesToWriteOverARunThatItReads) {
  const std::string run = dir_.file("a.jsonl");
  ASSERT_OK_AND_ASSIGN(const std::string before, store_->Read(run));
  const ReportResult same = Run({run, "-o", run});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_EQ(same.error, "--output is \"" + run + "\", but path " + run +
                            " reads that file; name another file");
  // One of a folder's.
  const ReportResult in_folder = Run({dir_.path(), "--trace=" + run});
  EXPECT_EQ(in_folder.exit_code, 2);
  EXPECT_THAT(in_folder.error, StartsWith("--trace is \"" + run));
  const ReportResult nowhere = Run({run, "-o", dir_.file("none/page.html")});
  EXPECT_THAT(nowhere.error, StartsWith("--output is \""));
  ASSERT_OK_AND_ASSIGN(const std::string after, store_->Read(run));
  EXPECT_EQ(after, before);
}

TEST_F(ReportTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(Run({}).exit_code, 2);
  EXPECT_THAT(Run({}).error, HasSubstr("pod_report runs/a.jsonl"));
  const ReportResult missing = Run({dir_.file("none")});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.error, HasSubstr("there is no file or folder"));
  const ReportResult other = Run({"s3://bucket/a.jsonl"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.error, HasSubstr("s3"));
  const ReportResult flag = Run({"--model_dir=" + dir_.path()});
  EXPECT_EQ(flag.exit_code, 2);
  EXPECT_THAT(flag.error, HasSubstr("pod_report FILE"));
}

TEST_F(ReportTest, RefusesAFolderThatIsNotThereBeforeItReads) {
  const ReportResult result =
      Run({dir_.file("a.jsonl"), "-o", dir_.file("none/page.html")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error, HasSubstr("--output"));
}

// A run whose lines are whole events.
std::string WholeRunText() {
  std::string text;
  JobEvent formed;
  formed.set_wall_time(1e9);
  formed.mutable_formed()->mutable_plan()->set_global_batch(64);
  formed.mutable_formed()->mutable_plan()->mutable_spec()->set_processes(1);
  formed.mutable_formed()->mutable_plan()->add_first_host(0);
  formed.mutable_formed()->mutable_plan()->set_train_steps(4);
  formed.mutable_formed()->mutable_plan()->mutable_bits()->set_slice("v3-8");
  formed.mutable_formed()->mutable_plan()->mutable_bits()->set_hosts(1);
  text += EventLine(formed, {.plan_text = "the plan"}) + "\n";
  for (int number = 1; number <= 4; ++number) {
    JobEvent step;
    step.set_wall_time(1e9 + number);
    step.mutable_step()->set_step(number);
    step.mutable_step()->set_seconds(0.5);
    text += EventLine(step, {}) + "\n";
  }
  return text;
}

TEST_F(ReportTest, WritesEventFilesInsteadOfAPage) {
  ASSERT_THAT(store_->Write(dir_.file("w.jsonl"), WholeRunText()), IsOk());
  const ReportResult result = Run(
      {dir_.file("w.jsonl"), "--tensorboard_dir=" + dir_.file("board") + "/"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.text, HasSubstr("--logdir " + dir_.file("board") + "\n"));
  EXPECT_THAT(result.text, Not(HasSubstr("written")));
  const auto files = store_->List(dir_.file("board/wall"));
  ASSERT_THAT(files, IsOk());
  ASSERT_EQ(files->size(), 1u);
  const auto events = store_->Read(dir_.file("board/wall/") + files->front());
  ASSERT_THAT(events, IsOk());
  EXPECT_THAT(*events, HasSubstr("perf/step_time_seconds"));
  EXPECT_THAT(*events, HasSubstr("the plan"));
}

TEST_F(ReportTest, DrawsATraceInsteadOfAPage) {
  ASSERT_THAT(store_->Write(dir_.file("w.jsonl"), WholeRunText()), IsOk());
  const std::string trace = dir_.file("a.pftrace");
  const ReportResult result =
      Run({dir_.file("w.jsonl"), "--trace=" + trace, "--trace_steps=3:4"});
  EXPECT_EQ(result.exit_code, 0) << result.error;
  EXPECT_THAT(result.text, HasSubstr(trace + ": steps 3 to 4"));
  EXPECT_THAT(store_->Stat(trace), IsOk());
  const ReportResult profile =
      Run({dir_.file("w.jsonl"), "--profile_dir=" + dir_.file("xprof")});
  EXPECT_EQ(profile.exit_code, 0) << profile.error;
  EXPECT_THAT(profile.text,
              HasSubstr("--logdir " + dir_.file("xprof") + ", on its page"));
  EXPECT_THAT(store_->List(dir_.file("xprof/plugins/profile")), IsOk());
  EXPECT_EQ(Run({dir_.file("w.jsonl"), "--trace=" + trace, "--trace_steps=x"})
                .exit_code,
            2);
  EXPECT_EQ(Run({dir_.file("w.jsonl"), "--trace_steps=3"}).exit_code, 2);
  const std::string none = dir_.file("none.json");
  const ReportResult behind =
      Run({dir_.file("w.jsonl"), "--trace=" + none, "--trace_steps=30:40"});
  EXPECT_EQ(behind.exit_code, 2);
  EXPECT_THAT(behind.error,
              HasSubstr("--trace_steps is 30:40, but the file has the steps 1 "
                        "to 4: give some of these"));
  EXPECT_FALSE(store_->Stat(none).ok());
  EXPECT_THAT(Run({dir_.path(), "--trace=" + trace}).error,
              HasSubstr("--trace is of one run"));
}

TEST_F(ReportTest, AFileWithoutWholeEventsHasNoEventFiles) {
  for (const std::string flag : {"--tensorboard_dir=", "--trace="}) {
    const ReportResult result =
        Run({dir_.file("a.jsonl"), flag + dir_.file("x")});
    EXPECT_EQ(result.exit_code, 1) << flag;
    EXPECT_THAT(result.error, HasSubstr("has no plan with its event")) << flag;
  }
}

TEST_F(ReportTest, Helps) {
  EXPECT_THAT(Run({"--help"}).text, HasSubstr("pod_report runs/a.jsonl"));
}

}  // namespace
}  // namespace podsim
