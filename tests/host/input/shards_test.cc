// Data sets of shards: each example exactly once, whatever the slice, the
// packing and the memory.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "host/input/lane_rows.h"
#include "host/input/shared_lanes.h"
#include "host/input/stream.h"
#include "host/input/tfrecord.h"
#include "interconnect/topology/slice.h"
#include "tests/host/input/gzip_bytes.h"
#include "tests/host/input/shard_bytes.h"
#include "tests/testing/status_matchers.h"

namespace podsim {
namespace {

using ::podsim::testing::Gzip;
using ::podsim::testing::IsOk;
using ::podsim::testing::kNumberedSchema;
using ::podsim::testing::OpenNumbered;
using ::podsim::testing::ShardOf;
using ::podsim::testing::StatusIs;
using ::podsim::testing::WriteShards;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::uint64_t kShardSeed = 42;

// So many examples in so many shards, one of which is empty if there are more
// than one.
std::vector<std::int64_t> CountsOf(std::int64_t shards, std::int64_t examples) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(shards), 0);
  for (std::int64_t i = 0; i < examples; ++i)
    ++counts[static_cast<std::size_t>(ShardOf(i, shards))];
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), shards > 1 ? 1 : 0);
  return counts;
}

struct Counted {
  std::int64_t shards;
  bool packed;
  bool windows;

  std::int64_t Window(std::int64_t window) const {
    return windows ? window : 0;
  }
};

class EveryShard : public ::testing::TestWithParam<Counted> {};

// Trains some steps on a slice: the labels' owners that its hosts read come to
// their places in the stream.
void ReadSteps(const Dataset& dataset, const std::string& slice_name,
               std::int64_t steps, std::int64_t& consumed,
               std::vector<std::int64_t>& seen) {
  ASSERT_OK_AND_ASSIGN(const Slice slice, FindSlice(slice_name));
  constexpr std::int64_t kBatch = 2;
  const std::int64_t global = slice.replicas * kBatch;
  Batch batch;
  for (std::int64_t step = 0; step < steps; ++step) {
    seen.resize(static_cast<std::size_t>(consumed + global), -1);
    for (int host = 0; host < slice.hosts; ++host) {
      ASSERT_THAT(FillTrainBatch(dataset, kShardSeed,
                                 {.consumed = consumed,
                                  .batch_per_core = kBatch,
                                  .first_core = std::int64_t{host} *
                                                slice.replicas_per_host(),
                                  .cores = slice.replicas_per_host(),
                                  .global_batch = global},
                                 batch),
                  IsOk());
      for (std::int64_t row = 0; row < batch.rows; ++row) {
        const auto n =
            static_cast<std::int64_t>(batch.Values<float>(0)[2 * row]);
        ASSERT_EQ(batch.Values<float>(0)[2 * row + 1],
                  static_cast<float>(n) / 2);
        ASSERT_EQ(batch.Values<std::int32_t>(1)[row], n % 7);
        const std::int64_t k =
            batch.by_lane.empty()
                ? consumed + slice.replicas_per_host() * kBatch * host + row
                : batch.by_lane[static_cast<std::size_t>(row)].k;
        ASSERT_EQ(std::exchange(seen.at(static_cast<std::size_t>(k)), n), -1)
            << k;
      }
    }
    consumed += global;
  }
}

TEST_P(EveryShard, EachExampleComesExactlyOncePerEpochOnEverySlice) {
  const Counted& of = GetParam();
  constexpr std::int64_t kExamples = 1111;
  const auto store = NewMemoryStore();
  WriteShards(CountsOf(of.shards, kExamples), of.packed, *store);
  ASSERT_OK_AND_ASSIGN(const auto dataset,
                       OpenNumbered(*store, of.Window(100)));
  ASSERT_EQ(dataset->size(Split::kTrain), kExamples);
  ASSERT_EQ(dataset->shards() != nullptr, of.windows);
  ASSERT_EQ(dataset->config().packed(), of.packed);
  std::vector<std::int64_t> first;  // the stream of the first slice
  for (const char* slice : {"v3-8", "v3-32", "v3-128", "v3-512"}) {
    ASSERT_OK_AND_ASSIGN(const Slice named, FindSlice(slice));
    std::vector<std::int64_t> seen;
    std::int64_t consumed = 0;
    ReadSteps(*dataset, slice, kExamples / named.replicas + 1, consumed, seen);
    ASSERT_GE(seen.size(), 2 * kExamples);
    std::vector<int> count(kExamples, 0);
    for (std::int64_t k = 0; k < 2 * kExamples; ++k) {
      ++count[static_cast<std::size_t>(seen[static_cast<std::size_t>(k)])];
      if ((k + 1) % kExamples == 0) {
        ASSERT_THAT(count, Each((k + 1) / kExamples)) << slice;
      }
    }
    seen.resize(2 * kExamples);
    if (first.empty()) first = seen;
    EXPECT_EQ(seen, first) << slice;
  }
  EXPECT_FALSE(std::is_sorted(first.begin(), first.begin() + 50));
  EXPECT_NE(std::vector(first.begin(), first.begin() + kExamples),
            std::vector(first.begin() + kExamples, first.end()));
}

// A run that goes on with another slice, in the middle of an epoch, from a data
// set that is opened anew.
TEST_P(EveryShard, AResumeOnAnotherSliceReadsOn) {
  const Counted& of = GetParam();
  constexpr std::int64_t kExamples = 777;
  const auto store = NewMemoryStore();
  WriteShards(CountsOf(of.shards, kExamples), of.packed, *store);
  std::vector<std::int64_t> whole;
  std::vector<std::int64_t> parts;
  std::int64_t consumed = 0;
  ASSERT_OK_AND_ASSIGN(const auto dataset, OpenNumbered(*store, of.Window(64)));
  ReadSteps(*dataset, "v3-8", 100, consumed, whole);
  consumed = 0;
  std::int64_t bytes = 64 << 10;
  for (const auto& [slice, steps] :
       {std::pair("v3-32", 3), {"v3-8", 7}, {"v3-512", 1}, {"v3-128", 1}}) {
    // Buffers that hold a window and little else.
    auto again = OpenNumbered(*store, of.Window(64), bytes);
    while (!again.ok() && bytes < 3 << 20)
      again = OpenNumbered(*store, of.Window(64), bytes += bytes / 8);
    ASSERT_THAT(again, IsOk());
    ReadSteps(**again, slice, steps, consumed, parts);
  }
  ASSERT_LE(parts.size(), whole.size());
  whole.resize(parts.size());
  EXPECT_EQ(parts, whole);
}

std::vector<Counted> EveryCount() {
  std::vector<Counted> counts;
  for (const std::int64_t shards : {1, 7, 64}) {
    counts.push_back({shards, /*packed=*/false, /*windows=*/false});
    counts.push_back({shards, /*packed=*/false, /*windows=*/true});
    counts.push_back({shards, /*packed=*/true, /*windows=*/true});
  }
  return counts;
}

INSTANTIATE_TEST_SUITE_P(Counts, EveryShard, ::testing::ValuesIn(EveryCount()),
                         [](const auto& info) {
                           return absl::StrCat(info.param.shards,
                                               info.param.packed    ? "_packed"
                                               : info.param.windows ? "_windows"
                                                                    : "_plain");
                         });

TEST(Lanes, AnEpochOfOneGoesFromShardToShard) {
  const std::vector<std::int64_t> ends = {10, 10, 30, 60};
  const ShardEnds shards = {.ends = ends, .window = 5};
  const EpochOrder order(kShardSeed, 3, 60, &shards);
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> begun;  // shards, as they come first
  for (std::int64_t place = 0; place < 60; ++place) {
    const std::int64_t index = order(place);
    all.push_back(index);
    const std::int64_t shard =
        std::upper_bound(ends.begin(), ends.end(), index) - ends.begin();
    if (std::find(begun.begin(), begun.end(), shard) == begun.end())
      begun.push_back(shard);
    // A window reaches over the end of a shard, but no further.
    EXPECT_TRUE(shard == begun.back() ||
                (begun.size() > 1 && shard == begun[begun.size() - 2]));
  }
  EXPECT_EQ(begun.size(), 3);
  std::sort(all.begin(), all.end());
  for (std::int64_t i = 0; i < 60; ++i) EXPECT_EQ(all[i], i);
  // Windows of other epochs are ordered otherwise.
  const EpochOrder later(kShardSeed, 4, 60, &shards);
  int same = 0;
  for (std::int64_t place = 0; place < 60; ++place)
    same += order(place) == later(place) ? 1 : 0;
  EXPECT_LT(same, 30);
}

TEST(PackedShards, AWindowMustFitIntoTheBuffers) {
  const auto store = NewMemoryStore();
  WriteShards({2000}, /*packed=*/true, *store);
  EXPECT_THAT(
      OpenNumbered(*store, 1000, 50'000),
      StatusIs(absl::StatusCode::kResourceExhausted,
               AllOf(HasSubstr("1,000 examples are in memory at a time"),
                     HasSubstr(": lower --shuffle_window to "),
                     HasSubstr(", or raise --input_memory to 1M"))));
  EXPECT_THAT(
      OpenNumbered(*store, 100, 50'000),
      StatusIs(
          absl::StatusCode::kResourceExhausted,
          HasSubstr("the shards are packed, and a window and what is being "
                    "unpacked take 101.47 KiB, but readers have 42.72 KiB "
                    "for that: lower --shuffle_window, or raise "
                    "--input_memory")));
  EXPECT_THAT(OpenNumbered(*store, 100, 120'000), IsOk());
  ASSERT_THAT(store->Write("/data/eval-0", *store->Read("/data/train-1000")),
              IsOk());
  EXPECT_THAT(
      OpenNumbered(*store, 100, 300'000),
      StatusIs(absl::StatusCode::kResourceExhausted,
               HasSubstr(
                   "the shards of the eval split are packed, and what is being "
                   "unpacked takes 112.00 KiB, but readers have 36.62 KiB "
                   "for that: raise --input_memory")));
  EXPECT_THAT(OpenNumbered(*store, 100, 2'000'000), IsOk());
  ASSERT_THAT(store->Delete("/data/eval-0"), IsOk());
  // In order there is none.
  EXPECT_THAT(OpenDataset({.name = "tfrecord",
                           .data_dir = "/data",
                           .classes = 7,
                           .features = kNumberedSchema,
                           .shuffle_window = 1000,
                           .reader_bytes = 150'000,
                           .in_order = true},
                          *store),
              IsOk());
  WriteShards({2000}, /*packed=*/false, *store);
  EXPECT_THAT(OpenNumbered(*store, 1000, 50'000),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("the shuffle has a window, so that 1,000 "
                                 "examples are in memory at a time")));
  EXPECT_THAT(OpenNumbered(*store, 0, 50'000), IsOk());
}

TEST(Lanes, AreSharedByHosts) {
  for (const std::int64_t hosts : {1, 4, 16, 64})
    EXPECT_EQ(HostsOfLane(64, hosts), 1);
  EXPECT_DOUBLE_EQ(HostsOfLane(1, 4), 4);
  EXPECT_DOUBLE_EQ(HostsOfLane(64, 128), 2);
  EXPECT_DOUBLE_EQ(TimesOfRun(100, 24, 30), 1.24);
  EXPECT_DOUBLE_EQ(TimesOfRun(100, 24, 2), 1.14);
  EXPECT_EQ(LanesHere(64, 1, 4), 17);
  EXPECT_EQ(LanesHere(64, 4, 4), 64);
  EXPECT_EQ(LanesHere(64, 0, 0), 64);
}

TEST(Lanes, AWindowsExamplesAreNeighbours) {
  const ShardEnds shards = {.ends = {300, 300, 411, 777}, .window = 128};
  const EpochOrder order(/*seed=*/3, /*epoch=*/1, 777, &shards);
  std::map<std::int64_t, std::set<std::int64_t>> windows;  // by first
  std::map<std::int64_t, std::int64_t> ends;
  order.ForPlaces(0, 777, [&](std::int64_t, const LanePlace& where) {
    const LaneExample at = order.InLane(where);
    windows[at.window.first].insert(at.index);
    ends.try_emplace(at.window.first, at.window.end);
    EXPECT_EQ(ends.at(at.window.first), at.window.end);
  });
  std::int64_t end = 0;
  for (const auto& [first, indices] : windows) {
    EXPECT_EQ(first, end) << "the one before ends here";
    end = ends.at(first);
    EXPECT_LE(end - first, 128 / LanesOf(shards));
    EXPECT_EQ(*indices.begin(), first);
    EXPECT_EQ(*indices.rbegin(), end - 1);
    EXPECT_EQ(static_cast<std::int64_t>(indices.size()), end - first);
    for (const std::int64_t shard : {300, 411})
      EXPECT_FALSE(first < shard && shard < end) << "of one shard";
  }
  EXPECT_EQ(end, 777);
}

TEST(Lanes, EachHostHasNeighboursOfItsOwn) {
  constexpr std::int64_t kExamples = 12'800;
  const ShardEnds shards = {.ends = {kExamples}, .window = 4096};
  ASSERT_EQ(LanesOf(shards), 64);
  std::vector<int> readers(kExamples, 0);
  constexpr std::int64_t kHosts = 8;
  constexpr std::int64_t kRowsOfHost = 16;
  for (std::int64_t k = 0; k < kExamples; k += kHosts * kRowsOfHost)
    for (std::int64_t host = 0; host < kHosts; ++host)
      for (const StreamRow& row :
           RowsByLane(shards, kShardSeed, k, kHosts * kRowsOfHost,
                      {.first = host * kRowsOfHost,
                      .count = kRowsOfHost,
                      .of_host = kRowsOfHost})) {
        EXPECT_EQ(row.index / (kExamples / kHosts), host);
        ++readers[static_cast<std::size_t>(row.index)];
      }
  EXPECT_THAT(readers, Each(1));
}

// A step's examples are the stream's whatever the hosts, also where an epoch
// ends in it, and a host's are the same alone and beside others.
TEST(Lanes, HostsHaveEachExampleOfAStepOnce) {
  const ShardEnds shards = {.ends = {100, 250, 777}, .window = 64};
  for (std::int64_t consumed = 0; consumed < 2000; consumed += 96) {
    const auto all = RowsByLane(shards, kShardSeed, consumed, 96,
                                {.count = 96, .of_host = 24});
    std::set<std::int64_t> places;
    for (const StreamRow& row : all) {
      places.insert(row.k);
      EXPECT_EQ(row.index,
                EpochOrder(kShardSeed, row.k / 777, 777, &shards)(row.k % 777));
    }
    EXPECT_EQ(places.size(), 96);
    EXPECT_EQ(*places.begin(), consumed);
    EXPECT_EQ(*places.rbegin(), consumed + 95);
    for (std::size_t host = 0; host < 4; ++host) {
      const auto alone =
          RowsByLane(shards, kShardSeed, consumed, 96,
                     {.first = static_cast<std::int64_t>(24 * host),
                      .count = 24,
                      .of_host = 24});
      for (std::size_t row = 0; row < 24; ++row) {
        EXPECT_EQ(alone[row].k, all[24 * host + row].k);
        EXPECT_TRUE(row == 0 || alone[row - 1].k < alone[row].k);
      }
    }
  }
}

// Lanes take turns, so that all end together: of 4,003 examples four parts.
TEST(Lanes, ABatchHasOfEachLaneItsShare) {
  const ShardEnds shards = {.ends = {4003}, .window = 79};
  ASSERT_EQ(LanesOf(shards), 4);
  std::vector<std::int64_t> count(4, 0);
  const EpochOrder order(kShardSeed, 0, 4003, &shards);
  for (std::int64_t place = 0; place < 4003; ++place) {
    ++count[static_cast<std::size_t>(order(place) * 4 / 4003)];
    for (const std::int64_t each : count)
      EXPECT_NEAR(static_cast<double>(each), static_cast<double>(place + 1) / 4,
                  2)
          << place;
  }
}

// What unpacks as one is not read in several places side by side.
TEST(Lanes, OfPackedShardsHaveSpansOfTheirOwn) {
  const auto lanes = [](bool packed) {
    const auto store = NewMemoryStore();
    std::string bytes;
    for (int i = 0; i < 3000; ++i) bytes += FrameRecord(std::string(1000, 'x'));
    EXPECT_THAT(store->Write("/data/train-0", packed ? Gzip(bytes) : bytes),
                IsOk());
    return (*OpenNumbered(*store, 4096))->config().lanes();
  };
  EXPECT_EQ(lanes(/*packed=*/false), 64);
  EXPECT_LE(lanes(/*packed=*/true), 8);
}

}  // namespace
}  // namespace podsim
