#include "runtime/tensorboard/board_log.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/signals_blocked.h"
#include "base/status.h"
#include "host/storage/uri_store.h"

namespace podsim {
namespace {

// Who adds an event ends the wait.
constexpr std::chrono::milliseconds kIdleWait = std::chrono::seconds(1);

constexpr std::array<EventRun, kEventRuns> kRuns = {EventRun::kWall,
                                                    EventRun::kSim};

std::size_t PlaceOf(EventRun run) { return static_cast<std::size_t>(run); }

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// With the names that its files take.
class NamedBoardLog final : public BoardLog {
 public:
  NamedBoardLog(const std::string& folder, const Clock& clock)
      : names_(clock, HostName(), getpid()),
        log_(FilesIn(folder, names_),
             IsStored(folder) ? kObjectPace : kFilePace) {}

  void StartFiles() override { log_.StartFiles(); }
  void Add(EventRun run, const tensorboard::Event& event) override {
    log_.Add(run, event);
  }
  absl::Status Close() override { return log_.Close(); }
  absl::Status status() override { return log_.status(); }

 private:
  static bool IsStored(const std::string& folder) {
    return !SchemeOf(folder).empty();
  }
  static EventFilesByRun FilesIn(const std::string& folder,
                                 EventFileNames& names) {
    EventFilesByRun files;
    for (const EventRun run : kRuns) {
      const std::string below = absl::StrCat(folder, "/", NameOf(run));
      files[PlaceOf(run)] =
          IsStored(folder) ? NewStoredEventFiles(below, NewUriStore(), names)
                           : NewLocalEventFiles(below, names);
    }
    return files;
  }

  EventFileNames names_;
  BackgroundBoardLog log_;
};

}  // namespace

const char* NameOf(EventRun run) {
  return run == EventRun::kWall ? "wall" : "sim";
}

BackgroundBoardLog::BackgroundBoardLog(EventFilesByRun files,
                                       const EventPace& pace)
    : files_(std::move(files)),
      pace_(pace),
      began_(std::chrono::steady_clock::now()),
      due_(began_ + pace.first) {
  const SignalsBlocked blocked;
  thread_ = std::jthread([this] { Loop(); });
}

BackgroundBoardLog::~BackgroundBoardLog() { static_cast<void>(Close()); }

void BackgroundBoardLog::StartFiles() {
  MutexLock lock(mutex_);
  if (!given_up_) parts_.push_back({.starts_files = true});
}

void BackgroundBoardLog::Add(EventRun run, const tensorboard::Event& event) {
  const std::string record = EventRecord(event.SerializeAsString());
  MutexLock lock(mutex_);
  PODSIM_CHECK(!closing_);
  if (given_up_) return;
  if (parts_.empty()) parts_.emplace_back();
  parts_.back().records[PlaceOf(run)].append(record);
  dirty_ = true;
  changed_.NotifyOne();
}

absl::Status BackgroundBoardLog::Close() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
    changed_.NotifyOne();
  }
  if (thread_.joinable()) thread_.join();
  MutexLock lock(mutex_);
  return status_;
}

absl::Status BackgroundBoardLog::status() {
  MutexLock lock(mutex_);
  return given_up_ ? status_ : absl::OkStatus();
}

bool BackgroundBoardLog::Next(std::vector<Part>& parts) {
  MutexLock lock(mutex_);
  for (;;) {
    const auto left = due_ - std::chrono::steady_clock::now();
    if (dirty_ && (closing_ || left <= left.zero())) break;
    if (closing_) return false;
    changed_.WaitFor(mutex_, dirty_ ? left : kIdleWait);
  }
  dirty_ = false;
  last_attempt_ = closing_;
  parts = std::exchange(parts_, {});
  return true;
}

absl::Status BackgroundBoardLog::Write(const std::vector<Part>& parts) {
  absl::Status status;
  for (const EventRun run : kRuns) {
    EventFiles& files = *files_[PlaceOf(run)];
    if (parts.empty()) status.Update(files.Append(""));
    for (const Part& part : parts) {
      if (part.starts_files) files.StartFile();
      status.Update(files.Append(part.records[PlaceOf(run)]));
      // What follows belongs behind it, or is kept for the next attempt.
      if (!status.ok() && !files.TriesAgain()) return status;
    }
  }
  return status;
}

bool BackgroundBoardLog::TriesAgain() const {
  return std::all_of(files_.begin(), files_.end(),
                     [](const auto& files) { return files->TriesAgain(); });
}

void BackgroundBoardLog::Note(absl::Status written,
                              std::chrono::steady_clock::duration took) {
  MutexLock lock(mutex_);
  status_ = std::move(written);
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> of_run =
      pace_.part_of_run * std::chrono::duration<double>(now - began_);
  due_ =
      now +
      std::max({std::chrono::nanoseconds(pace_.interval),
                std::chrono::nanoseconds(10 * took),
                std::chrono::duration_cast<std::chrono::nanoseconds>(of_run)});
  if (status_.ok()) return;
  // At the end there is one attempt more.
  if (TriesAgain()) {
    dirty_ = dirty_ || !last_attempt_;
    return;
  }
  given_up_ = true;
  dirty_ = false;
  parts_.clear();
}

void BackgroundBoardLog::Loop() {
  std::vector<Part> parts;
  while (Next(parts)) {
    const auto start = std::chrono::steady_clock::now();
    absl::Status written = Write(parts);
    Note(std::move(written), std::chrono::steady_clock::now() - start);
  }
}

std::unique_ptr<BoardLog> NewBoardLog(const std::string& folder,
                                      const Clock& clock) {
  return std::make_unique<NamedBoardLog>(folder, clock);
}

}  // namespace podsim
