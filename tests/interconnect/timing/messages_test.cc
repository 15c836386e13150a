// The messages of a collective, one by one, come to what its run says of every
// link.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "interconnect/timing/pricing.h"
#include "tests/interconnect/timing/price_of.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::kExhausted;
using ::podsim::testing::PriceOf;

class MessagesTest : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Slices, MessagesTest,
                         ::testing::Values("v3-8", "v3-32", "v3-64", "v4-16",
                                           "v4-128", "v5litepod-8"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(MessagesTest, ComeToWhatTheRunSaysOfEachLink) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(GetParam()));
  for (const std::int64_t bytes : {4096, 1 << 22}) {
    const Price price = PriceOf(slice, {.bytes = bytes});
    const Network network = NetworkOf(slice);
    ASSERT_OK_AND_ASSIGN(const std::vector<LinkMessage> messages,
                         price.plan->Messages(network.links));
    ASSERT_FALSE(messages.empty());
    std::vector<std::int64_t> sent(price.sent.size());
    std::vector<SimTime> busy(price.busy.size());
    std::vector<SimTime> free(price.busy.size());
    SimTime last;
    for (const LinkMessage& message : messages) {
      ASSERT_GE(message.link, 0);
      ASSERT_LT(message.link, static_cast<std::int32_t>(sent.size()));
      EXPECT_GE(message.from, 0);
      EXPECT_LT(message.from, slice.chips);
      const auto link = static_cast<std::size_t>(message.link);
      EXPECT_GE(message.begin, free[link]) << "two at once on a link";
      free[link] = message.end;
      sent[link] += message.bytes;
      busy[link] += message.end - message.begin;
      last = std::max(last, message.end);
    }
    EXPECT_EQ(sent, price.sent);
    EXPECT_EQ(busy, price.busy);
    EXPECT_EQ(last + network.links.hop, price.network);
  }
}

TEST(Messages, OfManyChipsAreNotTold) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice("v3-1024"));
  const Price price = PriceOf(slice, {.bytes = 4096});
  EXPECT_EQ(price.plan->Messages(NetworkOf(slice).links).status().code(),
            kExhausted);
}

}  // namespace
}  // namespace podsim
