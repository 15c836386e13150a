// Greedy: as long as a pair is open, take a choice that has it and change one
// parameter after another to the value that closes most open pairs.
#include "tests/testing/pairwise.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>

#include "base/status.h"

namespace podsim::testing {
namespace {

using IsValid = std::function<bool(const Choice&)>;

// Numbers the pairs of values of different parameters.
class PairNumbers {
 public:
  explicit PairNumbers(const std::vector<int>& counts) {
    for (const int count : counts) {
      PODSIM_CHECK(count > 0);
      first_.push_back(values_);
      values_ += static_cast<std::size_t>(count);
    }
  }

  std::size_t size() const { return values_ * values_; }

  template <typename Function>
  void ForEach(const Choice& choice, const Function& fn) const {
    for (std::size_t a = 0; a < choice.size(); ++a) {
      for (std::size_t b = a + 1; b < choice.size(); ++b) {
        fn(ValueOf(choice, a) * values_ + ValueOf(choice, b));
      }
    }
  }

 private:
  std::size_t ValueOf(const Choice& choice, std::size_t parameter) const {
    return first_[parameter] + static_cast<std::size_t>(choice[parameter]);
  }

  std::vector<std::size_t> first_;  // by parameter: number of its first value
  std::size_t values_ = 0;
};

// The next choice, counting up; false after the last.
bool Next(const std::vector<int>& counts, Choice& choice) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (++choice[i] < counts[i]) return true;
    choice[i] = 0;
  }
  return false;
}

std::vector<int> Shuffled(std::size_t count, std::mt19937& random) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::shuffle(numbers.begin(), numbers.end(), random);
  return numbers;
}

struct Search {
  Search(const std::vector<int>& counts_of, const IsValid& is_valid,
         std::uint32_t seed)
      : counts(counts_of),
        valid(is_valid),
        pairs(counts_of),
        random(seed),
        example(pairs.size()),
        open(pairs.size(), false) {
    FindExamples();
  }

  void FindExamples() {
    Choice choice(counts.size(), 0);
    do {
      if (!valid(choice)) continue;
      pairs.ForEach(choice, [&](std::size_t pair) {
        if (open[pair]) return;
        open[pair] = true;
        example[pair] = choice;
      });
    } while (Next(counts, choice));
  }

  int Closes(const Choice& choice) const {
    int closed = 0;
    pairs.ForEach(choice,
                  [&](std::size_t pair) { closed += open[pair] ? 1 : 0; });
    return closed;
  }

  // Never closes fewer pairs than it did. Of values that are as good as each
  // other any is taken, so that choices differ in what does not matter too.
  void Improve(Choice& choice, int parameter) {
    int most = Closes(choice);
    Choice other = choice;
    for (const int value :
         Shuffled(static_cast<std::size_t>(counts[parameter]), random)) {
      other[parameter] = value;
      const int closes = Closes(other);
      if (closes < most || !valid(other)) continue;
      most = closes;
      choice = other;
    }
  }

  Choice ChoiceFrom(Choice choice) {
    for (int sweep = 0; sweep < 2; ++sweep) {
      for (const int parameter : Shuffled(counts.size(), random)) {
        Improve(choice, parameter);
      }
    }
    return choice;
  }

  const std::vector<int>& counts;
  const IsValid& valid;
  const PairNumbers pairs;
  std::mt19937 random;
  std::vector<Choice> example;  // by pair: a valid choice that has it
  std::vector<bool> open;       // by pair: has an example, is not covered yet
};

}  // namespace

std::vector<Choice> PairwiseCover(const std::vector<int>& counts,
                                  const IsValid& valid, std::uint32_t seed) {
  PODSIM_CHECK(counts.size() >= 2);
  Search search(counts, valid, seed);
  std::vector<Choice> cover;
  for (const int pair : Shuffled(search.pairs.size(), search.random)) {
    // Each turn closes a pair, though not always this one.
    while (search.open[pair]) {
      cover.push_back(search.ChoiceFrom(search.example[pair]));
      search.pairs.ForEach(cover.back(), [&](std::size_t closed) {
        search.open[closed] = false;
      });
    }
  }
  return cover;
}

}  // namespace podsim::testing
