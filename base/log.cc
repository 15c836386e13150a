#include "base/log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/printable.h"

namespace podsim {
namespace {

constexpr int kPatienceMilliseconds = 1000;

std::string Line(LogLevel level, std::string_view message) {
  constexpr char kLetters[] = "IWE";
  return absl::StrCat(
      absl::string_view(&kLetters[static_cast<int>(level)], 1), " ",
      absl::FormatTime("%H:%M:%E3S", absl::Now(), absl::LocalTimeZone()), " ",
      PrintableLine(message), "\n");
}

bool IsWritable(int milliseconds) {
  pollfd wait = {STDERR_FILENO, POLLOUT, 0};
  int ready = 0;
  do {
    ready = poll(&wait, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready != 0;
}

// Standard error, one writer at a time: between poll and write nobody may fill
// the pipe.
class Output {
 public:
  void Put(const std::string& line) {
    MutexLock lock(mutex_);
    if (lost_ > 0 &&
        Write(Line(LogLevel::kWarning, absl::StrCat(lost_,
                                                    " lines are lost: nobody "
                                                    "read this output")))) {
      lost_ = 0;
    }
    if (lost_ > 0 || !Write(line)) ++lost_;
  }

 private:
  // False when the reader does not read. Any other failure has nowhere to be
  // reported.
  bool Write(std::string_view text) PODSIM_REQUIRES(mutex_) {
    while (!text.empty()) {
      // Whoever was waited for in vain is not waited for again.
      if (!IsWritable(lost_ > 0 ? 0 : kPatienceMilliseconds)) return false;
      // A pipe that polls writable takes this much without blocking.
      const ssize_t count = write(STDERR_FILENO, text.data(),
                                  std::min<std::size_t>(text.size(), PIPE_BUF));
      if (count < 0) return true;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  Mutex mutex_;
  std::int64_t lost_ PODSIM_GUARDED_BY(mutex_) = 0;
};

}  // namespace

void Log(LogLevel level, std::string_view message) {
  // Never destroyed: threads may still log while the program ends.
  static Output& output = *new Output;
  output.Put(Line(level, message));
}

}  // namespace podsim
