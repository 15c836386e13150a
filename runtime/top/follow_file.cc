#include "runtime/top/follow_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "base/stop_wait.h"
#include "runtime/report/other_file.h"
#include "runtime/report/run_line.h"

namespace podsim {
namespace {

constexpr std::int64_t kFilePiece = 4 << 20;

// Numbers events as a coordinator does, launch by launch.
class FileEvents {
 public:
  explicit FileEvents(const FollowFileOptions& options) : options_(options) {}

  void OnLine(const RunLine& line) {
    if (std::exchange(ended_, line.is_last()) && !line.is_last()) BeginLaunch();
    if (!line.event) return;
    const JobEvent& event = *line.event;
    if (event.has_formed()) {
      if (command_start_ && line.command_start != command_start_) BeginLaunch();
      command_start_ = line.command_start;
      generation_ = event.formed().generation();
    }
    WatchedEvent watched;
    *watched.mutable_event() = event;
    watched.set_generation(generation_ == 0 ? 1 : generation_);
    watched.set_sequence(++sequence_);
    // How many there are is known at the file's end.
    watched.set_newest(std::numeric_limits<std::uint64_t>::max());
    options_.on_event(watched);
    if (event.has_restarting()) generation_ = event.restarting().generation();
  }

  // The last line was a launch's last one.
  bool ended() const { return ended_; }

 private:
  void BeginLaunch() {
    options_.on_launch();
    command_start_.reset();
    generation_ = 0;
  }

  const FollowFileOptions& options_;
  std::optional<absl::Time> command_start_;
  std::uint32_t generation_ = 0;
  std::uint64_t sequence_ = 0;
  bool ended_ = false;
};

// Of a file that has no record yet: what else it is; empty: it may be one that
// begins.
std::string OtherKind(const RunLines& lines, std::string_view begin) {
  if (std::string kind = OtherKindOfFile(begin); !kind.empty()) return kind;
  const std::size_t first = begin.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool is_object = first == begin.npos || begin[first] == '{';
  if (lines.first_bad_line() == 0 && is_object) return "";
  return absl::StrCat("line ",
                      std::max<std::int64_t>(1, lines.first_bad_line()),
                      " is no record of a run");
}

absl::Status CheckEvents(const RunLines& lines, const std::string& path,
                         std::string_view begin) {
  if (lines.records() == 0) {
    const std::string other = OtherKind(lines, begin);
    return other.empty()
               ? absl::OkStatus()
               : absl::InvalidArgumentError(absl::StrCat(
                     "--metrics_file: ", path, " is no metrics file: ", other,
                     "; give what pod_launch --metrics_file=FILE wrote"));
  }
  if (lines.events() > 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path,
      " has no events: an earlier version wrote it, or it is no metrics "
      "file of pod_launch"));
}

absl::Status CannotOpen(const absl::Status& status) {
  return absl::Status(
      status.code(),
      absl::StrCat("--metrics_file: ", std::string(status.message()),
                   "; give what pod_launch --metrics_file=FILE wrote"));
}

absl::Status CheckLength(ObjectStore& store, const std::string& path,
                         std::int64_t read) {
  PODSIM_ASSIGN_OR_RETURN(const std::int64_t size, store.Size(path));
  if (size >= read) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path, " has become shorter: another job writes it now; call again"));
}

}  // namespace

absl::Status FollowFile(const FollowFileOptions& options, ObjectStore& store,
                        const std::stop_token& stop) {
  FileEvents events(options);
  RunLines lines([&events](const RunLine& line) { events.OnLine(line); });
  bool current = false;
  bool said = false;
  std::string begin;
  for (std::int64_t offset = 0; !stop.stop_requested();) {
    const absl::StatusOr<std::string> read =
        store.ReadRange(options.path, offset, kFilePiece);
    if (!read.ok())
      return offset == 0 ? CannotOpen(read.status()) : read.status();
    const std::string& piece = *read;
    if (begin.empty()) begin = piece.substr(0, kBeginOfFile);
    lines.Add(piece);
    offset += static_cast<std::int64_t>(piece.size());
    if (static_cast<std::int64_t>(piece.size()) == kFilePiece) continue;
    PODSIM_RETURN_IF_ERROR(CheckEvents(lines, options.path, begin));
    if (lines.first_bad_line() > 0 && !std::exchange(said, true))
      options.on_bad_line(lines.first_bad_line());
    if (!std::exchange(current, true)) options.on_current();
    if (events.ended() || !options.grows) return absl::OkStatus();
    if (piece.empty())
      PODSIM_RETURN_IF_ERROR(CheckLength(store, options.path, offset));
    WaitUnlessStopped(stop, options.pause);
  }
  return absl::OkStatus();
}

}  // namespace podsim
