// How much of a long test is to be run: little by default, as much as a
// variable of the environment says.
#ifndef PODSIM_TESTS_TESTING_RUN_COUNT_H_
#define PODSIM_TESTS_TESTING_RUN_COUNT_H_

#include <cstdint>
#include <cstdlib>

namespace podsim::testing {

inline std::int64_t FromEnvironment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_RUN_COUNT_H_
