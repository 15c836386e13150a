// The training loop of one process: steps and evaluations of the hosts that it
// plays, as the JobPlan says. Knows no gRPC: the transport, the reports and the
// clock are given, so a whole pod also runs in one process.
//
//   PODSIM_ASSIGN_OR_RETURN(auto trainer, Trainer::Create(setup));
//   PODSIM_RETURN_IF_ERROR(trainer->Run());
//   std::string hash = trainer->WeightsHash();
#ifndef PODSIM_HOST_TRAIN_TRAINER_H_
#define PODSIM_HOST_TRAIN_TRAINER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/clock.h"
#include "base/trace/tracer.h"
#include "host/board/host_work.h"
#include "host/board/progress.h"
#include "host/checkpoint/async_saver.h"
#include "host/input/dataset.h"
#include "host/train/fault_injector.h"
#include "host/train/reducer.h"
#include "host/train/step_gate.h"
#include "interconnect/transport/endpoint.h"
#include "models/graph/program.h"
#include "models/kernels/kernels.h"
#include "proto/coordinator.pb.h"
#include "proto/job.pb.h"

namespace podsim {

// Where reports go. Called from the training thread; must not block for long.
class ReportSink {
 public:
  virtual ~ReportSink() = default;
  virtual void OnStep(const StepReport& report) = 0;
  virtual void OnEval(const EvalReport& report) = 0;
};

// Where training begins: from nothing, or where an earlier run stopped.
struct StartState {
  std::int64_t step = 0;  // made before
  std::int64_t examples_consumed = 0;
  // Laid out as the Program says; empty: initialised from the seed.
  std::vector<float> variables;
};

struct TrainerSetup {
  JobPlan plan;
  std::shared_ptr<const Program> program;
  std::shared_ptr<const Dataset> dataset;
  const PodsimKernels* kernels = nullptr;
  int threads = 1;
  StartState start;
  // The run ends after this step; 0: after the plan's last.
  std::int64_t last_step = 0;
  Reducer::Options reducer;
  // Borrowed; must outlive the trainer. The transport's local hosts are the
  // hosts that this process plays.
  Transport* transport = nullptr;
  const Clock* clock = nullptr;
  Progress* progress = nullptr;
  ReportSink* reports = nullptr;
  StepGate* gate = nullptr;         // nullptr: nobody holds this pod
  AsyncSaver* saver = nullptr;      // nullptr: no checkpoints
  FaultInjector* faults = nullptr;  // nullptr: nothing goes wrong on purpose
  Tracer* tracer = nullptr;         // nullptr: nothing is traced
};

class Trainer final : public HostWork {
 public:
  // Allocates everything and sets the weights.
  // Errors: INVALID_ARGUMENT (the plan or the start does not fit the program,
  //   or the data set lacks one of its inputs).
  static absl::StatusOr<std::unique_ptr<Trainer>> Create(TrainerSetup setup);
  ~Trainer() override;

  // The steps from start.step to last_step (fewer, if the gate says so), the
  // evaluations and checkpoints; with mode "eval" one evaluation. Blocks until
  // all is done and this process's parts of the checkpoints are written.
  // Errors: INVALID_ARGUMENT ("loss became nan at step 12 on core 19 ..."),
  //   whatever the reducer or a write failed with, CANCELLED after Abort.
  absl::Status Run() override;

  void Abort(const absl::Status& why) override;
  Waiting waiting() const override;

  // The current weights and optimizer slots, laid out as the Program says.
  std::span<const float> variables() const;

  // SHA-256 hex over name, shape and bytes of every weight (optimizer slots
  // not), in the program's order.
  std::string WeightsHash() const;

 private:
  struct Impl;
  explicit Trainer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace podsim

#endif  // PODSIM_HOST_TRAIN_TRAINER_H_
