// Takes events of TensorBoard's two runs and lets a thread of its own write
// them: whoever adds one never waits for a disk or a store.
#ifndef PODSIM_RUNTIME_TENSORBOARD_BOARD_LOG_H_
#define PODSIM_RUNTIME_TENSORBOARD_BOARD_LOG_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/clock.h"
#include "host/storage/paced_writer.h"
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
  // Blocks until all is written, but not for ever; nothing is added after it.
  // Errors: what is missing from the files, and why.
  virtual absl::Status Close() = 0;
  // After an error nothing more is written.
  virtual absl::Status status() = 0;
};

// When records are written.
inline constexpr WritePace kFilePace = {.interval =
                                            std::chrono::milliseconds(1'000)};
// A listing of a model_dir has each object: of a week there are 630 of a run.
inline constexpr WritePace kObjectPace = {
    .first = std::chrono::milliseconds(30'000),
    .interval = std::chrono::milliseconds(30'000),
    .part_of_run = 0.01};

using EventFilesByRun = std::array<std::unique_ptr<EventFiles>, kEventRuns>;

struct BoardLogOptions {
  std::string folder;  // of the runs; for messages
  WritePace pace;
  // How long Close waits for files or a store that do not answer.
  std::chrono::milliseconds longest_close{10'000};
  // Bytes of a run that wait to be written: a bucket that refuses everything
  // for a week would else fill the memory. What comes then is dropped.
  std::size_t most_waiting = std::size_t{16} << 20;
};

// Thread-safe. Its destructor closes it.
class BackgroundBoardLog final : public BoardLog {
 public:
  // Of `files` one is of each run; they own, or share, all that they use.
  BackgroundBoardLog(EventFilesByRun files, BoardLogOptions options);
  ~BackgroundBoardLog() override;
  BackgroundBoardLog(const BackgroundBoardLog&) = delete;
  BackgroundBoardLog& operator=(const BackgroundBoardLog&) = delete;

  void StartFiles() override;
  void Add(EventRun run, const tensorboard::Event& event) override;
  // Errors, too: DEADLINE_EXCEEDED (a write hangs, and is left to itself),
  //   RESOURCE_EXHAUSTED (events were dropped); says how many events.
  absl::Status Close() override;
  absl::Status status() override;

 private:
  struct Shared;
  const std::shared_ptr<Shared> shared_;  // with the writer's thread
  std::optional<absl::Status> closed_;    // what Close returned
  PacedWriter writer_;
};

// In `folder`, of this machine or of a store, with names of this process.
// Touches nothing before the first event. `clock` is read once.
EventFilesByRun EventFilesIn(const std::string& folder, const Clock& clock);
// A log of these.
std::unique_ptr<BoardLog> NewBoardLog(const std::string& folder,
                                      const Clock& clock);

}  // namespace podsim

#endif  // PODSIM_RUNTIME_TENSORBOARD_BOARD_LOG_H_
