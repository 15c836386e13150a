// A whole pod in one process: every host process of the plan becomes a thread
// over an in-process network. The same Trainer, plan, executors and bits as a
// real pod; for tests and for programs that bring a model of their own.
//
//   PODSIM_ASSIGN_OR_RETURN(PodResult result,
//                           TrainInProcess({plan, program, dataset, kernels}));
#ifndef PODSIM_HOST_PROCESS_IN_PROCESS_POD_H_
#define PODSIM_HOST_PROCESS_IN_PROCESS_POD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/trace/tracer.h"
#include "host/input/dataset.h"
#include "host/train/trainer.h"
#include "models/graph/program.h"
#include "models/kernels/kernels.h"
#include "proto/coordinator.pb.h"
#include "proto/job.pb.h"

namespace podsim {

struct PodSetup {
  JobPlan plan;
  std::shared_ptr<const Program> program;
  std::shared_ptr<const Dataset> dataset;
  const PodsimKernels* kernels = nullptr;
  int threads_per_process = 1;
  StartState start;
  // Called once per finished step, from one thread at a time, with the sums
  // over all hosts (host is -1); may be empty.
  std::function<void(const StepReport&)> on_step;
  // By process, each of them or none; borrowed.
  std::vector<Tracer*> tracers = {};
};

struct PodResult {
  std::string weights_hash;             // equal on every process, or an error
  std::vector<float> variables;         // as the Program lays them out
  std::vector<StepReport> steps;        // summed over hosts, in order
  std::vector<EvalReport> evaluations;  // summed over hosts, in order
};

// Blocks until the pod has finished. plan.processes threads. There is no
// coordinator: no checkpoints, restarts, faults, audits or benchmarks, and a
// plan that wants them is refused.
// Errors: those of Trainer; INVALID_ARGUMENT (what is wanted and not done, or
//   missing in `setup`); INTERNAL (processes disagree on the weights).
absl::StatusOr<PodResult> TrainInProcess(const PodSetup& setup);

}  // namespace podsim

#endif  // PODSIM_HOST_PROCESS_IN_PROCESS_POD_H_
