#include "interconnect/topology/wrap_words.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace podsim {

std::string WrapWords(const std::vector<std::string>& words,
                      const std::string& separator, int margin, int width) {
  std::string text;
  std::size_t column = margin;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool last = i + 1 == words.size();
    const std::string word = last ? words[i] : words[i] + separator;
    // A space at the end of a line is dropped and takes no room.
    const std::size_t room = width + (last ? 0 : 1);
    if (i > 0 && column + word.size() > room) {
      while (text.back() == ' ') text.pop_back();
      absl::StrAppend(&text, "\n", std::string(margin, ' '));
      column = margin;
    }
    text += word;
    column += word.size();
  }
  return text;
}

std::string WrapSentence(const std::string& sentence, int margin, int width) {
  return WrapWords(absl::StrSplit(sentence, ' '), " ", margin, width);
}

}  // namespace podsim
