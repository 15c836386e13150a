#include "runtime/ckpt/ckpt_flags.h"

#include <CLI/CLI.hpp>
#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace podsim {
namespace {

constexpr char kVersion[] = "pod_ckpt (podsim) " PODSIM_VERSION "\n";

constexpr char kIntroduction[] =
    "Lists, explains, checks and compares the checkpoints of pod_launch.\n"
    "\n"
    "A model_dir (pod_launch --model_dir=DIR) holds one directory per\n"
    "checkpoint, named after its step. In it, manifest.json says what was\n"
    "trained and how far, model-*.safetensors hold weights and optimizer\n"
    "slots (Python's safetensors package reads them), and SHA256SUMS the\n"
    "hash of each file: `sha256sum -c SHA256SUMS` checks them as well.\n"
    "Nothing is changed by any of these commands.\n";

constexpr char kExamples[] =
    "Examples:\n"
    "  pod_ckpt ls runs/a                 what there is\n"
    "  pod_ckpt show runs/a               its newest good one\n"
    "  pod_ckpt show runs/a/200           that one\n"
    "  pod_ckpt verify runs/a             every byte of every one\n"
    "  pod_ckpt diff runs/a/100 runs/a/200\n"
    "  pod_ckpt diff runs/a runs/b        two runs' newest good ones\n"
    "\n"
    "Exit codes: 0 done, and to verify good, to diff equal; 1 damaged,\n"
    "unfinished or different; 2 refused as given (no such directory or\n"
    "command).";

struct CommandInfo {
  const char* name;
  const char* summary;
  const char* help;
  std::array<const char*, 2> paths;  // nullptr: one is enough
};

constexpr CommandInfo kCommands[] = {
    {"ls",
     "List a model_dir: a line per checkpoint",
     "Lists a model_dir, a line per checkpoint: step, examples consumed,\n"
     "slice, plan hash, bytes, when it was written, and its state:\n"
     "  committed    whole by its files' names and lengths\n"
     "  unfinished   its writer was stopped; pod_launch clears it away\n"
     "  damaged      and what is wrong; a resume passes it over\n"
     "  set aside    newer than the point where a later run began\n"
     "Bytes are not read: see verify.\n",
     {"MODEL_DIR", nullptr}},
    {"show",
     "Explain a checkpoint, or a model_dir's newest good one",
     "Explains a checkpoint: slice, model, batch, learning rate, on which\n"
     "slices its examples were consumed, and each tensor's shape, smallest,\n"
     "largest and mean value. Of a model_dir: the newest good one, where a\n"
     "resume would begin.\n",
     {"DIR", nullptr}},
    {"verify",
     "Check every byte of a checkpoint, or of all in a model_dir",
     "Reads every byte of a checkpoint, or of all committed ones in a\n"
     "model_dir, and compares with the hashes written beside it. Exit code\n"
     "1 if one is damaged, with the reason.\n",
     {"DIR", nullptr}},
    {"diff",
     "Compare two checkpoints: plans and tensors",
     "Compares two checkpoints (or two model_dirs' newest good ones): which\n"
     "fields of their plans differ, and which tensors, by how many elements\n"
     "and by how much at most. Exit code 0 if plan, progress and all "
     "tensors\n"
     "are equal to the bit.\n",
     {"A", "B"}},
};

const CommandInfo* FindCommand(const std::string& name) {
  for (const CommandInfo& info : kCommands)
    if (info.name == name) return &info;
  return nullptr;
}

absl::Status UnknownCommand(const std::string& name) {
  return absl::InvalidArgumentError(
      absl::StrCat("there is no command \"", name, "\"; there are ",
                   absl::StrJoin(kCommands, ", ",
                                 [](std::string* out, const CommandInfo& info) {
                                   out->append(info.name);
                                 }),
                   "; see pod_ckpt --help"));
}

// `paths` has room for those of any command.
void AddCommands(CLI::App& app, std::vector<std::string>& paths) {
  app.require_subcommand(1);
  for (const CommandInfo& info : kCommands) {
    CLI::App* command = app.add_subcommand(info.name, info.summary);
    command->footer(info.help);
    for (std::size_t i = 0; i < info.paths.size(); ++i) {
      if (info.paths[i] == nullptr) continue;
      command->add_option(info.paths[i], paths[i], "A directory")
          ->required()
          ->type_name("");
    }
  }
}

}  // namespace

absl::StatusOr<CkptFlags> ParseCkptFlags(const std::vector<std::string>& args) {
  if (!args.empty() && !absl::StartsWith(args.front(), "-") &&
      FindCommand(args.front()) == nullptr)
    return UnknownCommand(args.front());
  CLI::App app(kIntroduction, "pod_ckpt");
  app.set_help_flag("-h,--help", "Print this and stop");
  app.set_version_flag("--version", kVersion, "Print the version and stop");
  app.footer(kExamples);
  CkptFlags flags{.paths = std::vector<std::string>(2)};
  AddCommands(app, flags.paths);
  std::vector<std::string> reversed(args.rbegin(), args.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    flags.text = absl::StrReplaceAll(app.help(), {{"\n\n\n", "\n\n"}});
    return flags;
  } catch (const CLI::CallForVersion&) {
    flags.text = kVersion;
    return flags;
  } catch (const CLI::ParseError& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(error.what(), "; see pod_ckpt --help"));
  }
  flags.command = app.get_subcommands().front()->get_name();
  const bool two = FindCommand(flags.command)->paths.back() != nullptr;
  flags.paths.resize(two ? 2 : 1);
  return flags;
}

}  // namespace podsim
