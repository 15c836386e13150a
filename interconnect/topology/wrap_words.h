// Text for people, broken into lines. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_WRAP_WORDS_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_WRAP_WORDS_H_

#include <string>
#include <vector>

namespace podsim {

// Of a line, where nothing else is said.
inline constexpr int kTextWidth = 80;

// `words` joined by `separator`, in lines that begin behind `margin` columns
// (the first one's are the caller's) and end without a space or a newline. No
// line is longer than `width`, if its words allow.
std::string WrapWords(const std::vector<std::string>& words,
                      const std::string& separator, int margin,
                      int width = kTextWidth);

// The same for a sentence.
std::string WrapSentence(const std::string& sentence, int margin,
                         int width = kTextWidth);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_WRAP_WORDS_H_
