#include "runtime/files/json_nested.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/printable.h"

namespace podsim {
namespace {

constexpr std::size_t kLongestFields = 120;

// The object or the list that begins at `at`, with its marks; empty: none does,
// or it is not closed.
absl::string_view BlockAt(absl::string_view text, std::size_t at) {
  char quote = '\0';
  int depth = 0;
  for (std::size_t end = at; end < text.size(); ++end) {
    const char c = text[end];
    if (quote != '\0') {
      if (c == '\\')
        ++end;
      else if (c == quote)
        quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return text.substr(at, end + 1 - at);
    }
    if (depth == 0) return "";
  }
  return "";
}

// What stands in the braces, on one line; "its fields" if that is long.
std::string FieldsIn(absl::string_view object) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(object.substr(1, object.size() - 2),
                     absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty());
  const std::string fields = absl::StrJoin(words, " ");
  const std::string shown =
      PrintableLine(std::string(absl::StripSuffix(fields, ",")));
  return shown.size() <= kLongestFields ? shown : "its fields";
}

// "beside "topology"", the first field of the outermost object.
std::string BesideIn(const JsonFile& file) {
  for (const JsonName& name : file.scan.names)
    if (OuterField(name.name, file.fields) != nullptr)
      return absl::StrCat("beside \"", name.name, "\"");
  return "in the outermost braces, without it";
}

}  // namespace

std::string NestedFields(const JsonName& outer, const JsonFile& file) {
  const absl::string_view text = file.text;
  if (outer.value_at >= text.size() || text[outer.value_at] != '{') return "";
  const absl::string_view object = BlockAt(text, outer.value_at);
  if (object.empty()) return "";
  const std::vector<JsonName> names = ScanJson(object).names;
  const bool known = std::ranges::any_of(names, [&](const JsonName& name) {
    return OuterField(name.name, file.fields) != nullptr;
  });
  if (!known) return "";
  return absl::StrCat("; settings are not nested: write ", FieldsIn(object),
                      " ", BesideIn(file));
}

}  // namespace podsim
