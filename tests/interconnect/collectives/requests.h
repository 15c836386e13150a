// Requests for plans, as the tests of algorithms make them.
#ifndef PODSIM_TESTS_INTERCONNECT_COLLECTIVES_REQUESTS_H_
#define PODSIM_TESTS_INTERCONNECT_COLLECTIVES_REQUESTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interconnect/collectives/algorithms.h"
#include "tests/testing/run_count.h"

namespace podsim::testing {

// A ring that does not visit the ranks in their own order, a grid as square as
// it can be, a root that is neither first nor last.
inline PlanRequest MakeRequest(Collective collective, Algorithm algorithm,
                               int world, std::int64_t elements,
                               std::int64_t chunk) {
  PlanRequest request = {
      .collective = collective,
      .algorithm = algorithm,
      .elements = elements,
      .chunk_elements = chunk,
      .root = world / 2,
      // So that small buffers are halved too.
      .whole_elements = std::min(chunk, kRecursiveDoublingElements)};
  request.ring.resize(world);
  std::iota(request.ring.begin(), request.ring.end(), 0);
  std::shuffle(request.ring.begin(), request.ring.end(), std::mt19937(world));
  for (int rows = 1; rows * rows <= world; ++rows) {
    if (world % rows == 0) request.rows = rows;
  }
  request.columns = world / request.rows;
  return request;
}

inline std::vector<RankPlan> AllPlans(const PlanRequest& request) {
  std::vector<RankPlan> plans;
  for (std::size_t rank = 0; rank < request.ring.size(); ++rank) {
    auto plan = MakeRankPlan(request, static_cast<int>(rank));
    EXPECT_TRUE(plan.ok()) << plan.status();
    plans.push_back(*std::move(plan));
  }
  return plans;
}

inline std::string Describe(const PlanRequest& request) {
  return absl::StrCat(std::string(NameOf(request.collective)), " by ",
                      std::string(NameOf(request.algorithm)), ", world ",
                      request.ring.size(), ", elements ", request.elements,
                      ", chunk ", request.chunk_elements);
}

// The algorithms that do a collective.
inline std::vector<Algorithm> AlgorithmsFor(Collective collective) {
  std::vector<Algorithm> found;
  for (const Algorithm algorithm : AllAlgorithms()) {
    if (Supports(collective, algorithm)) found.push_back(algorithm);
  }
  return found;
}

// 1 to 9, 16 and 32 ranks.
inline std::vector<int> Worlds() {
  if (kSanitized) return {1, 2, 3, 4, 5, 6, 7, 8, 9};
  return {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32};
}

inline std::vector<std::int64_t> SizesFor(int world) {
  return {0, 1, world - 1, world, world + 1, 1000, 65537};
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_COLLECTIVES_REQUESTS_H_
