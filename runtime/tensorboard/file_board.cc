#include "runtime/tensorboard/file_board.h"

#include <cstddef>

namespace podsim {
namespace {

// A pod of thousands of processes tells that of each when it forms.
constexpr std::size_t kMostBeforePlan = 100'000;

// A log for one launch after the other, none of which ends it.
class LentLog final : public BoardLog {
 public:
  explicit LentLog(BoardLog& log) : log_(log) {}
  void StartFiles() override { log_.StartFiles(); }
  void Add(EventRun run, const tensorboard::Event& event) override {
    log_.Add(run, event);
  }
  absl::Status Close() override { return log_.status(); }
  absl::Status status() override { return log_.status(); }

 private:
  BoardLog& log_;
};

bool IsOfForming(const JobEvent& event) {
  return event.has_joined() || event.has_left() || event.has_refused() ||
         event.has_waiting();
}

}  // namespace

void FileBoard::OnLine(const RunLine& line) {
  if (line.forecast) forecast_.emplace(*line.forecast);
  if (line.event) OnEvent(line);
  if (line.is_last()) EndLaunch();
}

void FileBoard::OnEvent(const RunLine& line) {
  const JobEvent& event = *line.event;
  if (event.has_formed()) {
    if (board_ == nullptr || line.command_start != command_start_)
      BeginLaunch(line);
  } else if (board_ == nullptr || IsOfForming(event)) {
    if (before_plan_.size() < kMostBeforePlan) before_plan_.push_back(event);
    return;
  }
  for (const JobEvent& before : std::exchange(before_plan_, {}))
    board_->OnEvent(before);
  board_->OnEvent(event);
}

void FileBoard::BeginLaunch(const RunLine& plan) {
  EndLaunch();
  has_run_ = true;
  command_start_ = plan.command_start;
  const absl::Time formed =
      absl::UnixEpoch() + absl::Seconds(plan.event->wall_time());
  board_ = std::make_unique<TensorBoard>(
      TensorBoardOptions{
          .plan_text = plan.plan_text,
          .command_start = command_start_.value_or(formed),
          .forecast = [this]() -> const absl::StatusOr<JobForecast>* {
            return forecast_ ? &*forecast_ : nullptr;
          }},
      std::make_unique<LentLog>(*log_));
}

void FileBoard::EndLaunch() {
  if (board_ == nullptr) return;
  static_cast<void>(board_->Close());  // log_ has the status
  board_.reset();
  forecast_.reset();
}

absl::Status FileBoard::Close() {
  EndLaunch();
  return log_->Close();
}

}  // namespace podsim
