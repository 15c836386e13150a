// The programs and their settings; what a flag means is said in proto/.
#ifndef PODSIM_SETTINGS_PROGRAMS_H_
#define PODSIM_SETTINGS_PROGRAMS_H_

#include <vector>

#include "settings/program.h"

namespace podsim {

// Parts: JobSpec, LaunchSettings, ElsewhereSettings, MonitorSettings.
const MainProgram& PodLaunch();
// Parts: JobSpec (what it shares), BenchSpec, BenchSettings,
// ElsewhereSettings.
const MainProgram& PodBench();
// Parts: PlanSettings, JobSpec (what is planned with).
const MainProgram& PodPlan();
// Parts: LadderSettings, JobSpec (what several runs share).
const MainProgram& PodLadder();
// Parts: CkptSettings.
const MainProgram& PodCkpt();
// Parts: ProgramSettings.
const MainProgram& PodProgram();
// Parts: DataSettings.
const MainProgram& PodData();
// Parts: ReportSettings.
const MainProgram& PodReport();
// Parts: TopSettings.
const MainProgram& PodTop();
// Parts: HostSettings.
const MainProgram& PodHost();
// Parts: CoordinatorSettings, MonitorSettings.
const MainProgram& PodCoordinator();

// All of them, those that people start first.
std::vector<const MainProgram*> AllPrograms();

}  // namespace podsim

#endif  // PODSIM_SETTINGS_PROGRAMS_H_
