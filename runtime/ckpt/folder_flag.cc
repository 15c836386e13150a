#include "runtime/ckpt/folder_flag.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "host/checkpoint/layout.h"
#include "settings/words.h"

namespace podsim {
namespace {

constexpr std::string_view kFolders[] = {"model_dir", "dir", "path",
                                         "checkpoint_dir"};
constexpr std::string_view kSteps[] = {"step", "global_step", "checkpoint_step",
                                       "ckpt_step"};

struct FolderArgs {
  std::vector<std::string> words;  // arguments without flags
  std::string first;               // the first flag of these
  std::optional<std::string> folder;
  std::optional<std::string> step;
  bool others = false;  // flags that are neither
};

bool IsOneOf(std::span<const std::string_view> names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// "model_dir" of "--model-dir=runs/a"; empty: it is no flag with a name.
std::string NameOfFlag(const std::string& arg) {
  if (!arg.starts_with("--")) return "";
  return absl::StrReplaceAll(arg.substr(0, arg.find('=')).substr(2),
                             {{"-", "_"}});
}

FolderArgs GivenIn(const std::vector<std::string>& args) {
  FolderArgs given;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i].starts_with('-')) {
      given.words.push_back(args[i]);
      continue;
    }
    const std::string name = NameOfFlag(args[i]);
    if (!IsOneOf(kFolders, name) && !IsOneOf(kSteps, name)) {
      given.others = true;
      continue;
    }
    if (given.first.empty()) given.first = absl::StrCat("--", name);
    const std::size_t equals = args[i].find('=');
    std::string value;
    if (equals != args[i].npos) {
      value = args[i].substr(equals + 1);
    } else if (i + 1 < args.size()) {
      value = args[++i];
    }
    (IsOneOf(kSteps, name) ? given.step : given.folder) = value;
  }
  return given;
}

// Of one folder.
bool IsCommand(const std::string& word) {
  return word != "diff" && WordNamed<words::CkptCommand::Word>(word);
}

}  // namespace

absl::Status CheckFolderIsNoFlag(const std::vector<std::string>& args) {
  const FolderArgs given = GivenIn(args);
  const std::size_t paths = given.folder ? 1 : 2;
  if (given.first.empty() || given.others || given.words.size() != paths ||
      !IsCommand(given.words[0]) || (given.step && !ParseStep(*given.step)))
    return absl::OkStatus();
  const std::string folder(
      absl::StripSuffix(given.folder ? *given.folder : given.words[1], "/"));
  if (folder.empty()) return absl::OkStatus();
  const bool adds_step =
      given.step && !folder.ends_with(absl::StrCat("/", *given.step));
  return absl::InvalidArgumentError(PrintableLine(absl::StrCat(
      "unknown flag ", given.first,
      given.step ? "; the step is part of the folder, an argument without a "
                   "flag: pod_ckpt "
                 : "; the folder is an argument without a flag: pod_ckpt ",
      given.words[0], " ", folder,
      adds_step ? absl::StrCat("/", *given.step) : "")));
}

}  // namespace podsim
