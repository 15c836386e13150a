#include "host/process/coordinator_link.h"

#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/stop_wait.h"
#include "host/process/coordinator_news.h"
#include "host/process/coordinator_stream.h"
#include "host/process/host_messages.h"
#include "host/process/silence.h"

namespace podsim {
namespace {

// Between two looks whether the coordinator is silent.
constexpr std::chrono::milliseconds kLook(100);
// A coordinator that answers no heartbeat for so long is frozen, or the line to
// it is cut. gRPC's own pings would take our standstill for its silence.
constexpr absl::Duration kSilence = absl::Seconds(7);
// How long the last words may take to reach the coordinator, which may have a
// thousand reports of each host to handle before it reads them.
constexpr absl::Duration kFarewell = absl::Seconds(2);

}  // namespace

struct CoordinatorLink::Impl {
  Impl(Options given, std::unique_ptr<CoordinatorStream> opened,
       const Progress& work, std::function<void(const absl::Status&)> end)
      : options(std::move(given)),
        progress(work),
        on_end(std::move(end)),
        stream(std::move(opened)),
        news(options.address, options.initialization_timeout) {}

  void SayFarewell();
  void ReadLoop();
  void HeartbeatLoop(const std::stop_token& stop);
  void WatchSilence(const std::stop_token& stop);
  void Handle(const CoordinatorMessage& message);
  void End(const absl::Status& why);
  void CountTrip(const Heard& answer);
  std::int64_t Now() const {
    const Clock& by = options.clock == nullptr ? clock : *options.clock;
    return absl::ToUnixNanos(by.Now());
  }

  const Options options;
  const Progress& progress;
  const std::function<void(const absl::Status&)> on_end;
  const SystemClock clock;
  const std::unique_ptr<CoordinatorStream> stream;
  CoordinatorNews news;
  // When the coordinator was heard last; nanoseconds since 1970.
  std::atomic<std::int64_t> heard{absl::ToUnixNanos(clock.Now())};
  mutable Mutex offset_mutex;
  ClockOffset offset PODSIM_GUARDED_BY(offset_mutex);
  std::jthread heartbeat;
  std::jthread watchdog;
  std::jthread reader;
};

void CoordinatorLink::Impl::WatchSilence(const std::stop_token& stop) {
  SilenceWatch watch(kSilence);
  while (WaitUnlessStopped(stop, kLook)) {
    if (news.closed()) return;  // that is known already
    if (!watch.IsSilent(absl::FromUnixNanos(heard.load()), clock.Now())) {
      continue;
    }
    options.on_silence(absl::UnavailableError(
        absl::StrCat("coordinator lost: it has answered nothing for ",
                     absl::FormatDuration(kSilence), ": frozen, or cut off")));
    return;
  }
}

void CoordinatorLink::Impl::End(const absl::Status& why) {
  if (news.End(why)) on_end(why);
}

void CoordinatorLink::Impl::Handle(const CoordinatorMessage& message) {
  if (message.has_abort()) {
    End(absl::AbortedError(message.abort().reason()));
    return;
  }
  if (options.gate != nullptr && message.has_hold()) {
    HostMessage answer;
    answer.mutable_held()->set_step(options.gate->Hold());
    stream->Write(answer);
  }
  if (options.gate != nullptr && message.has_go())
    options.gate->Go(message.go().step(), message.go().end());
  if (options.on_last_step && message.has_go() && message.go().end())
    options.on_last_step();
  news.Hear(message);
}

void CoordinatorLink::Impl::CountTrip(const Heard& answer) {
  const std::int64_t back = Now();
  MutexLock lock(offset_mutex);
  offset.Add({.asked = answer.sent_ns(),
              .heard = answer.heard_ns(),
              .answered = answer.answered_ns(),
              .back = back});
}

void CoordinatorLink::Impl::ReadLoop() {
  CoordinatorMessage message;
  while (stream->Read(message)) {
    if (message.has_heard()) CountTrip(message.heard());
    heard.store(absl::ToUnixNanos(clock.Now()));
    Handle(message);
  }
  const absl::Status why = stream->Finish();
  news.Close();
  End(news.EndOfLine(why));
}

// A cancelled stream may drop what was written last: half-close it and let the
// coordinator close its side, for a while.
void CoordinatorLink::Impl::SayFarewell() {
  stream->EndWrites();
  news.WaitClosed(kFarewell);
}

void CoordinatorLink::Impl::HeartbeatLoop(const std::stop_token& stop) {
  const auto interval = absl::ToChronoNanoseconds(options.heartbeat_interval);
  do {
    if (options.before_heartbeat) options.before_heartbeat();
    HostMessage message;
    *message.mutable_heartbeat() = HeartbeatOf(progress.snapshot());
    message.mutable_heartbeat()->set_sent_ns(Now());
    stream->Write(message);
  } while (WaitUnlessStopped(stop, interval));
}

CoordinatorLink::CoordinatorLink(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

CoordinatorLink::~CoordinatorLink() {
  impl_->news.Leave();
  impl_->heartbeat.request_stop();
  impl_->watchdog.request_stop();
  impl_->SayFarewell();
  impl_->stream->Cancel();
}

absl::StatusOr<std::unique_ptr<CoordinatorLink>> CoordinatorLink::Open(
    Options options, const Join& join, const Progress& progress,
    std::function<void(const absl::Status&)> on_end) {
  PODSIM_ASSIGN_OR_RETURN(
      auto stream, CoordinatorStream::Open(options.address, options.security,
                                           options.initialization_timeout));
  auto impl = std::make_unique<Impl>(std::move(options), std::move(stream),
                                     progress, std::move(on_end));
  HostMessage message;
  *message.mutable_join() = join;
  impl->stream->Write(message);
  Impl& shared = *impl;
  impl->reader = std::jthread([&shared] { shared.ReadLoop(); });
  if (impl->options.on_silence)
    impl->watchdog = std::jthread(
        [&shared](const std::stop_token& stop) { shared.WatchSilence(stop); });
  impl->heartbeat = std::jthread(
      [&shared](const std::stop_token& stop) { shared.HeartbeatLoop(stop); });
  return std::unique_ptr<CoordinatorLink>(new CoordinatorLink(std::move(impl)));
}

absl::StatusOr<Assignment> CoordinatorLink::WaitAssignment() {
  return impl_->news.WaitAssignment();
}

std::string CoordinatorLink::looking() const { return impl_->news.looking(); }

void CoordinatorLink::SendReady() {
  HostMessage message;
  message.mutable_ready();
  impl_->stream->Write(message);
}

absl::Status CoordinatorLink::WaitStart() { return impl_->news.WaitStart(); }

void CoordinatorLink::OnStep(const StepReport& report) {
  HostMessage message;
  *message.mutable_step() = report;
  impl_->stream->Write(message);
}

void CoordinatorLink::OnEval(const EvalReport& report) {
  HostMessage message;
  *message.mutable_eval() = report;
  impl_->stream->Write(message);
}

void CoordinatorLink::OnBench(const BenchReport& report) {
  HostMessage message;
  *message.mutable_bench() = report;
  impl_->stream->Write(message);
}

void CoordinatorLink::OnCheckpoint(const CheckpointPart& part) {
  HostMessage message;
  *message.mutable_checkpoint() = part;
  impl_->stream->Write(message);
}

void CoordinatorLink::SendDrain(const std::string& reason) {
  HostMessage message;
  message.mutable_drain()->set_reason(reason);
  impl_->stream->Write(message);
}

absl::Status CoordinatorLink::AnnounceFault(int index, std::int64_t step) {
  Impl& impl = *impl_;
  HostMessage message;
  message.mutable_fault()->set_index(index);
  message.mutable_fault()->set_step(step);
  impl.stream->Write(message);
  return impl.news.WaitFaultNoted(index);
}

void CoordinatorLink::SendFailure(const Failure& failure) {
  HostMessage message;
  *message.mutable_failure() = failure;
  impl_->stream->Write(message);
}

ClockOffset CoordinatorLink::clock_offset() const {
  MutexLock lock(impl_->offset_mutex);
  return impl_->offset;
}

absl::Status CoordinatorLink::Finish(const Done& done) {
  Impl& impl = *impl_;
  HostMessage message;
  *message.mutable_done() = done;
  impl.stream->Write(message);
  return impl.news.WaitFinish();
}

}  // namespace podsim
