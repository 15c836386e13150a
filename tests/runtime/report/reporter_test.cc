// Events through the reporter, onto pipes that stand for the terminal.
#include "runtime/report/reporter.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "tests/testing/status_matchers.h"
#include "tests/testing/temp_dir.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A pipe whose written bytes can be taken out at any time.
class Pipe {
 public:
  Pipe() { PODSIM_CHECK(pipe2(fds_, O_NONBLOCK | O_CLOEXEC) == 0); }
  ~Pipe() {
    close(fds_[0]);
    close(fds_[1]);
  }
  int write_end() const { return fds_[1]; }
  std::string Take() {
    std::string text(1 << 16, '\0');
    const ssize_t count = read(fds_[0], text.data(), text.size());
    text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return text;
  }

 private:
  int fds_[2];
};

JobEvent Formed(std::int64_t train_steps) {
  JobEvent event;
  event.mutable_formed()->mutable_plan()->set_hash("abc123");
  event.mutable_formed()->mutable_plan()->set_train_steps(train_steps);
  event.mutable_formed()->add_processes();
  return event;
}

JobEvent ReportedStep(std::int64_t number) {
  JobEvent event;
  event.mutable_step()->set_step(number);
  event.mutable_step()->set_examples(number * 10);
  return event;
}

class ReporterTest : public ::testing::Test {
 protected:
  Reporter Make(Console& console) {
    return Reporter({.command_start = clock_.Now()}, console, clock_);
  }

  SimClock clock_;
  Pipe out_;
  Pipe err_;
  Console plain_{out_.write_end(), err_.write_end()};
  Console live_{out_.write_end(), err_.write_end(), {.live = true}};
};

TEST_F(ReporterTest, PlainRunHasAFewWholeLines) {
  Reporter reporter = Make(plain_);
  reporter.OnEvent(Formed(1000));
  EXPECT_THAT(out_.Take(), HasSubstr("plan hash abc123\n"));
  for (int step = 1; step <= 1000; ++step) {
    clock_.Advance(absl::Milliseconds(10));
    reporter.OnEvent(ReportedStep(step));
  }
  const std::string text = out_.Take();
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  EXPECT_THAT(text, HasSubstr("step 1000/1000,"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);  // 3, 6, 9 s, end
}

// Whoever reads the events may have waited for something meanwhile: rates are
// of when steps were made, 100 a second here, though 300 are read at once.
TEST_F(ReporterTest, RatesAreOfWhenStepsWereMade) {
  Reporter reporter = Make(plain_);
  reporter.OnEvent(Formed(1000));
  for (int step = 1; step <= 400; ++step) {
    JobEvent event = ReportedStep(step);
    event.set_wall_time(1e9 + 0.01 * step);
    reporter.OnEvent(event);
  }
  EXPECT_THAT(out_.Take(), HasSubstr("global_step/sec: 100,"));
}

// A forecast that is there when `there` is set, of 50 us a step.
class LateForecast {
 public:
  ReporterOptions Options(absl::Time now) {
    return {.command_start = now,
            .forecast =
                [this](absl::Duration wait) {
                  waits_.push_back(wait);
                  return there || (comes_at_the_end && waits_.size() > 1 &&
                                   wait > absl::ZeroDuration())
                             ? &forecast_
                             : nullptr;
                },
            .first_step_wait = absl::Seconds(2)};
  }
  const std::vector<absl::Duration>& waits() const { return waits_; }

  bool there = false;
  bool comes_at_the_end = false;

 private:
  const absl::StatusOr<JobForecast> forecast_ =
      JobForecast{.step = {.compute = SimTime::Seconds(50e-6),
                           .total = SimTime::Seconds(50e-6)}};
  std::vector<absl::Duration> waits_;
};

// Those of before it was known, too: they come then, as of when steps were
// made.
TEST_F(ReporterTest, EveryProgressLineHasBothClocks) {
  LateForecast forecast;
  Reporter reporter(forecast.Options(clock_.Now()), plain_, clock_);
  reporter.OnEvent(Formed(1000));
  out_.Take();
  for (int step = 1; step <= 1000; ++step) {
    if (step == 701) {
      EXPECT_EQ(out_.Take(),
                "training; steps are shown once they are forecast\n");
      forecast.there = true;
    }
    clock_.Advance(absl::Milliseconds(10));
    reporter.OnEvent(ReportedStep(step));
  }
  EXPECT_EQ(forecast.waits()[0], absl::Seconds(2));
  EXPECT_EQ(forecast.waits()[1], absl::ZeroDuration());
  const std::string text = out_.Take();
  EXPECT_THAT(text, ::testing::StartsWith("step 301/1000, "));
  EXPECT_THAT(text, HasSubstr(", global_step/sec: 100, "));
  EXPECT_THAT(text, HasSubstr(", sim_step: 0.00005, sim_time: 0.01505, eta: "));
  EXPECT_THAT(text, HasSubstr("\nstep 601/1000, "));
  EXPECT_THAT(text, HasSubstr(", sim_step: 0.00005, sim_time: 0.03005, eta: "));
  EXPECT_THAT(text, HasSubstr(", sim_step: 0.00005, sim_time: 0.05, eta: 0s"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

// It ends, fails or is stopped before: at its end, which waits for it a while.
TEST_F(ReporterTest, AJobThatEndsBeforeItsForecastHasBothClocksToo) {
  enum class End { kDone, kFailed, kStopped };
  for (const End end : {End::kDone, End::kFailed, End::kStopped}) {
    testing::TempDir dir;
    ASSERT_OK_AND_ASSIGN(
        MetricsFile file,
        MetricsFile::Open(dir.file("m"), MetricsFile::Start::kFresh));
    LateForecast forecast;
    forecast.comes_at_the_end = true;
    {
      Reporter reporter(forecast.Options(clock_.Now()), plain_, clock_);
      reporter.KeepIn(std::move(file));
      reporter.OnEvent(Formed(2));
      for (const int step : {1, 2}) reporter.OnEvent(ReportedStep(step));
      EXPECT_THAT(out_.Take(), Not(HasSubstr("step 2/2")));
      if (end == End::kDone) reporter.Finish();
      if (end == End::kFailed) reporter.Fail({.name = "host1"});
    }
    EXPECT_EQ(forecast.waits().back(), absl::Seconds(10));
    EXPECT_THAT(out_.Take(), HasSubstr("sim_step: 0.00005, sim_time: 0.0001"));
    std::ifstream lines(dir.file("m"));
    int steps = 0;
    std::string last;
    for (std::string line; std::getline(lines, line); last = line) {
      if (line.rfind("{\"event\":\"step\"", 0) != 0) continue;
      ++steps;
      EXPECT_THAT(line, HasSubstr("\"simulated_seconds\":"));
    }
    EXPECT_EQ(steps, 2);
    EXPECT_THAT(last, ::testing::StartsWith(
                          end == End::kDone     ? "{\"event\":\"summary\""
                          : end == End::kFailed ? "{\"event\":\"failure\""
                                                : "{\"event\":\"step\""));
  }
}

// Its line is shown when it happens; its record stays in its place.
TEST_F(ReporterTest, TroublesAreNotHeldBack) {
  testing::TempDir dir;
  ASSERT_OK_AND_ASSIGN(
      MetricsFile file,
      MetricsFile::Open(dir.file("m"), MetricsFile::Start::kFresh));
  LateForecast forecast;
  Reporter reporter(forecast.Options(clock_.Now()), plain_, clock_);
  reporter.KeepIn(std::move(file));
  reporter.OnEvent(Formed(2));
  reporter.OnEvent(ReportedStep(1));
  out_.Take();
  JobEvent restarting;
  restarting.mutable_restarting()->set_reason("host 1 was lost");
  reporter.OnEvent(restarting);
  EXPECT_THAT(out_.Take(), HasSubstr("host 1 was lost"));
  reporter.OnEvent(Formed(2));
  EXPECT_EQ(out_.Take(), "");
  forecast.there = true;
  reporter.OnEvent(ReportedStep(2));
  EXPECT_THAT(out_.Take(), Not(HasSubstr("host 1 was lost")));
  std::ifstream lines(dir.file("m"));
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);)
    events.push_back(line.substr(9, line.find(',') - 9));
  EXPECT_THAT(events,
              ::testing::ElementsAre("\"plan\"", "\"forecast\"", "\"step\"",
                                     "\"restart\"", "\"plan\"", "\"step\""));
}

// The oldest go out as they are; the others still wait.
TEST_F(ReporterTest, WhatIsHeldBackIsBounded) {
  LateForecast forecast;
  ReporterOptions options = forecast.Options(clock_.Now());
  options.plain_interval = absl::ZeroDuration();
  options.most_held_bytes = 2 * ReportedStep(10).ByteSizeLong();
  Reporter reporter(options, plain_, clock_);
  reporter.OnEvent(Formed(100));
  out_.Take();
  for (const int step : {10, 11, 12}) reporter.OnEvent(ReportedStep(step));
  std::string text = out_.Take();
  EXPECT_THAT(text, HasSubstr("step 10/100, "));
  EXPECT_THAT(text, Not(HasSubstr("sim")));
  EXPECT_THAT(text, Not(HasSubstr("step 11/100, ")));
  forecast.there = true;
  reporter.OnEvent(ReportedStep(13));
  text = out_.Take();
  EXPECT_THAT(text, ::testing::StartsWith("step 11/100, "));
  EXPECT_THAT(text, HasSubstr("sim_time: 0.0001,"));
  EXPECT_THAT(text, HasSubstr("sim_time: 0.0002,"));
}

TEST_F(ReporterTest, ALiveLineWaitsForBothClocks) {
  LateForecast forecast;
  Reporter reporter(forecast.Options(clock_.Now()), live_, clock_);
  reporter.OnEvent(Formed(1000));
  out_.Take();
  for (int step = 1; step <= 50; ++step) {
    clock_.Advance(absl::Milliseconds(10));
    forecast.there = step == 50;
    reporter.OnEvent(ReportedStep(step));
  }
  const std::string text = out_.Take();
  EXPECT_THAT(text, ::testing::StartsWith("\r\x1b[Ktraining; steps are shown"));
  const std::string last = text.substr(text.rfind('\r'));
  EXPECT_THAT(last, HasSubstr("step 41/1000"));
  EXPECT_THAT(last, HasSubstr("sim 50"));
}

TEST_F(ReporterTest, AJobWithoutAForecastHasNoSimulatedClock) {
  const absl::StatusOr<JobForecast> none = absl::InternalError("no price");
  Reporter reporter({.command_start = clock_.Now(),
                     .forecast = [&](absl::Duration) { return &none; }},
                    plain_, clock_);
  reporter.OnEvent(Formed(1));
  reporter.OnEvent(ReportedStep(1));
  reporter.Finish();
  EXPECT_THAT(out_.Take(), Not(HasSubstr("sim")));
}

TEST_F(ReporterTest, AQuietRunSaysOnlyWhatDoesNotGoAsPlanned) {
  Reporter reporter({.command_start = clock_.Now(), .quiet = true}, plain_,
                    clock_);
  JobEvent formed = Formed(2);
  formed.mutable_formed()->add_notes("checkpoint 5 is damaged");
  formed.mutable_formed()->mutable_start()->set_checkpoint("m/1");
  reporter.OnEvent(formed);
  reporter.OnEvent(ReportedStep(1));
  JobEvent restarting;
  restarting.mutable_restarting()->set_reason("host 1 was lost");
  reporter.OnEvent(restarting);
  reporter.OnEvent(ReportedStep(2));
  JobEvent eval;
  eval.mutable_eval()->set_step(2);
  reporter.OnEvent(eval);
  EXPECT_EQ(out_.Take(),
            "note: checkpoint 5 is damaged\n"
            "restarting, generation 0 (0 restarts left): host 1 was lost\n");
  reporter.Finish();
  EXPECT_THAT(out_.Take(), ::testing::StartsWith("done: "));
  reporter.Fail({.name = "host1"});
  EXPECT_THAT(err_.Take(), HasSubstr("FAILED: host1"));
}

TEST_F(ReporterTest, SkippedCheckpointsAreToldOnceUntilOneIsSaved) {
  Reporter reporter = Make(plain_);
  reporter.OnEvent(Formed(1000));
  out_.Take();
  JobEvent skipped;
  skipped.mutable_skipped()->mutable_process()->set_pid(123);
  for (const int step : {20, 30, 40}) {
    skipped.mutable_skipped()->set_step(step);
    reporter.OnEvent(skipped);
  }
  const std::string text = out_.Take();
  EXPECT_THAT(text, HasSubstr("no checkpoint of step 20, and none until the"));
  EXPECT_THAT(text, HasSubstr("(pid 123 on"));
  EXPECT_THAT(text, Not(HasSubstr("step 30")));
  JobEvent saved;
  saved.mutable_saved()->set_step(50);
  reporter.OnEvent(saved);
  skipped.mutable_skipped()->set_step(60);
  reporter.OnEvent(skipped);
  EXPECT_THAT(out_.Take(), HasSubstr("no checkpoint of step 60"));
  reporter.Finish();
  EXPECT_THAT(out_.Take(), HasSubstr("4 checkpoints were skipped, as the"));
}

TEST_F(ReporterTest, OneHostIsNoHosts) {
  Reporter reporter = Make(plain_);
  JobEvent formed = Formed(10);
  formed.mutable_formed()->mutable_plan()->mutable_bits()->set_hosts(1);
  reporter.OnEvent(formed);
  EXPECT_THAT(out_.Take(), HasSubstr("pod formed: 1 host in 1 process, isa "));
}

TEST_F(ReporterTest, LiveLineIsRedrawnAtMostTenTimesASecond) {
  Reporter reporter = Make(live_);
  reporter.OnEvent(Formed(1000));
  out_.Take();
  for (int step = 1; step <= 999; ++step) {
    clock_.Advance(absl::Milliseconds(1));
    reporter.OnEvent(ReportedStep(step));
  }
  const std::string text = out_.Take();
  const auto redraws = std::count(text.begin(), text.end(), '\r');
  EXPECT_GE(redraws, 8);
  EXPECT_LE(redraws, 10);
  EXPECT_THAT(text, Not(HasSubstr("\n")));
}

TEST_F(ReporterTest, OtherLinesClearTheLiveLine) {
  live_.Live("step 1");
  live_.Line("a line");
  EXPECT_EQ(out_.Take(), "\r\x1b[Kstep 1\r\x1b[Ka line\n");
  live_.Live("step 2");
  live_.KeepLive();
  live_.Error("trouble");
  EXPECT_EQ(out_.Take(), "\r\x1b[Kstep 2\n");
  EXPECT_EQ(err_.Take(), "trouble\n");
}

// A peer's failure, a manifest's build id and an echoed flag all come this way.
TEST_F(ReporterTest, TextOfOthersDoesNotControlTheTerminal) {
  plain_.Line(
      "two lines\nof gr\xc3\xb6\xc3\x9f"
      "e, \x1b[31mred\r");
  EXPECT_EQ(out_.Take(),
            "two lines\nof gr\xc3\xb6\xc3\x9f"
            "e, \\x1b[31mred\\x0d\n");
  live_.Live("step \x1b[2J\n1");
  EXPECT_EQ(out_.Take(), "\r\x1b[Kstep \\x1b[2J\\n1");
  live_.KeepLive();
  out_.Take();

  Reporter reporter = Make(plain_);
  JobEvent formed = Formed(10);
  formed.mutable_formed()->add_notes("of build \x1b]0;x\a\nFAILED: host7");
  reporter.OnEvent(formed);
  EXPECT_THAT(out_.Take(),
              HasSubstr("note: of build \\x1b]0;x\\x07\\nFAILED: host7\n"));
  reporter.Fail({.when = clock_.Now(),
                 .name = "host1",
                 .message = "\x1b[1A\nFAILED: host7"});
  EXPECT_THAT(err_.Take(), HasSubstr(" \\x1b[1A\\nFAILED: host7\n"));
}

TEST_F(ReporterTest, AFullPipeDropsTextOnceTheUserWantsToStop) {
  int fds[2];
  ASSERT_EQ(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
  ASSERT_EQ(write(fds[1], "x", 1), 1);
  plain_.set_stop_fd(fds[0]);
  plain_.Line(std::string(1 << 20, 'x'));  // returns
  EXPECT_FALSE(out_.Take().empty());
  close(fds[0]);
  close(fds[1]);
}

TEST_F(ReporterTest, FailureGoesToStandardError) {
  Reporter reporter = Make(plain_);
  reporter.Fail({.when = clock_.Now(), .name = "host1", .how = "broke"});
  EXPECT_EQ(out_.Take(), "");
  EXPECT_THAT(err_.Take(), HasSubstr("FAILED: host1 broke"));
}

TEST_F(ReporterTest, AFailedRunAccountsForItsFaultsToo) {
  Reporter reporter = Make(plain_);
  JobEvent formed = Formed(10);
  formed.mutable_formed()->mutable_plan()->add_faults()->set_step(1);
  reporter.OnEvent(formed);
  JobEvent struck;
  struck.mutable_fault()->set_step(1);
  reporter.OnEvent(struck);
  JobEvent failed;
  failed.mutable_failed();
  reporter.OnEvent(failed);
  reporter.Fail({.when = clock_.Now(), .name = "host0"});
  EXPECT_THAT(out_.Take(), HasSubstr("injected 1, detected 1, recovered 0"));
}

TEST_F(ReporterTest, AResumeIsAnEventOfTheMetrics) {
  testing::TempDir dir;
  ASSERT_OK_AND_ASSIGN(
      MetricsFile file,
      MetricsFile::Open(dir.file("m"), MetricsFile::Start::kGoesOn));
  Reporter reporter = Make(plain_);
  reporter.KeepIn(std::move(file));
  reporter.OnEvent(Formed(10));
  JobEvent resumed = Formed(10);
  resumed.mutable_formed()->mutable_start()->set_checkpoint("m/5");
  resumed.mutable_formed()->mutable_start()->set_step(5);
  reporter.OnEvent(resumed);
  std::ifstream lines(dir.file("m"));
  std::vector<std::string> events;
  for (std::string line; std::getline(lines, line);)
    events.push_back(line.substr(0, line.find(',')));
  EXPECT_THAT(events, ::testing::ElementsAre("{\"event\":\"plan\"",
                                             "{\"event\":\"resume\"",
                                             "{\"event\":\"plan\""));
}

// Before the first step, which waits for it, and once.
TEST_F(ReporterTest, TheForecastIsAnEventOfTheMetrics) {
  testing::TempDir dir;
  ASSERT_OK_AND_ASSIGN(
      MetricsFile file,
      MetricsFile::Open(dir.file("m"), MetricsFile::Start::kFresh));
  const absl::StatusOr<JobForecast> forecast =
      JobForecast{.step = {.total = SimTime::Seconds(50e-6)}};
  int asked = 0;
  Reporter reporter(
      {.command_start = clock_.Now(),
       .forecast =
           [&](absl::Duration) { return ++asked > 1 ? &forecast : nullptr; },
       .yardsticks =
           [] {
             return Yardsticks{.link_faults = {"link (0,0)-(1,0) "
                                               "cut"}};
           }},
      plain_, clock_);
  reporter.KeepIn(std::move(file));
  reporter.OnEvent(Formed(10));
  for (int step = 1; step <= 3; ++step) reporter.OnEvent(ReportedStep(step));
  std::ifstream lines(dir.file("m"));
  std::vector<std::string> events;
  std::string whole;
  for (std::string line; std::getline(lines, line); whole += line)
    events.push_back(line.substr(0, line.find(',')));
  EXPECT_THAT(events, ::testing::ElementsAre(
                          "{\"event\":\"plan\"", "{\"event\":\"forecast\"",
                          "{\"event\":\"step\"", "{\"event\":\"step\"",
                          "{\"event\":\"step\""));
  EXPECT_THAT(whole, HasSubstr("link (0,0)-(1,0) cut"));
}

TEST_F(ReporterTest, ABrokenMetricsFileIsReportedOnceAndKept) {
  ASSERT_OK_AND_ASSIGN(
      MetricsFile full,
      MetricsFile::Open("/dev/full", MetricsFile::Start::kFresh));
  Reporter reporter = Make(plain_);
  reporter.KeepIn(std::move(full));
  reporter.OnEvent(Formed(10));
  EXPECT_THAT(err_.Take(), HasSubstr("cannot write the metrics file"));
  reporter.OnEvent(ReportedStep(1));
  EXPECT_EQ(err_.Take(), "");
  EXPECT_THAT(reporter.status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("")));
}

// The job did what was asked.
TEST_F(ReporterTest, ABrokenMetricsFileThatNobodyAskedForIsAWarning) {
  ASSERT_OK_AND_ASSIGN(
      MetricsFile full,
      MetricsFile::Open("/dev/full", MetricsFile::Start::kFresh));
  Reporter reporter = Make(plain_);
  reporter.KeepIn(std::move(full), /*asked=*/false);
  reporter.OnEvent(Formed(10));
  EXPECT_THAT(err_.Take(),
              AllOf(HasSubstr("warning: cannot write the metrics file"),
                    HasSubstr("--metrics_file names another file")));
  reporter.OnEvent(ReportedStep(1));
  EXPECT_EQ(err_.Take(), "");
  EXPECT_THAT(reporter.status(), IsOk());
}

TEST(CutToWidthTest, CutsOnlyWhenAWidthIsKnown) {
  EXPECT_EQ(CutToWidth("abcdef", 4), "abcd");
  EXPECT_EQ(CutToWidth("abc", 4), "abc");
  EXPECT_EQ(CutToWidth("abcdef", 0), "abcdef");
}

}  // namespace
}  // namespace podsim
