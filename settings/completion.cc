#include "settings/completion.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace podsim {
namespace {

// '@' is the program. "--flag=value" comes as three words, as '=' ends one.
constexpr char kScript[] = R"(# bash completion for @, made from its settings.
_podsim_@() {
  local current=${COMP_WORDS[COMP_CWORD]} flag=${COMP_WORDS[COMP_CWORD-1]}
  if [[ $current == = ]]; then
    current=
  elif [[ $flag == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  case $flag in
CASES  esac
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "FLAGS" -- "$current")
    return
  fi
ARGUMENTS}
complete -F _podsim_@ @
)";

std::string Reply(const std::string& what) {
  return absl::StrCat("mapfile -t COMPREPLY < <(compgen ", what,
                      " -- \"$current\")");
}

// `words` with spaces between them.
std::string WordsReply(const std::string& words) {
  return Reply(absl::StrCat("-W \"", words, "\""));
}

// How a value is completed; empty: it is not.
std::string ValueReply(const google::protobuf::FieldDescriptor& field,
                       const OfferedNames& offered) {
  if (!WordsOf(field).empty())
    return WordsReply(absl::StrReplaceAll(WordList(field), {{",", ""}}));
  const auto names = offered.find(FlagOf(field));
  if (names != offered.end())
    return WordsReply(absl::StrJoin(names->second, " "));
  const std::string& type = SettingOf(field).type();
  if (type == "DIR") return Reply("-d");
  return type == "FILE" ? Reply("-f") : "";
}

std::string ShellSpellings(const Flag& flag) {
  std::vector<std::string> spellings;
  for (const std::string& name : NamesOf(flag))
    spellings.push_back(absl::StrCat("--", name));
  const std::string& letter = SettingOf(*flag.field).letter();
  if (!letter.empty()) spellings.push_back(absl::StrCat("-", letter));
  return absl::StrJoin(spellings, "|");
}

}  // namespace

std::string FormatBashCompletion(const MainProgram& program,
                                 const OfferedNames& offered) {
  std::vector<std::string> names = {"--help", "--version"};
  std::string cases;
  std::string arguments;
  for (const Flag& flag : FlagsOf(program)) {
    const std::string reply = ValueReply(*flag.field, offered);
    if (SettingOf(*flag.field).positional()) {
      // The first argument is a word, further ones are paths.
      const bool first = !WordsOf(*flag.field).empty();
      absl::StrAppend(
          &arguments, "  ",
          first ? "(( COMP_CWORD == 1 )) && " : "(( COMP_CWORD > 1 )) && ",
          reply, "\n");
      continue;
    }
    names.push_back(absl::StrCat("--", FlagOf(*flag.field)));
    if (IsSwitch(*flag.field)) continue;
    absl::StrAppend(&cases, "    ", ShellSpellings(flag), ")\n",
                    reply.empty() ? "" : absl::StrCat("      ", reply, "\n"),
                    "      return ;;\n");
  }
  return absl::StrReplaceAll(kScript, {{"@", program.name},
                                       {"CASES", cases},
                                       {"FLAGS", absl::StrJoin(names, " ")},
                                       {"ARGUMENTS", arguments}});
}

}  // namespace podsim
