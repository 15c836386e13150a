#include "tests/testing/text_mutator.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace podsim::testing {

std::vector<std::string> TextsIn(const std::string& directory) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in),
                       std::istreambuf_iterator<char>());
  }
  return texts;
}

std::uint32_t FuzzSeed() {
  const char* given = std::getenv("PODSIM_FUZZ_SEED");
  return given != nullptr
             ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10))
             : 20'200'716;
}

int TextMutator::Below(std::size_t limit) {
  return static_cast<int>(random_() % std::max<std::size_t>(1, limit));
}

std::string TextMutator::Next() {
  std::string text = corpus_[Below(corpus_.size())];
  for (int rounds = 1 + Below(3); rounds > 0; --rounds) {
    const int at = Below(text.size() + 1);
    const std::string rest = text.substr(at);
    const std::string& other = corpus_[Below(corpus_.size())];
    switch (Below(6)) {
      case 0:  // another byte
        if (!rest.empty()) text[at] = static_cast<char>(Below(256));
        break;
      case 1:  // a hole
        text.erase(at, Below(12));
        break;
      case 2:  // half of one text, half of another
        text = text.substr(0, at) + other.substr(Below(other.size()));
        break;
      case 3:
        text.insert(at, tokens_[Below(tokens_.size())]);
        break;
      default:
        ReplaceValue(text, at);
    }
  }
  return text;
}

// A token in place of the value behind the next colon.
void TextMutator::ReplaceValue(std::string& text, int at) {
  const std::size_t colon = text.find(": ", at);
  if (colon == std::string::npos) return;
  const std::size_t end =
      std::min(text.find_first_of(" \n", colon + 2), text.size());
  text.replace(colon + 2, end - colon - 2, tokens_[Below(tokens_.size())]);
}

}  // namespace podsim::testing
