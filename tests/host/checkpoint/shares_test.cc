#include "host/checkpoint/shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "host/checkpoint/layout.h"
#include "tests/host/checkpoint/checkpoint_fixture.h"

namespace podsim {
namespace {

using ::testing::ElementsAre;

TEST(SharesTest, LargestFirstToWhoHasLeast) {
  const std::vector<std::int64_t> bytes = {10, 100, 10, 60, 50};
  EXPECT_THAT(HostsOfTensors(bytes, 2), ElementsAre(0, 0, 0, 1, 1));
  EXPECT_THAT(HostsOfTensors(bytes, 1), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(HostsOfTensors({}, 3), ElementsAre());
}

// The host that ends with most got its last tensor when it had least, so no
// more than the mean of the others: at most total / hosts + largest.
TEST(SharesTest, NoHostHasMuchMoreThanTheMean) {
  std::vector<std::int64_t> bytes;
  for (int i = 0; i < 40; ++i) bytes.push_back(1 + i * 7919 % 1000);
  const std::int64_t total =
      std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  const std::int64_t largest = *std::max_element(bytes.begin(), bytes.end());
  for (const int hosts : {1, 2, 3, 4, 8, 9, 16, 64}) {
    const std::vector<int> host_of = HostsOfTensors(bytes, hosts);
    std::vector<std::int64_t> load(hosts, 0);
    for (std::size_t i = 0; i < bytes.size(); ++i) load[host_of[i]] += bytes[i];
    EXPECT_LE(*std::max_element(load.begin(), load.end()),
              total / hosts + largest)
        << hosts;
  }
}

TEST(SharesTest, EveryTensorOnceInFilesNumberedWithoutGaps) {
  const Program program = testing::TrainedMlp({16, 8});
  for (const int hosts : {1, 2, 3, 4, 12, 256}) {
    const std::vector<Share> shares = SharesOf(program, hosts);
    std::multiset<TensorId> seen;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      EXPECT_FALSE(shares[i].tensors.empty());
      EXPECT_EQ(ParsePartName(shares[i].file),
                (PartNumber{static_cast<int>(i) + 1,
                            static_cast<int>(shares.size())}));
      EXPECT_TRUE(i == 0 || shares[i].host > shares[i - 1].host);
      seen.insert(shares[i].tensors.begin(), shares[i].tensors.end());
    }
    std::multiset<TensorId> all;
    for (const ProgramVariable& variable : program.variables)
      all.insert(variable.tensor);
    EXPECT_EQ(seen, all) << hosts;
  }
}

}  // namespace
}  // namespace podsim
