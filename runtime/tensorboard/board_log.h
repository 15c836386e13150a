// Takes events of TensorBoard's two runs and lets a thread of its own write
// them: whoever adds one never waits for a disk or a store.
#ifndef PODSIM_RUNTIME_TENSORBOARD_BOARD_LOG_H_
#define PODSIM_RUNTIME_TENSORBOARD_BOARD_LOG_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "proto/third_party/tensorboard/event.pb.h"
#include "runtime/tensorboard/event_files.h"

namespace podsim {

// Folders of their own; see scalars.h.
enum class EventRun : std::uint8_t { kWall, kSim };
inline constexpr std::size_t kEventRuns = 2;
// "wall", "sim".
const char* NameOf(EventRun run);

class BoardLog {
 public:
  virtual ~BoardLog() = default;
  // What follows goes to new files.
  virtual void StartFiles() = 0;
  virtual void Add(EventRun run, const tensorboard::Event& event) = 0;
  // Blocks until all is written; nothing is added after it. Errors: what is
  // missing from the files, and why.
  virtual absl::Status Close() = 0;
  // After an error nothing more is written.
  virtual absl::Status status() = 0;
};

// When records are written.
struct EventPace {
  std::chrono::milliseconds first{0};  // from the log's beginning
  // From one write to the next, at least; ten times as long as the last one
  // took, or so great a part of the time since the log's beginning, if that is
  // longer.
  std::chrono::milliseconds interval{0};
  double part_of_run = 0;
};
inline constexpr EventPace kFilePace = {.interval =
                                            std::chrono::milliseconds(1'000)};
// A listing of a model_dir has each object: of a week there are 630 of a run.
inline constexpr EventPace kObjectPace = {
    .first = std::chrono::milliseconds(30'000),
    .interval = std::chrono::milliseconds(30'000),
    .part_of_run = 0.01};

using EventFilesByRun = std::array<std::unique_ptr<EventFiles>, kEventRuns>;

// Thread-safe. Its destructor closes it.
class BackgroundBoardLog final : public BoardLog {
 public:
  // Of `files` one is of each run.
  BackgroundBoardLog(EventFilesByRun files, const EventPace& pace);
  ~BackgroundBoardLog() override;
  BackgroundBoardLog(const BackgroundBoardLog&) = delete;
  BackgroundBoardLog& operator=(const BackgroundBoardLog&) = delete;

  void StartFiles() override;
  void Add(EventRun run, const tensorboard::Event& event) override;
  absl::Status Close() override;
  absl::Status status() override;

 private:
  // Records from one StartFiles to the next.
  struct Part {
    bool starts_files = false;
    std::array<std::string, kEventRuns> records = {};
  };
  void Loop();
  // Waits until there is something to write, and it is time. False: closed, and
  // nothing waits.
  bool Next(std::vector<Part>& parts);
  absl::Status Write(const std::vector<Part>& parts);
  // After an attempt to write that took so long.
  void Note(absl::Status written, std::chrono::steady_clock::duration took);
  bool TriesAgain() const;

  const EventFilesByRun files_;
  const EventPace pace_;
  const std::chrono::steady_clock::time_point began_;
  Mutex mutex_;
  CondVar changed_;
  std::vector<Part> parts_ PODSIM_GUARDED_BY(mutex_);
  bool dirty_ PODSIM_GUARDED_BY(mutex_) = false;
  bool closing_ PODSIM_GUARDED_BY(mutex_) = false;
  bool last_attempt_ PODSIM_GUARDED_BY(mutex_) = false;  // began when closing
  bool given_up_ PODSIM_GUARDED_BY(mutex_) = false;
  std::chrono::steady_clock::time_point due_ PODSIM_GUARDED_BY(mutex_);
  absl::Status status_ PODSIM_GUARDED_BY(mutex_);
  std::jthread thread_;  // last: starts when all else stands
};

// In `folder`, of this machine or of a store, with names of this process.
// Touches nothing before the first event. `clock` outlives it.
std::unique_ptr<BoardLog> NewBoardLog(const std::string& folder,
                                      const Clock& clock);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_BOARD_LOG_H_
