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

std::string WaitText(const LongWait& waiting, absl::Duration waited) {
  const auto seconds = [](absl::Duration time) {
    return absl::StrCat(absl::ToInt64Seconds(time), " s");
  };
  const std::string why = waiting.why == nullptr ? "" : waiting.why();
  return absl::StrCat(waiting.what, ", ", seconds(waited),
                      waiting.most > absl::ZeroDuration()
                          ? absl::StrCat(" of ", seconds(waiting.most))
                          : "",
                      why.empty() ? "" : ": ", why);
}

LifeLog::LifeLog(const Progress& progress, absl::Duration interval,
                 std::function<void(const std::string&)> write)
    : thread_([&progress, interval,
               write = std::move(write)](const std::stop_token& stop) {
        while (WaitUnlessStopped(stop, absl::ToChronoNanoseconds(interval)))
          write(LifeText(progress.snapshot()));
      }) {}

WaitLog::WaitLog(LongWait waiting, absl::Duration first,
                 absl::Duration interval,
                 std::function<void(const std::string&)> write)
    : thread_([waiting = std::move(waiting), first, interval,
               write = std::move(write)](const std::stop_token& stop) {
        const SystemClock clock;
        const absl::Time since = clock.Now();
        absl::Duration wait = first;
        while (WaitUnlessStopped(stop, absl::ToChronoNanoseconds(wait))) {
          write(WaitText(waiting, clock.Now() - since));
          wait = interval;
        }
      }) {}

}  // namespace podsim
