#include "host/checkpoint/async_saver.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/mutex.h"
#include "base/status.h"
#include "host/checkpoint/divergence.h"
#include "host/checkpoint/parts_path.h"
#include "host/checkpoint/save.h"

namespace podsim {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBetweenSigns{100};
// A write that takes longer than on a disk this slow is stuck: no more signs of
// life are given for it, so that those who watch this host find it frozen.
constexpr double kSlowestBytesPerSecond = 4 << 20;
constexpr double kSlowestStartSeconds = 30;

double SecondsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

}  // namespace

struct AsyncSaver::Impl {
  // One step's parts, and what its report will say.
  struct PendingSave {
    std::int64_t step = 0;
    std::vector<PartImage> images;
    double seconds_paused = 0;
    std::uint64_t state_hash = 0;
    std::vector<int> hosts = {};  // whose the images are
    bool traced = false;

    double bytes() const {
      double sum = 0;
      for (const PartImage& image : images)
        sum += static_cast<double>(image.bytes.size());
      return sum;
    }
  };

  explicit Impl(Options given) : options(std::move(given)) {}

  const Options options;
  mutable Mutex mutex;
  CondVar changed;
  std::optional<PendingSave> next PODSIM_GUARDED_BY(mutex);
  bool writing PODSIM_GUARDED_BY(mutex) = false;
  bool stopping PODSIM_GUARDED_BY(mutex) = false;
  bool written PODSIM_GUARDED_BY(mutex) = false;  // a step, whole
  absl::Status status PODSIM_GUARDED_BY(mutex);
  SteadyClock::time_point overdue PODSIM_GUARDED_BY(mutex);
  std::jthread thread;  // last: it uses what stands above

  bool busy() const PODSIM_REQUIRES(mutex) { return writing || next; }

  void GiveSign() const {
    if (options.on_progress) options.on_progress();
  }

  // False: the store is silent, and that is not waited for (`at_all_costs`).
  absl::StatusOr<bool> WaitUntilIdle(bool at_all_costs) {
    for (;;) {
      {
        MutexLock lock(mutex);
        if (busy()) changed.WaitFor(mutex, kBetweenSigns);
        if (!busy() && !status.ok()) return status;
        if (!busy()) return true;
        if (!at_all_costs && options.silence && options.silence() >= kPatience)
          return false;
        if (SteadyClock::now() > overdue) continue;
      }
      GiveSign();
    }
  }

  void Skip(std::int64_t step) const {
    CheckpointPart part;
    part.set_step(step);
    part.set_skipped(true);
    options.on_written(part);
  }

  bool Stopping() const {
    MutexLock lock(mutex);
    return stopping;
  }

  bool CanGoBack() const {
    MutexLock lock(mutex);
    return options.resumed || written;
  }

  // A state that has diverged is no use to anybody, least of all in the place
  // of an older one.
  absl::Status CheckFinite(const PendingSave& save) const {
    for (const PartImage& image : save.images) {
      if (const auto tensor = NotFinite(image))
        return absl::InvalidArgumentError(absl::StrCat(
            *tensor,
            " is no longer finite: training has diverged, and this state is "
            "not saved; ",
            DivergenceAdvice(options.model_dir, CanGoBack())));
    }
    return absl::OkStatus();
  }

  // Image `index` of it is written. Training may be many steps further.
  void Trace(const PendingSave& save, std::size_t index,
             std::int64_t begun) const {
    options.tracer->Add(
        {.kind = SpanKind::kCheckpointWrite,
         .host = save.hosts[index],
         .step = save.step,
         .begin = begun,
         .end = options.tracer->Now(),
         .bytes = static_cast<std::int64_t>(save.images[index].bytes.size())});
  }

  absl::Status Write(const PendingSave& save) const {
    const auto begin = SteadyClock::now();
    CheckpointPart part;
    part.set_step(save.step);
    part.set_seconds_paused(save.seconds_paused);
    part.set_state_hash(save.state_hash);
    PODSIM_RETURN_IF_ERROR(CheckFinite(save));
    const std::string directory =
        PartsPath(*options.store, options.model_dir, save.step, options.stamp);
    for (std::size_t i = 0; i < save.images.size(); ++i) {
      if (Stopping()) return absl::CancelledError("the process is ending");
      const std::int64_t begun = save.traced ? options.tracer->Now() : 0;
      PODSIM_ASSIGN_OR_RETURN(
          *part.add_files(),
          WritePart(*options.store, directory, save.images[i]));
      if (save.traced) Trace(save, i, begun);
      GiveSign();
    }
    part.set_seconds_written(SecondsSince(begin));
    options.on_written(part);
    return absl::OkStatus();
  }

  // Waits for work; nothing: the saver ends.
  std::optional<PendingSave> TakeNext() {
    MutexLock lock(mutex);
    while (!next && !stopping) changed.WaitFor(mutex, std::chrono::hours(1));
    if (stopping) return std::nullopt;
    writing = true;
    return std::exchange(next, std::nullopt);
  }

  void Run() {
    while (const std::optional<PendingSave> save = TakeNext()) {
      const absl::Status result = Annotate(
          Write(*save), absl::StrCat("checkpoint of step ", save->step));
      MutexLock lock(mutex);
      writing = false;
      written = written || result.ok();
      if (status.ok()) status = result;
      changed.NotifyAll();
    }
  }

  void Hand(PendingSave save) {
    const std::chrono::duration<double> longest(
        kSlowestStartSeconds + save.bytes() / kSlowestBytesPerSecond);
    MutexLock lock(mutex);
    overdue = SteadyClock::now() +
              std::chrono::duration_cast<SteadyClock::duration>(longest);
    next = std::move(save);
    changed.NotifyAll();
  }
};

AsyncSaver::AsyncSaver(Options options)
    : impl_(std::make_unique<Impl>(std::move(options))) {
  impl_->thread = std::jthread([impl = impl_.get()] { impl->Run(); });
}

AsyncSaver::~AsyncSaver() {
  MutexLock lock(impl_->mutex);
  impl_->stopping = true;
  impl_->changed.NotifyAll();
}

absl::Status AsyncSaver::Save(std::int64_t step,
                              std::span<const float> variables, bool last) {
  const auto begin = SteadyClock::now();
  PODSIM_ASSIGN_OR_RETURN(const bool idle, impl_->WaitUntilIdle(last));
  if (!idle) {
    impl_->Skip(step);
    return absl::OkStatus();
  }
  const Options& options = impl_->options;
  Impl::PendingSave save{.step = step,
                         .state_hash = Crc32c(std::as_bytes(variables)),
                         .traced = IsTracing(options.tracer)};
  for (const int host : options.local_hosts) {
    auto image =
        EncodePart(*options.program, variables, host, options.hosts, step);
    if (!image) continue;
    save.images.push_back(*std::move(image));
    save.hosts.push_back(host);
  }
  save.seconds_paused = SecondsSince(begin);
  impl_->Hand(std::move(save));
  return absl::OkStatus();
}

absl::Status AsyncSaver::status() const {
  MutexLock lock(impl_->mutex);
  return impl_->status;
}

bool AsyncSaver::CanGoBack() const { return impl_->CanGoBack(); }

absl::Status AsyncSaver::Wait() {
  return impl_->WaitUntilIdle(/*at_all_costs=*/true).status();
}

}  // namespace podsim
