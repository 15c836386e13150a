#include "settings/help.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/text_layout.h"

namespace podsim {
namespace {

using ::google::protobuf::FieldDescriptor;

constexpr int kTextColumn = 32;

// "auto, torus or mesh (...)".
std::string WordsText(const std::vector<Word>& words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const Word& word : words)
    texts.push_back(word.help.empty()
                        ? word.text
                        : absl::StrCat(word.text, " (", word.help, ")"));
  const std::string last = texts.back();
  texts.pop_back();
  return texts.empty() ? last
                       : absl::StrCat(absl::StrJoin(texts, ", "), " or ", last);
}

// "  -b, --minbytes BYTES".
std::string Heading(const Flag& flag) {
  const Setting& rule = SettingOf(*flag.field);
  if (rule.positional()) return absl::StrCat("  ", FlagOf(*flag.field));
  std::string text = "  ";
  if (!rule.letter().empty()) absl::StrAppend(&text, "-", rule.letter(), ", ");
  absl::StrAppend(&text, "--", FlagOf(*flag.field));
  if (!rule.type().empty()) absl::StrAppend(&text, " ", rule.type());
  return text;
}

std::string Row(const std::string& heading, const std::string& text) {
  const std::string gap =
      heading.size() + 1 < kTextColumn
          ? std::string(kTextColumn - heading.size(), ' ')
          : absl::StrCat("\n", std::string(kTextColumn, ' '));
  return absl::StrCat(heading, gap, WrapSentence(text, kTextColumn), "\n");
}

std::string FlagRow(const Flag& flag) {
  std::string text = Explain(*flag.field);
  for (const std::string& also : SettingOf(*flag.field).also())
    absl::StrAppend(&text, ". Also --", also);
  const std::string otherwise = DefaultOf(*flag.field);
  if (!otherwise.empty()) absl::StrAppend(&text, " [", otherwise, "]");
  return Row(Heading(flag), text);
}

// The words of an argument, a row each.
std::string WordRows(const Flag& flag) {
  std::string text = Row(Heading(flag), SettingOf(*flag.field).help());
  for (const Word& word : WordsOf(*flag.field))
    absl::StrAppend(&text, Row(absl::StrCat("    ", word.text), word.help));
  return text;
}

// A row of the short help: its heading, and what stands beside it.
struct BriefRow {
  std::string heading;
  std::string text;
};

// An argument's words stand here unless each has a row.
std::string BriefText(const Flag& flag) {
  const Setting& rule = SettingOf(*flag.field);
  const std::vector<Word> words = WordsOf(*flag.field);
  if (rule.positional() && !words.empty() && words.front().brief.empty())
    return absl::StrCat(rule.brief(), ": ", WordsText(words));
  if (rule.default_().empty()) return rule.brief();
  return absl::StrCat(rule.brief(), " [", rule.default_(), "]");
}

// The settings of every day; of an argument whose words are explained, a row
// each.
std::vector<BriefRow> BriefRowsOf(const std::vector<Flag>& flags) {
  std::vector<BriefRow> rows;
  for (const Flag& flag : flags) {
    const Setting& rule = SettingOf(*flag.field);
    if (rule.brief().empty()) continue;
    rows.push_back({Heading(flag), BriefText(flag)});
    if (!rule.positional()) continue;
    for (const Word& word : WordsOf(*flag.field))
      if (!word.brief.empty())
        rows.push_back({absl::StrCat("    ", word.text), word.brief});
  }
  return rows;
}

// A line each where it fits, their texts below each other.
std::string BriefRows(const std::vector<Flag>& flags) {
  const std::vector<BriefRow> rows = BriefRowsOf(flags);
  std::size_t column = 0;
  for (const BriefRow& row : rows)
    column = std::max(column, row.heading.size() + 2);
  std::string text;
  for (const BriefRow& row : rows)
    absl::StrAppend(&text, row.heading,
                    std::string(column - row.heading.size(), ' '),
                    WrapSentence(row.text, static_cast<int>(column)), "\n");
  return text;
}

std::string Usage(const MainProgram& program, const std::vector<Flag>& flags) {
  std::string text = absl::StrCat("Usage: ", program.name);
  for (const Flag& flag : flags)
    if (SettingOf(*flag.field).positional())
      absl::StrAppend(&text, " ", FlagOf(*flag.field),
                      flag.field->is_repeated() ? "..." : "");
  return absl::StrCat(text, " [flags]\n");
}

}  // namespace

std::string Explain(const FieldDescriptor& field) {
  const std::vector<Word> words = WordsOf(field);
  const std::string& help = SettingOf(field).help();
  if (!words.empty()) return absl::StrCat(help, ": ", WordsText(words));
  const std::vector<Word> kinds = KindsOf(field);
  return kinds.empty() ? help
                       : absl::StrCat(help, ". Kinds: ", WordsText(kinds));
}

std::string DefaultOf(const FieldDescriptor& field) {
  const Setting& rule = SettingOf(field);
  return rule.default_().empty() ? rule.otherwise() : rule.default_();
}

std::string FormatHelp(const MainProgram& program) {
  const std::vector<Flag> flags = FlagsOf(program);
  const HelpTexts& texts = program.texts;
  std::string text =
      absl::StrCat(texts.introduction, "\nExamples:\n", texts.examples,
                   texts.more_examples, "\n", Usage(program, flags));
  std::string group;
  for (const Flag& flag : flags) {
    const bool argument = SettingOf(*flag.field).positional();
    const std::string heading = argument ? "Arguments" : flag.group;
    if (heading != group) absl::StrAppend(&text, "\n", heading, ":\n");
    group = heading;
    absl::StrAppend(&text, argument && !WordsOf(*flag.field).empty()
                               ? WordRows(flag)
                               : FlagRow(flag));
  }
  absl::StrAppend(
      &text, "\nHelp:\n", Row("  -h, --help", "The most used flags"),
      Row("  --help=all", "Print this and stop"),
      Row("  --help=json", "The settings as one JSON object, for programs"),
      Row("  --version", "Print the version and stop"), "\n", texts.closing);
  return text;
}

std::string FormatShortHelp(const MainProgram& program) {
  const std::vector<Flag> flags = FlagsOf(program);
  const HelpTexts& texts = program.texts;
  return absl::StrCat(texts.summary, "\n\nExamples:\n", texts.examples, "\n",
                      Usage(program, flags), BriefRows(flags),
                      "\n--help=all lists all ", flags.size(),
                      " settings, as does docs/flags.md.\n");
}

std::string FormatVersion(const MainProgram& program) {
  return absl::StrCat(program.name, " (podsim) " PODSIM_VERSION "\n");
}

}  // namespace podsim
