#include "settings/programs.h"

#include "proto/bench.pb.h"
#include "proto/job.pb.h"
#include "proto/plan.pb.h"
#include "proto/programs.pb.h"
#include "settings/help_texts.h"

namespace podsim {

const MainProgram& PodLaunch() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_launch",
                      .texts = LaunchTexts(),
                      .example = "pod_launch --model=mlp",
                      .parts = {{JobSpec::descriptor()},
                                {LaunchSettings::descriptor()},
                                {ElsewhereSettings::descriptor()},
                                {MonitorSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodBench() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_bench",
                      .texts = BenchTexts(),
                      .example = "pod_bench all_reduce -b 1K -e 64M -f 4",
                      .parts = {{JobSpec::descriptor(), Which::kShared},
                                {BenchSpec::descriptor()},
                                {BenchSettings::descriptor()},
                                {ElsewhereSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodPlan() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_plan",
                      .texts = PlanTexts(),
                      .example = "pod_plan --model=mlp --topology=v3-8..v3-128",
                      .environment = false,
                      .parts = {{PlanSettings::descriptor()},
                                {JobSpec::descriptor(), Which::kPlanned}}};
  return *kProgram;
}

const MainProgram& PodLadder() {
  static const auto* const kProgram = new MainProgram{
      .name = "pod_ladder",
      .texts = LadderTexts(),
      .example = "pod_ladder --model=mlp --topology=v3-8..v3-128",
      .environment = false,
      .parts = {{LadderSettings::descriptor()},
                {JobSpec::descriptor(), Which::kOfEachRun}}};
  return *kProgram;
}

const MainProgram& PodCkpt() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_ckpt",
                      .texts = CkptTexts(),
                      .example = "pod_ckpt ls runs/a",
                      .environment = false,
                      .parts = {{CkptSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodProgram() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_program",
                      .texts = ProgramTexts(),
                      .example = "pod_program show mlp.model",
                      .environment = false,
                      .parts = {{ProgramSettings::descriptor()}},
                      .writing = {"import", "run"}};
  return *kProgram;
}

const MainProgram& PodData() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_data",
                      .texts = DataTexts(),
                      .example = "pod_data show 'data/train-*'",
                      .environment = false,
                      .parts = {{DataSettings::descriptor()}},
                      .writing = {"convert"}};
  return *kProgram;
}

const MainProgram& PodReport() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_report",
                      .texts = ReportTexts(),
                      .example = "pod_report runs/a.jsonl",
                      .environment = false,
                      .parts = {{ReportSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodTop() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_top",
                      .texts = TopTexts(),
                      .example = "pod_top --model_dir=runs/a",
                      .environment = false,
                      .parts = {{TopSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodHost() {
  static const auto* const kProgram = new MainProgram{
      .name = "pod_host",
      .texts = HostTexts(),
      .example = "pod_host --coordinator=10.0.0.1:8476 --process=0",
      .parts = {{HostSettings::descriptor()}}};
  return *kProgram;
}

const MainProgram& PodCoordinator() {
  static const auto* const kProgram =
      new MainProgram{.name = "pod_coordinator",
                      .texts = CoordinatorTexts(),
                      .example = "pod_coordinator --job=job.txt",
                      .environment = false,
                      .parts = {{CoordinatorSettings::descriptor()},
                                {MonitorSettings::descriptor()}}};
  return *kProgram;
}

std::vector<const MainProgram*> AllPrograms() {
  return {&PodLaunch(),  &PodBench(), &PodPlan(),       &PodCkpt(),
          &PodProgram(), &PodData(),  &PodLadder(),     &PodReport(),
          &PodTop(),     &PodHost(),  &PodCoordinator()};
}

}  // namespace podsim
