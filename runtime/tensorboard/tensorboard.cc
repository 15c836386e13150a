#include "runtime/tensorboard/tensorboard.h"

#include <algorithm>
#include <utility>

#include "runtime/tensorboard/run_events.h"

namespace podsim {
namespace {

// Seconds between two measurements of goodput, which look at all steps; later
// this part of the run.
constexpr double kGoodputEvery = 60;
constexpr double kGoodputPart = 0.01;

}  // namespace

TensorBoard::TensorBoard(TensorBoardOptions options,
                         std::unique_ptr<BoardLog> log)
    : options_(std::move(options)),
      log_(std::move(log)),
      goodput_(options_.command_start),
      awaits_forecast_(options_.forecast != nullptr) {}

void TensorBoard::OnEvent(const JobEvent& event) {
  AskForForecast();
  clock_.OnEvent(event);
  goodput_.OnEvent(event);
  switch (event.event_case()) {
    case JobEvent::kFormed:
      OnFormed(event.formed(), event.wall_time());
      break;
    case JobEvent::kStep:
      OnStep(event.step(), event.wall_time());
      break;
    case JobEvent::kEval:
      OnEval(event.eval(), event.wall_time());
      break;
    case JobEvent::kDone:
      OnDone(event.wall_time());
      break;
    default:
      break;
  }
}

absl::Status TensorBoard::Close() {
  WriteLastStep();
  return log_->Close();
}

void TensorBoard::AskForForecast() {
  if (!awaits_forecast_) return;
  const absl::StatusOr<JobForecast>* forecast = options_.forecast();
  if (forecast == nullptr) return;
  awaits_forecast_ = false;
  if (!forecast->ok()) return;
  clock_.SetStep((*forecast)->step);
  work_.model_flops = (*forecast)->model_flops;
}

void TensorBoard::OnFormed(const PodFormed& formed, double wall_time) {
  WriteLastStep();
  const JobPlan& plan = formed.plan();
  if (began_ == 0) began_ = wall_time;
  start_step_ = formed.start().step();
  work_.examples = plan.global_batch();
  log_->StartFiles();
  evaluates_ = plan.spec().mode() == words::Mode::eval;
  if (evaluates_) return;
  const std::int64_t first = FirstStep(formed.start());
  for (const EventRun run : {EventRun::kWall, EventRun::kSim})
    log_->Add(run, BeginEvent(first, wall_time));
  tensorboard::Event about = EventAt(first, wall_time);
  AddPlanText(options_.plan_text, about);
  AddHparams(plan, wall_time, about);
  log_->Add(EventRun::kWall, about);
  tensorboard::Event memory = EventAt(first, wall_time);
  AddMemory(plan.core_memory(), memory);
  log_->Add(EventRun::kSim, memory);
}

void TensorBoard::OnStep(const StepDone& step, double wall_time) {
  last_ = {.step = step, .wall_time = wall_time, .pod = clock_.time()};
  last_step_ = step.step();
  if (thinning_.Take(step.step(), wall_time)) WriteLastStep();
}

void TensorBoard::WriteLastStep() {
  if (!last_) return;
  log_->Add(EventRun::kWall,
            WallStepEvent(last_->step, last_->wall_time, work_));
  if (last_->pod)
    log_->Add(EventRun::kSim, SimStepEvent(last_->step, *last_->pod,
                                           PodAxis(*last_->pod), work_));
  const double wall_time = last_->wall_time;
  last_.reset();
  if (goodput_at_ == 0) goodput_at_ = wall_time;
  const double apart =
      std::max(kGoodputEvery, kGoodputPart * (wall_time - began_));
  if (wall_time - goodput_at_ >= apart) WriteGoodput(wall_time);
}

void TensorBoard::OnEval(const EvalDone& eval, double wall_time) {
  if (eval.examples() == 0) return;  // there is no eval split
  // A job that resumes with no step left evaluates what was evaluated before.
  if (!evaluates_ && start_step_ > 0 && eval.step() <= start_step_) return;
  log_->Add(EventRun::kWall, EvalEvent(eval, wall_time));
  if (const std::optional<PodTime> pod = clock_.time())
    log_->Add(EventRun::kSim, EvalEvent(eval, PodAxis(*pod)));
}

void TensorBoard::OnDone(double wall_time) {
  if (last_step_ == 0) return;
  WriteLastStep();
  WriteGoodput(wall_time);
  tensorboard::Event end = EventAt(last_step_, wall_time);
  AddSessionEnd(wall_time, end);
  log_->Add(EventRun::kWall, end);
}

void TensorBoard::WriteGoodput(double wall_time) {
  if (goodput_step_ == last_step_) return;
  tensorboard::Event event = EventAt(last_step_, wall_time);
  AddGoodput(goodput_.Measured(), event);
  log_->Add(EventRun::kWall, event);
  goodput_step_ = last_step_;
  goodput_at_ = wall_time;
}

double TensorBoard::PodAxis(const PodTime& pod) const {
  return began_ + pod.sum.seconds();
}

}  // namespace podsim
