#include "base/log.h"

#include <unistd.h>

#include <atomic>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace podsim {
namespace {
std::atomic<LogLevel> min_level = LogLevel::kInfo;
}  // namespace

void SetMinLogLevel(LogLevel level) { min_level = level; }

void Log(LogLevel level, std::string_view message) {
  if (level < min_level) return;
  constexpr char kLetters[] = "IWE";
  const std::string line = absl::StrCat(
      absl::string_view(&kLetters[static_cast<int>(level)], 1), " ",
      absl::FormatTime("%H:%M:%E3S", absl::Now(), absl::LocalTimeZone()), " ",
      absl::string_view(message.data(), message.size()), "\n");
  // A failed write to standard error has nowhere to be reported.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace podsim
