#include "runtime/files/foreign_line.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/printable.h"
#include "settings/typography.h"

namespace podsim {
namespace {

// "job" of "Extension \"job\" is not defined ...".
std::string SectionIn(const std::string& message) {
  const std::vector<std::string> parts = absl::StrSplit(message, '"');
  return parts.size() < 3 ? "" : PrintableLine(parts[1]);
}

// A character of typography, where the line has one outside its comment.
std::string TypographySlip(absl::string_view line) {
  const std::string text(line.substr(0, line.find('#')));
  const auto first = FirstTypographic(text);
  if (!first) return "";
  return absl::StrCat(
      "the line has ", first->name, ", as pages and word processors write it; ",
      first->to_do, ": ",
      PrintableLine(
          std::string(absl::StripAsciiWhitespace(LineAsTyped(text)))));
}

// "topology = v3-8", and "[job]" above it, as other formats have them.
std::string EqualsSlip(const std::string& message, absl::string_view line) {
  if (absl::StartsWith(message, "Extension \""))
    return absl::StrCat("a section in brackets, [", SectionIn(message),
                        "], as TOML has it, is nothing here: leave it out, and "
                        "write a colon for each =, as in train_steps: 100");
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line.substr(0, line.find('#')), absl::MaxSplits('=', 1));
  if (parts.size() < 2 || !absl::StartsWith(message, "Expected \":\""))
    return "";
  return PrintableLine(absl::StrCat(
      "a colon stands for the =: ", absl::StripAsciiWhitespace(parts[0]), ": ",
      absl::StripAsciiWhitespace(parts[1])));
}

}  // namespace

std::string ForeignLine(const std::string& message, absl::string_view line) {
  if (std::string slip = TypographySlip(line); !slip.empty()) return slip;
  return EqualsSlip(message, line);
}

}  // namespace podsim
