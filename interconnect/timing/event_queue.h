// A queue of events whose times never run backwards: a radix heap over the
// time; those of one time are put in order when their time has come.
#ifndef PODSIM_INTERCONNECT_TIMING_EVENT_QUEUE_H_
#define PODSIM_INTERCONNECT_TIMING_EVENT_QUEUE_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace podsim {

// `Event` has std::int64_t time, at least 0, and bool IsBefore(other) for two
// of one time: a strict order, so that the same events come in the same order
// everywhere.
template <typename Event>
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }

  // REQUIRES: event.time is not before that of the last event taken.
  void Push(const Event& event) {
    ++size_;
    const int bucket = BucketOf(event.time);
    buckets_[bucket].push_back(event);
    if (bucket == 0) in_order_ = false;
  }

  // The earliest; of several the first. REQUIRES: !empty().
  Event Take() {
    if (buckets_[0].empty()) Advance();
    if (!in_order_) Order();
    const Event event = buckets_[0].back();
    buckets_[0].pop_back();
    --size_;
    return event;
  }

 private:
  // 0: at the time of the last event taken; else by the highest bit in which
  // the two times differ.
  int BucketOf(std::int64_t time) const {
    return std::bit_width(static_cast<std::uint64_t>(time ^ now_));
  }

  // The first at the end.
  void Order() {
    std::sort(buckets_[0].begin(), buckets_[0].end(),
              [](const Event& a, const Event& b) { return b.IsBefore(a); });
    in_order_ = true;
  }

  // To the earliest time of the first bucket that holds something; all of that
  // bucket falls into lower ones.
  void Advance() {
    std::size_t first = 1;
    while (buckets_[first].empty()) ++first;
    std::vector<Event> bucket;
    bucket.swap(buckets_[first]);
    now_ = std::min_element(
               bucket.begin(), bucket.end(),
               [](const Event& a, const Event& b) { return a.time < b.time; })
               ->time;
    for (const Event& event : bucket)
      buckets_[BucketOf(event.time)].push_back(event);
    in_order_ = false;
    bucket.clear();
    if (buckets_[first].empty()) buckets_[first].swap(bucket);  // its memory
  }

  std::array<std::vector<Event>, 65> buckets_;
  std::int64_t now_ = 0;
  std::size_t size_ = 0;
  bool in_order_ = true;  // bucket 0, its first event at the end
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TIMING_EVENT_QUEUE_H_
