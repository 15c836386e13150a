// Texts near those of a corpus: for tests that feed a parser what nobody meant
// to write.
//
//   TextMutator mutator(seed, TextsIn(directory), {"-1", "nan"});
//   Parse(mutator.Next());
#ifndef PODSIM_TESTS_TESTING_TEXT_MUTATOR_H_
#define PODSIM_TESTS_TESTING_TEXT_MUTATOR_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace podsim::testing {

// The contents of all files in a directory, by name.
std::vector<std::string> TextsIn(const std::string& directory);

// PODSIM_FUZZ_SEED, if it is set, else a constant.
std::uint32_t FuzzSeed();

class TextMutator {
 public:
  // `tokens` tend to sit on edges. REQUIRES: neither is empty.
  TextMutator(std::uint32_t seed, std::vector<std::string> corpus,
              std::vector<std::string> tokens)
      : random_(seed), corpus_(std::move(corpus)), tokens_(std::move(tokens)) {}

  // One to three changes of a text of the corpus: a byte, a hole, a token, a
  // value behind a colon, half of another text.
  std::string Next();

 private:
  int Below(std::size_t limit);
  void ReplaceValue(std::string& text, int at);

  std::mt19937 random_;
  const std::vector<std::string> corpus_;
  const std::vector<std::string> tokens_;
};

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_TEXT_MUTATOR_H_
