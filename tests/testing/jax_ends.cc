#include "tests/testing/jax_ends.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "base/status.h"

namespace podsim::testing {
namespace {

using Table = std::map<std::string, std::vector<double>>;

Table ReadTable() {
  std::ifstream file(PODSIM_JAX_ENDS);
  PODSIM_CHECK(file.good());
  Table table;
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    std::vector<double>& numbers = table[line.substr(0, colon)];
    std::istringstream words(line.substr(colon + 2));
    for (std::string word; words >> word;)
      numbers.push_back(std::strtod(word.c_str(), nullptr));
  }
  return table;
}

}  // namespace

const std::vector<double>& JaxEnds(const std::string& name) {
  static const auto& table = *new Table(ReadTable());
  static const auto& none = *new std::vector<double>();
  const auto found = table.find(name);
  return found == table.end() ? none : found->second;
}

bool IsAsJaxHas(double got, double known) {
  if (std::isnan(known)) return std::isnan(got);
  if (std::isinf(known)) return got == known;
  return std::fabs(got - known) <= 1e-5 * std::fabs(known) + 1e-7;
}

}  // namespace podsim::testing
