// A job's state as Prometheus and tpu-info read it.
#include "runtime/monitor/job_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/units.h"
#include "job/phases.h"
#include "runtime/monitor/monitor_settings.h"
#include "runtime/monitor/tpu_metrics.h"
#include "tests/runtime/monitor/watched_job.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::IsOk;
using ::podsim::testing::kInvalid;
using ::podsim::testing::StatusIs;
using ::podsim::testing::TrainingState;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(JobMetricsTest, HaveTheJob) {
  const std::string text = PrometheusText(JobMetrics(TrainingState(), 0.0042));
  for (const char* line :
       {"podsim_phase{phase=\"training\"} 1\n",
        "podsim_phase{phase=\"failed\"} 0\n", "podsim_restarts_total 0\n",
        "podsim_step 12\n", "podsim_examples 768\n", "podsim_loss 0.25\n",
        "podsim_train_metric{metric=\"loss\"} 0.25\n",
        "podsim_learning_rate 0.25\n", "podsim_train_steps 100\n",
        "podsim_step_seconds{clock=\"sim\"} 0.0042\n",
        "podsim_step_phase_seconds{phase=\"update\"} 0.01\n",
        "podsim_hbm_bytes{clock=\"sim\",kind=\"used\"} 1610612736\n",
        "podsim_hbm_bytes{clock=\"sim\",kind=\"total\"} 17179869184\n",
        "podsim_last_event_timestamp_seconds 1012\n",
        "podsim_info{slice=\"v3-32\",model=\"mlp\",plan_hash=\"\"} 1\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("podsim_host_step_share{host=\"3\",part=\"wait\"} "),
            HasSubstr("podsim_step_seconds{clock=\"wall\"} ")));
}

// A later build's, or a host's of one.
TEST(JobMetricsTest, APhaseThatNobodyKnowsIsThereByItsName) {
  JobState state = TrainingState();
  AddSeconds({"infeed", "infeed"}, 0.25, *state.steps.back().mutable_phases());
  EXPECT_THAT(
      PrometheusText(JobMetrics(state, std::nullopt)),
      AllOf(HasSubstr("podsim_step_phase_seconds{phase=\"infeed\"} 0.25\n"),
            HasSubstr("podsim_step_phase_seconds{phase=\"input\"} 0\n")));
}

TEST(JobMetricsTest, WhatIsNotKnownIsNotThere) {
  const std::string text = PrometheusText(JobMetrics({}, std::nullopt));
  EXPECT_THAT(text, AllOf(HasSubstr("podsim_phase{phase=\"forming\"} 1\n"),
                          HasSubstr("podsim_restarts_total 0\n"),
                          Not(HasSubstr("podsim_step ")),
                          Not(HasSubstr("podsim_step_seconds")),
                          Not(HasSubstr("podsim_hbm_bytes"))));
}

TEST(JobMetricsTest, RestartsAreCounted) {
  JobState state = TrainingState();
  state.generation = 3;
  EXPECT_THAT(PrometheusText(JobMetrics(state, std::nullopt)),
              HasSubstr("podsim_restarts_total 2\n"));
}

TEST(TpuMetricsTest, MemoryIsPerDeviceAndDutyPerChip) {
  const JobState state = TrainingState();
  ASSERT_OK_AND_ASSIGN(
      const auto total,
      TpuMetricOf("tpu.runtime.hbm.memory.total.bytes", state, 3));
  ASSERT_EQ(total.metrics_size(), 8);
  EXPECT_EQ(total.metrics(7).attribute().value().int_attr(), 7);
  EXPECT_EQ(total.metrics(7).gauge().as_int(), 16 * kGiB);
  EXPECT_EQ(total.metrics(7).timestamp().seconds(), 1012);
  ASSERT_OK_AND_ASSIGN(
      const auto used,
      TpuMetricOf("tpu.runtime.hbm.memory.usage.bytes", state, 3));
  EXPECT_EQ(used.metrics(0).gauge().as_int(), 3 * kGiB / 2);
  ASSERT_OK_AND_ASSIGN(
      const auto duty,
      TpuMetricOf("tpu.runtime.tensorcore.dutycycle.percent", state, 3));
  ASSERT_EQ(duty.metrics_size(), 4);
  EXPECT_EQ(duty.metrics(3).attribute().value().int_attr(), 3);
  EXPECT_NEAR(duty.metrics(3).gauge().as_double(), 50, 1e-4);
}

TEST(TpuMetricsTest, WhatIsNotThereIsSaid) {
  EXPECT_THAT(TpuMetricOf("hlo.queue.size.gauge", TrainingState(), 0),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("tpu.runtime.hbm.memory.usage.bytes")));
  EXPECT_THAT(TpuMetricOf("tpu.runtime.hbm.memory.usage.bytes", {}, 0),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("formed")));
}

TEST(MonitorSettingsTest, AHostWithoutAPortIsRefused) {
  MonitorSettings settings;
  EXPECT_THAT(CheckMonitor(settings), IsOk());
  settings.set_metrics_host("10.0.0.1");
  EXPECT_THAT(CheckMonitor(settings),
              StatusIs(kInvalid, HasSubstr("--metrics_port")));
  settings.set_metrics_port(0);
  EXPECT_THAT(CheckMonitor(settings), IsOk());
}

}  // namespace
}  // namespace podsim
