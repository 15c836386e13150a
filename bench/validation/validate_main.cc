// validate               prints docs/validation.md
// validate FILE          ends with 1, and says what is wrong, where FILE is not
//                        that page or a goal is missed
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "bench/validation/page.h"

int main(int count, char** words) {
  namespace validation = podsim::validation;
  if (count > 2) {
    std::fprintf(stderr, "usage: validate [docs/validation.md]\n");
    return 2;
  }
  const std::vector<validation::Check> held = validation::HeldChecks();
  const std::string page = validation::PageOf(held, validation::OtherChecks());
  const std::string misses = validation::MissesOf(held);
  if (count == 1) {
    std::fputs(page.c_str(), stdout);
    std::fputs(misses.c_str(), stderr);
    return 0;
  }
  std::ifstream file(words[1]);
  if (!file.is_open() || file.peek() == std::ifstream::traits_type::eof()) {
    std::fprintf(stderr,
                 "validate: %s is no file with text; give the page, as in "
                 "validate docs/validation.md, or nothing, to print it\n",
                 words[1]);
    return 2;
  }
  const std::string there{std::istreambuf_iterator<char>(file), {}};
  if (there != page)
    std::fprintf(stderr,
                 "validate: %s is not what bench/validate writes into "
                 "docs/validation.md: run bench/validate\n",
                 words[1]);
  std::fputs(misses.c_str(), stderr);
  return there == page && misses.empty() ? 0 : 1;
}
