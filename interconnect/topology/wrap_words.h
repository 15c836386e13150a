// Text for people, broken into lines. Pure.
#ifndef PODSIM_INTERCONNECT_TOPOLOGY_WRAP_WORDS_H_
#define PODSIM_INTERCONNECT_TOPOLOGY_WRAP_WORDS_H_

#include <string>
#include <vector>

namespace podsim {

// No line is longer, if its words allow.
inline constexpr int kTextWidth = 80;

// `words` joined by `separator`, in lines that begin behind `margin` columns
// (the first one's are the caller's) and end without a space or a newline.
std::string WrapWords(const std::vector<std::string>& words,
                      const std::string& separator, int margin);

// The same for a sentence.
std::string WrapSentence(const std::string& sentence, int margin);

}  // namespace podsim

#endif  // PODSIM_INTERCONNECT_TOPOLOGY_WRAP_WORDS_H_
