#include "host/process/life_log.h"

#include <stop_token>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/stop_wait.h"

namespace podsim {

std::string LifeText(const Progress::Snapshot& now) {
  std::string text =
      now.step > 0 ? absl::StrCat("step ", now.step) : "before the first step";
  if (!now.phase.empty()) absl::StrAppend(&text, ", ", now.phase);
  if (now.waiting.host >= 0) {
    absl::StrAppend(&text, "; waits ",
                    absl::FormatDuration(
                        absl::Trunc(now.waiting.since, absl::Milliseconds(1))),
                    " for host ", now.waiting.host, ": ", now.waiting.what);
  }
  return text;
}

std::string WaitText(const std::string& what, absl::Duration waited) {
  return absl::StrCat(what, ", ", absl::ToInt64Seconds(waited), " s");
}

LifeLog::LifeLog(const Progress& progress, absl::Duration interval,
                 std::function<void(const std::string&)> write)
    : thread_([&progress, interval,
               write = std::move(write)](const std::stop_token& stop) {
        while (WaitUnlessStopped(stop, absl::ToChronoNanoseconds(interval)))
          write(LifeText(progress.snapshot()));
      }) {}

WaitLog::WaitLog(std::string what, absl::Duration interval,
                 std::function<void(const std::string&)> write)
    : thread_([what = std::move(what), interval,
               write = std::move(write)](const std::stop_token& stop) {
        const SystemClock clock;
        const absl::Time since = clock.Now();
        while (WaitUnlessStopped(stop, absl::ToChronoNanoseconds(interval)))
          write(WaitText(what, clock.Now() - since));
      }) {}

}  // namespace podsim
