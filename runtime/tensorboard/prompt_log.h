// Takes events of TensorBoard's two runs and writes them itself, piece by
// piece: for who reads a run that is over, and can wait for a disk or a store.
#ifndef PODSIM_RUNTIME_TENSORBOARD_PROMPT_LOG_H_
#define PODSIM_RUNTIME_TENSORBOARD_PROMPT_LOG_H_

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "runtime/tensorboard/board_log.h"

namespace podsim {

// One thread at a time.
class PromptBoardLog final : public BoardLog {
 public:
  // Of `files` one is of each run.
  explicit PromptBoardLog(EventFilesByRun files) : files_(std::move(files)) {}

  void StartFiles() override;
  void Add(EventRun run, const tensorboard::Event& event) override;
  // Errors: the first of the files or the store, after which nothing more was
  // written.
  absl::Status Close() override;
  absl::Status status() override { return status_; }

 private:
  void Flush(std::size_t run);

  const EventFilesByRun files_;
  std::array<std::string, kEventRuns> records_;
  absl::Status status_;
};

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_PROMPT_LOG_H_
