// The prefetch thread: two batches, one being read by the caller, one being
// made.
#include <array>
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "host/input/stream.h"

namespace podsim {
namespace {

// Both sides are woken at once by a notification; the limit only bounds what a
// lost one could cost.
constexpr std::chrono::seconds kRecheck{1};
constexpr std::int64_t kSlots = 2;

}  // namespace

struct Infeed::Impl {
  Impl(std::shared_ptr<const Dataset> dataset, std::uint64_t seed,
       const BatchPlace& place, std::int64_t steps)
      : dataset(std::move(dataset)), seed(seed), place(place), steps(steps) {
    PODSIM_CHECK(steps >= 0);
    maker = std::jthread([this](const std::stop_token& stop) { Make(stop); });
  }

  ~Impl() {
    maker.request_stop();
    {
      // Under the lock, or the maker could miss it between test and wait.
      MutexLock lock(mutex);
      room.NotifyOne();
    }
    maker.join();
  }

  void Make(const std::stop_token& stop) {
    for (std::int64_t step = 0; step < steps; ++step) {
      if (!WaitForRoom(stop, step)) return;
      BatchPlace at = place;
      at.consumed += step * place.global_batch;
      // Outside the lock: the slot is the maker's until `made` counts it.
      FillTrainBatch(*dataset, seed, at, SlotOf(step));
      MutexLock lock(mutex);
      made = step + 1;
      ready.NotifyOne();
    }
  }

  // The slot of `step` held the batch of two steps before, which the caller
  // gives back by asking for the one between. False: stop.
  bool WaitForRoom(const std::stop_token& stop, std::int64_t step) {
    MutexLock lock(mutex);
    while (!stop.stop_requested() && step >= kSlots && taken < step)
      room.WaitFor(mutex, kRecheck);
    return !stop.stop_requested();
  }

  const Batch& Next() {
    MutexLock lock(mutex);
    PODSIM_CHECK(taken < steps);
    ++taken;
    room.NotifyOne();
    while (made < taken) ready.WaitFor(mutex, kRecheck);
    return SlotOf(taken - 1);
  }

  Batch& SlotOf(std::int64_t step) {
    return slots[static_cast<std::size_t>(step % kSlots)];
  }

  const std::shared_ptr<const Dataset> dataset;
  const std::uint64_t seed;
  const BatchPlace place;
  const std::int64_t steps;

  Mutex mutex;
  CondVar room;
  CondVar ready;
  std::int64_t made PODSIM_GUARDED_BY(mutex) = 0;
  std::int64_t taken PODSIM_GUARDED_BY(mutex) = 0;
  // Handed to and fro by `made` and `taken`, so never used by both sides.
  std::array<Batch, kSlots> slots;

  std::jthread maker;  // last: starts when all else stands
};

Infeed::Infeed(std::shared_ptr<const Dataset> dataset, std::uint64_t seed,
               BatchPlace place, std::int64_t steps)
    : impl_(std::make_unique<Impl>(std::move(dataset), seed, place, steps)) {}

Infeed::~Infeed() = default;

const Batch& Infeed::Next() { return impl_->Next(); }

}  // namespace podsim
