#include "settings/python_table.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "settings/help.h"
#include "settings/programs.h"

namespace podsim {
namespace {

std::string PythonString(const std::string& text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

std::string PythonRow(const Flag& flag) {
  const Setting& rule = SettingOf(*flag.field);
  return absl::StrCat(
      "    ", PythonString(FlagOf(*flag.field)), ": Setting(\n        ",
      PythonString(Explain(*flag.field)),
      ",\n        default=", PythonString(DefaultOf(*flag.field)),
      ", type=", PythonString(rule.type()), "),\n");
}

}  // namespace

std::string FormatPythonTable() {
  std::string text =
      "\"\"\"The settings of pod_launch: each is a keyword of train, plan and "
      "job files.\n\nMade by `print_settings python`; a test "
      "compares.\"\"\"\n\n"
      "from __future__ import annotations\n\nimport typing\n\n\n"
      "class Setting(typing.NamedTuple):\n"
      "    \"\"\"What a setting means; a switch has no type.\"\"\"\n\n"
      "    help: str\n    default: str\n    type: str\n\n\n"
      "SETTINGS: dict[str, Setting] = {\n";
  for (const Flag& flag : FlagsOf(PodLaunch()))
    absl::StrAppend(&text, PythonRow(flag));
  return absl::StrCat(text, "}\n");
}

}  // namespace podsim
