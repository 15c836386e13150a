// A price, or a failed test.
#ifndef PODSIM_TESTS_INTERCONNECT_TIMING_PRICE_OF_H_
#define PODSIM_TESTS_INTERCONNECT_TIMING_PRICE_OF_H_

#include <gtest/gtest.h>

#include <utility>

#include "interconnect/timing/pricing.h"

namespace podsim::testing {

inline Price PriceOf(const Slice& slice, const PriceRequest& request) {
  auto price = PriceCollective(slice, request);
  EXPECT_TRUE(price.ok()) << price.status();
  return *std::move(price);
}

}  // namespace podsim::testing

#endif  // PODSIM_TESTS_INTERCONNECT_TIMING_PRICE_OF_H_
