// A wall clock that can be set back under a program's feet, without root and
// for this program alone: the C library's calls that read the wall clock, or
// wait for a moment of it, are replaced by ones that add a shift to it. The
// steady clock stays as it is.
//
// Link it into a test, or LD_PRELOAD it (PODSIM_SET_BACK_CLOCK) into programs
// whose environment has CLOCK_SHIFT_FILE: then the shift is the first 8 bytes
// of that file, shared by all that map it.
#ifndef PODSIM_TESTS_TESTING_SET_BACK_CLOCK_H_
#define PODSIM_TESTS_TESTING_SET_BACK_CLOCK_H_

#include <cstdint>

namespace podsim::testing {

// From now on the wall clock of this program is so many seconds behind.
void SetClockBack(std::int64_t seconds);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_SET_BACK_CLOCK_H_
