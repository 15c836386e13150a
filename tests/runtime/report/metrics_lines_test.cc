// Lines of the metrics file: JSON with the documented keys.
#include "runtime/report/metrics_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "job/phases.h"
#include "tests/job/set_metric.h"

namespace podsim {
namespace {

using ::nlohmann::json;

TEST(MetricsLineTest, AResumeSaysWhereItGoesOn) {
  StartPoint start;
  start.set_checkpoint("runs/a/300");
  start.set_step(300);
  start.set_examples_consumed(76'800);
  start.set_last_step(500);
  JobPlan plan;
  plan.mutable_spec()->set_mode(words::Mode::train);
  const json line = json::parse(ResumeLine(start, plan, 1.5));
  EXPECT_EQ(line["event"], "resume");
  EXPECT_EQ(line["wall_time"], 1.5);
  EXPECT_EQ(line["mode"], "train");
  EXPECT_EQ(line["checkpoint"], "runs/a/300");
  EXPECT_EQ(line["step"], 300);
  EXPECT_EQ(line["examples"], 76'800);
  EXPECT_EQ(line["last_step"], 500);
}

TEST(MetricsLineTest, PlanCarriesTheRunsContext) {
  JobPlan plan;
  plan.set_hash("abc");
  plan.set_global_batch(1024);
  plan.mutable_spec()->set_run_name("nightly");
  plan.mutable_bits()->set_slice("v3-32");
  plan.mutable_bits()->set_hosts(4);
  plan.mutable_bits()->set_cores_per_host(8);
  plan.mutable_core_memory()->set_hbm(16 << 20);
  plan.mutable_core_memory()->set_parameters(1000);
  plan.mutable_core_memory()->set_activations(24);
  plan.add_first_host(0);
  plan.add_first_host(3);
  plan.mutable_machine_memory()->set_per_process(77);
  plan.mutable_machine_memory()->set_per_host(11);
  const json line =
      json::parse(PlanLine(plan, 12.5, {"pod_launch --x='\xff'", "cpu", 2}));
  EXPECT_EQ(line["event"], "plan");
  EXPECT_EQ(line["plan_hash"], "abc");
  EXPECT_EQ(line["settings"]["run_name"], "nightly");
  EXPECT_EQ(line["cores"], 32);
  EXPECT_EQ(line["global_batch"], 1024);
  EXPECT_EQ(line["hbm_bytes_per_core"], 1024);
  EXPECT_EQ(line["hbm_bytes_available"], 16 << 20);
  EXPECT_EQ(line["cpus"], 2);
  EXPECT_EQ(line["wall_time"], 12.5);
  EXPECT_FALSE(line.contains("zone"));
  EXPECT_EQ(line["replica_name"], "core");
  EXPECT_EQ(line["hbm"], json({{"parameters", 1000},
                               {"gradients", 0},
                               {"optimizer_state", 0},
                               {"activations", 24},
                               {"input", 0}}));
  EXPECT_EQ(line["first_host"], json({0, 3}));
  EXPECT_EQ(line["memory_bytes_per_process"], 77);
  EXPECT_EQ(line["memory_bytes_per_host"], 11);
  EXPECT_FALSE(line.contains("warnings"));
  plan.mutable_bits()->set_slice("v4-16");
  EXPECT_EQ(json::parse(PlanLine(plan, 12.5, {}))["replica_name"], "chip");
}

TEST(MetricsLineTest, PlanSaysWherePodAndBucketsAre) {
  JobPlan plan;
  plan.mutable_geography()->set_zone("europe-west4-a");
  BucketPlace& place = *plan.mutable_geography()->add_buckets();
  place.set_bucket("gs://b");
  place.set_location("us");
  place.set_nearness(BucketPlace::ELSEWHERE);
  const json line = json::parse(PlanLine(plan, 12.5, {}));
  EXPECT_EQ(line["zone"], "europe-west4-a");
  EXPECT_EQ(line["buckets"], json::parse(R"([{"bucket": "gs://b",
      "location": "us", "nearness": "ELSEWHERE"}])"));
}

TEST(MetricsLineTest, WhoComesToAPodAndWhoDoesNot) {
  HostJoined joined;
  joined.mutable_process()->set_process(2);
  joined.mutable_process()->set_pid(77);
  joined.mutable_process()->set_hostname("box");
  joined.mutable_process()->set_first_host(4);
  joined.mutable_process()->set_hosts(2);
  joined.set_joined(3);
  joined.add_missing(0);
  EXPECT_EQ(json::parse(JoinedLine(joined, 1.5)), json({{"event", "joined"},
                                                        {"wall_time", 1.5},
                                                        {"process", 2},
                                                        {"pid", 77},
                                                        {"hostname", "box"},
                                                        {"first_host", 4},
                                                        {"hosts", 2},
                                                        {"joined", 3},
                                                        {"missing", 1}}));

  HostLeft left;
  *left.mutable_process() = joined.process();
  left.set_joined(2);
  left.add_missing(0);
  left.add_missing(2);
  const json gone = json::parse(LeftLine(left, 1.75));
  EXPECT_EQ(gone["event"], "left");
  EXPECT_EQ(gone["process"], 2);
  EXPECT_EQ(gone["joined"], 2);
  EXPECT_EQ(gone["missing"], 2);

  HostRefused refused;
  refused.set_reason("another pod's token");
  refused.set_count(9);
  EXPECT_EQ(json::parse(RefusedLine(refused, 2)),
            json({{"event", "refused"},
                  {"wall_time", 2.0},
                  {"reason", "another pod's token"},
                  {"count", 9}}));

  PodWaiting waiting;
  waiting.add_missing(1);
  waiting.add_missing(3);
  waiting.set_seconds_left(50);
  EXPECT_EQ(json::parse(WaitingLine(waiting, 3)),
            json({{"event", "waiting"},
                  {"wall_time", 3.0},
                  {"missing", {1, 3}},
                  {"unready", json::array()},
                  {"seconds_left", 50.0}}));

  PodWaiting tracing;
  tracing.add_tracing(2);
  EXPECT_EQ(json::parse(WaitingLine(tracing, 4)),
            json({{"event", "waiting"},
                  {"wall_time", 4.0},
                  {"tracing", json::array({2})}}));
}

// A step of 9 ms: 2 of compute, 4 of all-reduce of which 3 are exposed, 1 of
// update, 2 fixed, and 1 that waits for the input.
JobForecast OfNineMilliseconds() {
  JobForecast forecast;
  forecast.step = {.input = SimTime::Seconds(7e-3),
                   .compute = SimTime::Seconds(2e-3),
                   .communication = SimTime::Seconds(4e-3),
                   .update = SimTime::Seconds(1e-3),
                   .exposed_communication = SimTime::Seconds(3e-3),
                   .fixed = SimTime::Seconds(2e-3),
                   .total = SimTime::Seconds(9e-3)};
  forecast.band = {SimTime::Seconds(8e-3), SimTime::Seconds(12e-3)};
  forecast.model_flops = 5e9;
  forecast.global_batch = 90;
  forecast.replicas = 10;
  return forecast;
}

TEST(MetricsLineTest, AForecastHasItsPartsItsBandAndWhatItIsComparedWith) {
  const Yardsticks yardsticks = {
      .foot = LadderFoot{.slice = "v3-8",
                         .batch_per_core = 32,
                         .examples_per_second_per_replica = 2000},
      .link_faults = {"link (0,0)-(1,0) at 0.25 of its rate"},
      .sound_step = SimTime::Seconds(6e-3),
      .reduce_bound = SimTime::Seconds(1e-3)};
  const json line =
      json::parse(ForecastLine(OfNineMilliseconds(), yardsticks, 2.5));
  EXPECT_EQ(line["event"], "forecast");
  EXPECT_EQ(line["wall_time"], 2.5);
  EXPECT_EQ(line["model_flops"], 5e9);
  EXPECT_EQ(line["simulated_step_seconds"], 9e-3);
  EXPECT_EQ(line["simulated_step_seconds_low"], 8e-3);
  EXPECT_EQ(line["simulated_step_seconds_high"], 12e-3);
  EXPECT_DOUBLE_EQ(line["simulated_seconds_input"].get<double>(), 1e-3);
  EXPECT_EQ(line["simulated_seconds_compute"], 2e-3);
  EXPECT_EQ(line["simulated_seconds_all_reduce"], 4e-3);
  EXPECT_EQ(line["simulated_seconds_exposed_all_reduce"], 3e-3);
  EXPECT_EQ(line["simulated_seconds_update"], 1e-3);
  EXPECT_EQ(line["simulated_seconds_fixed"], 2e-3);
  EXPECT_EQ(line["simulated_all_reduce_bound_seconds"], 1e-3);
  // 90 examples in 9 ms are 1,000 a second for each of 10.
  EXPECT_DOUBLE_EQ(line["scaling_efficiency"].get<double>(), 0.5);
  EXPECT_EQ(line["reference_slice"], "v3-8");
  EXPECT_EQ(line["reference_batch_per_core"], 32);
  EXPECT_EQ(line["link_faults"],
            json::array({"link (0,0)-(1,0) at 0.25 of its rate"}));
  EXPECT_EQ(line["simulated_step_seconds_sound_links"], 6e-3);
}

TEST(MetricsLineTest, AForecastOfSoundLinksSaysNothingOfThem) {
  const json line = json::parse(ForecastLine(OfNineMilliseconds(), {}, 2.5));
  for (const char* key : {"scaling_efficiency", "reference_slice",
                          "link_faults", "simulated_step_seconds_sound_links"})
    EXPECT_FALSE(line.contains(key)) << key;
}

TEST(MetricsLineTest, AFaultSaysWhenInTheStepAndHowLong) {
  FaultStruck struck;
  struck.set_index(3);
  struck.set_step(5);
  struck.mutable_fault()->set_kind(Fault::SLOW);
  struck.mutable_fault()->set_host(2);
  struck.mutable_fault()->set_phase("compute");
  struck.mutable_fault()->set_seconds(0.5);
  EXPECT_EQ(json::parse(FaultLine(struck, 1.5)), json({{"event", "fault"},
                                                       {"wall_time", 1.5},
                                                       {"index", 3},
                                                       {"kind", "SLOW"},
                                                       {"host", 2},
                                                       {"to", 0},
                                                       {"step", 5},
                                                       {"phase", "compute"},
                                                       {"seconds", 0.5}}));
}

TEST(MetricsLineTest, StepAndEval) {
  StepDone step;
  step.set_step(7);
  step.set_examples(7168);
  testing::SetLossSum(step, 0.25);
  testing::SetMean(step, "margin", 3, 4);
  const json step_line = json::parse(StepLine(step, 1));
  EXPECT_EQ(step_line["event"], "step");
  EXPECT_EQ(step_line["step"], 7);
  EXPECT_EQ(step_line["examples"], 7168);
  EXPECT_EQ(step_line["loss"], 0.25);
  EXPECT_EQ(step_line["metrics"]["margin"], 0.75);

  EvalDone eval;
  testing::SetMean(eval, kAccuracyMetric, 9, 10);
  const json eval_line = json::parse(EvalLine(eval, 1));
  EXPECT_EQ(eval_line["event"], "eval");
  EXPECT_EQ(eval_line["correct"], 9);
  EXPECT_EQ(eval_line["accuracy"], 0.9);
  EXPECT_FALSE(eval_line.contains("metrics"));
}

TEST(MetricsLineTest, StepsHaveBothClocks) {
  StepDone step;
  step.set_seconds(0.25);
  AddOfProcess(kInputPhase, 0, step);
  EXPECT_FALSE(json::parse(StepLine(step, 1)).contains("simulated_seconds"));
  const std::string text = StepLine(
      step, 1,
      PodTime{.step = SimTime::Seconds(0.5), .sum = SimTime::Seconds(1.5)});
  const json line = json::parse(text);
  EXPECT_EQ(line["seconds"], 0.25);
  EXPECT_EQ(line["simulated_seconds"], 0.5);
  EXPECT_EQ(line["simulated_time"], 1.5);
  EXPECT_LT(text.find("simulated_time"), text.find("input_us"));
}

TEST(MetricsLineTest, APhaseThatNobodyKnowsIsThereByItsName) {
  StepDone step;
  step.set_learning_rate(0.5);
  AddSeconds(kInputPhase, 0.25, *step.mutable_phases());
  AddSeconds({"infeed", "infeed"}, 0.125, *step.mutable_phases());
  // Of another meaning here.
  AddSeconds({"input_read", "read"}, 7, *step.mutable_phases());
  AddSeconds(kInputRead, 2, *step.mutable_input());
  const json line = json::parse(StepLine(step, 1));
  EXPECT_EQ(line["seconds_input"], 0.25);
  EXPECT_EQ(line["seconds_compute"], 0);
  EXPECT_EQ(line["seconds_infeed"], 0.125);
  EXPECT_EQ(line["seconds_input_read"], 2);
  RunSummary summary;
  AddPhases(step.phases(), 1, summary.phases.of_step);
  EXPECT_EQ(json::parse(SummaryLine(summary))["seconds_infeed"], 0.125);
}

// Programs look for these, in lines of every build.
TEST(MetricsLineTest, PhasesHaveTheirKeysInTheirOrder) {
  const std::string text = StepLine(StepDone(), 1);
  EXPECT_THAT(
      text,
      ::testing::HasSubstr(
          R"("seconds":0.0,"seconds_input":0.0,"seconds_compute":0.0,)"
          R"("seconds_reduce":0.0,"seconds_update":0.0,"seconds_other":0.0,)"
          R"("seconds_products":0.0,"seconds_packing":0.0,)"
          R"("seconds_elementwise":0.0,"seconds_sums":0.0,)"
          R"("seconds_input_read":0.0,"seconds_input_decode":0.0,)"
          R"("seconds_input_augment":0.0,"seconds_input_copy":0.0,)"
          R"("serial":false)"));
}

TEST(MetricsLineTest, TheSummaryHasTheRunOnThePod) {
  RunSummary summary;
  summary.steps_made = 2;
  summary.phases.steps = 1;
  AddSeconds(kInputPhase, 0.25, summary.phases.of_step);
  summary.plan.mutable_core_memory()->set_hbm(1024);
  summary.plan.mutable_core_memory()->set_parameters(100);
  summary.forecast = JobForecast{.step = {.compute = SimTime::Seconds(0.5),
                                          .total = SimTime::Seconds(0.5)},
                                 .steps = 4,
                                 .chips = 3600,
                                 .model_flops = 30,
                                 .peak_flops = 100,
                                 .start_up = SimTime::Seconds(2),
                                 .evaluation_seconds = 3};
  summary.pod = {.input = SimTime::Seconds(0.25),
                 .compute = SimTime::Seconds(1),
                 .reduce = SimTime::Seconds(0.125),
                 .update = SimTime::Seconds(0.0625),
                 .fixed = SimTime::Seconds(0.0625)};
  summary.restarts = 1;
  const json line = json::parse(SummaryLine(summary));
  EXPECT_EQ(line["simulated_seconds_start_up"], 4);
  EXPECT_EQ(line["simulated_seconds_steps"], 1.5);
  EXPECT_EQ(line["simulated_seconds_evaluation"], 1.5) << "2 of 4 steps";
  EXPECT_EQ(line["simulated_seconds_checkpoints"], 0);
  EXPECT_EQ(line["simulated_seconds_run"], 7);
  EXPECT_EQ(line["simulated_chip_hours"], 7);
  EXPECT_EQ(line["simulated_seconds_input"], 0.25);
  EXPECT_EQ(line["simulated_seconds_compute"], 1);
  EXPECT_EQ(line["simulated_seconds_reduce"], 0.125);
  EXPECT_EQ(line["simulated_seconds_update"], 0.0625);
  EXPECT_EQ(line["simulated_seconds_fixed"], 0.0625);
  // Two steps of 30 in 1.5 s at 100 a second.
  EXPECT_DOUBLE_EQ(line["simulated_mfu"].get<double>(), 0.4);
  EXPECT_EQ(line["simulated_input_verdict"], "MODERATELY input-bound");
  EXPECT_EQ(line["input_verdict"], "HIGHLY input-bound");
  EXPECT_EQ(line["simulated_hbm_bytes_per_core"], 100);
  EXPECT_EQ(line["simulated_hbm_bytes_available"], 1024);
}

TEST(MetricsLineTest, StepsSayWhatEachProcessDid) {
  StepDone step;
  step.set_last_process(1);
  // Exact in binary, in whole microseconds and halved.
  for (const float seconds : {0.015625F, 2.0F}) {
    AddOfProcess(kInputPhase, seconds, step);
    AddOfProcess(kComputePhase, seconds / 2, step);
  }
  EXPECT_FALSE(json::parse(StepLine(step, 1)).contains("last_process"));
  step.add_process_seconds_waited(0.5F);
  step.add_process_seconds_waited(0);
  const std::string text = StepLine(step, 1);
  const json line = json::parse(text);
  EXPECT_EQ(line["last_process"], 1);
  EXPECT_EQ(line["input_us"], json({15625, 2000000}));
  EXPECT_EQ(line["compute_us"], json({7812.5, 1000000}));
  // Lists come last, so that the rest of a line can be read.
  EXPECT_THAT(text, ::testing::EndsWith("\"waited_us\":[500000,0]}"));
}

TEST(MetricsLineTest, TheSummaryNamesTheSlowestHost) {
  RunSummary summary;
  summary.plan.mutable_bits()->set_hosts(4);
  summary.plan.mutable_spec()->set_processes(2);
  summary.plan.add_first_host(0);
  summary.plan.add_first_host(2);
  EXPECT_FALSE(json::parse(SummaryLine(summary)).contains("straggler"));
  summary.straggler = {
      .process = 1, .came_last = 3, .steps = 4, .behind = 0.5, .of_time = 0.1};
  summary.came_last = {1, 3};
  const json line = json::parse(SummaryLine(summary));
  EXPECT_EQ(line["straggler"]["first_host"], 2);
  EXPECT_EQ(line["straggler"]["hosts"], 2);
  EXPECT_EQ(line["straggler"]["came_last"], 3);
  EXPECT_EQ(line["straggler"]["seconds_behind"], 0.5);
  EXPECT_EQ(line["came_last"], json({1, 3}));
}

TEST(MetricsLineTest, ANanLossIsNullNotBrokenJson) {
  StepDone step;
  testing::SetLossSum(step, std::nan(""));
  EXPECT_TRUE(json::parse(StepLine(step, 1))["loss"].is_null());
}

TEST(MetricsLineTest, SummaryHasOptionalPartsOnlyWhenKnown) {
  RunSummary summary;
  summary.weights_hash = "feed";
  json line = json::parse(SummaryLine(summary));
  EXPECT_EQ(line["event"], "summary");
  EXPECT_EQ(line["weights_hash"], "feed");
  EXPECT_FALSE(line.contains("eval_accuracy"));
  EXPECT_FALSE(line.contains("simulated_step_seconds"));
  EXPECT_FALSE(line.contains("goodput"));
  EXPECT_FALSE(line.contains("faults"));
  testing::SetMean(summary.eval.emplace(), kAccuracyMetric, 0.5);
  EXPECT_FALSE(json::parse(SummaryLine(summary)).contains("eval_metrics"));
  testing::SetMean(*summary.eval, "margin", 3, 4);
  summary.goodput = {.wall = 4, .productive = 3};
  (*summary.goodput)[LostTo::kWastedProgress] = 1;
  summary.faults = {.injected = 2, .complaints = {"x"}};
  summary.forecast = JobForecast{
      .step = {.compute = SimTime::Seconds(0.5),
               .total = SimTime::Seconds(0.5)},
      .band = {.low = SimTime::Seconds(0.25), .high = SimTime::Seconds(1)},
      .algorithm = ChipAlgorithm::kRing};
  line = json::parse(SummaryLine(summary));
  EXPECT_EQ(line["eval_accuracy"], 0.5);
  EXPECT_EQ(line["eval_metrics"], json({{"margin", 0.75}}));
  EXPECT_EQ(line["simulated_step_seconds"], 0.5);
  EXPECT_EQ(line["simulated_step_seconds_low"], 0.25);
  EXPECT_EQ(line["simulated_step_seconds_high"], 1);
  EXPECT_EQ(line["simulated_how"], "ring, bound by compute");
  EXPECT_FALSE(line.contains("simulated_seconds_run")) << "no step was made";
  EXPECT_EQ(line["goodput"]["fraction"], 0.75);
  EXPECT_EQ(line["goodput"]["seconds_wall"], 4);
  EXPECT_EQ(line["goodput"]["WASTED_PROGRESS_FROM_DISRUPTION"], 1);
  EXPECT_EQ(line["goodput"]["OTHER"], 0);
  EXPECT_EQ(line["faults"]["injected"], 2);
  EXPECT_EQ(line["faults"]["complaints"][0], "x");
}

TEST(MetricsLineTest, FailureNamesTheCulprit) {
  const json line = json::parse(FailureLine({.when = absl::FromUnixSeconds(9),
                                             .name = "host2",
                                             .pid = 12,
                                             .how = "exited with code 3",
                                             .exit_code = 3}));
  EXPECT_EQ(line["event"], "failure");
  EXPECT_EQ(line["process"], "host2");
  EXPECT_EQ(line["wall_time"], 9);
  EXPECT_EQ(line["exit_code"], 3);
}

}  // namespace
}  // namespace podsim
