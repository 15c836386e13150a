#include "host/input/split_words.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/units.h"
#include "host/input/eval_words.h"

namespace podsim {
namespace {

constexpr char kTrainWord[] = "train";

// Whether `word` stands in the name between other characters than letters and
// digits: "test" in "mnist-test.tfrecord-00000-of-00001".
bool HasWord(std::string_view name, std::string_view word) {
  const auto apart = [&](std::size_t at) {
    return at >= name.size() ||
           !absl::ascii_isalnum(static_cast<unsigned char>(name[at]));
  };
  for (std::size_t at = name.find(word); at != std::string_view::npos;
       at = name.find(word, at + 1))
    if ((at == 0 || apart(at - 1)) && apart(at + word.size())) return true;
  return false;
}

// What others call the splits.
struct OtherWord {
  const char* word;
  const char* split;
};
constexpr OtherWord kOtherWords[] = {{"training", kTrainWord},
                                     {"evaluation", "eval"},
                                     {"dev", "validation"},
                                     {"testing", "test"}};

// The split that a file's name tells, in letters of any case; empty: it tells
// none.
std::string SplitWordOf(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  if (HasWord(lower, kTrainWord)) return kTrainWord;
  for (const char* word : kEvalWords)
    if (HasWord(lower, word)) return word;
  for (const OtherWord& other : kOtherWords)
    if (HasWord(lower, other.word)) return other.split;
  return "";
}

}  // namespace

std::string SomeFilesText(const std::vector<std::string>& files) {
  return absl::StrCat(
      FormatCounted(static_cast<std::int64_t>(files.size()), "file"), " (",
      files.front(), files.size() > 1 ? " ..." : "", ")");
}

SplitNames SplitByWord(const std::vector<std::string>& files) {
  std::map<std::string, std::vector<std::string>> by_word;
  for (const std::string& name : files)
    by_word[SplitWordOf(name)].push_back(name);
  if (by_word.size() < 2) {
    const bool of_eval = !files.empty() && !by_word.contains(kTrainWord) &&
                         !by_word.contains(std::string());
    return {.train = files,
            .eval = {},
            .note = of_eval
                        ? absl::StrCat("training reads ", SomeFilesText(files),
                                       ", by the name the ",
                                       by_word.begin()->first, " split")
                        : std::string()};
  }
  const auto trained = by_word.find(
      by_word.contains(kTrainWord) ? std::string(kTrainWord) : std::string());
  if (trained == by_word.end()) return {.train = {}, .eval = files, .note = {}};
  SplitNames split = {.train = trained->second, .eval = {}, .note = {}};
  split.note = absl::StrCat("split by the files' names: training reads ",
                            SomeFilesText(split.train));
  by_word.erase(trained);
  for (const char* word : kEvalWords) {
    const auto found = by_word.find(word);
    if (found == by_word.end()) continue;
    split.eval = found->second;
    absl::StrAppend(&split.note, ", evaluation ", SomeFilesText(split.eval));
    by_word.erase(found);
    break;
  }
  for (const auto& [word, left] : by_word)
    absl::StrAppend(&split.note, "; ", SomeFilesText(left), " left out");
  return split;
}

}  // namespace podsim
