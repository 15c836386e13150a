// print_settings: what is made from the programs' settings when they are built:
// `print_settings flags` is docs/flags.md, `print_settings python` the keywords
// of the Python package, `print_settings completion PROGRAM` a program's bash
// completion.
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/program.h"
#include "runtime/launch/offered_names.h"
#include "settings/completion.h"
#include "settings/nearest_names.h"
#include "settings/programs.h"
#include "settings/python_table.h"
#include "settings/reference.h"

namespace {

// What of the command is none of those that there are.
std::string Mistake(int argc, char** argv) {
  if (argc < 2) return "nothing is given";
  const std::string what = argv[1];
  if (what == "completion" && argc == 2) return "completion has no program";
  if (what == "completion" && argc == 3) {
    std::vector<std::string> names;
    for (const podsim::MainProgram* program : podsim::AllPrograms())
      names.emplace_back(program->name);
    return absl::StrCat("there is no program \"", argv[2], "\"",
                        podsim::DidYouMean(argv[2], names));
  }
  const bool known =
      what == "flags" || what == "python" || what == "completion";
  return absl::StrCat("unexpected \"", known ? argv[argc - 1] : argv[1], "\"");
}

}  // namespace

int main(int argc, char** argv) {
  podsim::BeginProgram();
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "flags" && argc == 2) {
    std::cout << podsim::FormatReference();
    return podsim::EndProgram(0);
  }
  if (what == "python" && argc == 2) {
    std::cout << podsim::FormatPythonTable();
    return podsim::EndProgram(0);
  }
  if (what == "completion" && argc == 3) {
    for (const podsim::MainProgram* program : podsim::AllPrograms()) {
      if (argv[2] != std::string_view(program->name)) continue;
      std::cout << podsim::FormatBashCompletion(*program,
                                                podsim::OfferedByFlags());
      return podsim::EndProgram(0);
    }
  }
  std::cerr << "print_settings: " << Mistake(argc, argv)
            << "; give print_settings flags, print_settings python or "
               "print_settings completion PROGRAM\n";
  return 2;
}
