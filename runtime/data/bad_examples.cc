#include "runtime/data/bad_examples.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/units.h"

namespace podsim {
namespace {

constexpr std::size_t kMostLines = 3;
constexpr std::size_t kMostFiles = 3;  // in a line

bool HasDigit(absl::string_view word) {
  return std::any_of(word.begin(), word.end(), [](unsigned char letter) {
    return absl::ascii_isdigit(letter);
  });
}

// What differs from example to example is left out: places and values.
std::string WithoutNumbers(absl::string_view text) {
  std::vector<absl::string_view> words = absl::StrSplit(text, ' ');
  words.erase(std::remove_if(words.begin(), words.end(), HasDigit),
              words.end());
  return absl::StrJoin(words, " ");
}

}  // namespace

bool BadExamples::Add(const absl::Status& status) {
  MutexLock lock(mutex_);
  const absl::string_view text = status.message();
  const std::size_t colon = std::min(text.find(": "), text.size());
  std::string file(text.substr(0, colon));
  std::string reason = WithoutNumbers(text.substr(colon));
  const auto known =
      std::find_if(kinds_.begin(), kinds_.end(),
                   [&](const Kind& kind) { return kind.reason == reason; });
  if (known != kinds_.end()) {
    ++known->examples;
    if (known->file != file) known->other_files.insert(std::move(file));
  } else if (kinds_.size() < kMostLines) {
    kinds_.push_back({.reason = std::move(reason),
                      .first = status,
                      .file = std::move(file),
                      .other_files = {}});
  } else {
    ++others_;
  }
  return absl::IsDataLoss(status) || absl::IsInvalidArgument(status);
}

std::string BadExamples::TextOf(const Kind& kind) {
  std::string text(kind.first.message());
  if (kind.examples > 1)
    absl::StrAppend(&text, "; likewise ",
                    FormatCounted(kind.examples - 1, "example"), " more");
  if (kind.other_files.empty()) return text;
  const std::vector<std::string> files(kind.other_files.begin(),
                                       kind.other_files.end());
  const std::size_t named = std::min(files.size(), kMostFiles);
  const auto left = static_cast<std::int64_t>(files.size() - named);
  absl::StrAppend(
      &text, ", also in ",
      absl::StrJoin(files.begin(),
                    files.begin() + static_cast<std::ptrdiff_t>(named), ", "),
      left > 0 ? absl::StrCat(" and ", FormatCounted(left, "file"), " more")
               : "");
  return text;
}

absl::Status BadExamples::Result() {
  MutexLock lock(mutex_);
  if (kinds_.empty()) return absl::OkStatus();
  std::vector<std::string> texts;
  texts.reserve(kinds_.size());
  for (const Kind& kind : kinds_) texts.push_back(TextOf(kind));
  if (others_ > 0)
    absl::StrAppend(&texts.back(), "; and ", FormatCounted(others_, "example"),
                    " more cannot be read");
  return absl::Status(kinds_.front().first.code(), absl::StrJoin(texts, "\n"));
}

}  // namespace podsim
