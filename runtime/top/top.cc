// One thread follows the job, this one draws it; see top.h.
#include "runtime/top/top.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/printable.h"
#include "base/rpc/security.h"
#include "base/rpc/token.h"
#include "base/status.h"
#include "host/process/coordinator_address.h"
#include "host/storage/no_file.h"
#include "host/storage/uri_store.h"
#include "runtime/monitor/job_state.h"
#include "runtime/monitor/monitor_text.h"
#include "runtime/pod/watch_place.h"
#include "runtime/top/catch_up.h"
#include "runtime/top/follow.h"
#include "runtime/top/follow_file.h"
#include "runtime/top/screen.h"
#include "runtime/top/top_flags.h"
#include "runtime/top/tpu_info.h"
#include "settings/setting.h"

namespace podsim {
namespace {

constexpr int kEnded = 0;
constexpr int kNotWell = 1;
constexpr int kRefused = 2;

// What the thread that follows has found so far.
struct Watched {
  Mutex mutex;
  CondVar changed;
  JobState state PODSIM_GUARDED_BY(mutex);
  std::int64_t bad_line PODSIM_GUARDED_BY(mutex) = 0;  // of the file; 0: none
  CatchUp catch_up PODSIM_GUARDED_BY(mutex){std::chrono::steady_clock::now()};
  std::optional<absl::Status> end PODSIM_GUARDED_BY(mutex);
};

absl::Status CheckMetricsFile(const std::string& path) {
  PODSIM_RETURN_IF_ERROR(Annotate(CheckServed(path), "--metrics_file"));
  const auto store = NewUriStore();
  const absl::Status read = store->ReadRange(path, 0, 1).status();
  return absl::IsNotFound(read) ? NoFile(*store, path, "metrics file")
                                : absl::OkStatus();  // following it says why
}

// Once it is followed, it may be away for a while: its pod is started again.
absl::Status CheckIsAnswered(const std::string& address) {
  const absl::Status answered = CheckSomebodyListens(address);
  if (!absl::IsNotFound(answered)) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(
      "--address is \"", PrintableLine(address), "\", but ", answered.message(),
      "; give the address that the job's coordinator says it "
      "listens at, while the job runs"));
}

absl::StatusOr<WatchPlace> PlaceGiven(const TopSettings& settings) {
  if (settings.has_metrics_file()) {
    if (settings.has_address() || settings.has_pid())
      return absl::InvalidArgumentError(
          "--metrics_file and --address or --pid both name the job: leave one "
          "of them out");
    PODSIM_RETURN_IF_ERROR(CheckMetricsFile(settings.metrics_file()));
    return WatchPlace();
  }
  if (!settings.has_address())
    return ChooseWatchPlace(FindOwnWatchPlaces(), settings.model_dir(),
                            settings.pid());
  WatchPlace place;
  PODSIM_RETURN_IF_ERROR(Annotate(
      CheckPlaintextAllowed(
          settings.address(),
          {.token = {},
           .allow_plaintext_network = settings.allow_plaintext_network()}),
      "--address"));
  PODSIM_ASSIGN_OR_RETURN(*place.mutable_token(), TokenFromEnvironment());
  PODSIM_RETURN_IF_ERROR(CheckIsAnswered(settings.address()));
  place.set_address(settings.address());
  return place;
}

// The same job as `first` from then on, whatever others begin.
absl::StatusOr<WatchPlace> PlaceOfSame(const WatchPlace& first) {
  if (first.launcher_pid() == 0) return first;  // an address, as it was given
  for (const WatchPlace& place : FindOwnWatchPlaces())
    if (place.launcher_pid() == first.launcher_pid() &&
        place.token() == first.token())  // the process's id may be another's
      return place;
  return absl::NotFoundError("the job's launcher has ended");
}

// Of a refused token: which that was, and where it comes from.
absl::Status SayWhichToken(absl::Status end, const WatchPlace& first) {
  if (!absl::IsUnauthenticated(end)) return end;
  return absl::Status(
      end.code(),
      first.launcher_pid() == 0
          ? absl::StrCat("the coordinator at ", first.address(),
                         " refused the token, which is that of the environment "
                         "variable ",
                         kTokenVariable, ": export the one of its job")
          : absl::StrCat("the coordinator at ", first.address(),
                         " refused the token, which is that of the private "
                         "directory of pod_launch, process ",
                         first.launcher_pid(),
                         ": with --address=", first.address(), " that of ",
                         kTokenVariable, " is used instead"));
}

bool Streams(const TopSettings& settings, const Console& console) {
  return settings.streaming() || (console.live() && !settings.once());
}

void FollowFileInto(const TopSettings& settings, bool grows, Watched& watched,
                    const std::stop_token& stop) {
  absl::Status end = FollowFile(
      {.path = settings.metrics_file(),
       .on_event =
           [&watched](const WatchedEvent& event) {
             MutexLock lock(watched.mutex);
             Fold(event, watched.state);
             watched.catch_up.OnEvent(event, std::chrono::steady_clock::now());
             watched.changed.NotifyAll();
           },
       .on_launch =
           [&watched] {
             MutexLock lock(watched.mutex);
             watched.state = JobState();
           },
       .on_bad_line =
           [&watched](std::int64_t line) {
             MutexLock lock(watched.mutex);
             watched.bad_line = line;
           },
       .on_current =
           [&watched] {
             MutexLock lock(watched.mutex);
             watched.catch_up.OnEnd();
             watched.changed.NotifyAll();
           },
       .grows = grows},
      *NewUriStore(), stop);
  MutexLock lock(watched.mutex);
  watched.end = std::move(end);
  watched.changed.NotifyAll();
}

void FollowInto(const TopSettings& settings, const WatchPlace& first,
                Watched& watched, const std::stop_token& stop) {
  absl::Status end = Follow(
      {.find = [&first] { return PlaceOfSame(first); },
       .allow_plaintext_network = settings.allow_plaintext_network(),
       .on_event =
           [&watched](const WatchedEvent& event) {
             MutexLock lock(watched.mutex);
             Fold(event, watched.state);
             watched.catch_up.OnEvent(event, std::chrono::steady_clock::now());
             watched.changed.NotifyAll();
           }},
      stop);
  MutexLock lock(watched.mutex);
  watched.end = SayWhichToken(std::move(end), first);
  watched.changed.NotifyAll();
}

// Waits for all that has happened, or the end; false: nothing comes any more.
bool AwaitCurrent(Watched& watched) {
  MutexLock lock(watched.mutex);
  while (!watched.catch_up.current() && !watched.end) {
    const auto left =
        watched.catch_up.PatienceLeft(std::chrono::steady_clock::now());
    if (left <= left.zero()) return false;
    watched.changed.WaitFor(watched.mutex, left);
  }
  return true;
}

// Of a damaged file, once what it says is shown.
void WarnOfBadLine(const TopSettings& settings, Watched& watched,
                   Console& console) {
  MutexLock lock(watched.mutex);
  if (watched.bad_line > 0)
    console.Error(absl::StrCat(
        "pod_top: ", settings.metrics_file(), ": line ", watched.bad_line,
        " is no record of a run; such lines are left out"));
}

absl::Status Silent() {
  return absl::DeadlineExceededError(
      absl::StrCat("the job's coordinator has told nothing for ",
                   kLongestSilence.count(), " s"));
}

// False: the job has ended.
bool AwaitNextLook(Watched& watched, std::chrono::nanoseconds rate) {
  const auto until = std::chrono::steady_clock::now() + rate;
  MutexLock lock(watched.mutex);
  for (;;) {
    if (watched.end) return false;
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= left.zero()) return true;
    watched.changed.WaitFor(watched.mutex, left);
  }
}

void DrawOver(const std::string& text, Console& console) {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
  const std::string drawn = DrawnOver(text, size.ws_col, size.ws_row);
  if (write(STDOUT_FILENO, drawn.data(), drawn.size()) < 0) console.Line(text);
}

absl::Status Show(const TopSettings& settings, Watched& watched, bool in_place,
                  Console& console) {
  std::optional<int> host;
  if (settings.has_host()) host = settings.host();
  JobState state;
  {
    MutexLock lock(watched.mutex);
    state = watched.state;
  }
  PODSIM_ASSIGN_OR_RETURN(
      const std::string text,
      settings.json() ? MonitorJson(state, host) : MonitorText(state, host));
  if (in_place)
    DrawOver(text, console);
  else
    console.Line(text);
  return absl::OkStatus();
}

// The exit code.
absl::StatusOr<int> ShowUntilEnd(const TopSettings& settings, Watched& watched,
                                 Console& console) {
  const bool streams = Streams(settings, console);
  const bool in_place = streams && console.live() && !settings.json();
  const auto rate = absl::ToChronoNanoseconds(absl::Seconds(settings.rate()));
  if (!AwaitCurrent(watched)) return Silent();
  {
    MutexLock lock(watched.mutex);
    if (watched.end && watched.state.generation == 0)
      PODSIM_RETURN_IF_ERROR(*watched.end);  // not a word came
  }
  if (in_place) console.Line("\n");  // what stands there scrolls up
  PODSIM_RETURN_IF_ERROR(Show(settings, watched, in_place, console));
  while (streams && AwaitNextLook(watched, rate))
    PODSIM_RETURN_IF_ERROR(Show(settings, watched, in_place, console));
  if (streams)
    PODSIM_RETURN_IF_ERROR(Show(settings, watched, in_place, console));
  WarnOfBadLine(settings, watched, console);
  MutexLock lock(watched.mutex);
  if (watched.end) PODSIM_RETURN_IF_ERROR(*watched.end);
  return watched.state.phase == JobPhase::kFailed ? kNotWell : kEnded;
}

// Why there is no pod to run a command in.
absl::Status NoPod(bool current, Watched& watched) {
  MutexLock lock(watched.mutex);
  if (watched.end) PODSIM_RETURN_IF_ERROR(*watched.end);
  // The event comes before the call's end.
  if (watched.end || watched.state.phase == JobPhase::kFailed)
    return absl::UnavailableError(absl::StrCat(
        "--tpu_info: the job ended before its pod had formed",
        watched.state.failure.empty() ? "" : ": ", watched.state.failure));
  if (!current) return Silent();
  return absl::UnavailableError(
      "--tpu_info: the job's pod has not formed yet; call again once it "
      "trains");
}

// What the command ended with.
absl::StatusOr<int> RunBeside(const TopFlags& flags, Watched& watched,
                              Console& console) {
  const auto state = [&watched] {
    MutexLock lock(watched.mutex);
    return watched.state;
  };
  const bool current = AwaitCurrent(watched);
  if (!state().plan) return NoPod(current, watched);
  PODSIM_ASSIGN_OR_RETURN(const int code,
                          RunTpuInfo({.command = flags.command,
                                      .host = flags.settings.host(),
                                      .state = state}));
  MutexLock lock(watched.mutex);
  if (watched.end && !watched.end->ok())
    console.Error(
        absl::StrCat("pod_top: the command was shown the job as it was before "
                     "it could not be followed any more: ",
                     std::string(watched.end->message())));
  return code;
}

int Refuse(const absl::Status& status, int code, Console& console) {
  console.Error(absl::StrCat("pod_top: ", std::string(status.message())));
  return code;
}

}  // namespace

int RunTop(const std::vector<std::string>& args, Console& console) {
  absl::StatusOr<TopFlags> flags = ParseTopFlags(args);
  if (!flags.ok()) return Refuse(flags.status(), kRefused, console);
  if (!flags->text.empty()) {
    console.Line(flags->text);
    return kEnded;
  }
  TopSettings& settings = flags->settings;
  FillDefaults(settings);
  const absl::StatusOr<WatchPlace> place = PlaceGiven(settings);
  if (!place.ok()) return Refuse(place.status(), kRefused, console);
  Watched watched;
  const std::jthread follower([&](const std::stop_token& stop) {
    if (settings.has_metrics_file())
      FollowFileInto(settings,
                     settings.tpu_info() || Streams(settings, console), watched,
                     stop);
    else
      FollowInto(settings, *place, watched, stop);
  });
  const absl::StatusOr<int> code =
      settings.tpu_info() ? RunBeside(*flags, watched, console)
                          : ShowUntilEnd(settings, watched, console);
  if (code.ok()) return *code;
  return Refuse(code.status(),
                absl::IsInvalidArgument(code.status()) ? kRefused : kNotWell,
                console);
}

}  // namespace podsim
