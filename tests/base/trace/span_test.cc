#include "base/trace/span.h"

#include <gtest/gtest.h>

#include <set>

namespace podsim {
namespace {

TEST(FlowOf, BothEndsFindTheSame) {
  const FlowKey key = {.from = 1, .to = 2, .sequence = 7, .chunk = 3};
  EXPECT_EQ(FlowOf(key), FlowOf(FlowKey(key)));
  EXPECT_NE(FlowOf(key), 0U);
}

TEST(FlowOf, NoTwoOfAPodsChunksShareOne) {
  std::set<std::uint64_t> flows;
  for (int from = 0; from < 16; ++from)
    for (int to = 0; to < 16; ++to)
      for (std::uint64_t sequence = 0; sequence < 8; ++sequence)
        for (std::uint32_t chunk = 0; chunk < 32; ++chunk)
          flows.insert(FlowOf({.from = from,
                               .to = to,
                               .generation = 1,
                               .sequence = sequence,
                               .chunk = chunk}));
  EXPECT_EQ(flows.size(), 16U * 16 * 8 * 32);
}

}  // namespace
}  // namespace podsim
