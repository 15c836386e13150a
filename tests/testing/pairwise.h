// Cases that between them have every pair of values of every two parameters:
// most of what a full matrix finds, for a hundredth of its cases.
//
//   enum { kWorld, kType };
//   for (const Choice& one : PairwiseCover({3, 2}, valid, /*seed=*/1)) {
//     Run(kWorlds[one[kWorld]], kTypes[one[kType]]);
//   }
#ifndef PODSIM_TESTS_TESTING_PAIRWISE_H_
#define PODSIM_TESTS_TESTING_PAIRWISE_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace podsim::testing {

// Of each parameter the index of its value.
using Choice = std::vector<int>;

// `counts`: how many values each parameter has. Every pair that occurs in any
// valid choice occurs in one of the cover, and all of the cover are valid. The
// same arguments give the same cover. Looks at every choice once: for up to
// some millions of them.
// REQUIRES: two parameters or more, each of one value or more.
std::vector<Choice> PairwiseCover(
    const std::vector<int>& counts,
    const std::function<bool(const Choice&)>& valid, std::uint32_t seed);

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_TESTING_PAIRWISE_H_
