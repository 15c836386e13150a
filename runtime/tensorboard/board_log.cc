#include "runtime/tensorboard/board_log.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/storage/uri_store.h"

namespace podsim {
namespace {

constexpr std::array<EventRun, kEventRuns> kRuns = {EventRun::kWall,
                                                    EventRun::kSim};

std::size_t PlaceOf(EventRun run) { return static_cast<std::size_t>(run); }

// Records of a run.
struct Records {
  std::string bytes;
  std::int64_t events = 0;
};

// How many, without the records themselves.
struct RecordCount {
  std::size_t bytes = 0;
  std::int64_t events = 0;
};

// Records from one StartFiles to the next.
struct FilesPart {
  bool starts_files = false;
  std::array<Records, kEventRuns> records = {};
};

// "12 events of wall, 3 of sim".
std::string EventsText(const std::array<std::int64_t, kEventRuns>& events) {
  std::vector<std::string> texts;
  for (const EventRun run : kRuns) {
    const std::int64_t count = events[PlaceOf(run)];
    if (count == 0) continue;
    const char* const noun =
        !texts.empty() ? "" : (count == 1 ? " event" : " events");
    texts.push_back(absl::StrCat(count, noun, " of ", NameOf(run)));
  }
  return absl::StrJoin(texts, ", ");
}

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// A thread that hangs in a write may outlive whoever lent the clock.
struct OwnedNames {
  explicit OwnedNames(const Clock& like)
      : clock(WallOffset(like)), names(clock, HostName(), getpid()) {}
  const SystemClock clock;
  EventFileNames names;
};

bool IsStored(const std::string& folder) { return !SchemeOf(folder).empty(); }

}  // namespace

const char* NameOf(EventRun run) {
  return run == EventRun::kWall ? "wall" : "sim";
}

struct BackgroundBoardLog::Shared {
  Shared(EventFilesByRun by_run, BoardLogOptions given)
      : files(std::move(by_run)), options(std::move(given)) {}

  bool TriesAgain() const {
    return std::all_of(files.begin(), files.end(),
                       [](const auto& each) { return each->TriesAgain(); });
  }

  // `records`, and what an attempt before could not write.
  absl::Status Append(EventRun run, const Records& records) {
    RecordCount& kept = held[PlaceOf(run)];
    kept.bytes += records.bytes.size();
    kept.events += records.events;
    PODSIM_RETURN_IF_ERROR(files[PlaceOf(run)]->Append(records.bytes));
    MutexLock lock(mutex);
    waiting[PlaceOf(run)].bytes -= kept.bytes;
    waiting[PlaceOf(run)].events -= kept.events;
    kept = {};
    return absl::OkStatus();
  }

  absl::Status WriteParts(const std::vector<FilesPart>& taken) {
    absl::Status written;
    for (const EventRun run : kRuns) {
      EventFiles& of_run = *files[PlaceOf(run)];
      if (taken.empty()) written.Update(Append(run, {}));
      for (const FilesPart& part : taken) {
        if (part.starts_files) of_run.StartFile();
        written.Update(Append(run, part.records[PlaceOf(run)]));
        // What follows belongs behind it, or is kept for the next attempt.
        if (!written.ok() && !of_run.TriesAgain()) return written;
      }
    }
    return written;
  }

  // On the writer's thread.
  Written Write() {
    std::vector<FilesPart> taken;
    {
      MutexLock lock(mutex);
      taken = std::exchange(parts, {});
    }
    absl::Status written = WriteParts(taken);
    MutexLock lock(mutex);
    status = std::move(written);
    if (status.ok()) return Written::kAll;
    if (TriesAgain()) return Written::kSomeLeft;
    given_up = true;
    parts.clear();
    return Written::kGivenUp;
  }

  // What Close has to say; `hangs`: a write has not come back.
  absl::Status Outcome(bool hangs) {
    MutexLock lock(mutex);
    absl::Status told = status;
    std::array<std::int64_t, kEventRuns> left{};
    for (const EventRun run : kRuns)
      left[PlaceOf(run)] = waiting[PlaceOf(run)].events;
    if (hangs)
      told = absl::DeadlineExceededError(absl::StrCat(
          options.folder, " did not answer within ",
          absl::FormatDuration(absl::FromChrono(options.longest_close)),
          "; not written: ", EventsText(left)));
    const std::string lost = EventsText(dropped);
    if (lost.empty()) return told;
    const std::string why =
        absl::StrCat("dropped, as more than ", options.most_waiting >> 20,
                     " MiB of a run waited for ", options.folder, ": ", lost);
    return told.ok() ? absl::ResourceExhaustedError(why)
                     : absl::Status(told.code(),
                                    absl::StrCat(told.message(), "; ", why));
  }

  const EventFilesByRun files;
  const BoardLogOptions options;
  // Of what files keep for another attempt; the writer's thread alone.
  std::array<RecordCount, kEventRuns> held = {};
  Mutex mutex;
  std::vector<FilesPart> parts PODSIM_GUARDED_BY(mutex);
  // Added and not written, with what is being written.
  std::array<RecordCount, kEventRuns> waiting PODSIM_GUARDED_BY(mutex) = {};
  std::array<std::int64_t, kEventRuns> dropped PODSIM_GUARDED_BY(mutex) = {};
  bool closing PODSIM_GUARDED_BY(mutex) = false;
  bool given_up PODSIM_GUARDED_BY(mutex) = false;
  absl::Status status PODSIM_GUARDED_BY(mutex);
};

BackgroundBoardLog::BackgroundBoardLog(EventFilesByRun files,
                                       BoardLogOptions options)
    : shared_(std::make_shared<Shared>(std::move(files), std::move(options))),
      writer_(shared_->options.pace,
              [shared = shared_] { return shared->Write(); }) {}

BackgroundBoardLog::~BackgroundBoardLog() { static_cast<void>(Close()); }

void BackgroundBoardLog::StartFiles() {
  MutexLock lock(shared_->mutex);
  if (!shared_->given_up) shared_->parts.push_back({.starts_files = true});
}

void BackgroundBoardLog::Add(EventRun run, const tensorboard::Event& event) {
  const std::string record = EventRecord(event.SerializeAsString());
  {
    Shared& shared = *shared_;
    MutexLock lock(shared.mutex);
    PODSIM_CHECK(!shared.closing);
    if (shared.given_up) return;
    RecordCount& waiting = shared.waiting[PlaceOf(run)];
    // Without the mark of a restart readers would have steps twice.
    if (waiting.bytes + record.size() > shared.options.most_waiting &&
        !event.has_session_log()) {
      ++shared.dropped[PlaceOf(run)];
      return;
    }
    waiting.bytes += record.size();
    ++waiting.events;
    if (shared.parts.empty()) shared.parts.emplace_back();
    Records& records = shared.parts.back().records[PlaceOf(run)];
    records.bytes.append(record);
    ++records.events;
  }
  writer_.Wake();
}

absl::Status BackgroundBoardLog::Close() {
  if (closed_.has_value()) return *closed_;
  {
    MutexLock lock(shared_->mutex);
    shared_->closing = true;
  }
  const bool hangs = !writer_.CloseWithin(shared_->options.longest_close);
  closed_ = shared_->Outcome(hangs);
  return *closed_;
}

absl::Status BackgroundBoardLog::status() {
  MutexLock lock(shared_->mutex);
  return shared_->given_up ? shared_->status : absl::OkStatus();
}

EventFilesByRun EventFilesIn(const std::string& folder, const Clock& clock) {
  const auto owned = std::make_shared<OwnedNames>(clock);
  const std::shared_ptr<EventFileNames> names(owned, &owned->names);
  EventFilesByRun files;
  for (const EventRun run : kRuns) {
    const std::string below = absl::StrCat(folder, "/", NameOf(run));
    files[PlaceOf(run)] = IsStored(folder)
                              ? NewStoredEventFiles(below, NewUriStore(), names)
                              : NewLocalEventFiles(below, names);
  }
  return files;
}

std::unique_ptr<BoardLog> NewBoardLog(const std::string& folder,
                                      const Clock& clock) {
  return std::make_unique<BackgroundBoardLog>(
      EventFilesIn(folder, clock),
      BoardLogOptions{.folder = folder,
                      .pace = IsStored(folder) ? kObjectPace : kFilePace});
}

}  // namespace podsim
