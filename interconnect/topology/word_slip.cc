#include "interconnect/topology/word_slip.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/printable.h"

namespace podsim {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::EnumDescriptor;

constexpr std::size_t kLongestWordShown = 64;

// Of a field of any message in the same file; null: none has such a name.
const EnumDescriptor* EnumOf(const std::string& field, const Descriptor& in) {
  for (int i = 0; i < in.file()->message_type_count(); ++i) {
    const auto* const found =
        in.file()->message_type(i)->FindFieldByName(field);
    if (found != nullptr && found->enum_type() != nullptr)
      return found->enum_type();
  }
  return nullptr;
}

// But for the first, which stands for none.
std::vector<std::string> WordsOf(const EnumDescriptor& of) {
  std::vector<std::string> words;
  for (int i = 0; i < of.value_count(); ++i)
    if (of.value(i)->number() != 0)
      words.push_back(std::string(of.value(i)->name()));
  return words;
}

// Protobuf says where what follows the word begins.
void StepBack(absl::string_view word, absl::string_view text, int& line,
              int& column) {
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const int last = static_cast<int>(lines.size()) - 1;
  for (int at = std::min(line, last); at >= 0; --at) {
    absl::string_view before = lines[static_cast<std::size_t>(at)];
    if (at == line)
      before = before.substr(0, static_cast<std::size_t>(std::max(column, 0)));
    const std::size_t found = before.rfind(word);
    if (found == absl::string_view::npos) continue;
    line = at;
    column = static_cast<int>(found);
    return;
  }
}

}  // namespace

std::string WordSlip(const std::string& message, std::string_view text,
                     const Descriptor& file, int& line, int& column) {
  // Unknown enumeration value of "MEASURED" for field "grade".
  const std::vector<std::string> parts = absl::StrSplit(message, '"');
  if (!absl::StartsWith(message, "Unknown enumeration value") ||
      parts.size() < 5)
    return "";
  const EnumDescriptor* const known = EnumOf(parts[3], file);
  if (known == nullptr) return "";
  StepBack(parts[1], absl::string_view(text.data(), text.size()), line, column);
  return absl::StrCat(parts[3], " is ",
                      PrintableLine(parts[1].substr(0, kLongestWordShown)),
                      "; give one of ", absl::StrJoin(WordsOf(*known), ", "));
}

}  // namespace podsim
