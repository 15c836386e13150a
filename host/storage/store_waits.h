// Waits for a store that are spoken of, and that end when nobody wants them any
// more. Whoever calls a store tells what it tries, and asks whether to go on:
//
//   StoreWaits::Call call(&waits, "list gs://bucket/a", absl::Minutes(2));
//   for (;;) {
//     ... an attempt, which now and then asks: if (!call.GoOn(bytes)) break;
//     call.Failed(why);
//     if (!call.Pause(back_off)) return call.WhyEnded();
//   }
//   call.Answered();
//
// A program has one StoreWaits (ProcessStoreWaits), as it has one log: on a
// terminal one moving line on standard error, else a log line that comes again
// ever more seldom.
#ifndef PODSIM_HOST_STORAGE_STORE_WAITS_H_
#define PODSIM_HOST_STORAGE_STORE_WAITS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/time/time.h"
#include "base/mutex.h"
#include "host/storage/waiter.h"

namespace podsim {

// For StoreWaits::Hurry: of a job that is told to save and end, and of one that
// ends.
inline constexpr absl::Duration kSavingPatience = absl::Seconds(3);
inline constexpr absl::Duration kEndingPatience = absl::Milliseconds(1500);
// For StoreWaits::Limit: what a plan alone gives all stores together.
inline constexpr absl::Duration kPlanWait = absl::Seconds(8);
inline constexpr char kPlanWaits[] = "a plan waits 8 s for its stores";

// A call that has not succeeded yet.
struct StoreWait {
  std::string what;     // "list gs://bucket/a"
  std::string why;      // what went wrong last, or what has not come yet
  int attempt = 1;      // the one under way, or the next
  absl::Duration span;  // since the first began
  absl::Duration most;  // after which it is given up; infinite: by a count
};
// "waiting: list gs://bucket/a (attempt 4, 12 s of 120 s): no answer from ...".
std::string StoreWaitText(const StoreWait& wait);

// Where waits are told.
struct WaitVoice {
  // Between two lines, at least; after each it doubles, up to `seldom`.
  absl::Duration often;
  absl::Duration seldom;
  std::function<void(const std::string& text)> say;
  // Nothing is being waited for any more; `text`: how that came, empty after a
  // failure, which its caller tells.
  std::function<void(const std::string& text)> over;
};
// Log lines.
WaitVoice LogVoice();
// One line that is redrawn on the terminal `fd`, and goes when the wait is
// over.
WaitVoice TerminalVoice(int fd);

// Thread-safe.
class StoreWaits {
 public:
  // A wait is told of after so long; before, it is none.
  static constexpr absl::Duration kFirstWord = absl::Milliseconds(900);

  explicit StoreWaits(WaitVoice voice, Waiter waiter = SystemWaiter());

  // From now on no wait is longer than `patience` without that the store gives
  // a sign of life: an answer, or a stretch of bytes. A later call counts only
  // if it is stricter. `why` ends the error: "the job is ending".
  void Hurry(absl::Duration patience, const std::string& why);
  // Asked during every wait, from its thread: true ends it. Empty: none.
  void EndWhen(std::function<bool()> told, const std::string& why);

  // For how long a wait that is told of has been without an answer or bytes
  // that move; zero: there is none.
  absl::Duration silence();

  // While it lives, calls have `most` in all. Of one thread's at a time.
  class Limit {
   public:
    Limit(StoreWaits& waits, absl::Duration most, const std::string& why);
    ~Limit();
    Limit(const Limit&) = delete;
    Limit& operator=(const Limit&) = delete;

   private:
    StoreWaits& waits_;
    absl::Time before_;
    std::string why_before_;
  };

  // What shows somebody who hurries that a call is worth waiting for.
  enum class Signs {
    kOfStore,  // bytes of it that move, and any answer of the store
    kOwn,      // bytes of it alone: its own calls are answered, and may come
               // to nothing
  };

  // One call, of one thread.
  class Call {
   public:
    // `waits` null: nobody is told, nothing ends. Borrowed.
    Call(StoreWaits* waits, std::string what, absl::Duration most,
         Signs signs = Signs::kOfStore);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    // What is waited for now: "no answer from https://host yet".
    void Awaits(std::string why);
    // So many bytes of this attempt have moved. False: end it.
    bool GoOn(std::int64_t moved);
    // The attempt did, and another will be made.
    void Failed(const std::string& why);
    // Waits. False: there shall be no other attempt.
    bool Pause(absl::Duration span, const Waiter& waiter);
    void Answered() { answered_ = true; }  // tells when the call goes
    // What has not come yet, or what went wrong last; of a call that shall end
    // before it begins, what the one before it waited for.
    const std::string& why() const { return wait_.why; }
    // Why it shall end; empty: it shall not.
    const std::string& why_ended() const { return why_ended_; }

   private:
    StoreWaits* const waits_;
    const Signs signs_;
    StoreWait wait_;
    absl::Time since_;
    // When bytes of this attempt had moved.
    absl::Time alive_ = absl::InfinitePast();
    absl::Time looked_;  // by GoOn
    absl::Time attempt_began_;
    std::int64_t counted_ = 0;  // bytes, up to alive_
    bool told_ = false;
    bool answered_ = false;
    std::string why_ended_;
  };

 private:
  // Of a call that began at `since`, whose bytes moved last at `alive`. Empty:
  // it goes on.
  std::string WhyEnd(absl::Time now, absl::Time since, absl::Time alive,
                     Signs signs);
  // Whether it was told.
  bool Tell(const StoreWait& wait, absl::Time now, bool told_before);
  // Bytes have moved.
  void Moved();
  // The call that began at `since` is over.
  void Over(const StoreWait& wait, bool told, bool answered, absl::Time since,
            Signs signs);
  void Count(const StoreWait& wait, bool answered, absl::Time since,
             absl::Time now) PODSIM_REQUIRES(mutex_);
  std::string WhyNotAsked();

  const WaitVoice voice_;
  const Waiter waiter_;
  Mutex mutex_;
  absl::Time end_ PODSIM_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  std::string why_end_ PODSIM_GUARDED_BY(mutex_);
  absl::Time hurry_from_ PODSIM_GUARDED_BY(mutex_);
  absl::Duration patience_ PODSIM_GUARDED_BY(mutex_) = absl::InfiniteDuration();
  std::string why_hurry_ PODSIM_GUARDED_BY(mutex_);
  std::function<bool()> told_to_end_ PODSIM_GUARDED_BY(mutex_);
  std::string why_told_ PODSIM_GUARDED_BY(mutex_);
  absl::Time answered_ PODSIM_GUARDED_BY(mutex_) = absl::InfinitePast();
  // When the first call began that came to nothing, after the last answer.
  absl::Time silent_ PODSIM_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  std::string unanswered_ PODSIM_GUARDED_BY(mutex_);  // what it waited for
  int told_ PODSIM_GUARDED_BY(mutex_) = 0;            // calls that are told of
  absl::Time quiet_ PODSIM_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  absl::Time next_ PODSIM_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Duration every_ PODSIM_GUARDED_BY(mutex_);
};

// This process's: on a terminal if standard error is one.
StoreWaits& ProcessStoreWaits();

}  // namespace podsim

#endif  // PODSIM_HOST_STORAGE_STORE_WAITS_H_
