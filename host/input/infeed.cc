// The threads that make batches ahead. A batch is cut into tickets of some
// rows; threads take tickets in order, so that the next batch is made by all of
// them before the one after it is begun.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <set>
#include <stop_token>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "host/input/fields.h"
#include "host/input/stream.h"

namespace podsim {
namespace {

// Both sides are woken at once by a notification; the limit only bounds what a
// lost one could cost.
constexpr std::chrono::seconds kInfeedRecheck{1};
// Rows of a ticket where an example costs more than to copy it: few enough that
// threads end a batch together.
constexpr std::int64_t kCostlyRows = 8;
// Bytes where it does not: enough that a ticket is worth a thread's waking.
constexpr std::int64_t kCheapBytes = std::int64_t{256} * 1024;

std::int64_t RowsOfTicket(const Dataset& dataset) {
  if (!dataset.in_memory()) return kCostlyRows;
  return std::max<std::int64_t>(1,
                                kCheapBytes / BatchBytes(dataset.config(), 1));
}

}  // namespace

struct Infeed::Impl {
  Impl(std::shared_ptr<const Dataset> of, std::uint64_t seed,
       const BatchPlace& place, std::int64_t steps, InfeedOptions given)
      : dataset(std::move(of)),
        seed(seed),
        place(place),
        steps(steps),
        options(std::move(given)),
        rows(place.cores * place.batch_per_core),
        ticket_rows(std::min(rows, RowsOfTicket(*dataset))),
        tickets((rows + ticket_rows - 1) / ticket_rows),
        slots(static_cast<std::size_t>(std::min(steps, options.batches))) {
    PODSIM_CHECK(steps >= 0 && options.threads >= 1 && options.batches >= 1);
    for (Slot& slot : slots) ResizeBatch(*dataset, place, slot.batch);
    ahead = dataset->Ahead(Split::kTrain,
                           TrainRowsInOrder(*dataset, seed, place, steps));
    const std::int64_t useful = std::min<std::int64_t>(
        options.threads, std::min(steps, options.batches) * tickets);
    for (std::int64_t i = 0; i < useful; ++i)
      makers.emplace_back([this](const std::stop_token& stop) { Make(stop); });
  }

  ~Impl() {
    for (std::jthread& maker : makers) maker.request_stop();
    {
      // Under the lock, or a maker could miss it between test and wait.
      MutexLock lock(mutex);
      room.NotifyAll();
    }
    makers.clear();
  }

  struct Slot {
    Batch batch;  // of its tickets' makers until all are finished
    Mutex order_mutex;
    std::int64_t ordered_step PODSIM_GUARDED_BY(order_mutex) = -1;
    std::int64_t finished = 0;
    // The lowest ticket that failed, and why.
    std::int64_t failed_ticket = 0;
    absl::Status failure;
  };

  void Make(const std::stop_token& stop) {
    for (;;) {
      const std::int64_t ticket = TakeTicket(stop);
      if (ticket < 0) return;
      InputTimes spent;
      const absl::Status status = Fill(ticket, spent);
      if (options.on_progress) options.on_progress();
      Finish(ticket, status, spent);
    }
  }

  // The next one of a batch that has room; -1: there is none and never will be.
  std::int64_t TakeTicket(const std::stop_token& stop) {
    MutexLock lock(mutex);
    for (;;) {
      const std::int64_t step = next_ticket / tickets;
      if (stop.stop_requested() || step >= steps || step > failed_step)
        return -1;
      // The caller gives a batch back by asking for the next.
      const std::int64_t given_back = std::max<std::int64_t>(0, taken - 1);
      if (step < given_back + options.batches) break;
      room.WaitFor(mutex, kInfeedRecheck);
    }
    in_work.insert(next_ticket);
    return next_ticket++;
  }

  absl::Status Fill(std::int64_t ticket, InputTimes& spent) {
    const std::int64_t step = ticket / tickets;
    const std::int64_t first = ticket % tickets * ticket_rows;
    BatchPlace at = place;
    at.consumed += step * place.global_batch;
    const auto begin = TimedInput::Clock::now();
    Order(step, at);
    const absl::Status status = FillTrainRows(
        *dataset, seed, at, first, std::min(rows, first + ticket_rows),
        SlotOf(step).batch, dataset->in_memory() ? nullptr : &spent);
    const std::chrono::duration<double> whole =
        TimedInput::Clock::now() - begin;
    spent[InputPart::kCopy] += std::max(0.0, whole.count() - spent.total());
    return status;
  }

  // By the first that makes rows of the batch, while others wait.
  void Order(std::int64_t step, const BatchPlace& at) {
    Slot& slot = SlotOf(step);
    MutexLock lock(slot.order_mutex);
    if (slot.ordered_step == step) return;
    OrderTrainRows(*dataset, seed, at, slot.batch);
    slot.ordered_step = step;
  }

  void Finish(std::int64_t ticket, const absl::Status& status,
              const InputTimes& spent) {
    MutexLock lock(mutex);
    const std::int64_t step = ticket / tickets;
    Slot& slot = SlotOf(step);
    total.Add(spent);
    if (!status.ok() && (slot.failure.ok() || ticket < slot.failed_ticket)) {
      slot.failure = status;
      slot.failed_ticket = ticket;
      failed_step = std::min(failed_step, step);
    }
    if (++slot.finished == tickets) ready.NotifyOne();
    in_work.erase(ticket);
    if (ahead != nullptr)
      ahead->Passed(
          FirstRowOf(in_work.empty() ? next_ticket : *in_work.begin()));
  }

  // Of a ticket, counted through all batches.
  std::int64_t FirstRowOf(std::int64_t ticket) const {
    return ticket / tickets * rows + ticket % tickets * ticket_rows;
  }

  absl::StatusOr<const Batch*> Next() {
    MutexLock lock(mutex);
    if (taken > 0 && !SlotOf(taken - 1).failure.ok())
      return SlotOf(taken - 1).failure;
    PODSIM_CHECK(taken < steps);
    if (taken > 0) SlotOf(taken - 1).finished = 0;
    ++taken;
    room.NotifyAll();
    Slot& slot = SlotOf(taken - 1);
    while (slot.finished < tickets) ready.WaitFor(mutex, kInfeedRecheck);
    if (!slot.failure.ok()) return slot.failure;
    return &slot.batch;
  }

  InputTimes Times() {
    MutexLock lock(mutex);
    return total;
  }

  // Its `finished` and failure are read and written under the lock.
  Slot& SlotOf(std::int64_t step) {
    return slots[static_cast<std::size_t>(
        step % static_cast<std::int64_t>(slots.size()))];
  }

  const std::shared_ptr<const Dataset> dataset;
  const std::uint64_t seed;
  const BatchPlace place;
  const std::int64_t steps;
  const InfeedOptions options;
  const std::int64_t rows;
  const std::int64_t ticket_rows;
  const std::int64_t tickets;  // of a batch

  Mutex mutex;
  CondVar room;
  CondVar ready;
  std::int64_t next_ticket PODSIM_GUARDED_BY(mutex) = 0;
  std::set<std::int64_t> in_work PODSIM_GUARDED_BY(mutex);  // tickets
  std::int64_t taken PODSIM_GUARDED_BY(mutex) = 0;
  // No ticket of a later one is taken; its own all are, so that which error is
  // the first does not hang on threads.
  std::int64_t failed_step PODSIM_GUARDED_BY(mutex) =
      std::numeric_limits<std::int64_t>::max();
  InputTimes total PODSIM_GUARDED_BY(mutex);
  std::vector<Slot> slots;           // as many as batches; never resized
  std::unique_ptr<ReadAhead> ahead;  // null: none

  std::vector<std::jthread> makers;  // last: they use all of the above
};

Infeed::Infeed(std::shared_ptr<const Dataset> dataset, std::uint64_t seed,
               BatchPlace place, std::int64_t steps, InfeedOptions options)
    : impl_(std::make_unique<Impl>(std::move(dataset), seed, place, steps,
                                   std::move(options))) {}

Infeed::~Infeed() = default;

absl::StatusOr<const Batch*> Infeed::Next() { return impl_->Next(); }

InputTimes Infeed::times() const { return impl_->Times(); }

int Infeed::threads() const { return static_cast<int>(impl_->makers.size()); }

}  // namespace podsim
