// Words of proto/words.proto as text, and back: WordOf(words::Isa::v3) is "v3".
// Pure.
#ifndef PODSIM_SETTINGS_WORDS_H_
#define PODSIM_SETTINGS_WORDS_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/generated_enum_reflection.h>

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "proto/words.pb.h"

namespace podsim {

// REQUIRES: it is one of the enum's; CheckSettings refuses others.
template <typename Word>
const std::string& WordOf(Word word) {
  const auto* value =
      google::protobuf::GetEnumDescriptor<Word>()->FindValueByNumber(word);
  PODSIM_CHECK(value != nullptr);
  return value->name();
}

// nullopt: there is no such word.
template <typename Word>
std::optional<Word> WordNamed(const std::string& text) {
  const auto* value =
      google::protobuf::GetEnumDescriptor<Word>()->FindValueByName(text);
  if (value == nullptr) return std::nullopt;
  return static_cast<Word>(value->number());
}

// The texts of a repeated field of `Word`.
template <typename Word, typename List>
std::vector<std::string> WordsIn(const List& list) {
  std::vector<std::string> texts;
  for (const int number : list)
    texts.push_back(WordOf(static_cast<Word>(number)));
  return texts;
}

}  // namespace podsim

#endif  // PODSIM_SETTINGS_WORDS_H_
