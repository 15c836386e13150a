// How much of a long test is to be run: little by default, as much as a
// variable of the environment says; less of a sweep where each step is watched.
#ifndef PODSIM_TESTS_TESTING_RUN_COUNT_H_
#define PODSIM_TESTS_TESTING_RUN_COUNT_H_

#include <cstdint>
#include <cstdlib>

namespace podsim::testing {

// A sanitizer looks for what no result shows, and can on fewer sizes: results
// are for the release build. All prices of timing_test took 38 s there and 452
// s with AddressSanitizer (2 cores of a Zen 5).
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline std::int64_t FromEnvironment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_RUN_COUNT_H_
