#include "host/storage/store_waits.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace podsim {
namespace {

// How often a call looks whether to go on.
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(100);
// So many bytes are a sign of life. What comes at this rate is no wait.
constexpr std::int64_t kStretch = std::int64_t{64} << 10;

std::string Seconds(absl::Duration span) {
  return absl::StrCat(absl::ToInt64Seconds(span), " s");
}

}  // namespace

std::string StoreWaitText(const StoreWait& wait) {
  const std::string most = wait.most == absl::InfiniteDuration()
                               ? std::string()
                               : absl::StrCat(" of ", Seconds(wait.most));
  return absl::StrCat("waiting: ", wait.what, " (attempt ", wait.attempt, ", ",
                      Seconds(wait.span), most, ")",
                      wait.why.empty() ? "" : ": ", wait.why);
}

StoreWaits::StoreWaits(WaitVoice voice, Waiter waiter)
    : voice_(std::move(voice)),
      waiter_(std::move(waiter)),
      every_(voice_.often) {}

void StoreWaits::Hurry(absl::Duration patience, const std::string& why) {
  MutexLock lock(mutex_);
  if (patience >= patience_) return;
  hurry_from_ = waiter_.now();
  patience_ = patience;
  why_hurry_ = why;
}

void StoreWaits::EndWhen(std::function<bool()> told, const std::string& why) {
  MutexLock lock(mutex_);
  told_to_end_ = std::move(told);
  why_told_ = why;
}

absl::Duration StoreWaits::silence() {
  MutexLock lock(mutex_);
  return std::max(absl::ZeroDuration(), waiter_.now() - quiet_);
}

void StoreWaits::Moved() {
  MutexLock lock(mutex_);
  quiet_ = absl::InfiniteFuture();
}

StoreWaits::Limit::Limit(StoreWaits& waits, absl::Duration most,
                         const std::string& why)
    : waits_(waits) {
  MutexLock lock(waits_.mutex_);
  before_ = waits_.end_;
  why_before_ = waits_.why_end_;
  const absl::Time end = waits_.waiter_.now() + most;
  if (end >= before_) return;
  waits_.end_ = end;
  waits_.why_end_ = why;
}

StoreWaits::Limit::~Limit() {
  MutexLock lock(waits_.mutex_);
  waits_.end_ = before_;
  waits_.why_end_ = why_before_;
}

std::string StoreWaits::WhyEnd(absl::Time now, absl::Time since,
                               absl::Time alive, Signs signs) {
  MutexLock lock(mutex_);
  if (now >= end_) return why_end_;
  const absl::Time sign =
      signs == Signs::kOwn
          ? std::max({hurry_from_, since, alive})
          : std::max({hurry_from_, std::min(since, silent_), alive, answered_});
  if (now - sign >= patience_) return why_hurry_;
  return told_to_end_ && told_to_end_() ? why_told_ : std::string();
}

bool StoreWaits::Tell(const StoreWait& wait, absl::Time now, bool told_before) {
  MutexLock lock(mutex_);
  if (!told_before) ++told_;
  quiet_ = std::min(quiet_, now - kFirstWord);
  if (now < next_) return true;
  voice_.say(StoreWaitText(wait));
  next_ = now + every_;
  every_ = std::min(2 * every_, voice_.seldom);
  return true;
}

std::string StoreWaits::WhyNotAsked() {
  MutexLock lock(mutex_);
  return unanswered_.empty()
             ? "not asked"
             : absl::StrCat("not asked; before it, ", unanswered_);
}

void StoreWaits::Count(const StoreWait& wait, bool answered, absl::Time since,
                       absl::Time now) {
  if (answered) {
    answered_ = now;
    quiet_ = absl::InfiniteFuture();
    unanswered_.clear();
  }
  if (!answered && wait.span > absl::ZeroDuration()) unanswered_ = wait.why;
  silent_ = answered ? absl::InfiniteFuture() : std::min(silent_, since);
}

void StoreWaits::Over(const StoreWait& wait, bool told, bool answered,
                      absl::Time since, Signs signs) {
  MutexLock lock(mutex_);
  const absl::Time now = waiter_.now();
  // What takes several calls has had each of them counted.
  if (signs == Signs::kOfStore) Count(wait, answered, since, now);
  if (!told || --told_ > 0) return;
  quiet_ = absl::InfiniteFuture();
  next_ = absl::InfinitePast();
  every_ = voice_.often;
  const std::string end = signs == Signs::kOwn
                              ? absl::StrCat(wait.what, ": done")
                              : std::string("the store answers again");
  voice_.over(answered ? absl::StrCat(end, ", after ", Seconds(now - since))
                       : "");
}

StoreWaits::Call::Call(StoreWaits* waits, std::string what, absl::Duration most,
                       Signs signs)
    : waits_(waits),
      signs_(signs),
      wait_{.what = std::move(what), .most = most} {
  if (waits_ == nullptr) return;
  since_ = waits_->waiter_.now();
  looked_ = attempt_began_ = since_;
  // It may be over before it begins.
  why_ended_ = waits_->WhyEnd(since_, since_, alive_, signs_);
  if (!why_ended_.empty()) wait_.why = waits_->WhyNotAsked();
}

StoreWaits::Call::~Call() {
  if (waits_ != nullptr) waits_->Over(wait_, told_, answered_, since_, signs_);
}

void StoreWaits::Call::Awaits(std::string why) {
  if (wait_.attempt == 1) wait_.why = std::move(why);
}

bool StoreWaits::Call::GoOn(std::int64_t moved) {
  if (waits_ == nullptr) return true;
  const absl::Time now = waits_->waiter_.now();
  if (now < looked_ + kBetweenLooks) return why_ended_.empty();
  looked_ = now;
  if (moved - counted_ >= kStretch) {
    counted_ = moved;
    alive_ = now;
    waits_->Moved();
  }
  wait_.span = now - since_;
  const bool moves = static_cast<double>(moved) >=
                     absl::ToDoubleSeconds(now - attempt_began_) *
                         static_cast<double>(kStretch);
  if (wait_.span >= kFirstWord && !(moves && moved > 0))
    told_ = waits_->Tell(wait_, now, told_);
  if (why_ended_.empty())
    why_ended_ = waits_->WhyEnd(now, since_, alive_, signs_);
  return why_ended_.empty();
}

void StoreWaits::Call::Failed(const std::string& why) {
  wait_.why = why;
  alive_ = absl::InfinitePast();  // its bytes have come to nothing
  ++wait_.attempt;
}

bool StoreWaits::Call::Pause(absl::Duration span, const Waiter& waiter) {
  if (waits_ == nullptr) {
    waiter.wait(span);
    return true;
  }
  counted_ = 0;
  while (span > absl::ZeroDuration()) {
    const absl::Duration slice = std::min(span, kBetweenLooks);
    waiter.wait(slice);
    span -= slice;
    if (!GoOn(0)) return false;
  }
  attempt_began_ = waits_->waiter_.now();
  return true;
}

}  // namespace podsim
