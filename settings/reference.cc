#include "settings/reference.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/units.h"
#include "settings/help.h"
#include "settings/programs.h"

namespace podsim {
namespace {

constexpr char kIntroduction[] =
    "# Flags\n"
    "\n"
    "Every setting of every program. This page is made from `proto/` by\n"
    "`print_settings flags`, and a test compares it with what that prints: to\n"
    "change it, change the field's options.\n"
    "\n"
    "A flag may be written with `-` or `_`. Where a program reads the\n"
    "environment, `--log_dir` is `PODSIM_LOG_DIR` there too; the command line\n"
    "wins, then the environment, then the job file. A flag given twice with\n"
    "different values is refused, and so is a `PODSIM_` variable with the\n"
    "mistyped name of a setting. Whole numbers may be written `1e4` or\n"
    "`1,024`, but not in lists; BYTES take K, M and G (powers of 1024).\n"
    "**bits**: it has a say in the bits of a result, and so in the plan's "
    "hash.\n"
    "`--help` shows the most used settings, `--help=all` all of them,\n"
    "`--help=json` the same as one JSON object.\n";

std::string Cell(const std::string& text) {
  return absl::StrReplaceAll(text, {{"|", "\\|"}, {"<", "\\<"}});
}

std::string Bounds(const Setting& rule) {
  if (rule.has_below())
    return absl::StrCat(rule.has_from() ? "from " : "more than ",
                        rule.has_from() ? rule.from() : rule.above(),
                        ", less than ", rule.below());
  if (!rule.has_least()) return "";
  return absl::StrCat(rule.least(), " to ", FormatCount(rule.most()),
                      rule.multiple_of() > 0
                          ? absl::StrCat(", multiples of ", rule.multiple_of())
                          : "");
}

std::string FlagCell(const Flag& flag) {
  const Setting& rule = SettingOf(*flag.field);
  if (rule.positional()) return absl::StrCat("`", FlagOf(*flag.field), "`");
  std::string text = absl::StrCat(
      "`", rule.letter().empty() ? "" : absl::StrCat("-", rule.letter(), ", "),
      "--", FlagOf(*flag.field), rule.type().empty() ? "" : " ", rule.type(),
      "`");
  for (const std::string& also : rule.also())
    absl::StrAppend(&text, ", `--", also, "`");
  return text;
}

std::string TableRow(const Flag& flag) {
  const Setting& rule = SettingOf(*flag.field);
  return absl::StrCat(
      "| ", Cell(FlagCell(flag)), " | ", Cell(Explain(*flag.field)),
      rule.bits() ? " (**bits**)" : "", " | ", Cell(DefaultOf(*flag.field)),
      " | ", Bounds(rule), " |\n");
}

std::string Section(const MainProgram& program) {
  std::string text = absl::StrCat("\n## ", program.name, "\n");
  std::string group;
  bool first = true;
  for (const Flag& flag : FlagsOf(program)) {
    const std::string heading =
        SettingOf(*flag.field).positional() ? "Arguments" : flag.group;
    if (first || heading != group)
      absl::StrAppend(&text, "\n### ", heading,
                      "\n\n| flag | meaning | default | allowed |\n"
                      "|---|---|---|---|\n");
    group = heading;
    first = false;
    absl::StrAppend(&text, TableRow(flag));
  }
  return text;
}

}  // namespace

std::string FormatReference() {
  std::string text = kIntroduction;
  for (const MainProgram* program : AllPrograms())
    absl::StrAppend(&text, Section(*program));
  return text;
}

}  // namespace podsim
