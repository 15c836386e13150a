// Which sequences were used: a set of integers that come nearly in order, kept
// as intervals, so that its size is the number of gaps.
#ifndef PODSIM_INTERCONNECT_COLLECTIVES_SEQUENCE_SET_H_
#define PODSIM_INTERCONNECT_COLLECTIVES_SEQUENCE_SET_H_

#include <cstdint>
#include <iterator>
#include <map>

namespace podsim {

class SequenceSet {
 public:
  bool Contains(std::uint64_t sequence) const {
    const auto after = last_of_.upper_bound(sequence);
    return after != last_of_.begin() && std::prev(after)->second >= sequence;
  }

  // REQUIRES: !Contains(sequence).
  void Add(std::uint64_t sequence) {
    std::uint64_t first = sequence;
    std::uint64_t last = sequence;
    const auto after = last_of_.upper_bound(sequence);
    if (after != last_of_.end() && after->first == sequence + 1) {
      last = after->second;
    }
    if (after != last_of_.begin() && std::prev(after)->second + 1 == sequence) {
      first = std::prev(after)->first;
    }
    if (last != sequence) last_of_.erase(after);
    last_of_[first] = last;
  }

  std::size_t intervals() const { return last_of_.size(); }

 private:
  std::map<std::uint64_t, std::uint64_t> last_of_;  // first -> last, inclusive
};

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_COLLECTIVES_SEQUENCE_SET_H_
