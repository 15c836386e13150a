// print_settings: what is made from the programs' settings when they are built:
// `print_settings flags` is docs/flags.md, `print_settings python` the keywords
// of the Python package, `print_settings completion PROGRAM` a program's bash
// completion.
#include <iostream>
#include <string_view>

#include "base/program.h"
#include "runtime/launch/offered_names.h"
#include "settings/completion.h"
#include "settings/programs.h"
#include "settings/python_table.h"
#include "settings/reference.h"

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
  std::cerr << "print_settings flags | python | completion PROGRAM\n";
  return 2;
}
