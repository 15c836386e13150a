// What a host does around a collective, with a naive collective in between:
// whatever the kind of rank, every output comes out right, and one wrong value
// on the way is seen.
#include "job/bench_buffers.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <tuple>
#include <vector>

#include "interconnect/collectives/reduce.h"

namespace podsim {
namespace {

constexpr int kHosts = 3;

BenchCase CaseOf(Collective collective, std::int64_t count, int ranks) {
  BenchCase one = {.collective = collective};
  if (Reduces(collective)) one.op = BenchOp::kAvg;
  if (collective == Collective::kBroadcast) one.root = ranks - 2;
  const bool shares = collective != Collective::kAllReduce &&
                      collective != Collective::kBroadcast;
  one.count = count;
  one.elements = shares ? count * ranks : count;
  one.bytes = one.elements * 4;
  return one;
}

// The collective on whole buffers, host by host, without any plan. What its
// definition leaves undefined becomes rubbish.
void RunNaively(const BenchCase& one, const BenchShape& shape,
                std::vector<BenchBuffers>& hosts) {
  std::vector<std::vector<std::byte>> in;
  for (BenchBuffers& host : hosts) {
    const auto bytes = host.travelling().bytes;
    in.emplace_back(bytes.begin(), bytes.end());
  }
  std::vector<std::byte> reduced = in[0];
  for (int h = 1; h < shape.hosts; ++h) {
    ReduceLocal({one.type, ReductionOf(one.op), one.type}, in[h], reduced);
  }
  const std::int64_t elements = TravellingElements(one, shape);
  for (int h = 0; h < shape.hosts; ++h) {
    const std::span<std::byte> out = hosts[h].travelling().bytes;
    const auto take = [&](const std::vector<std::byte>& from, Range source,
                          Range target) {
      std::memcpy(out.data() + target.begin * 4, from.data() + source.begin * 4,
                  static_cast<std::size_t>(source.count) * 4);
    };
    const Range whole = {0, elements};
    const Range mine = SegmentOf(elements, shape.hosts, h);
    switch (one.collective) {
      case Collective::kAllReduce:
        take(reduced, whole, whole);
        break;
      case Collective::kReduceScatter:
        std::fill(out.begin(), out.end(), std::byte{0x77});
        take(reduced, mine, mine);
        break;
      case Collective::kBroadcast:
        take(in[one.root / shape.ranks_per_host], whole, whole);
        break;
      case Collective::kAllGather:
        for (int s = 0; s < shape.hosts; ++s) {
          const Range segment = SegmentOf(elements, shape.hosts, s);
          take(in[s], segment, segment);
        }
        break;
      case Collective::kAllToAll:
        for (int s = 0; s < shape.hosts; ++s) {
          take(in[s], mine, SegmentOf(elements, shape.hosts, s));
        }
        break;
      case Collective::kBarrier:
        break;
    }
  }
}

using Param = std::tuple<Collective, bool, Placement>;

class BenchBuffersTest : public ::testing::TestWithParam<Param> {
 protected:
  BenchBuffersTest() {
    shape_ = {
        .hosts = kHosts, .ranks_per_host = cores() ? 8 : 1, .cores = cores()};
    case_ = CaseOf(collective(), /*count=*/20'011, shape_.ranks());
    if (Reduces(collective())) {
      reduced_ = ReducedBlock(ValuesOf(case_, shape_), 0, case_.elements);
    }
    for (int host = 0; host < kHosts; ++host) {
      hosts_.emplace_back(case_, shape_, host);
    }
  }

  static Collective collective() { return std::get<0>(GetParam()); }
  static bool cores() { return std::get<1>(GetParam()); }
  static Placement placement() { return std::get<2>(GetParam()); }

  std::int64_t CountWrong() const {
    std::int64_t wrong = 0;
    for (const BenchBuffers& host : hosts_) {
      wrong += host.CountWrong(placement(), reduced_);
    }
    return wrong;
  }

  BenchShape shape_;
  BenchCase case_;
  ValueBlock reduced_;
  std::vector<BenchBuffers> hosts_;
};

TEST_P(BenchBuffersTest, EveryElementComesOutRight) {
  for (int run = 0; run < 2; ++run) {  // buffers are used again
    for (BenchBuffers& host : hosts_) host.Fill(placement());
    for (BenchBuffers& host : hosts_) host.Before(placement());
    RunNaively(case_, shape_, hosts_);
    for (BenchBuffers& host : hosts_) host.After();
    EXPECT_EQ(CountWrong(), 0);
  }
}

TEST_P(BenchBuffersTest, WithoutTheCollectiveTheOutputIsWrong) {
  for (BenchBuffers& host : hosts_) host.Fill(placement());
  for (BenchBuffers& host : hosts_) host.Before(placement());
  for (BenchBuffers& host : hosts_) host.After();
  EXPECT_GT(CountWrong(), case_.elements / 4);
}

TEST_P(BenchBuffersTest, OneWrongValueOnTheWayIsCounted) {
  for (BenchBuffers& host : hosts_) host.Fill(placement());
  for (BenchBuffers& host : hosts_) host.Before(placement());
  RunNaively(case_, shape_, hosts_);
  // In the part that host 1 must end with, whatever the collective.
  const std::int64_t at = TravellingElements(case_, shape_) / 2;
  hosts_[1].travelling().bytes[static_cast<std::size_t>(at) * 4 + 2] ^=
      std::byte{0x10};
  for (BenchBuffers& host : hosts_) host.After();
  const bool everyone = cores() && (collective() == Collective::kAllReduce ||
                                    collective() == Collective::kAllGather ||
                                    collective() == Collective::kBroadcast);
  EXPECT_EQ(CountWrong(), everyone ? 8 : 1);
}

std::string NameOfParam(const ::testing::TestParamInfo<Param>& info) {
  return std::string(NameOf(std::get<0>(info.param))) +
         (std::get<1>(info.param) ? "_cores" : "_hosts") +
         (std::get<2>(info.param) == Placement::kInPlace ? "_in_place" : "");
}

INSTANTIATE_TEST_SUITE_P(
    All, BenchBuffersTest,
    ::testing::Combine(
        ::testing::Values(Collective::kAllReduce, Collective::kReduceScatter,
                          Collective::kAllGather, Collective::kBroadcast,
                          Collective::kAllToAll),
        ::testing::Bool(),
        ::testing::Values(Placement::kOutOfPlace, Placement::kInPlace)),
    NameOfParam);

TEST(BenchBytesTest, CountWhatIsAllocated) {
  const BenchShape hosts = {.hosts = 4};
  const BenchShape cores = {.hosts = 4, .ranks_per_host = 8, .cores = true};
  const BenchCase reduce = CaseOf(Collective::kAllReduce, 100, 4);
  EXPECT_EQ(BufferBytes(reduce, hosts), 2 * 400);
  EXPECT_EQ(BufferBytes(reduce, cores), 2 * 8 * 400 + 400);
  const BenchCase exchange = CaseOf(Collective::kAllToAll, 10, 32);
  EXPECT_EQ(TravellingElements(exchange, cores), 8 * 320);
  EXPECT_EQ(BufferBytes(exchange, cores), 2 * 8 * 1280 + 8 * 1280);
}

}  // namespace
}  // namespace podsim
