// poll and write in pieces that cannot block; see event_writer.h.
#include "runtime/coordinator/event_writer.h"

#include <fcntl.h>
#include <google/protobuf/util/json_util.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"

namespace podsim {
namespace {

// What every user may ask for (fs.pipe-max-size); a pipe has 64 KiB by itself.
constexpr int kPipeBytes = 1 << 20;
constexpr std::chrono::milliseconds kWriterTick(100);
// What steps leave free in a pipe, if that is less than its half: the events
// that must arrive take a few KiB, the largest of them (a plan) less than 100.
constexpr int kForTheRest = 128 << 10;
// Between two looks whether a pipe that is full of steps has room again.
constexpr std::chrono::milliseconds kRoomTick(2);
constexpr int kPollMilliseconds = 20;

}  // namespace

std::string EventText(const JobEvent& event) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  // Steps are many, and a launcher that is stopped reads them from the pipe
  // later: what is nothing stays out of it.
  options.always_print_primitive_fields = !event.has_step();
  std::string text;
  PODSIM_CHECK(
      google::protobuf::util::MessageToJsonString(event, &text, options).ok());
  return text + "\n";
}

EventWriter::EventWriter(int fd, const Clock& clock,
                         std::size_t max_waiting_bytes)
    : fd_(fd), clock_(clock), queue_(max_waiting_bytes) {
  // Refused for what is no pipe, or where the user has too many: then there is
  // less room.
  fcntl(fd_, F_SETPIPE_SZ, kPipeBytes);
  thread_ = std::jthread([this] { Loop(); });
}

EventWriter::~EventWriter() { Finish(absl::ZeroDuration()); }

void EventWriter::Write(const JobEvent& event) {
  EventLine line = {.text = EventText(event), .step = event.has_step()};
  MutexLock lock(mutex_);
  if (finishing_ || stopped_) return;
  queue_.Put(std::move(line));
  changed_.NotifyOne();
}

void EventWriter::Finish(absl::Duration limit) {
  {
    MutexLock lock(mutex_);
    if (finishing_) return;
    finishing_ = true;
    deadline_ = clock_.Now() + limit;
    changed_.NotifyOne();
  }
  thread_.join();
  MutexLock lock(mutex_);
  if (queue_.dropped() == 0) return;
  Log(LogLevel::kWarning,
      absl::StrCat(queue_.dropped(),
                   " steps are missing from the job's record: whoever reads "
                   "the events did not do so in time"));
}

void EventWriter::Loop() {
  EventLine line;
  while (Next(line) && WriteLine(line.text)) {
  }
}

bool EventWriter::Next(EventLine& line) {
  MutexLock lock(mutex_);
  for (;;) {
    const bool late = clock_.Now() >= deadline_;
    if (late) queue_.KeepNewestStep();
    if (queue_.empty()) {
      if (finishing_) return false;
      changed_.WaitFor(mutex_, kWriterTick);
    } else if (late || !queue_.next_is_step() || HasRoomForSteps()) {
      line = queue_.Take();
      return true;
    } else {
      changed_.WaitFor(mutex_, kRoomTick);
    }
  }
}

bool EventWriter::HasRoomForSteps() const {
  const int capacity = fcntl(fd_, F_GETPIPE_SZ);
  int unread = 0;
  if (capacity < 0 || ioctl(fd_, FIONREAD, &unread) != 0) return true;
  return unread < capacity - std::min(capacity / 2, kForTheRest);
}

bool EventWriter::WriteLine(std::string_view text) {
  while (!text.empty()) {
    pollfd wait = {fd_, POLLOUT, 0};
    poll(&wait, 1, kPollMilliseconds);
    if (wait.revents == 0) {
      if (!OutOfTime()) continue;
      Stop("nobody read them in time");
      return false;
    }
    // A pipe that polls writable takes this much without blocking.
    const ssize_t count =
        write(fd_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count < 0 && errno != EINTR && errno != EAGAIN) {
      Stop(std::strerror(errno));
      return false;
    }
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool EventWriter::OutOfTime() {
  MutexLock lock(mutex_);
  return clock_.Now() >= deadline_;
}

void EventWriter::Stop(const std::string& why) {
  Log(LogLevel::kWarning,
      absl::StrCat("the job's events cannot be written any further: ", why));
  MutexLock lock(mutex_);
  stopped_ = true;
  queue_.Clear();
}

}  // namespace podsim
